//! Quiescence search: what is left of a position when the exchanges are over.
//!
//! Source of the idea: C. Shannon, "Programming a Computer for Playing Chess", 1950, which asks to
//! evaluate quiet positions only.

use super::{MAX_PLY, Searcher};
use crate::engine::movepick::MovePicker;
use crate::engine::params::DELTA_MARGIN;
use crate::engine::tt::{Bound, Entry};
use crate::engine::window::Window;
use crate::engine::{Score, see};

impl Searcher<'_> {
    /// Searches captures and promotions until the position is quiet, in check every evasion,
    /// so that no exchange is judged half-way. The side to move may also stand pat.
    pub(super) fn quiescence(&mut self, mut window: Window, ply: usize) -> Score {
        self.pv.clear(ply);
        if !self.enter(ply) {
            return Score::DRAW;
        }
        if let Some(score) = self.ended_by_rule(ply) {
            return score;
        }
        if ply >= MAX_PLY {
            return self.evaluator.evaluate(&self.position);
        }
        let is_pv = !window.is_zero();
        let key = self.position.key();
        let known = self.table.probe(key, ply);
        if let Some(entry) = known
            && !is_pv
            && self.is_settled_by(&entry, window)
        {
            return entry.score;
        }
        let in_check = self.position.is_check();
        let raw_eval = self.static_eval(known);
        let static_eval = raw_eval.map(|eval| self.corrected(eval, ply));

        // Standing pat is a lower bound, because hardly ever is every move a bad one. In check there is
        // no such choice, and having no move is mate.
        let mut best_score = match static_eval {
            None => Score::mated_in(ply),
            Some(eval) => known.filter(|entry| entry.improves_on(eval)).map_or(eval, |entry| entry.score),
        };
        if best_score >= window.beta {
            return best_score;
        }
        let asked = window;
        window.alpha = window.alpha.max(best_score);

        let table_move = known.and_then(|entry| entry.mv);
        let mut picker = match in_check {
            true => MovePicker::all(&self.position, table_move, &[None; 2], &self.before(ply)),
            false => MovePicker::tactical(&self.position, table_move),
        };
        let mut best_move = None;
        while let Some(mv) = picker.next(&self.position, self.history) {
            // Delta pruning: not even winning this man for nothing would reach alpha. It misses captures that
            // threaten mate, so those are left to the search above.
            // Source: the Chess Programming Wiki, "Delta Pruning".
            if let Some(eval) = static_eval
                && eval + see::immediate_gain(&self.position, mv) + DELTA_MARGIN <= window.alpha
            {
                continue;
            }
            self.play(mv, ply);
            let score = -self.quiescence(-window, ply + 1);
            self.position.undo();
            if self.stopped {
                return Score::DRAW;
            }
            best_score = best_score.max(score);
            if score > window.alpha {
                best_move = Some(mv);
                window.alpha = score;
                if is_pv {
                    self.pv.extend(ply, mv);
                }
                if score >= window.beta {
                    break;
                }
            }
        }
        let bound = Bound::of(best_score, asked);
        let was_pv = is_pv || known.is_some_and(|entry| entry.was_pv);
        let entry =
            Entry { mv: best_move, score: best_score, static_eval: raw_eval, depth: 0, bound, was_pv };
        self.table.store(key, ply, entry);
        best_score
    }
}
