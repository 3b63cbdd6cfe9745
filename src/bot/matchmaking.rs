//! Whom to challenge, and when: other bots, one at a time, while nobody else plays with us.

use crate::lichess::{Offer, OnlineBot, UserId};
use fastrand::Rng;
use serde::Deserialize;
use std::time::Duration;

/// Section `[matchmaking]` of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MatchmakingOptions {
    /// Challenge other bots while no game with a clock runs.
    pub enabled: bool,
    /// From one challenge to the next, in seconds.
    pub interval_seconds: u32,
    pub rated: bool,
    /// The clock of these games, in seconds.
    pub initial: u32,
    /// Added by each move, in seconds.
    pub increment: u32,
    /// Only bots with this rating or more at this speed …
    pub min_rating: u32,
    /// … and with this or less.
    pub max_rating: u32,
}

impl Default for MatchmakingOptions {
    fn default() -> Self {
        MatchmakingOptions {
            enabled: false,
            interval_seconds: 450,
            rated: true,
            initial: 180,
            increment: 2,
            min_rating: 0,
            max_rating: 4_000,
        }
    }
}

impl MatchmakingOptions {
    pub fn interval(&self) -> Duration {
        Duration::from_secs(self.interval_seconds.into())
    }

    /// What is offered.
    pub fn offer(&self) -> Offer {
        Offer {
            rated: self.rated,
            initial: Duration::from_secs(self.initial.into()),
            increment: Duration::from_secs(self.increment.into()),
        }
    }

    /// Why the server would refuse a bot's game with this clock, if it would.
    pub fn objection_to_clock(&self) -> Option<&'static str> {
        if !matches!(self.initial, 0 | 15 | 30 | 45 | 90) && !self.initial.is_multiple_of(60) {
            Some("0, 15, 30, 45, 60, 90 or whole minutes in seconds")
        } else if self.initial + 40 * self.increment < 30 {
            Some("at least 30 s together with 40 increments")
        } else {
            None
        }
    }

    /// One of the bots that are online, at random; none if none fits.
    pub fn choose<'a>(
        &self,
        bots: &'a [OnlineBot],
        us: &UserId,
        may_be_asked: impl Fn(&UserId) -> bool,
        random: &mut Rng,
    ) -> Option<&'a OnlineBot> {
        let speed = self.offer().speed();
        let fits = |bot: &&OnlineBot| {
            let rating = bot.rating(speed);
            bot.id != *us && (self.min_rating..=self.max_rating).contains(&rating) && may_be_asked(&bot.id)
        };
        let fitting: Vec<&OnlineBot> = bots.iter().filter(fits).collect();
        random.choice(fitting)
    }
}

/// For how long a bot is left alone after it has declined, by the reason it gave (in any case of letters).
/// Who wants another kind of game is not asked for this one again soon.
pub fn rest_after(reason: Option<&str>) -> Duration {
    const HOUR: Duration = Duration::from_secs(3_600);
    match reason.map(str::to_ascii_lowercase).as_deref() {
        None | Some("later" | "generic") => HOUR,
        Some("nobot") => HOUR * 24 * 30,
        Some(_) => HOUR * 24,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bot(name: &str, blitz: u32) -> OnlineBot {
        OnlineBot { id: name.parse().expect("a user id"), ratings: vec![("blitz".to_string(), blitz)] }
    }

    #[test]
    fn bots_are_chosen_by_rating_and_never_ourselves() {
        let bots = [
            bot("us", 2_000),
            bot("weak", 1_000),
            bot("fits", 1_900),
            bot("tired", 2_000),
            bot("also", 2_100),
        ];
        let us = "us".parse().expect("a user id");
        let options = MatchmakingOptions { min_rating: 1_500, ..MatchmakingOptions::default() };
        let mut random = Rng::with_seed(1);
        let mut chosen: Vec<String> = (0..50)
            .filter_map(|_| options.choose(&bots, &us, |id| id.as_str() != "tired", &mut random))
            .map(|bot| bot.id.to_string())
            .collect();
        chosen.sort();
        chosen.dedup();
        assert_eq!(chosen, ["also", "fits"]);
        assert_eq!(options.choose(&bots, &us, |_| false, &mut random), None);
        let bullet = MatchmakingOptions { initial: 60, increment: 0, ..options };
        assert_eq!(bullet.choose(&bots, &us, |_| true, &mut random), None, "unrated at this speed");
    }

    #[test]
    fn a_clock_that_the_server_refuses_is_known() {
        for (initial, increment, is_sound) in
            [(180, 2, true), (0, 1, true), (30, 0, true), (15, 0, false), (100, 5, false), (10_800, 0, true)]
        {
            let options = MatchmakingOptions { initial, increment, ..MatchmakingOptions::default() };
            assert_eq!(options.objection_to_clock().is_none(), is_sound, "{initial}+{increment}");
        }
    }

    #[test]
    fn who_declines_is_left_alone_for_as_long_as_the_reason_says() {
        let hours = |reason| rest_after(reason).as_secs() / 3_600;
        assert_eq!(
            [None, Some("later"), Some("toofast"), Some("tooFast"), Some("noBot")].map(hours),
            [1, 1, 24, 24, 720]
        );
    }
}
