//! One ledger of every game: challenges that wait, accepted ones that have not started, running games.

use super::policy::ChallengeOptions;
use crate::lichess::{Challenge, GameId, TimeControl, UserId};
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// An accepted challenge whose game has not started after this time gives its place back.
pub const START_DEADLINE: Duration = Duration::from_secs(30);
/// A challenge waits no longer than this for a place.
pub const QUEUE_DEADLINE: Duration = Duration::from_secs(300);

/// Whose game it is, as far as places are concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guest {
    /// `None` for somebody anonymous.
    pub user: Option<UserId>,
    pub is_bot: bool,
    /// Correspondence or unlimited: it takes no place among the games with a clock.
    pub is_slow: bool,
}

impl Guest {
    pub fn of(challenge: &Challenge) -> Guest {
        let challenger = challenge.challenger.as_ref();
        Guest {
            user: challenger.and_then(|player| player.id.clone()),
            is_bot: challenger.is_some_and(|player| player.is_bot()),
            is_slow: !matches!(challenge.time_control, TimeControl::Clock { .. }),
        }
    }
}

/// What the ledger says to a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// A place is reserved; accept the challenge.
    Accept,
    /// It waits for a place.
    Queued,
    /// It is in the ledger already.
    Known,
    /// No place, and none to wait in.
    Full,
    /// This user has enough games.
    UserFull,
}

/// What was past its deadline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expired {
    /// Accepted, but the server never told of a game.
    pub never_started: Vec<GameId>,
    /// Still waiting for a place.
    pub waited_in_vain: Vec<GameId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Our acceptance is on its way.
    Accepting,
    /// Accepted; the game has to start before this moment.
    Accepted(Instant),
    Running,
}

struct Place {
    guest: Guest,
    stage: Stage,
}

struct Waiting {
    id: GameId,
    guest: Guest,
    rated: bool,
    until: Instant,
}

/// The ledger. Every place is given back by the end of its game, a refusal, or a deadline.
pub struct Slots {
    options: ChallengeOptions,
    places: HashMap<GameId, Place>,
    queue: Vec<Waiting>,
}

impl Slots {
    pub fn new(options: ChallengeOptions) -> Slots {
        Slots { options, places: HashMap::new(), queue: Vec::new() }
    }

    /// A welcome challenge asks for a place.
    pub fn admit(&mut self, challenge: &Challenge, now: Instant) -> Admission {
        let (id, guest) = (&challenge.id, Guest::of(challenge));
        if self.places.contains_key(id) || self.queue.iter().any(|waiting| waiting.id == *id) {
            Admission::Known
        } else if self.games_of(&guest) >= self.options.games_per_user {
            Admission::UserFull
        } else if self.has_place_for(&guest) {
            self.places.insert(id.clone(), Place { guest, stage: Stage::Accepting });
            Admission::Accept
        } else if self.queue.len() < self.options.queue {
            let until = now + QUEUE_DEADLINE;
            self.queue.push(Waiting { id: id.clone(), guest, rated: challenge.rated, until });
            Admission::Queued
        } else {
            Admission::Full
        }
    }

    /// The next waiting challenge for which there is a place now: humans first, then rated, then the
    /// oldest. Its place is reserved.
    pub fn next_from_queue(&mut self) -> Option<GameId> {
        let order = |waiting: &Waiting| (waiting.guest.is_bot, !waiting.rated);
        let best = (0..self.queue.len())
            .filter(|&index| self.has_place_for(&self.queue[index].guest))
            .min_by_key(|&index| order(&self.queue[index]))?;
        let Waiting { id, guest, .. } = self.queue.remove(best);
        self.places.insert(id.clone(), Place { guest, stage: Stage::Accepting });
        Some(id)
    }

    /// The server took our acceptance: the game has to start soon.
    pub fn accepted(&mut self, id: &GameId, now: Instant) {
        if let Some(place) = self.places.get_mut(id)
            && place.stage == Stage::Accepting
        {
            place.stage = Stage::Accepted(now + START_DEADLINE);
        }
    }

    /// The server says that this game runs; it has a place whether or not there was one.
    pub fn started(&mut self, id: &GameId, guest: Guest) {
        self.queue.retain(|waiting| waiting.id != *id);
        self.places.insert(id.clone(), Place { guest, stage: Stage::Running });
    }

    /// The challenge is gone, or the game over: forget it.
    pub fn release(&mut self, id: &GameId) {
        self.places.remove(id);
        self.queue.retain(|waiting| waiting.id != *id);
    }

    /// Like [`Slots::release`], but a running game keeps its place: cancellations come late at times.
    pub fn withdraw(&mut self, id: &GameId) {
        if !self.is_running(id) {
            self.release(id);
        }
    }

