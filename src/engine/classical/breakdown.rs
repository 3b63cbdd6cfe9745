//! The evaluation taken apart: what each term says for each side.

use super::board::Men;
use super::tally::Counts;
use super::{TERMS, Tapered, Term, WEIGHT_COUNT, WEIGHTS, add_terms, king, pawns, taper};
use crate::engine::position::{Color, Position};

/// One evaluation, term by term.
pub struct Breakdown {
    counts: Counts,
    /// White's terms less Black's.
    pub balance: Tapered,
    /// How much of the middlegame is left, 0 to [`super::FULL_PHASE`].
    pub phase: i32,
    /// How much of the endgame's part counts, of [`super::FULL_SCALE`].
    pub scale: i32,
    /// White's advantage, in centipawns.
    pub score: i32,
}

/// One line of the table.
pub struct Row {
    pub term: Term,
    /// How often the side has the feature, whatever it is worth.
    pub white_count: i32,
    pub black_count: i32,
    pub white: Tapered,
    pub black: Tapered,
}

impl Breakdown {
    pub fn of(position: &Position) -> Breakdown {
        let men = Men::of(position);
        let mut counts = Counts::new();
        let passed = pawns::structure(position, &mut counts);
        king::shelter(position, &mut counts);
        add_terms(position, &men, passed, &mut counts);
        let sum =
            |color| (0..WEIGHT_COUNT).fold(Tapered::ZERO, |sum, i| sum + WEIGHTS[i] * counts.of(color, i));
        let balance = sum(Color::White) - sum(Color::Black);
        let mixture = taper(&men, balance);
        Breakdown { counts, balance, phase: mixture.phase, scale: mixture.scale, score: mixture.score }
    }

    /// What each term says, in the order of the terms.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        TERMS.into_iter().map(|term| {
            let sum = |color| {
                term.weights().fold(Tapered::ZERO, |sum, i| sum + WEIGHTS[i] * self.counts.of(color, i))
            };
            let count = |color| term.weights().map(|i| self.counts.of(color, i)).sum();
            Row {
                term,
                white_count: count(Color::White),
                black_count: count(Color::Black),
                white: sum(Color::White),
                black: sum(Color::Black),
            }
        })
    }

    /// White's count of each feature less Black's, with the index of its weight; zeros left out.
    pub fn coefficients(&self) -> impl Iterator<Item = (usize, i32)> {
        let net = |i| self.counts.of(Color::White, i) - self.counts.of(Color::Black, i);
        (0..WEIGHT_COUNT).map(move |i| (i, net(i))).filter(|&(_, net)| net != 0)
    }
}
