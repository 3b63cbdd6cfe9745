//! A clock as people write it: `30+0`, `180+2`, `60+0.6`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;

/// What a game has to last, by the server's estimate for 40 moves, for a bot to be allowed in it.
const SHORTEST_FOR_BOTS: Duration = Duration::from_secs(30);

/// The longest start, and increment, of a clock on the server.
const LONGEST: [Duration; 2] = [Duration::from_secs(10_800), Duration::from_secs(60)];

/// Start and increment of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    pub initial: Duration,
    pub increment: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { initial: Duration::from_secs(30), increment: Duration::ZERO }
    }
}

/// Why a clock was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PaceError {
    #[error("{0:?} is not a clock: seconds at the start, +, seconds for each move, as in 30+0 or 60+0.6")]
    Malformed(String),
    #[error("{0} is too fast: bots may play from 30 seconds on, counting the start and 40 increments")]
    TooFast(String),
    #[error("{0} is too slow: the start is at most 10800 seconds, the increment 60")]
    TooSlow(String),
}

impl FromStr for Pace {
    type Err = PaceError;

    fn from_str(text: &str) -> Result<Pace, PaceError> {
        let seconds = |text: &str| text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
        let (initial, increment) = text
            .split_once('+')
            .and_then(|(initial, increment)| seconds(initial).zip(seconds(increment)))
            .ok_or_else(|| PaceError::Malformed(text.to_string()))?;
        if initial > LONGEST[0] || increment > LONGEST[1] {
            return Err(PaceError::TooSlow(text.to_string()));
        }
        if initial + 40 * increment < SHORTEST_FOR_BOTS {
            return Err(PaceError::TooFast(text.to_string()));
        }
        Ok(Pace { initial, increment })
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}", self.initial.as_secs_f64(), self.increment.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_and_written_as_people_do() {
        for (text, initial, increment) in
            [("30+0", 30_000, 0), ("180+2", 180_000, 2_000), ("60+0.6", 60_000, 600), ("0+1", 0, 1_000)]
        {
            let pace: Pace = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            let expected = (Duration::from_millis(initial), Duration::from_millis(increment));
            assert_eq!((pace.initial, pace.increment), expected, "{text}");
            assert_eq!(pace.to_string(), text);
        }
    }

    #[test]
    fn impossible_clocks_are_refused_with_a_reason() {
        for text in ["", "30", "30+", "+0", "3m+2", "-30+0", "NaN+0", "inf+0", "30+0+0", "1e300+0"] {
            let refused = text.parse::<Pace>();
            assert_eq!(refused, Err(PaceError::Malformed(text.to_string())), "{text:?}");
        }
        for text in ["29+0", "10+0.1"] {
            assert_eq!(text.parse::<Pace>(), Err(PaceError::TooFast(text.to_string())));
        }
        for text in ["10801+0", "30+61"] {
            assert_eq!(text.parse::<Pace>(), Err(PaceError::TooSlow(text.to_string())));
        }
    }
}
