//! One ledger of every game: challenges that wait, accepted ones that have not started, running games.

use super::policy::ChallengeOptions;
use crate::lichess::{Challenge, GameId, TimeControl, UserId};
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// After this time an accepted challenge whose game has not started is looked after.
pub const START_DEADLINE: Duration = Duration::from_secs(30);
/// A challenge waits no longer than this for a place.
pub const QUEUE_DEADLINE: Duration = Duration::from_secs(300);
/// A challenge of ours stands for 20 seconds; the answer to it may be a little late.
pub const OFFER_DEADLINE: Duration = Duration::from_secs(25);
/// An acceptance has ended long before, unless nobody is left to tell of it.
const ACCEPT_DEADLINE: Duration = Duration::from_secs(120);

/// Whose game it is, as far as places are concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guest {
    /// `None` for somebody anonymous.
    pub user: Option<UserId>,
    pub is_bot: bool,
    /// Correspondence or unlimited: it takes no place among the games with a clock.
    pub is_slow: bool,
    pub rated: bool,
}

impl Guest {
    pub fn of(challenge: &Challenge) -> Guest {
        let challenger = challenge.challenger.as_ref();
        Guest {
            user: challenger.and_then(|player| player.id.clone()),
            is_bot: challenger.is_some_and(|player| player.is_bot()),
            is_slow: !matches!(challenge.time_control, TimeControl::Clock { .. }),
            rated: challenge.rated,
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

/// A challenge that has become no game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    pub id: GameId,
    pub guest: Guest,
    /// The challenge was ours.
    pub is_ours: bool,
}

/// What was past its deadline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expired {
    /// Perhaps accepted, but the server never told of a game: [`Slots::reconcile`] wants to know.
    pub overdue: Vec<GameId>,
    /// The same of a challenge of ours that has no name.
    pub offer_is_overdue: bool,
    /// Still waiting for a place, and forgotten now.
    pub waited_in_vain: Vec<GameId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Our acceptance is on its way, and its end is known before `ends_by`. If it has to be sent again,
    /// the challenge waits no longer than `wait_until`.
    Accepting {
        ends_by: Instant,
        wait_until: Instant,
    },
    /// Our challenge stands until this moment.
    Offered(Instant),
    /// Our acceptance got through, or perhaps did: if so, the game starts before this moment.
    Awaited(Instant),
    /// No game has started in time. The place is free once the server's list says the same; it is
    /// asked for again at this moment.
    Overdue(Instant),
    Running,
}

impl Stage {
    fn deadline(self) -> Option<Instant> {
        match self {
            Stage::Accepting { ends_by: at, .. }
            | Stage::Offered(at)
            | Stage::Awaited(at)
            | Stage::Overdue(at) => Some(at),
            Stage::Running => None,
        }
    }
}

struct Place {
    guest: Guest,
    stage: Stage,
    /// The challenge was ours.
    is_ours: bool,
}

/// A challenge of ours that the server has not named yet.
struct Offering {
    guest: Guest,
    /// If it was made, its game has started before this moment.
    until: Instant,
    /// It has not; the place is free once the server's list says the same.
    is_overdue: bool,
}

struct Waiting {
    id: GameId,
    guest: Guest,
    until: Instant,
}

/// The ledger. Every place is given back by the end of its game, a refusal, or a deadline.
pub struct Slots {
    options: ChallengeOptions,
    places: HashMap<GameId, Place>,
    queue: Vec<Waiting>,
    offering: Option<Offering>,
    /// The server wants no acceptance before this moment.
    closed_until: Option<Instant>,
}

impl Slots {
    pub fn new(options: ChallengeOptions) -> Slots {
        Slots { options, places: HashMap::new(), queue: Vec::new(), offering: None, closed_until: None }
    }

    /// A welcome challenge asks for a place.
    pub fn admit(&mut self, challenge: &Challenge, now: Instant) -> Admission {
        let (id, guest) = (&challenge.id, Guest::of(challenge));
        if self.places.contains_key(id) || self.queue.iter().any(|waiting| waiting.id == *id) {
            return Admission::Known;
        }
        let has_place = self.has_place_for(&guest);
        let wait_until = now + QUEUE_DEADLINE;
        if self.games_of(guest.user.as_ref()) >= self.options.games_per_user {
            Admission::UserFull
        } else if has_place && !self.is_closed(now) {
            self.reserve(Waiting { id: id.clone(), guest, until: wait_until }, now);
            Admission::Accept
        } else if self.has_room_to_wait(&guest, has_place) {
            self.queue.push(Waiting { id: id.clone(), guest, until: wait_until });
            Admission::Queued
        } else {
            Admission::Full
        }
    }

