//! Everything in a game that is not a move: offers, takebacks, abort, claims, chat.

use super::{ABORT_AGAIN, Game, UNLIMITED_PATIENCE};
use crate::bot::errand::persist;
use crate::bot::etiquette;
use crate::bot::turn::Turn;
use crate::engine::{Color, Position};
use crate::lichess::{Client, Error, GameId, GameState, Room};
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;
use tracing::Instrument;

impl Game {
    /// Draw offers and takebacks are answered once, when they first show; and once more if the whole
    /// game, asked for again, still shows them: our answer has not come through then.
    pub(super) fn answer_offers(&mut self, state: &GameState, is_new: bool, is_fresh: bool) {
        let (Some(table), Some(now)) = (&self.table, &self.now) else { return };
        let (draw, takeback) = match table.ours {
            Color::White => (state.black_offers_draw, state.black_proposes_takeback),
            Color::Black => (state.white_offers_draw, state.white_proposes_takeback),
        };
        let we_just_moved = now.position.side_to_move() != table.ours;
        let move_number = now.position.move_number();
        let is_asked_again = is_fresh && self.errands.is_empty();
        let draw_is_new = draw && (is_asked_again || !self.opponent_offered_draw);
        let takeback_is_new = takeback && (is_asked_again || !self.opponent_proposed_takeback);
        (self.opponent_offered_draw, self.opponent_proposed_takeback) = (draw, takeback);
        // Our move declines what stood before it, but its state may still show the offer: an answer
        // now would make an offer of our own.
        let is_stale = is_new && !is_fresh && we_just_moved;
        if draw_is_new && !is_stale {
            self.answer_draw(move_number);
        }
        if takeback_is_new && !is_stale && (is_fresh || !is_new) {
            self.answer_takeback();
        }
    }

    /// A move on its way declines the offer by itself.
    fn answer_draw(&mut self, move_number: u16) {
        let accept = !self.turn.is_sending()
            && etiquette::accepts_draw(&self.seat.options.game, self.scores.last().copied(), move_number);
        tracing::info!(accept, "draw offered");
        if accept {
            self.recheck_soon();
        }
        self.errand_once("answer to a draw offer", move |client, id| async move {
            client.answer_draw(&id, accept).await
        });
    }

    /// Grants a takeback unless our move is on its way: that move declines it anyway.
    fn answer_takeback(&mut self) {
        let grant = !self.turn.is_sending()
            && etiquette::grants_takeback(&self.seat.options.game, self.takebacks_granted);
        tracing::info!(grant, "takeback proposed");
        if grant {
            self.recheck_soon();
            self.turn = Turn::Idle;
        }
        self.errand_once("answer to a takeback", move |client, id| async move {
            client.answer_takeback(&id, grant).await
        });
    }

    /// Direct challenges have no limit for the first move: we keep our own.
    pub(super) fn watch_first_move(&mut self) {
        let (Some(table), Some(now)) = (&self.table, &self.now) else { return };
        let waits = now.position.plies_played() < 2 && now.position.side_to_move() != table.ours;
        self.abort_at = self.abort_at.filter(|_| waits).or_else(|| self.abort_deadline(waits));
    }

    /// When to abort a game that does not begin: never in correspondence, where a first move may take
    /// days, nor in tournaments, where it is the server's business; late without any clock.
    pub(super) fn abort_deadline(&self, waits: bool) -> Option<Instant> {
        let full = &self.table.as_ref()?.full;
        let seconds = self.seat.options.game.abort_seconds;
        let is_ours_to_abort = full.days_per_turn.is_none() && full.tournament_id.is_none();
        let factor = if full.clock.is_some() { 1 } else { UNLIMITED_PATIENCE };
        let wait = Duration::from_secs(seconds) * factor;
        (waits && seconds > 0 && is_ours_to_abort).then(|| Instant::now() + wait)
    }

    pub(super) fn abort(&mut self) {
        tracing::info!("the opponent has not moved; aborting the game");
        self.abort_at = Some(Instant::now() + ABORT_AGAIN);
        self.errand("abort", |client, id| async move { client.abort(&id).await });
    }

    /// The opponent has been away long enough. A refusal is tried again when the stream says so.
    pub(super) fn claim(&mut self) {
        self.claim_at = None;
        let (Some(table), Some(now)) = (&self.table, &self.now) else { return };
        if now.position.side_to_move() == table.ours {
            return;
        }
        let victory = etiquette::can_win(&now.position, table.ours);
        tracing::info!(victory, "the opponent has left; claiming");
        self.errand("claim", move |client, id| async move {
            match victory {
                true => client.claim_victory(&id).await,
                false => client.claim_draw(&id).await,
            }
        });
    }

    /// A running game of a variant that we do not know: better ended than left standing.
    pub(super) fn decline_to_play(&mut self, variant: &str) {
        tracing::error!(variant, "this variant is not played here; leaving the game");
        self.resign();
    }

    pub(super) fn greet(&mut self, position: &Position) {
        if position.plies_played() < 2 && !std::mem::replace(&mut self.greeted, true) {
            self.say(&self.seat.options.game.greeting.clone());
        }
    }

    pub(super) fn say(&mut self, text: &str) {
        let Some(table) = &self.table else { return };
        let text = text.replace("{opponent}", &table.opponent().name).replace("{bot}", &self.seat.username);
        if text.is_empty() {
            return;
        }
        self.errand("chat", move |client, id| {
            let text = text.clone();
            async move { client.chat(&id, Room::Player, &text).await }
        });
    }

    pub(super) fn resign(&mut self) {
        self.errand("resign", |client, id| async move { client.resign(&id).await });
    }

    /// Sends an answer that means something else when it comes late: it is not repeated.
    fn errand_once<F>(&mut self, what: &'static str, request: impl FnOnce(Client, GameId) -> F)
    where
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        let request = request(self.seat.client.clone(), self.id.clone());
        self.errands.spawn(async move { log_outcome(what, request.await) }.in_current_span());
    }

    /// Sends a request that is not a move, without waiting for it; repeated if need be.
    fn errand<F>(&mut self, what: &'static str, request: impl Fn(Client, GameId) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        let (client, id) = (self.seat.client.clone(), self.id.clone());
        let persisting = async move { persist(|| request(client.clone(), id.clone())).await };
        self.errands.spawn(async move { log_outcome(what, persisting.await) }.in_current_span());
    }
}

fn log_outcome(what: &'static str, outcome: Result<(), Error>) {
    match outcome {
        Ok(()) => tracing::debug!(what, "done"),
        Err(error) if error.is_retriable() => tracing::warn!(what, %error, "request failed"),
        // A claim too early, an abort too late: to be expected.
        Err(error) => tracing::info!(what, %error, "refused"),
    }
}
