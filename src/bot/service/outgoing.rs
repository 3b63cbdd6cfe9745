//! Challenges of ours: one at a time, while nobody plays with us, and what becomes of it.

use super::{Reply, Service};
use crate::bot::Stop;
use crate::bot::errand::persist;
use crate::bot::matchmaking::{MatchmakingOptions, rest_after};
use crate::bot::pauses::About;
use crate::bot::policy;
use crate::bot::slots::Guest;
use crate::lichess::{Challenge, Error, GameId, OnlineBot, UserId};
use fastrand::Rng;
use jiff::Timestamp;
use tokio::time::Instant;

/// Bots that are asked for; the server lists 512 at most.
const BOTS_LISTED: usize = 300;

/// When to look for the next game, and the lot by which somebody is chosen.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    pub next_at: Option<Instant>,
    random: Rng,
}

impl Outgoing {
    pub fn schedule(&mut self, options: &MatchmakingOptions) {
        self.next_at = options.enabled.then(|| Instant::now() + options.interval());
    }
}

impl Service {
    /// The interval is over: somebody is challenged if nobody plays.
    pub(super) fn look_for_a_game(&mut self) {
        self.outgoing.schedule(&self.seat.options.matchmaking);
        let is_paused = self.pauses.for_bot(None, Timestamp::now()).is_some();
        if self.may_challenge() && !is_paused {
            let client = self.seat.client.clone();
            self.replies.spawn(async move { Reply::Online(client.online_bots(BOTS_LISTED).await) });
        }
    }

    /// While the event stream is away nobody would tell us that our challenge is taken.
    fn may_challenge(&self) -> bool {
        self.phase() == Stop::Running && self.is_listening && self.slots.is_idle()
    }

    pub(super) fn ask_one_of(&mut self, bots: &[OnlineBot]) {
        // Somebody may have come meanwhile.
        if !self.may_challenge() {
            return;
        }
        let (options, now, pauses) = (&self.seat.options.matchmaking, Timestamp::now(), &self.pauses);
        let guests = &self.seat.options.challenge;
        let may_be_asked = |user: &UserId| {
            policy::is_welcome(Some(user), guests)
                && pauses.may_ask(user, now)
                && self.slots.has_room_for(user)
        };
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

    /// The event stream names our challenge too, and perhaps before the answer to our request, or
    /// instead of it.
    pub(super) fn on_own_challenge(&mut self, challenge: &Challenge) {
        if let Some(user) = challenge.destination.as_ref().and_then(|player| player.id.clone()) {
            self.on_offered(user, Ok(challenge.id.clone()));
        }
    }

    pub(super) fn on_offered(&mut self, user: UserId, offered: Result<GameId, Error>) {
        if self.slots.offering_to() != Some(&user) {
            return; // The stream has told already what became of it.
        }
        match offered {
            Ok(id) => {
                self.slots.offered(&id, Instant::now());
                if self.phase() != Stop::Running {
                    self.take_back();
                }
            }
            Err(error) if is_lost(&error) => {
                tracing::warn!(to = %user, %error, "nobody knows whether the challenge was made; its place is kept");
            }
            Err(error) => {
                tracing::info!(to = %user, %error, "could not challenge");
                self.slots.offer_refused();
                self.note_refusal(user, &error);
            }
        }
    }

    /// The limit may be on games between bots or on challenges; any other refusal may be about this bot,
    /// which is asked again later.
    fn note_refusal(&mut self, user: UserId, error: &Error) {
        if self.note_bot_limit(Some(user.clone()), error) {
            return;
        }
        match error {
            Error::RateLimited { until, .. } => {
                self.outgoing.next_at = self.outgoing.next_at.max(Some(*until));
            }
            _ => self.remember_pause(About::Asking(user), rest_after(None)),
        }
    }

    pub(super) fn on_declined(&mut self, challenge: &Challenge) {
        let reason = challenge.decline_reason.as_deref();
        let user = self.slots.guest(&challenge.id).and_then(|guest| guest.user.clone());
        self.slots.withdraw(&challenge.id);
        if let Some(user) = user {
            tracing::info!(by = %user, reason, "our challenge is declined");
            self.remember_pause(About::Asking(user), rest_after(reason));
        }
    }

    /// Our challenge has stood for its time, and no game runs.
    pub(super) fn on_no_answer(&mut self, id: GameId, guest: Guest) {
        if let Some(user) = guest.user {
            tracing::info!(by = %user, "our challenge is not answered");
            self.remember_pause(About::Asking(user), rest_after(None));
        }
        self.cancel(id);
    }

    /// Takes our challenge back; whether one stood.
    pub(super) fn take_back(&mut self) -> bool {
        let Some(id) = self.slots.standing_offer().cloned() else { return false };
        self.slots.withdraw(&id);
        self.cancel(id);
        true
    }

    fn cancel(&mut self, id: GameId) {
        let client = self.seat.client.clone();
        self.replies.spawn(async move {
            let done = persist(|| client.cancel_challenge(&id)).await;
            Reply::Cancelled(id, done)
        });
    }
}

/// Whether a challenge may have been made although this is all that we heard.
fn is_lost(error: &Error) -> bool {
    match error {
        Error::RateLimited { .. } => false,
        Error::Malformed(_) => true,
        other => other.is_retriable(),
    }
}