    /// The next waiting challenge for which there is a place now: humans first, then rated, then the
    /// oldest. Its place is reserved.
    pub fn next_from_queue(&mut self, now: Instant) -> Option<GameId> {
        self.closed_until.take_if(|until| *until <= now);
        if self.closed_until.is_some() {
            return None;
        }
        let order = |waiting: &Waiting| (waiting.guest.is_bot, !waiting.guest.rated);
        let best = (0..self.queue.len())
            .filter(|&index| self.has_place_for(&self.queue[index].guest))
            .min_by_key(|&index| order(&self.queue[index]))?;
        let waiting = self.queue.remove(best);
        let id = waiting.id.clone();
        self.reserve(waiting, now);
        Some(id)
    }

    fn reserve(&mut self, Waiting { id, guest, until }: Waiting, now: Instant) {
        let stage = Stage::Accepting { ends_by: now + ACCEPT_DEADLINE, wait_until: until };
        self.places.insert(id, Place { guest, stage, is_ours: false });
    }

    /// The server took our acceptance, or nobody knows: the place is kept until the game starts, or is
    /// clearly not going to.
    pub fn await_start(&mut self, id: &GameId, now: Instant) {
        if let Some(place) = self.places.get_mut(id)
            && matches!(place.stage, Stage::Accepting { .. })
        {
            place.stage = Stage::Awaited(now + START_DEADLINE);
        }
    }

    /// The server wants no acceptance before `until`. This one waits with the others, before those of
    /// its kind, as long as it still may, and nobody's place is taken meanwhile.
    pub fn limited(&mut self, id: &GameId, until: Instant) {
        self.closed_until = self.closed_until.max(Some(until));
        if let Some(&Place { stage: Stage::Accepting { wait_until, .. }, .. }) = self.places.get(id)
            && let Some(Place { guest, .. }) = self.places.remove(id)
        {
            self.queue.insert(0, Waiting { id: id.clone(), guest, until: wait_until });
        }
    }

    /// Whether nobody plays with a clock, or is about to, and a bot would have a place: we may challenge
    /// one.
    pub fn is_idle(&self) -> bool {
        let bot = Guest { user: None, is_bot: true, is_slow: false, rated: true };
        self.queue.is_empty() && self.has_no_clock_running() && self.has_place_for(&bot)
    }

    /// Whether this user has fewer games with us than one may have.
    pub fn has_room_for(&self, user: &UserId) -> bool {
        self.games_of(Some(user)) < self.options.games_per_user
    }

    /// We are about to challenge somebody: a place is reserved until the server has answered, or until it
    /// is clear that an answer that was lost has left no game.
    pub fn offer(&mut self, guest: Guest, now: Instant) {
        self.offering = Some(Offering { guest, until: now + OFFER_DEADLINE, is_overdue: false });
    }

    /// Whom we are challenging, as long as the server has not named that challenge.
    pub fn offering_to(&self) -> Option<&UserId> {
        self.offering.as_ref().and_then(|offering| offering.guest.user.as_ref())
    }

    /// The server has named our challenge.
    pub fn offered(&mut self, id: &GameId, now: Instant) {
        if let Some(Offering { guest, .. }) = self.offering.take()
            && !self.places.contains_key(id)
        {
            let stage = Stage::Offered(now + OFFER_DEADLINE);
            self.places.insert(id.clone(), Place { guest, stage, is_ours: true });
        }
    }

    /// The challenge of ours that stands, with its name.
    pub fn standing_offer(&self) -> Option<&GameId> {
        self.places.iter().find(|(_, place)| place.is_ours).map(|(id, _)| id)
    }

    /// The server refuses our challenge.
    pub fn offer_refused(&mut self) {
        self.offering = None;
    }

