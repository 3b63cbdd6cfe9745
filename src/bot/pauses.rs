//! Whom we do not play or ask for a while: the server says so, or they have declined.

use crate::lichess::UserId;
use jiff::Timestamp;
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// What a pause is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum About {
    /// We have played as many games against bots today as the server allows; humans are welcome.
    AllBots,
    /// This bot has.
    Opponent(UserId),
    /// This bot is not challenged by us: it has declined, or has not answered. It may challenge us.
    Asking(UserId),
}

// The spaces keep these apart from every name of a user.
const ALL_BOTS: &str = "all bots";
const ASKING: &str = "asking ";

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            About::AllBots => f.write_str(ALL_BOTS),
            About::Opponent(user) => user.fmt(f),
            About::Asking(user) => write!(f, "{ASKING}{user}"),
        }
    }
}

impl FromStr for About {
    type Err = String;

    fn from_str(text: &str) -> Result<About, String> {
        match text.strip_prefix(ASKING) {
            Some(user) => user.parse().map(About::Asking),
            None if text == ALL_BOTS => Ok(About::AllBots),
            None => text.parse().map(About::Opponent),
        }
    }
}

/// The pauses, each until its moment.
#[derive(Clone, Debug, Default)]
pub struct Pauses {
    until: HashMap<About, Timestamp>,
}

impl FromIterator<(About, Timestamp)> for Pauses {
    fn from_iter<I: IntoIterator<Item = (About, Timestamp)>>(pauses: I) -> Pauses {
        Pauses { until: pauses.into_iter().collect() }
    }
}

impl Pauses {
    pub fn set(&mut self, about: About, until: Timestamp, now: Timestamp) {
        self.until.retain(|_, until| *until > now);
        self.until.insert(about, until);
    }

    /// Whether we may challenge this bot at `now`.
    pub fn may_ask(&self, user: &UserId, now: Timestamp) -> bool {
        let asking = self.until.get(&About::Asking(user.clone()));
        self.for_bot(Some(user), now).is_none() && asking.is_none_or(|until| *until <= now)
    }

    /// Until when the bot `user` is not played, if that is so at `now`.
    pub fn for_bot(&self, user: Option<&UserId>, now: Timestamp) -> Option<Timestamp> {
        let opponent = user.and_then(|user| self.until.get(&About::Opponent(user.clone())));
        let until = self.until.get(&About::AllBots).into_iter().chain(opponent).max()?;
        (*until > now).then_some(*until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str) -> UserId {
        name.parse().expect("a user id")
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a moment")
    }

    #[test]
    fn a_pause_is_about_whom_it_names_and_ends() {
        let mut pauses = Pauses::default();
        pauses.set(About::Opponent(user("ada")), at(100), at(0));
        assert_eq!(pauses.for_bot(Some(&user("ada")), at(99)), Some(at(100)));
        assert_eq!(pauses.for_bot(Some(&user("ada")), at(100)), None);
        assert_eq!(pauses.for_bot(Some(&user("bob")), at(0)), None);
        pauses.set(About::AllBots, at(50), at(0));
        assert_eq!(pauses.for_bot(Some(&user("bob")), at(0)), Some(at(50)));
        assert_eq!(pauses.for_bot(None, at(0)), Some(at(50)));
        assert_eq!(pauses.for_bot(Some(&user("ada")), at(0)), Some(at(100)), "the longer one");
    }

    #[test]
    fn who_is_not_asked_may_still_ask_us() {
        let mut pauses = Pauses::default();
        pauses.set(About::Asking(user("ada")), at(100), at(0));
        assert_eq!([at(99), at(100)].map(|now| pauses.may_ask(&user("ada"), now)), [false, true]);
        assert!(pauses.may_ask(&user("bob"), at(0)));
        assert_eq!(pauses.for_bot(Some(&user("ada")), at(0)), None);
        pauses.set(About::Opponent(user("bob")), at(100), at(0));
        assert!(!pauses.may_ask(&user("bob"), at(0)));
    }

    #[test]
    fn what_a_pause_is_about_can_be_written_down() {
        for about in [About::AllBots, About::Opponent(user("allbots")), About::Asking(user("asking"))] {
            assert_eq!(about.to_string().parse(), Ok(about));
        }
    }
}
