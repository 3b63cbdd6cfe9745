//! Draw offers and takebacks: who may propose what, and what an answer does.
//!
//! The calls for them always succeed; whether anything happened is seen on the stream alone.

use super::endings::{self, Status};
use super::game::Game;
use crate::engine::Color;
use std::time::Duration;
use tokio::time::Instant;

/// Plies after a draw offer within which the same side may not offer again.
const PLIES_BETWEEN_DRAW_OFFERS: usize = 20;

/// Plies before which nobody may offer a draw under `noEarlyDraw`.
const EARLY_PLIES: usize = 60;

/// What one side has on the table.
#[derive(Clone, Debug, Default)]
pub struct Offers {
    pub draw: bool,
    /// The ply of the latest offer.
    last_draw_offer: Option<usize>,
    /// The ply at which a takeback was proposed.
    pub takeback: Option<usize>,
}

impl Game {
    fn offers_of(&mut self, color: Color) -> &mut Offers {
        &mut self.offers[color.to_index()]
    }

    /// Accepts or offers a draw, or declines one or withdraws.
    pub fn answer_draw(&mut self, color: Color, yes: bool, now: Instant) {
        match yes {
            true => self.offer_draw(color, now),
            false if self.offers_of(!color).draw => self.decline_draw(color),
            false => self.withdraw_draw(color),
        }
    }

    /// Offers a draw, or takes the one that stands. Out of the rules it does nothing.
    pub(super) fn offer_draw(&mut self, color: Color, now: Instant) {
        if self.is_over() || !self.both_have_moved() {
            return;
        }
        if self.offers_of(!color).draw {
            return self.finish(Status::Draw, None, now);
        }
        if !self.may_offer_draw(color) {
            return;
        }
        if endings::cannot_mate(self.position(), !color) {
            return self.finish(Status::InsufficientMaterialClaim, None, now);
        }
        let plies = self.plies();
        let offers = self.offers_of(color);
        offers.draw = true;
        offers.last_draw_offer = Some(plies);
        self.remark(&format!("{} offers draw", name(color)));
        self.push_state(now);
    }

    fn may_offer_draw(&mut self, color: Color) -> bool {
        let is_early = self.has_rule("noEarlyDraw") && self.plies() < EARLY_PLIES;
        let plies = self.plies();
        let offers = self.offers_of(color);
        let is_too_soon =
            offers.last_draw_offer.is_some_and(|last| plies <= last + PLIES_BETWEEN_DRAW_OFFERS);
        !is_early && !offers.draw && !is_too_soon
    }

    /// Told in the chat alone: no state is pushed.
    fn decline_draw(&mut self, color: Color) {
        self.offers_of(!color).draw = false;
        self.remark(&format!("{} declines draw", name(color)));
    }

    pub(super) fn withdraw_draw(&mut self, color: Color) {
        if std::mem::take(&mut self.offers_of(color).draw) {
            self.remark(&format!("{} cancels draw", name(color)));
        }
    }

    /// Accepts or proposes a takeback, or declines one or withdraws.
    pub fn answer_takeback(&mut self, color: Color, yes: bool, now: Instant) {
        if self.is_over() {
            return;
        }
        match (yes, self.offers_of(!color).takeback) {
            (true, Some(proposed_at)) => self.accept_takeback(color, proposed_at, now),
            (true, None) => self.propose_takeback(color, now),
            (false, Some(_)) => self.end_proposal(!color, "declines", color, now),
            (false, None) => self.end_proposal(color, "cancels", color, now),
        }
    }

    fn accept_takeback(&mut self, color: Color, proposed_at: usize, now: Instant) {
        let proposer_has_just_moved = proposed_at == self.plies() && self.is_turn_of(color);
        self.rewind(if proposer_has_just_moved { 1 } else { 2 }, now);
        self.offers_of(!color).takeback = None;
        self.remark(&format!("{} accepts takeback", name(color)));
        self.push_state(now);
    }

    fn propose_takeback(&mut self, color: Color, now: Instant) {
        let is_waiting = self.takeback_manners.allowed_from().is_some_and(|from| now < from);
        let is_allowed = self.setup.allows_takebacks && self.both_have_moved() && !is_waiting;
        let plies = self.plies();
        if is_allowed && self.offers_of(color).takeback.is_none() {
            self.offers_of(color).takeback = Some(plies);
            self.remark(&format!("{} proposes takeback", name(color)));
            self.push_state(now);
        }
    }

    fn end_proposal(&mut self, proposer: Color, word: &str, speaker: Color, now: Instant) {
        if self.offers_of(proposer).takeback.take().is_none() {
            return;
        }
        self.takeback_manners.note_refusal(now);
        self.new_turn();
        self.remark(&format!("{} {word} takeback", name(speaker)));
        self.push_state(now);
    }

    /// A move by `mover` declines what the other side has on the table. The state of the move has
    /// been told already and may have shown it.
    pub(super) fn drop_offers_to(&mut self, mover: Color, now: Instant) {
        if self.offers_of(!mover).draw {
            self.decline_draw(mover);
        }
        self.end_proposal(!mover, "declines", mover, now);
    }
}

/// Proposals that came to nothing in one game, and from when on another is heard.
#[derive(Clone, Debug, Default)]
pub struct TakebackManners {
    declined: u32,
    allowed_from: Option<Instant>,
}

impl TakebackManners {
    pub fn allowed_from(&self) -> Option<Instant> {
        self.allowed_from
    }

    /// Ten seconds after the first refusal, then forty, ninety, …
    pub fn note_refusal(&mut self, now: Instant) {
        self.declined += 1;
        let wait = Duration::from_secs(10) * self.declined.pow(2);
        self.allowed_from = Some(now + wait);
    }
}

fn name(color: Color) -> &'static str {
    if color == Color::White { "White" } else { "Black" }
}
