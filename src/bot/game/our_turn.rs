//! The life of our move: found by the book or the engine, sent, and taken or refused.

use super::{Game, Now, RECHECK, Table};
use crate::bot::clock::{self, Hurry, Situation};
use crate::bot::etiquette;
use crate::bot::turn::{Answer, Sent, Step, Thought, Turn};
use crate::engine::{Limits, Position};
use crate::lichess::Error;
use crate::worker::EngineHandle;
use std::time::Duration;
use tokio::time::Instant;

/// Thinking on a move without alternative.
const ONLY_MOVE: Duration = Duration::from_millis(50);
/// A game in which a move is refused again and again is looked at this often at least.
const RAREST_RECHECK: Duration = Duration::from_secs(60);

impl Game {
    pub(super) fn is_our_turn(&self) -> bool {
        self.table.as_ref().zip(self.now.as_ref()).is_some_and(|(table, now)| {
            now.position.side_to_move() == table.ours && now.position.count_legal_moves() > 0
        })
    }

    /// Book, then engine: the first answer wins. A position that was answered gets the same move again.
    pub(super) fn take_turn(&mut self, is_fresh: bool) {
        let Some(now) = &self.now else { return };
        let (moves, position) = (now.state.moves.clone(), now.position.clone());
        if let Some(answer) = self.answered.take_if(|answer| answer.moves == moves) {
            self.answered = Some(answer.clone());
            if is_fresh {
                if self.refusals == 0 {
                    tracing::warn!(mv = %answer.mv, "the server does not have our move; sending it again");
                }
                self.send(answer, false);
            } else {
                self.recheck_soon();
            }
            return;
        }
        if let Some(book_move) = self.seat.book.pick(&position) {
            self.decide(Answer::from_book(&position, &moves, &book_move));
        } else {
            self.think(position, moves);
        }
    }

    fn think(&mut self, position: Position, moves: String) {
        let limits = self.limits(&position);
        if self.table.as_ref().is_some_and(Table::is_slow) {
            let (places, options) = (self.seat.slow_thinking.clone(), self.seat.options.clone());
            self.turn = Turn::thinking_in_turn(places, options, self.engine_name(), limits, position, moves);
            return;
        }
        self.start_engine();
        match &mut self.engine {
            Some(engine) => {
                let search = engine.go(position.clone(), limits);
                self.turn = Turn::thinking(search, limits, position, moves);
            }
            None => self.decide(Answer::fallback(&position, &moves)),
        }
    }

    /// Makes sure that there is an engine, if there can be one.
    pub(super) fn start_engine(&mut self) {
        if self.engine.is_none() {
            self.engine = EngineHandle::spawn(&self.engine_name(), &self.seat.options.engine)
                .inspect_err(|error| tracing::error!(%error, "the engine cannot be started"))
                .ok();
        }
    }

    fn engine_name(&self) -> String {
        format!("engine {}", self.id)
    }

    fn limits(&self, position: &Position) -> Limits {
        let (Some(table), Some(now)) = (&self.table, &self.now) else { return Limits::default() };
        let (remaining, increment) = now.clock_of(table.ours);
        let situation = Situation {
            remaining,
            increment,
            is_correspondence: table.is_slow(),
            plies: position.plies_played(),
            first_move_expires_in: now.state.first_move_expires_in,
            since_arrival: now.arrived.elapsed(),
            overhead: self.lag.overhead(),
        };
        let mut limits = clock::limits(&situation, &self.seat.options.engine);
        if position.count_legal_moves() == 1 {
            limits.soft = limits.soft.min(Some(ONLY_MOVE));
            limits.hard = limits.hard.min(Some(ONLY_MOVE));
        }
        limits
    }

    pub(super) fn hurry(&self) -> Hurry {
        Hurry { flag_at: self.flag_at(), overhead: self.lag.overhead() }
    }

    /// When the game is lost without our move: before the clocks run, by the server's limit for a first
    /// move, if it has set one.
    fn flag_at(&self) -> Option<Instant> {
        let (table, now) = (self.table.as_ref()?, self.now.as_ref()?);
        let left = match now.position.plies_played() {
            0 | 1 => now.state.first_move_expires_in,
            _ if table.is_slow() => None,
            _ => now.clock_of(table.ours).0,
        };
        left.and_then(|left| now.arrived.checked_add(left))
    }

    pub(super) fn on_step(&mut self, step: Step) -> Result<(), Error> {
        match step {
            Step::Thought(Thought { answer, engine_failed }) => {
                if engine_failed {
                    // A new one next time.
                    self.engine = None;
                }
                self.scores.extend(answer.score);
                self.decide(answer);
                Ok(())
            }
            Step::Sent(sent) => self.on_sent(sent),
        }
    }

