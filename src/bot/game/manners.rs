//! Everything in a game that is not a move: offers, takebacks, abort, claims, chat.

use super::{ABORT_AGAIN, Game};
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

    fn answer_draw(&mut self, move_number: u16) {
        let accept =
            etiquette::accepts_draw(&self.seat.options.game, self.scores.last().copied(), move_number);
        tracing::info!(accept, "draw offered");
        self.answer("answer to a draw offer", accept, move |client, id| async move {
            client.answer_draw(&id, accept).await
        });
    }

    /// Grants a takeback unless our move is on its way: that move declines it anyway.
    fn answer_takeback(&mut self) {
        let grant = !self.turn.is_sending()
            && etiquette::grants_takeback(&self.seat.options.game, self.takebacks_granted);
        tracing::info!(grant, "takeback proposed");
        if grant {
            self.turn = Turn::Idle;
        }
        self.answer("answer to a takeback", grant, move |client, id| async move {
            client.answer_takeback(&id, grant).await
        });
    }

    /// Direct challenges have no limit for the first move: we keep our own.
    pub(super) fn watch_first_move(&mut self, is_missing: bool) {
        let Some(table) = &self.table else { return };
        let seconds = self.seat.options.game.abort_seconds;
        let waits = seconds > 0 && is_missing && !table.is_slow() && table.full.tournament_id.is_none();
        let wait = Duration::from_secs(seconds);
        self.abort_at = waits.then(|| self.abort_at.unwrap_or_else(|| Instant::now() + wait));
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

    /// Sends a request that is not a move, without waiting for it.
    fn errand<F>(&mut self, what: &'static str, request: impl Fn(Client, GameId) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        let (client, id) = (self.seat.client.clone(), self.id.clone());
        self.run_errand(what, async move { persist(|| request(client.clone(), id.clone())).await });
    }

    /// Answers an offer. A yes that comes when the offer has lapsed, or twice, makes an offer of our
    /// own: it is said once, and then the stream has to show that the offer still stands.
    fn answer<F>(
        &mut self,
        what: &'static str,
        is_yes: bool,
        request: impl Fn(Client, GameId) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        if is_yes {
            self.recheck_soon();
            self.run_errand(what, request(self.seat.client.clone(), self.id.clone()));
        } else {
            self.errand(what, request);
        }
    }

    fn run_errand(
        &mut self,
        what: &'static str,
        request: impl Future<Output = Result<(), Error>> + Send + 'static,
    ) {
        let errand = async move {
            match request.await {
                Ok(()) => tracing::debug!(what, "done"),
                Err(error) => tracing::warn!(what, %error, "request failed"),
            }
        };
        self.errands.spawn(errand.in_current_span());
    }
}