    /// Gives back what is past its deadline and names it.
    pub fn expire(&mut self, now: Instant) -> Expired {
        let late = |place: &Place| matches!(place.stage, Stage::Accepted(until) if until <= now);
        let places = self.places.iter().filter(|(_, place)| late(place));
        let waiting = self.queue.iter().filter(|waiting| waiting.until <= now);
        let expired = Expired {
            never_started: places.map(|(id, _)| id.clone()).collect(),
            waited_in_vain: waiting.map(|waiting| waiting.id.clone()).collect(),
        };
        for id in expired.never_started.iter().chain(&expired.waited_in_vain) {
            self.release(id);
        }
        expired
    }

    /// When [`Slots::expire`] has something to do next.
    pub fn next_deadline(&self) -> Option<Instant> {
        let places = self.places.values().filter_map(|place| match place.stage {
            Stage::Accepted(until) => Some(until),
            _ => None,
        });
        places.chain(self.queue.iter().map(|waiting| waiting.until)).min()
    }

    /// Empties the queue and names what was in it.
    pub fn drain_queue(&mut self) -> Vec<GameId> {
        self.queue.drain(..).map(|waiting| waiting.id).collect()
    }

    pub fn is_running(&self, id: &GameId) -> bool {
        self.places.get(id).is_some_and(|place| place.stage == Stage::Running)
    }

    /// Whether no game with a running clock runs or may be about to start. The others can wait for the
    /// next start of the program.
    pub fn has_no_clock_running(&self) -> bool {
        self.places.values().all(|place| place.guest.is_slow)
    }

    fn games_of(&self, guest: &Guest) -> usize {
        let Some(user) = &guest.user else { return 0 };
        let guests = self.places.values().map(|place| &place.guest);
        let all = guests.chain(self.queue.iter().map(|waiting| &waiting.guest));
        all.filter(|other| other.user.as_ref() == Some(user)).count()
    }

    fn has_place_for(&self, guest: &Guest) -> bool {
        let taken = self.places.values().filter(|place| place.guest.is_slow == guest.is_slow).count();
        let reserved = if guest.is_bot { self.free_reserve() } else { 0 };
        match guest.is_slow {
            true => taken < self.options.slow_games,
            false => taken + reserved < self.options.concurrency,
        }
    }

