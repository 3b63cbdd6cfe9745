//! What a node teaches: which moves to look at earlier, and where the evaluation is wrong.

use super::Searcher;
use crate::engine::params::*;
use crate::engine::tt::Bound;
use crate::engine::{Move, Score};

/// Moves of one node that were searched; beyond so many none is remembered.
pub struct Tried {
    moves: [Option<Move>; Self::MOST],
    count: usize,
}

impl Tried {
    const MOST: usize = 32;

    pub fn none() -> Tried {
        Tried { moves: [None; Self::MOST], count: 0 }
    }

    pub fn push(&mut self, mv: Move) {
        if self.count < Self::MOST {
            self.moves[self.count] = Some(mv);
            self.count += 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = Move> {
        self.moves[..self.count].iter().flatten().copied()
    }
}

impl Searcher<'_> {
    /// A move reached beta: it comes earlier next time, and those tried in vain before it later. A capture
    /// says nothing about quiet moves, but a refutation by either says that the captures before it were bad.
    pub(super) fn learn_from_cutoff(
        &mut self,
        mv: Move,
        quiets: &Tried,
        captures: &Tried,
        depth: i32,
        ply: usize,
    ) {
        let bonus = (HISTORY_BONUS * depth - HISTORY_BONUS_OFFSET).min(HISTORY_BONUS_MOST);
        let position = &self.position;
        if position.is_tactical(mv) {
            self.history.update_capture(position, mv, bonus);
        } else {
            let before = self.before(ply);
            self.history.update_quiet(&before, position, mv, bonus);
            for other in quiets.iter() {
                self.history.update_quiet(&before, position, other, -bonus);
            }
            let killers = &mut self.plies[ply].killers;
            if killers[0] != Some(mv) {
                *killers = [Some(mv), killers[0]];
            }
        }
        for other in captures.iter() {
            self.history.update_capture(position, other, -bonus);
        }
    }

    /// Where the score of a quiet position is beyond its evaluation on the side that the bound vouches
    /// for, evaluations like it are corrected.
    pub(super) fn learn_correction(
        &mut self,
        eval: Score,
        score: Score,
        bound: Bound,
        best_move: Option<Move>,
        depth: i32,
        ply: usize,
    ) {
        let is_noisy = best_move.is_some_and(|mv| self.position.is_tactical(mv));
        let is_vouched_for = match bound {
            Bound::Exact => true,
            Bound::Lower => score > eval,
            Bound::Upper => score < eval,
        };
        if is_noisy || !is_vouched_for || score.is_mate() {
            return;
        }
        let (last, earlier) = (self.moved(ply, 1), self.moved(ply, 2));
        self.history.correction.learn(&self.position, last, earlier, eval, score, depth);
    }
}
