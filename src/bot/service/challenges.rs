//! Challenges: which are taken, which wait, which are turned down, and what became of our acceptances.

use super::{Reply, Service};
use crate::bot::Stop;
use crate::bot::acceptance::{self, Acceptance};
use crate::bot::errand::persist;
use crate::bot::pauses::About;
use crate::bot::policy::{self, Decision};
use crate::bot::slots::{Admission, Guest};
use crate::lichess::{Challenge, DeclineReason, Error, GameId, UserId};
use jiff::Timestamp;
use std::time::Duration;
use tokio::time::Instant;

impl Service {
    pub(super) fn on_challenge(&mut self, challenge: &Challenge) {
        let challenger = challenge.challenger.as_ref();
        if challenger.and_then(|player| player.id.as_ref()) == Some(&self.seat.account) {
            return self.on_own_challenge(challenge);
        }
        let id = challenge.id.clone();
        let from = challenger.map_or("somebody".to_string(), |player| player.to_string());
        if self.phase() != Stop::Running {
            return self.decline(id, DeclineReason::Later);
        }
        match policy::decide(challenge, &self.seat.options.challenge) {
            Decision::Decline(reason) => {
                tracing::info!(%id, from, variant = challenge.variant, ?reason, "challenge declined");
                self.decline(id, reason);
            }
            Decision::Accept => match self.pause_of(&Guest::of(challenge)) {
                Some(until) => {
                    tracing::info!(%id, from, %until, "challenge declined: enough games between bots for today");
                    self.decline(id, DeclineReason::Later);
                }
                None => self.admit(challenge, &from),
            },
        }
    }

    /// Until when the server wants no game with this guest.
    fn pause_of(&self, guest: &Guest) -> Option<Timestamp> {
        if guest.is_bot { self.pauses.for_bot(guest.user.as_ref(), Timestamp::now()) } else { None }
    }

    pub(super) fn pause(&mut self, about: About, until: Instant) {
        let time = until.saturating_duration_since(Instant::now());
        tracing::warn!(%about, seconds = time.as_secs(), "no more games for now, by the server's limit on games between bots");
        self.remember_pause(about, time);
    }

    pub(super) fn remember_pause(&mut self, about: About, time: Duration) {
        let now = Timestamp::now();
        self.pauses.set(about.clone(), now + time, now);
        self.store.pause(about, now + time);
    }

    fn admit(&mut self, challenge: &Challenge, from: &str) {
        let id = challenge.id.clone();
        let mut admission = self.slots.admit(challenge, Instant::now());
        let guest = Guest::of(challenge);
        let goes_first = !guest.is_bot && !guest.is_slow;
        if goes_first && matches!(admission, Admission::Queued | Admission::Full) && self.take_back() {
            tracing::info!(%id, from, "our own challenge makes room");
            // Who was queued gets the place with the others that wait.
            admission = match admission {
                Admission::Full => self.slots.admit(challenge, Instant::now()),
                queued => queued,
            };
        }
        match admission {
            Admission::Accept => {
                tracing::info!(%id, from, variant = challenge.variant, speed = challenge.speed, "challenge accepted");
                self.accept(id);
            }
            Admission::Queued => tracing::info!(%id, from, "challenge waits for a free place"),
            Admission::Known => (),
            Admission::Full | Admission::UserFull => {
                tracing::info!(%id, from, "challenge declined: no free place");
                self.decline(id, DeclineReason::Later);
            }
        }
    }

    pub(super) fn serve_queue(&mut self) {
        while self.phase() == Stop::Running
            && let Some(id) = self.slots.next_from_queue(Instant::now())
        {
            if self.slots.guest(&id).is_some_and(|guest| self.pause_of(guest).is_some()) {
                self.turn_down(id);
                continue;
            }
            tracing::info!(%id, "a place is free: challenge accepted");
            self.accept(id);
        }
    }

    fn accept(&mut self, id: GameId) {
        let (client, stop, challenge) = (self.seat.client.clone(), self.stop.clone(), id.clone());
        let task = self.replies.spawn(async move {
            let acceptance = acceptance::accept(&client, &challenge, &stop).await;
            Reply::Accepted(challenge, acceptance)
        });
        self.accepting.insert(id, task);
    }

    /// An acceptance that nobody wants any more is not sent again.
    pub(super) fn call_off(&mut self, id: &GameId) {
        if let Some(task) = self.accepting.remove(id) {
            task.abort();
        }
    }

    pub(super) fn decline(&mut self, id: GameId, reason: DeclineReason) {
        let client = self.seat.client.clone();
        self.replies.spawn(async move {
            let done = persist(|| client.decline_challenge(&id, reason)).await;
            Reply::Declined(id, done)
        });
    }

    /// Only a refusal frees the place at once: whatever else happened, a game may be about to start.
    pub(super) fn on_acceptance(&mut self, id: GameId, acceptance: Acceptance) {
        self.accepting.remove(&id);
        match acceptance {
            // An earlier try of ours got through, whatever was said to the last.
            _ if self.slots.is_running(&id) => (),
            Acceptance::Taken => self.slots.await_start(&id, Instant::now()),
            Acceptance::Uncertain(error) => {
                tracing::warn!(%id, %error, "nobody knows whether the challenge is accepted; its place is kept");
                self.slots.await_start(&id, Instant::now());
            }
            Acceptance::Limited(until) if self.phase() == Stop::Running => {
                let wait_s = until.saturating_duration_since(Instant::now()).as_secs();
                tracing::warn!(%id, wait_s, "the server limits acceptances; the challenge waits");
                self.slots.limited(&id, until);
            }
            Acceptance::Limited(_) | Acceptance::CalledOff => self.turn_down(id),
            Acceptance::Refused(error @ (Error::RateLimited { .. } | Error::OpponentLimited { .. })) => {
                tracing::warn!(%id, %error, "the challenge could not be accepted; declining it");
                if let Some(bot) = self.slots.guest(&id).filter(|guest| guest.is_bot).cloned() {
                    self.note_bot_limit(bot.user, &error);
                }
                self.turn_down(id);
            }
            Acceptance::Refused(error) => {
                tracing::info!(%id, %error, "the challenge is gone");
                self.slots.withdraw(&id);
            }
        }
    }

    /// A quota on games between bots is ours or the opponent's; whether it is one of them.
    pub(super) fn note_bot_limit(&mut self, user: Option<UserId>, error: &Error) -> bool {
        match (error, user) {
            (Error::RateLimited { until, .. }, _) if error.is_bot_quota() => {
                self.pause(About::AllBots, *until)
            }
            (Error::OpponentLimited { until, .. }, Some(user)) => self.pause(About::Opponent(user), *until),
            _ => return false,
        }
        true
    }

    /// Declines a challenge for which a place was reserved.
    fn turn_down(&mut self, id: GameId) {
        self.slots.withdraw(&id);
        self.decline(id, DeclineReason::Later);
    }
}