    /// Places kept for humans that no human has taken yet.
    fn free_reserve(&self) -> usize {
        let fast = self.places.values().filter(|place| !place.guest.is_slow);
        let humans = fast.filter(|place| !place.guest.is_bot).count();
        self.options.reserved_for_humans.saturating_sub(humans)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lichess::Player;

    fn challenge(id: &str, user: &str, is_bot: bool, rated: bool) -> Challenge {
        let player = Player {
            id: Some(user.parse().expect("a user id")),
            title: is_bot.then(|| "BOT".to_string()),
            ..Player::default()
        };
        Challenge {
            id: id.parse().expect("a game id"),
            challenger: Some(player),
            destination: None,
            variant: "standard".to_string(),
            rated,
            speed: "blitz".to_string(),
            time_control: TimeControl::Clock { initial: Duration::from_secs(60), increment: Duration::ZERO },
            challenger_side: None,
            initial_fen: None,
            rules: Vec::new(),
            rematch_of: None,
            bot_compatible: None,
            decline_reason: None,
        }
    }

    fn slots(concurrency: usize, reserved_for_humans: usize, queue: usize) -> Slots {
        let options =
            ChallengeOptions { concurrency, reserved_for_humans, queue, ..ChallengeOptions::default() };
        Slots::new(options)
    }

    #[tokio::test]
    async fn places_are_taken_then_the_queue_then_nothing() {
        let (mut slots, now) = (slots(1, 0, 1), Instant::now());
        assert_eq!(slots.admit(&challenge("aaaaaaa1", "u1", false, false), now), Admission::Accept);
        assert_eq!(slots.admit(&challenge("aaaaaaa1", "u1", false, false), now), Admission::Known);
        assert_eq!(slots.admit(&challenge("aaaaaaa2", "u2", false, false), now), Admission::Queued);
        assert_eq!(slots.admit(&challenge("aaaaaaa3", "u3", false, false), now), Admission::Full);
    }

    #[tokio::test]
    async fn one_user_counts_queued_and_running_games() {
        let (mut slots, now) = (slots(1, 0, 9), Instant::now());
        assert_eq!(slots.admit(&challenge("aaaaaaa1", "u1", false, false), now), Admission::Accept);
        assert_eq!(slots.admit(&challenge("aaaaaaa2", "u1", false, false), now), Admission::Queued);
        assert_eq!(slots.admit(&challenge("aaaaaaa3", "u1", false, false), now), Admission::UserFull);
    }

    #[tokio::test]
    async fn humans_come_first_then_rated_then_the_oldest() {
        let (mut slots, now) = (slots(1, 0, 9), Instant::now());
        slots.admit(&challenge("running1", "u0", false, false), now);
        for (id, user, is_bot, rated) in [
            ("botcasua", "b1", true, false),
            ("botrated", "b2", true, true),
            ("mancasu1", "u1", false, false),
            ("mancasu2", "u2", false, false),
            ("manrated", "u3", false, true),
        ] {
            assert_eq!(slots.admit(&challenge(id, user, is_bot, rated), now), Admission::Queued);
        }
        let mut previous = "running1".parse().expect("an id");
        for expected in ["manrated", "mancasu1", "mancasu2", "botrated", "botcasua"] {
            assert_eq!(slots.next_from_queue(), None, "no place before one is free");
            slots.release(&previous);
            previous = slots.next_from_queue().expect("a place is free");
            assert_eq!(previous.as_str(), expected);
        }
    }

    #[tokio::test]
    async fn reserved_places_are_for_humans_only() {
        let (mut slots, now) = (slots(2, 1, 0), Instant::now());
        assert_eq!(slots.admit(&challenge("aaaaaaa1", "b1", true, false), now), Admission::Accept);
        assert_eq!(slots.admit(&challenge("aaaaaaa2", "b2", true, false), now), Admission::Full);
        assert_eq!(slots.admit(&challenge("aaaaaaa3", "u1", false, false), now), Admission::Accept);
    }

    #[tokio::test]
    async fn a_human_in_a_reserved_place_leaves_the_rest_to_bots() {
        let (mut slots, now) = (slots(2, 1, 0), Instant::now());
        assert_eq!(slots.admit(&challenge("aaaaaaa1", "u1", false, false), now), Admission::Accept);
        assert_eq!(slots.admit(&challenge("aaaaaaa2", "b1", true, false), now), Admission::Accept);
    }

    #[tokio::test]
    async fn correspondence_takes_no_place_from_games_with_a_clock() {
        let (mut slots, now) = (slots(1, 0, 0), Instant::now());
        let mut slow = challenge("aaaaaaa1", "u1", false, false);
        slow.time_control = TimeControl::Correspondence { days_per_turn: 3 };
        assert_eq!(slots.admit(&slow, now), Admission::Accept);
        assert_eq!(slots.admit(&challenge("aaaaaaa2", "u2", false, false), now), Admission::Accept);
    }

    #[tokio::test]
    async fn an_accepted_game_that_never_starts_gives_its_place_back() {
        let (mut slots, now) = (slots(1, 0, 0), Instant::now());
        let first = challenge("aaaaaaa1", "u1", false, false);
        slots.admit(&first, now);
        assert_eq!(slots.next_deadline(), None, "an acceptance on its way has its own time-out");
        slots.accepted(&first.id, now);
        assert_eq!(slots.next_deadline(), Some(now + START_DEADLINE));
        assert_eq!(slots.expire(now + START_DEADLINE).never_started, vec![first.id]);
        assert!(slots.has_no_clock_running());
    }

    #[tokio::test]
    async fn a_running_game_survives_late_words_about_its_challenge() {
        let (mut slots, now) = (slots(1, 0, 0), Instant::now());
        let first = challenge("aaaaaaa1", "u1", false, false);
        slots.admit(&first, now);
        slots.started(&first.id, Guest::of(&first));
        slots.accepted(&first.id, now);
        slots.withdraw(&first.id);
        assert!(slots.is_running(&first.id));
        assert_eq!(slots.expire(now + START_DEADLINE * 2), Expired::default());
        slots.release(&first.id);
        assert!(slots.has_no_clock_running());
    }

    #[tokio::test]
    async fn a_cancelled_challenge_leaves_the_queue() {
        let (mut slots, now) = (slots(1, 0, 1), Instant::now());
        slots.admit(&challenge("aaaaaaa1", "u1", false, false), now);
        let waiting = challenge("aaaaaaa2", "u2", false, false);
        assert_eq!(slots.admit(&waiting, now), Admission::Queued);
        slots.withdraw(&waiting.id);
        slots.release(&"aaaaaaa1".parse().expect("an id"));
        assert_eq!(slots.next_from_queue(), None);
    }

    #[tokio::test]
    async fn waiting_ends_with_its_deadline() {
        let (mut slots, now) = (slots(1, 0, 1), Instant::now());
        slots.admit(&challenge("aaaaaaa1", "u1", false, false), now);
        let waiting = challenge("aaaaaaa2", "u2", false, false);
        slots.admit(&waiting, now);
        assert_eq!(slots.expire(now + QUEUE_DEADLINE).waited_in_vain, vec![waiting.id]);
    }
}