    /// The move is chosen: from here on this position is answered.
    fn decide(&mut self, answer: Answer) {
        tracing::info!(ply = answer.ply, mv = %answer.mv, "{}", answer.source);
        self.record.note(&answer);
        if etiquette::resigns(&self.seat.options.game, &self.scores) {
            tracing::info!("resigning");
            self.resign();
        }
        let offers_draw = self.now.as_ref().is_some_and(|now| {
            etiquette::offers_draw(&self.seat.options.game, &self.scores, &now.position, self.last_offer)
        });
        if offers_draw {
            self.last_offer = Some(answer.ply);
        }
        self.answered = Some(answer.clone());
        self.send(answer, offers_draw);
    }

    fn send(&mut self, answer: Answer, offering_draw: bool) {
        let (client, id) = (self.seat.client.clone(), self.id.clone());
        self.turn = Turn::sending(client, id, answer, offering_draw, self.hurry());
    }

    fn on_sent(&mut self, sent: Sent) -> Result<(), Error> {
        let Turn::Sending { answer, .. } = std::mem::replace(&mut self.turn, Turn::Idle) else {
            return Ok(());
        };
        // If the stream does not soon show the move, ask for the whole game again.
        let is_shown = self.now.as_ref().is_some_and(|now| now.state.moves != answer.moves);
        if !is_shown {
            self.recheck_soon();
        }
        match sent {
            Sent::Taken { round_trip } => {
                self.lag.observe_round_trip(round_trip);
                tracing::debug!(mv = %answer.mv, ?round_trip, "move taken");
            }
            Sent::Refused { error, lost } if is_shown => {
                // The answer was lost on the way, and that way is slow.
                lost.into_iter().for_each(|round_trip| self.lag.observe_round_trip(round_trip));
                tracing::debug!(%error, "the move was in already");
            }
            Sent::Refused { error, .. } => self.on_refused(&answer, &error),
            Sent::Unauthorized(error) => return Err(error),
        }
        self.take_turn_if_waiting();
        Ok(())
    }

    /// Our move is on the board: what the server took off our clock beyond our thinking, and what held
    /// the move back, was lost on the way. `before` is the state that we answered.
    pub(super) fn learn_lag(&mut self, before: &Now) {
        let (Some(table), Some(now)) = (&self.table, &self.now) else { return };
        let ply = before.position.plies_played();
        let Some(answer) = self.answered.as_ref().filter(|answer| answer.ply == ply && ply >= 2) else {
            return;
        };
        let ((had, increment), (has, _)) = (before.clock_of(table.ours), now.clock_of(table.ours));
        let Some((had, has)) = had.zip(has).filter(|_| !table.is_slow()) else { return };
        let thinking = answer.found_at.saturating_duration_since(before.arrived);
        let spent = thinking + answer.held_back.in_all();
        self.lag.observe_charge((had + increment).saturating_sub(has + spent));
    }

    /// Out of turn, the move is most often in, and the stream is about to show it. Anything else is held
    /// against the game as the server has it, at once. If that does not help, the move is offered again
    /// more and more rarely: the fault may be the server's, and it may pass.
    fn on_refused(&mut self, answer: &Answer, error: &Error) {
        self.refusals += 1;
        let first_look = if error.is_out_of_turn() { RECHECK } else { Duration::ZERO };
        let wait = look_after(self.refusals, first_look);
        match self.refusals {
            1 => tracing::warn!(mv = %answer.mv, %error, "move refused; looking at the game again"),
            2 => {
                let fen = self.now.as_ref().map(|now| now.position.fen());
                tracing::error!(mv = %answer.mv, fen, %error, "the server refuses our move, though it is our turn; trying it now and then");
            }
            times => tracing::debug!(mv = %answer.mv, %error, times, ?wait, "move refused"),
        }
        self.recheck_at = Some(Instant::now() + wait);
    }

    /// The opponent may have answered before the reply to our request came.
    fn take_turn_if_waiting(&mut self) {
        let is_over = self.now.as_ref().is_none_or(|now| now.state.status.is_over());
        if !is_over && self.is_our_turn() && self.turn.is_idle() && self.recheck_at.is_none() {
            self.take_turn(false);
        }
    }
}

/// When to look at the game again once a move was refused `times` times in one position: `first` after
/// the first time, then after three seconds, doubling up to a minute. It never ends while the game runs:
/// only the server knows why it says no, and whether it still would.
fn look_after(times: u32, first: Duration) -> Duration {
    match times {
        0 | 1 => first,
        _ => (RECHECK * (1 << (times - 2).min(5))).min(RAREST_RECHECK),
    }
}
