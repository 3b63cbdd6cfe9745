//! What we offer to others, and who could take it.

use super::event::UserId;
use super::stream::Line;
use serde_json::Value;
use std::time::Duration;

/// The game of a challenge of ours: standard chess with a clock, colours by lot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    pub rated: bool,
    pub initial: Duration,
    /// Added by each move.
    pub increment: Duration,
}

impl Offer {
    /// The server's name for the speed, by the estimated time of a game for one side.
    pub fn speed(&self) -> &'static str {
        match (self.initial + 40 * self.increment).as_secs() {
            0..30 => "ultraBullet",
            30..180 => "bullet",
            180..480 => "blitz",
            480..1_500 => "rapid",
            _ => "classical",
        }
    }

    /// The fields of the request.
    pub(super) fn fields(&self) -> [(&'static str, String); 4] {
        [
            ("rated", self.rated.to_string()),
            ("clock.limit", self.initial.as_secs().to_string()),
            ("clock.increment", self.increment.as_secs().to_string()),
            ("color", "random".to_string()),
        ]
    }
}

/// A bot that is online.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnlineBot {
    pub id: UserId,
    /// By speed or variant.
    pub ratings: Vec<(String, u32)>,
}

impl OnlineBot {
    /// Its rating at a speed, 0 if it has none.
    pub fn rating(&self, speed: &str) -> u32 {
        self.ratings.iter().find(|(name, _)| name == speed).map_or(0, |(_, rating)| *rating)
    }
}

impl Line for OnlineBot {
    fn read(line: &[u8]) -> Result<OnlineBot, String> {
        let profile: Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        let id = profile.get("id").and_then(Value::as_str).unwrap_or_default().parse()?;
        let perfs = profile.get("perfs").and_then(Value::as_object);
        let rating = |(name, perf): (&String, &Value)| {
            let rating = perf.get("rating").and_then(Value::as_u64)?;
            Some((name.clone(), u32::try_from(rating).ok()?))
        };
        Ok(OnlineBot {
            id,
            ratings: perfs.map(|perfs| perfs.iter().filter_map(rating).collect()).unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_follows_the_servers_estimate() {
        for (initial, increment, speed) in [
            (15, 0, "ultraBullet"),
            (0, 1, "bullet"),
            (60, 2, "bullet"),
            (180, 2, "blitz"),
            (600, 5, "rapid"),
            (1_800, 0, "classical"),
        ] {
            let [initial, increment] = [initial, increment].map(Duration::from_secs);
            assert_eq!(Offer { rated: true, initial, increment }.speed(), speed, "{initial:?}+{increment:?}");
        }
    }

    #[test]
    fn a_profile_is_read_loosely() {
        let line = br#"{"id":"ada","username":"Ada","title":"BOT","perfs":{"blitz":{"games":9,"rating":2050},"storm":{"runs":1}}}"#;
        let bot = OnlineBot::read(line).expect("a profile");
        assert_eq!((bot.id.as_str(), bot.rating("blitz"), bot.rating("bullet")), ("ada", 2_050, 0));
        assert_eq!(OnlineBot::read(br#"{"id":"ada"}"#).expect("a profile").ratings, []);
        assert!(OnlineBot::read(br#"{"name":"ada"}"#).is_err());
    }
}