    /// The server says that this game runs; it has a place whether or not there was one.
    pub fn started(&mut self, id: &GameId, guest: Guest) {
        self.queue.retain(|waiting| waiting.id != *id);
        if !self.places.contains_key(id) {
            // It is the game of our challenge whose name has not come yet.
            self.offering.take_if(|offering| offering.guest.user == guest.user);
        }
        self.places.insert(id.clone(), Place { guest, stage: Stage::Running, is_ours: false });
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

    /// Names what is past its deadline, and forgets those who waited.
    pub fn expire(&mut self, now: Instant) -> Expired {
        let mut expired = Expired::default();
        for (id, place) in &mut self.places {
            if place.stage.deadline().is_some_and(|deadline| deadline <= now) {
                place.stage = Stage::Overdue(now + START_DEADLINE);
                expired.overdue.push(id.clone());
            }
        }
        if let Some(offering) = self.offering.as_mut().filter(|offering| offering.until <= now) {
            (offering.until, offering.is_overdue) = (now + START_DEADLINE, true);
            expired.offer_is_overdue = true;
        }
        let in_vain = self.queue.extract_if(.., |waiting| waiting.until <= now);
        expired.waited_in_vain = in_vain.map(|waiting| waiting.id).collect();
        expired
    }

    /// The server's list of running games, asked for a moment ago: gives back the places of overdue
    /// games that are not in it, and names them. A list that leaves some out still speaks for challenges
    /// of ours: that nobody answers them is the usual reason for their being overdue.
    pub fn reconcile(&mut self, running: &[GameId], is_complete: bool) -> Vec<Gone> {
        let is_gone = |id: &GameId, place: &mut Place| {
            matches!(place.stage, Stage::Overdue(_))
                && !running.contains(id)
                && (is_complete || place.is_ours)
        };
        self.offering.take_if(|offering| offering.is_overdue);
        let gone = self.places.extract_if(is_gone);
        gone.map(|(id, Place { guest, is_ours, .. })| Gone { id, guest, is_ours }).collect()
    }

    /// When [`Slots::expire`] or [`Slots::next_from_queue`] has something to do next.
    pub fn next_deadline(&self) -> Option<Instant> {
        let places = self.places.values().filter_map(|place| place.stage.deadline());
        let waiting = self.queue.iter().map(|waiting| waiting.until);
        let offering = self.offering.iter().map(|offering| offering.until);
        let opening = self.closed_until.filter(|_| !self.queue.is_empty());
        places.chain(waiting).chain(offering).chain(opening).min()
    }

    /// Empties the queue and names what was in it.
    pub fn drain_queue(&mut self) -> Vec<GameId> {
        self.queue.drain(..).map(|waiting| waiting.id).collect()
    }

    /// Whose place it is.
    pub fn guest(&self, id: &GameId) -> Option<&Guest> {
        self.places.get(id).map(|place| &place.guest)
    }

    pub fn is_running(&self, id: &GameId) -> bool {
        self.places.get(id).is_some_and(|place| place.stage == Stage::Running)
    }

    /// Whether no game with a running clock runs or may be about to start. The others can wait for the
    /// next start of the program.
    pub fn has_no_clock_running(&self) -> bool {
        self.guests().all(|guest| guest.is_slow)
    }

    fn is_closed(&self, now: Instant) -> bool {
        self.closed_until.is_some_and(|until| now < until)
    }

    fn games_of(&self, user: Option<&UserId>) -> usize {
        let Some(user) = user else { return 0 };
        let all = self.guests().chain(self.queue.iter().map(|waiting| &waiting.guest));
        all.filter(|other| other.user.as_ref() == Some(user)).count()
    }

    /// Of all places that are taken.
    fn guests(&self) -> impl Iterator<Item = &Guest> {
        let offering = self.offering.iter().map(|offering| &offering.guest);
        self.places.values().map(|place| &place.guest).chain(offering)
    }

    fn has_place_for(&self, guest: &Guest) -> bool {
        let taken = self.guests().filter(|other| other.is_slow == guest.is_slow).count();
        let reserved = if guest.is_bot && !guest.is_slow { self.free_reserve() } else { 0 };
        taken + reserved < self.places_of(guest)
    }

    /// Those who would have a place, if only the server took acceptances, may wait besides the others:
    /// as many of their kind as it has places.
    fn has_room_to_wait(&self, guest: &Guest, has_place: bool) -> bool {
        let of_its_kind = self.queue.iter().filter(|waiting| waiting.guest.is_slow == guest.is_slow).count();
        match has_place {
            true => of_its_kind < self.options.queue + self.places_of(guest),
            false => self.queue.len() < self.options.queue,
        }
    }

    /// Places for games of its kind, free or taken.
    fn places_of(&self, guest: &Guest) -> usize {
        if guest.is_slow { self.options.slow_games } else { self.options.concurrency }
    }

    /// Places kept for humans that no human has taken yet.
    fn free_reserve(&self) -> usize {
        let fast = self.places.values().filter(|place| !place.guest.is_slow);
        let humans = fast.filter(|place| !place.guest.is_bot).count();
        self.options.reserved_for_humans.saturating_sub(humans)
    }
}

#[cfg(test)]
mod interleavings;
#[cfg(test)]
mod tests;
