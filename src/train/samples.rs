//! Positions in the smallest form that a fit needs: which features each has, and how it ended.

use super::labelled::Labelled;
use crate::engine::Color;
use crate::engine::classical::{BARE_KING, Breakdown, FULL_PHASE, FULL_SCALE};

/// A weight as the fit moves it: middlegame and endgame, in centipawns.
pub type Pair = [f64; 2];

/// All positions of a fit.
#[derive(Default)]
pub struct Samples {
    heads: Vec<Head>,
    /// Index of a weight, and White's count of its feature less Black's.
    coefficients: Vec<(u16, i16)>,
}

/// What a fit needs of one position beside its features.
pub struct Head {
    /// Where its coefficients begin; they end where the next position's begin.
    start: usize,
    /// Share of the middlegame's and of the endgame's sum in the evaluation.
    pub shares: [f32; 2],
    /// White's points.
    pub result: f32,
    /// What a search saw, in centipawns for White.
    pub score: Option<f32>,
}

impl Samples {
    /// Adds a position, unless it is a known draw, which no weight changes, or an ending against a bare
    /// king: those weights show the way to mate, and the result knows nothing of ways.
    pub fn push(&mut self, labelled: &Labelled) {
        let breakdown = Breakdown::of(&labelled.position);
        let is_technique = breakdown.coefficients().any(|(weight, _)| BARE_KING.weights().contains(&weight));
        if breakdown.scale == 0 || is_technique {
            return;
        }
        let middlegame = breakdown.phase as f32 / FULL_PHASE as f32;
        let scale = breakdown.scale as f32 / FULL_SCALE as f32;
        self.heads.push(Head {
            start: self.coefficients.len(),
            shares: [middlegame, (1.0 - middlegame) * scale],
            result: labelled.result.points() as f32,
            score: labelled.score.map(|score| match labelled.position.side_to_move() {
                Color::White => score as f32,
                Color::Black => -score as f32,
            }),
        });
        let counts = breakdown.coefficients().map(|(weight, count)| (weight as u16, count as i16));
        self.coefficients.extend(counts);
    }

    pub fn len(&self) -> usize {
        self.heads.len()
    }

    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The features of a position: index of a weight, and White's count less Black's.
    pub fn coefficients(&self, index: usize) -> &[(u16, i16)] {
        let end = self.heads.get(index + 1).map_or(self.coefficients.len(), |next| next.start);
        &self.coefficients[self.heads[index].start..end]
    }

    pub fn head(&self, index: usize) -> &Head {
        &self.heads[index]
    }

    /// White's advantage in centipawns.
    pub fn evaluate(&self, index: usize, weights: &[Pair]) -> f64 {
        let mut sums = [0.0; 2];
        for &(weight, count) in self.coefficients(index) {
            let [middlegame, endgame] = weights[usize::from(weight)];
            sums[0] += middlegame * f64::from(count);
            sums[1] += endgame * f64::from(count);
        }
        let [middlegame, endgame] = self.heads[index].shares;
        sums[0] * f64::from(middlegame) + sums[1] * f64::from(endgame)
    }
}
