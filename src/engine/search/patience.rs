//! Patience: how much of its time a move deserves, judged by how the search goes.
//!
//! A move that stays the best and takes nearly all nodes is clear, and time is better kept for others;
//! a best move that changes, that needs few of the nodes, or whose score falls is worth more thought.
//! Source of the ideas: the Chess Programming Wiki, "Time Management".

use crate::engine::params::*;
use crate::engine::{Move, Score};

/// What the iterations so far have shown.
#[derive(Clone, Debug, Default)]
pub struct Patience {
    best: Option<Move>,
    /// Iterations in a row with the same best move.
    stable: usize,
    /// Mean of the scores so far, the last weighing most, in centipawns.
    expected: Option<i32>,
    factor: f64,
}

impl Patience {
    /// An iteration is done: `best` took `share` (0 to 1) of all nodes so far and is worth `score`.
    pub fn see(&mut self, best: Move, score: Score, share: f64) {
        self.stable = if self.best == Some(best) { self.stable + 1 } else { 0 };
        self.best = Some(best);
        let expected = *self.expected.get_or_insert(score.0);
        let fall = f64::from((expected - score.0).clamp(-FALL_MOST, FALL_MOST)) / f64::from(FALL_MOST);
        self.expected = Some((expected + score.0) / 2);

        let by_stability = STABILITY_FACTORS[self.stable.min(STABILITY_FACTORS.len() - 1)];
        let by_share = SHARE_FACTOR_AT_NONE - SHARE_FACTOR_SLOPE * share;
        let by_fall = 1.0 + FALL_FACTOR * fall;
        self.factor = (by_stability * by_share * by_fall).clamp(LEAST_PATIENCE, MOST_PATIENCE);
    }

    /// What part of the usual time this move deserves.
    pub fn factor(&self) -> f64 {
        self.factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Position;

    fn after(iterations: &[(&str, i32, f64)]) -> f64 {
        let position = Position::default();
        let mut patience = Patience::default();
        for &(uci, score, share) in iterations {
            patience.see(position.parse_uci(uci).expect(uci), Score(score), share);
        }
        patience.factor()
    }

    #[test]
    fn a_clear_move_takes_less_time_and_a_doubtful_one_more() {
        let usual = after(&[("e2e4", 20, 0.6); 3]);
        let stable = after(&[("e2e4", 20, 0.6); 9]);
        let changed = after(&[("e2e4", 20, 0.6), ("e2e4", 20, 0.6), ("d2d4", 20, 0.6)]);
        assert!(stable < usual && usual < changed, "{stable} {usual} {changed}");
        let easy = after(&[("e2e4", 20, 0.95); 3]);
        let hard = after(&[("e2e4", 20, 0.2); 3]);
        assert!(easy < usual && usual < hard, "{easy} {usual} {hard}");
        let falling = after(&[("e2e4", 20, 0.6), ("e2e4", 20, 0.6), ("e2e4", -30, 0.6)]);
        let rising = after(&[("e2e4", 20, 0.6), ("e2e4", 20, 0.6), ("e2e4", 70, 0.6)]);
        assert!(rising < usual && usual < falling, "{rising} {usual} {falling}");
    }

    #[test]
    fn patience_has_bounds_whatever_happens() {
        let mates = [("e2e4", 31_990, 0.0), ("d2d4", -31_990, 0.0), ("e2e4", 31_990, 1.0)];
        for upto in 1..=mates.len() {
            let factor = after(&mates[..upto]);
            assert!((LEAST_PATIENCE..=MOST_PATIENCE).contains(&factor), "{factor}");
        }
        assert!(after(&[("e2e4", 0, 1.0); 100]) >= LEAST_PATIENCE);
    }
}
