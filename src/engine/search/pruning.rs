//! What a node may leave out: whole subtrees after a null move or a good capture, single moves by
//! their number and their promise.

use super::Searcher;
use crate::engine::movepick::MovePicker;
use crate::engine::params::*;
use crate::engine::position::{EMPTY, Piece};
use crate::engine::tt::{Bound, Entry};
use crate::engine::window::Window;
use crate::engine::{Score, see};
use std::sync::LazyLock;

/// One ply, in the finer unit in which reductions are added up.
pub const PLY: i32 = 1024;

impl Searcher<'_> {
    /// Null move pruning: if even passing leaves us above beta, a move surely would. A pass is illegal,
    /// and in zugzwang better than every move: so never with pawns alone, never twice in a row, and a
    /// deep success is verified by a search without null moves. Sources: C. Donninger, "Null Move and
    /// Deep Search", 1993; O. David-Tabibi and N. Netanyahu, "Verified Null-Move Pruning", 2002.
    pub(super) fn try_null_move(
        &mut self,
        beta: Score,
        eval: Score,
        depth: i32,
        ply: usize,
        expects_cut: bool,
    ) -> Option<Score> {
        let us = self.position.side_to_move();
        let pawns_and_king = self.position.of_kind(Piece::Pawn) | self.position.of_kind(Piece::King);
        let has_pieces = self.position.colored(us) & !pawns_and_king != EMPTY;
        let was_passed = self.plies[ply - 1].moved.is_none();
        if !has_pieces || was_passed || ply < self.null_moves_from || beta.is_mate() {
            return None;
        }
        let by_eval = ((eval.0 - beta.0) / NULL_MOVE_EVAL_DIVISOR).min(NULL_MOVE_EVAL_MOST);
        let reduction = NULL_MOVE_REDUCTION + depth / NULL_MOVE_DEPTH_DIVISOR + by_eval;
        let reduced = (depth - reduction).max(0);

        self.play_null(ply);
        let score = -self.search(-Window::zero_below(beta), reduced, ply + 1, !expects_cut);
        self.position.undo();
        if self.stopped {
            return Some(Score::DRAW);
        }
        if score < beta {
            return None;
        }
        // A mate found after passing is not proven.
        let score = if score.is_mate() { beta } else { score };
        if depth < NULL_MOVE_VERIFY_DEPTH || self.null_moves_from > 0 {
            return Some(score);
        }
        self.null_moves_from = ply + 3 * reduced as usize / 4;
        let verified = self.search(Window::zero_below(beta), reduced, ply, false);
        self.null_moves_from = 0;
        (self.stopped || verified >= beta).then_some(score)
    }

    /// ProbCut: a capture that beats beta by a margin in a shallow search will hardly fall below beta in
    /// the full one. Unsafe when mates are about. Source: M. Buro, "ProbCut: An Effective Selective
    /// Extension of the Alpha-Beta Algorithm", 1995; for captures in chess from Stockfish.
    pub(super) fn try_probcut(
        &mut self,
        beta: Score,
        raw_eval: Option<Score>,
        known: Option<Entry>,
        depth: i32,
        ply: usize,
    ) -> Option<Score> {
        let static_eval = self.plies[ply].static_eval?;
        let raised = beta + PROBCUT_MARGIN;
        let reduced = depth - PROBCUT_REDUCTION;
        let is_refuted = known.is_some_and(|entry| entry.depth >= reduced && entry.score < raised);
        if beta.is_mate() || is_refuted {
            return None;
        }
        let mut picker = MovePicker::tactical(&self.position, known.and_then(|entry| entry.mv));
        let must_win = raised.0 - static_eval.0;
        while let Some(mv) = picker.next(&self.position, self.history) {
            if !see::wins_at_least(&self.position, mv, must_win) {
                continue;
            }
            self.play(mv, ply);
            let window = -Window::zero_below(raised);
            let mut score = -self.quiescence(window, ply + 1);
            if score >= raised && reduced > 1 {
                score = -self.search(window, reduced - 1, ply + 1, true);
            }
            self.position.undo();
            if self.stopped {
                return Some(Score::DRAW);
            }
            if score >= raised {
                let (mv, bound) = (Some(mv), Bound::Lower);
                let entry = Entry { mv, score, static_eval: raw_eval, depth: reduced, bound, was_pv: false };
                self.table.store(self.position.key(), ply, entry);
                return Some(score);
            }
        }
        None
    }
}

