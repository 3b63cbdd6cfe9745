//! The arena's own clocks: what the players are told, and who has overstepped.

use crate::engine::clock::Clock;
use crate::engine::{Color, Limits};
use crate::worker::Clocks;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Time for a whole game and for each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    pub initial: Duration,
    pub increment: Duration,
}

/// Seconds, `60+0.6` or `60`.
impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeControl, String> {
        let seconds = |text: &str| -> Option<Duration> {
            let seconds: f64 = text.trim().parse().ok()?;
            (0.0..=86_400.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
        };
        let (initial, increment) = text.split_once('+').unwrap_or((text, "0"));
        match (seconds(initial), seconds(increment)) {
            (Some(initial), Some(increment)) if !initial.is_zero() => Ok(TimeControl { initial, increment }),
            _ => Err("seconds for the game and for each move, as in 1+0.01".to_string()),
        }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}", self.initial.as_secs_f64(), self.increment.as_secs_f64())
    }
}

/// Both clocks of one game.
#[derive(Clone, Copy, Debug)]
pub struct GameClock {
    control: TimeControl,
    /// Overstepping by so much is forgiven: it is ours, the way of the move to us.
    margin: Duration,
    remaining: [Duration; 2],
}

impl GameClock {
    pub fn new(control: TimeControl, margin: Duration) -> GameClock {
        GameClock { control, margin, remaining: [control.initial; 2] }
    }

    /// How long a move may take before it is too late.
    pub fn patience(&self, mover: Color) -> Duration {
        self.remaining[mover.to_index()] + self.margin
    }

    /// What UCI programs are told.
    pub fn shown(&self) -> Clocks {
        Clocks { remaining: self.remaining, increment: [self.control.increment; 2] }
    }

    /// What our own engine, which is not told the clocks, may use.
    pub fn limits(&self, mover: Color, overhead: Duration) -> Limits {
        let (remaining, increment) = (self.remaining[mover.to_index()], self.control.increment);
        let (soft, hard) = Clock { remaining, increment, moves_to_go: None, overhead }.bounds();
        Limits { soft: Some(soft), hard: Some(hard), ..Limits::default() }
    }

    /// A move took so long; whether it was in time.
    #[must_use]
    pub fn spend(&mut self, mover: Color, elapsed: Duration) -> bool {
        let is_in_time = elapsed <= self.patience(mover);
        let remaining = &mut self.remaining[mover.to_index()];
        *remaining = remaining.saturating_sub(elapsed) + self.control.increment;
        is_in_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn time_controls_are_read_or_refused() {
        let control = |initial, increment| {
            Ok(TimeControl {
                initial: Duration::from_millis(initial),
                increment: Duration::from_millis(increment),
            })
        };
        let refused = Err("seconds for the game and for each move, as in 1+0.01".to_string());
        let cases = [
            ("1+0.01", control(1_000, 10)),
            ("60", control(60_000, 0)),
            ("0.5+0", control(500, 0)),
            ("0+1", refused.clone()),
            ("-1+1", refused.clone()),
            ("1+-1", refused.clone()),
            ("1m", refused.clone()),
            ("NaN", refused.clone()),
            ("1e9", refused.clone()),
            ("", refused),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<TimeControl>(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_clock_runs_for_the_mover_only_and_forgives_the_margin() {
        let control = TimeControl { initial: SECOND * 10, increment: SECOND };
        let mut clock = GameClock::new(control, SECOND / 2);
        assert!(clock.spend(Color::White, SECOND * 4));
        assert_eq!(clock.shown().remaining, [SECOND * 7, SECOND * 10]);
        assert!(clock.spend(Color::White, SECOND * 7 + SECOND / 2), "within the margin");
        assert_eq!(clock.shown().remaining[0], SECOND, "nothing but the increment");
        assert!(!clock.spend(Color::White, SECOND * 2), "beyond the margin");
        assert_eq!(clock.shown().remaining[1], SECOND * 10);
        assert_eq!(clock.patience(Color::Black), SECOND * 10 + SECOND / 2);
    }

    #[test]
    fn our_own_engine_stays_within_what_is_left() {
        let control = TimeControl { initial: SECOND, increment: SECOND / 100 };
        let mut clock = GameClock::new(control, Duration::ZERO);
        for _ in 0..300 {
            let overhead = SECOND / 100;
            let hard = clock.limits(Color::White, overhead).hard.expect("a bound");
            assert!(clock.spend(Color::White, hard + overhead / 2), "{clock:?}");
        }
    }
}
