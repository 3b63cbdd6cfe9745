//! Challenges of ours: one at a time, while nobody plays with us, and what becomes of it.

use super::{Reply, Service};
use crate::bot::Stop;
use crate::bot::errand::persist;
use crate::bot::matchmaking::{MatchmakingOptions, rest_after};
use crate::bot::pauses::About;
use crate::bot::slots::Guest;
use crate::lichess::{Challenge, Error, GameId, OnlineBot, UserId};
use fastrand::Rng;
use jiff::Timestamp;
use std::time::Duration;
use tokio::time::Instant;

/// Bots that are asked for; the server lists more than enough.
const BOTS_LISTED: usize = 100;

/// The challenge of ours that stands, and when to look for the next.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    pub next_at: Option<Instant>,
    standing: Option<(GameId, UserId)>,
    random: Rng,
}

impl Outgoing {
    pub fn schedule(&mut self, options: &MatchmakingOptions) {
        self.next_at = options.enabled.then(|| Instant::now() + options.interval());
    }

    pub fn is(&self, id: &GameId) -> bool {
        self.standing.as_ref().is_some_and(|(standing, _)| standing == id)
    }

    pub fn forget(&mut self, id: &GameId) {
        self.standing.take_if(|(standing, _)| standing == id);
    }
}

impl Service {
    /// The interval is over: somebody is challenged if nobody plays.
    pub(super) fn look_for_a_game(&mut self) {
        self.outgoing.schedule(&self.seat.options.matchmaking);
        let is_paused = self.pauses.for_bot(None, Timestamp::now()).is_some();
        if self.phase() == Stop::Running && self.slots.is_idle() && !is_paused {
            let client = self.seat.client.clone();
            self.replies.spawn(async move { Reply::Online(client.online_bots(BOTS_LISTED).await) });
        }
    }

    pub(super) fn ask_one_of(&mut self, bots: &[OnlineBot]) {
        // Somebody may have come meanwhile.
        if self.phase() != Stop::Running || !self.slots.is_idle() {
            return;
        }
        let (options, now, pauses) = (&self.seat.options.matchmaking, Timestamp::now(), &self.pauses);
        let may_be_asked = |user: &UserId| pauses.may_ask(user, now) && self.slots.has_room_for(user);
        let Some(bot) = options.choose(bots, &self.seat.account, may_be_asked, &mut self.outgoing.random)
        else {
            tracing::info!(online = bots.len(), "no bot to challenge");
            return;
        };
        let (user, offer) = (bot.id.clone(), options.offer());
        let guest = Guest { user: Some(user.clone()), is_bot: true, is_slow: false, rated: offer.rated };
        self.slots.offer(guest, Instant::now());
        tracing::info!(to = %user, speed = offer.speed(), rated = offer.rated, "challenging");
        let client = self.seat.client.clone();
        self.replies.spawn(async move {
            // Once only: an answer that is lost may leave a challenge, and one is enough.
            let offered = client.challenge(&user, &offer).await;
            Reply::Offered(user, offered)
        });
    }

    pub(super) fn on_offered(&mut self, user: UserId, offered: Result<GameId, Error>) {
        match offered {
            Ok(id) => {
                self.slots.offered(&id, Instant::now());
                if self.slots.is_running(&id) || self.finished.contains(&id) {
                    return;
                }
                self.outgoing.standing = Some((id, user));
                if self.phase() != Stop::Running {
                    self.take_back();
                }
            }
            Err(error) if error.is_retriable() && !matches!(error, Error::RateLimited { .. }) => {
                tracing::warn!(to = %user, %error, "nobody knows whether the challenge was made; its place is kept");
            }
            Err(error) => {
                tracing::info!(to = %user, %error, "could not challenge");
                self.slots.offer_refused();
                self.note_refusal(user, &error);
            }
        }
    }

    /// The limit may be ours or theirs, for bots or for challenges; any other refusal is about this bot.
    fn note_refusal(&mut self, user: UserId, error: &Error) {
        match error {
            Error::RateLimited { until, .. } if error.is_bot_quota() => self.pause(About::AllBots, *until),
            Error::RateLimited { until, .. } => {
                self.outgoing.next_at = self.outgoing.next_at.max(Some(*until))
            }
            Error::OpponentLimited { until, .. } => self.pause(About::Opponent(user), *until),
            _ => self.leave_alone(user, rest_after(Some("refused"))),
        }
    }

    pub(super) fn on_declined(&mut self, challenge: &Challenge) {
        let reason = challenge.decline_reason.as_deref();
        self.slots.withdraw(&challenge.id);
        if let Some((_, user)) = self.outgoing.standing.take() {
            tracing::info!(by = %user, reason, "our challenge is declined");
            self.leave_alone(user, rest_after(reason));
        }
    }

    /// Our challenge has stood for its time, and no game runs.
    pub(super) fn on_no_answer(&mut self) {
        if let Some((_, user)) = &self.outgoing.standing {
            tracing::info!(by = %user, "our challenge is not answered");
            self.leave_alone(user.clone(), rest_after(None));
        }
        self.take_back();
    }

    /// Takes our challenge back if one stands.
    pub(super) fn take_back(&mut self) {
        let Some((id, _)) = self.outgoing.standing.take() else { return };
        self.slots.withdraw(&id);
        let client = self.seat.client.clone();
        self.replies.spawn(async move {
            let done = persist(|| client.cancel_challenge(&id)).await;
            Reply::Cancelled(id, done)
        });
    }

    fn leave_alone(&mut self, user: UserId, time: Duration) {
        let now = Timestamp::now();
        let (about, until) = (About::Asking(user), now + time);
        self.pauses.set(about.clone(), until, now);
        self.store.pause(about, until);
    }
}