/// Late move pruning: so many moves were tried already that a further quiet one hardly helps.
pub fn is_late(move_number: usize, depth: i32, improving: bool) -> bool {
    let most = (LATE_MOVE_PRUNING_BASE + depth * depth) / (2 - i32::from(improving));
    depth <= LATE_MOVE_PRUNING_DEPTH && move_number as i32 > most
}

/// Futility pruning: so far below alpha that a quiet move will hardly bring it back.
pub fn is_futile(static_eval: Option<Score>, depth: i32, alpha: Score) -> bool {
    depth <= FUTILITY_DEPTH
        && !alpha.is_mate()
        && static_eval.is_some_and(|eval| eval + FUTILITY_BASE + FUTILITY_MARGIN * depth <= alpha)
}

/// By how much a late move is reduced, in parts of a [`PLY`]: grows with the logarithms of depth and
/// move number, for captures more slowly.
pub fn reduction(depth: i32, move_number: usize, is_quiet: bool) -> i32 {
    static TABLES: LazyLock<[Reductions; 2]> = LazyLock::new(|| {
        [
            reductions(TACTICAL_REDUCTION_BASE, TACTICAL_REDUCTION_DIVISOR),
            reductions(REDUCTION_BASE, REDUCTION_DIVISOR),
        ]
    });
    TABLES[usize::from(is_quiet)][depth.clamp(0, 63) as usize][move_number.min(63)]
}

type Reductions = [[i32; 64]; 64];

fn reductions(base: f64, divisor: f64) -> Reductions {
    let formula = |depth: usize, number: usize| base + (depth as f64).ln() * (number as f64).ln() / divisor;
    std::array::from_fn(|depth| {
        std::array::from_fn(|number| (formula(depth.max(1), number.max(1)) * f64::from(PLY)) as i32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_moves_and_deeper_nodes_are_reduced_more_and_captures_less() {
        for depth in 2..64 {
            for number in 2..64 {
                let quiet = reduction(depth, number, true);
                assert!(quiet >= reduction(depth - 1, number, true), "depth {depth}, move {number}");
                assert!(quiet >= reduction(depth, number - 1, true), "depth {depth}, move {number}");
                assert!(quiet > reduction(depth, number, false), "depth {depth}, move {number}");
            }
        }
        assert_eq!(reduction(200, 200, true), reduction(63, 63, true), "beyond the table");
        assert!((PLY..2 * PLY).contains(&reduction(3, 3, true)));
    }

    #[test]
    fn a_quiet_move_is_late_sooner_when_nothing_improves() {
        for depth in 1..=LATE_MOVE_PRUNING_DEPTH {
            let first_late =
                |improving| (1..).find(|&number| is_late(number, depth, improving)).expect("some move");
            assert!(first_late(true) > first_late(false), "depth {depth}");
        }
        assert!(!is_late(200, LATE_MOVE_PRUNING_DEPTH + 1, false), "too deep to leave anything out");
    }

    #[test]
    fn a_move_is_futile_only_far_below_alpha_and_never_near_mates() {
        let far = Some(Score(-1000));
        assert!(is_futile(far, 1, Score::DRAW) && !is_futile(Some(Score::DRAW), 1, Score::DRAW));
        assert!(!is_futile(far, FUTILITY_DEPTH + 1, Score::DRAW));
        assert!(!is_futile(far, 1, Score::mated_in(9)), "any move may save us from mate");
        assert!(!is_futile(None, 1, Score::DRAW), "no evaluation in check");
    }
}
