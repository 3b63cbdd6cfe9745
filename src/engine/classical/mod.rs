//! The classical evaluation: hand-written terms, tapered between middlegame and endgame.
//!
//! Each term has a name, a place in one table ([`TERMS`]) and weights ([`WEIGHTS`]) that
//! `tabiya tune` fits to the results of games. A term only says how often a side has a feature; a
//! [`Tally`] adds that up, fast for the search or kept apart for the table and the tuner, so that what
//! is printed and what is tuned is what is searched.

mod bits;
mod board;
mod breakdown;
mod endings;
mod king;
mod passed;
mod pawns;
mod pieces;
mod tally;
mod tapered;
mod terms;
mod weights;

pub use board::FULL_PHASE;
pub use breakdown::{Breakdown, Row};
pub use endings::FULL_SCALE;
pub use tapered::Tapered;
pub use terms::{BARE_KING, TERMS, Term, WEIGHT_COUNT};
pub use weights::WEIGHTS;

use crate::engine::Score;
use crate::engine::position::{Color, Position};
use board::{Attacks, Men};
use pawns::PawnTable;
use tally::{Balance, Tally};

/// The evaluation of one thread, with the pawn structures it has seen.
pub struct Evaluator {
    pawns: PawnTable,
}

impl Evaluator {
    pub fn new() -> Evaluator {
        Evaluator { pawns: PawnTable::new() }
    }

    /// The evaluation of `position` for the side to move, in centipawns.
    pub fn evaluate(&self, position: &Position) -> Score {
        let structure = self.pawns.probe(position);
        let mut balance = Balance(structure.balance);
        let men = Men::of(position);
        add_terms(position, &men, structure.passed, &mut balance);
        let score = taper(&men, balance.0).score;
        match position.side_to_move() {
            Color::White => Score(score),
            Color::Black => Score(-score),
        }
    }
}

impl Default for Evaluator {
    fn default() -> Self {
        Self::new()
    }
}

/// The evaluation of `position` for the side to move, in centipawns, with nothing remembered.
pub fn evaluate(position: &Position) -> Score {
    let breakdown = Breakdown::of(position);
    match position.side_to_move() {
        Color::White => Score(breakdown.score),
        Color::Black => Score(-breakdown.score),
    }
}

/// Adds every term but those of pawns and kings alone.
fn add_terms(position: &Position, men: &Men, passed: u64, tally: &mut impl Tally) {
    if let Some(color) = endings::against_bare_king(men) {
        endings::bare_king(men, color, tally);
        return;
    }
    let mut attacks = Attacks::of_pawns_and_kings(men);
    pieces::pieces(men, &mut attacks, Color::White, tally);
    pieces::pieces(men, &mut attacks, Color::Black, tally);
    add_terms_of_attacks(position, men, &attacks, passed, Color::White, tally);
    add_terms_of_attacks(position, men, &attacks, passed, Color::Black, tally);
    tally.add(position.side_to_move(), terms::TEMPO.at(0), 1);
}

/// Adds the terms of one side that need the attacks of both. Compiled once for each colour, like all
/// that it calls: with the colour known, signs and directions cost nothing.
#[inline(always)]
fn add_terms_of_attacks(
    position: &Position,
    men: &Men,
    attacks: &Attacks,
    passed: u64,
    color: Color,
    tally: &mut impl Tally,
) {
    pieces::threats(men, attacks, color, tally);
    king::danger(men, attacks, color, tally);
    king::castling(position, color, tally);
    passed::passed(men, attacks, passed, color, position.side_to_move(), tally);
}

/// White's advantage, mixed by the phase of the game.
struct Mixture {
    phase: i32,
    /// Of [`FULL_SCALE`], for the endgame's part.
    scale: i32,
    /// In centipawns.
    score: i32,
}

/// Mixes middlegame and endgame by the phase, the endgame scaled by what the stronger side can win.
/// Source: the Chess Programming Wiki, "Tapered Eval".
fn taper(men: &Men, balance: Tapered) -> Mixture {
    let phase = men.phase();
    let endgame = balance.endgame();
    let scale = endings::scale(men, if endgame > 0 { Color::White } else { Color::Black });
    if scale == 0 {
        return Mixture { phase, scale, score: 0 };
    }
    let score =
        (balance.middlegame() * phase + endgame * scale / FULL_SCALE * (FULL_PHASE - phase)) / FULL_PHASE;
    Mixture { phase, scale, score }
}
