//! One node of the tree: principal variation search, in numbered steps.

use super::learn::Tried;
use super::pruning::{PLY, is_futile, is_late, reduction};
use super::{MAX_PLY, Searcher};
use crate::engine::checks::CheckSquares;
use crate::engine::movepick::MovePicker;
use crate::engine::params::*;
use crate::engine::tt::{Bound, Entry};
use crate::engine::window::Window;
use crate::engine::{Move, Score, see};

impl Searcher<'_> {
    /// The score of the position `ply` moves from the root, exact within `window` and otherwise a bound,
    /// searched `depth` plies deep. `expects_cut` says that some move is expected to reach beta.
    ///
    /// Principal variation search: the first move is searched with the whole window, the others with
    /// one that only asks whether they are better. Source: T. Marsland and M. Campbell, "Parallel Search
    /// of Strongly Ordered Game Trees", 1982.
    pub(super) fn search(
        &mut self,
        mut window: Window,
        mut depth: i32,
        ply: usize,
        expects_cut: bool,
    ) -> Score {
        debug_assert!(window.alpha < window.beta && ply <= MAX_PLY);
        let is_root = ply == 0;
        let is_pv = !window.is_zero();
        debug_assert!(!(is_pv && expects_cut));
        let in_check = self.position.is_check();
        let excluded = self.plies[ply].excluded;

        // 1. Check extension: a check narrows the answers, and a threat behind it would hide beyond the
        //    horizon. Unsafe in endless checks, hence the bound by the iteration's depth.
        //    Source: the Chess Programming Wiki, "Check Extensions".
        if in_check && !is_root && ply < 2 * (self.completed_depth as usize + 1) {
            depth += 1;
        }

        // 2. Horizon.
        if depth <= 0 {
            return self.quiescence(window, ply);
        }
        self.pv.clear(ply);
        if !self.enter(ply) {
            return Score::DRAW;
        }

        if !is_root {
            // 3. The end of the game by rule.
            if let Some(score) = self.ended_by_rule(ply) {
                return score;
            }
            if ply >= MAX_PLY {
                return self.evaluator.evaluate(&self.position);
            }

            // 4. Mate distance pruning: no line from here can beat a mate that is already nearer.
            //    Source: the Chess Programming Wiki, "Mate Distance Pruning".
            window.alpha = window.alpha.max(Score::mated_in(ply));
            window.beta = window.beta.min(Score::mate_in(ply + 1));
            if window.alpha >= window.beta {
                return window.alpha;
            }
        }

        // 5. Transposition table: the same position, searched at least as deep, settles the node.
        //    Not on the principal variation, where the whole line is wanted. Source: R. Greenblatt, D.
        //    Eastlake and S. Crocker, "The Greenblatt Chess Program", 1967.
        let key = self.position.key();
        let known = self.table.probe(key, ply);
        if let Some(entry) = known
            && !is_pv
            && excluded.is_none()
            && entry.depth >= depth
            && self.is_settled_by(&entry, window)
        {
            return entry.score;
        }
        let was_pv = is_pv || known.is_some_and(|entry| entry.was_pv);
        let table_move = match is_root {
            true => self.lines[self.current].pv.first().copied(),
            false => known.and_then(|entry| entry.mv),
        };

        // 6. Static evaluation, and whether it has improved since our last move.
        let raw_eval = self.static_eval(known);
        let static_eval = raw_eval.map(|eval| self.corrected(eval, ply));
        self.plies[ply].static_eval = static_eval;
        let earlier_eval = [2, 4]
            .into_iter()
            .find_map(|back| ply.checked_sub(back).and_then(|earlier| self.plies[earlier].static_eval));
        let improving = static_eval.is_some_and(|now| earlier_eval.is_some_and(|then| now > then));
        self.plies[ply + 1].killers = [None; 2];

        if let Some(static_eval) = static_eval
            && !is_pv
            && excluded.is_none()
            && !self.seeks_mate
        {
            // The table's score, where it is a bound in the right direction, is the better estimate.
            let eval =
                known.filter(|entry| entry.improves_on(static_eval)).map_or(static_eval, |entry| entry.score);

            // 7. Reverse futility pruning: so far above beta that the opponent will hardly come back in
            //    the few plies left. Unsafe when mates are about.
            //    Source: the Chess Programming Wiki, "Reverse Futility Pruning".
            let margin = REVERSE_FUTILITY_MARGIN * (depth - i32::from(improving));
            if depth <= REVERSE_FUTILITY_DEPTH && eval - margin >= window.beta && !window.beta.is_mate() {
                return if eval.is_mate() { eval } else { Score((eval.0 + window.beta.0) / 2) };
            }

            // 8. Null move pruning.
            if depth >= NULL_MOVE_DEPTH
                && eval >= window.beta
                && let Some(score) = self.try_null_move(window.beta, eval, depth, ply, expects_cut)
            {
                return score;
            }

            // 9. ProbCut.
            if depth >= PROBCUT_DEPTH
                && let Some(score) = self.try_probcut(window.beta, raw_eval, known, depth, ply)
            {
                return score;
            }
        }

        // 10. Internal iterative reduction: without a table move the order is poor and the node
        //     expensive; search it shallower now, the next iteration will know a move.
        //     Source: E. Schröder's Rebel, described by him in 2022.
        let is_unordered = table_move.is_none() && excluded.is_none();
        if depth >= INTERNAL_REDUCTION_DEPTH && is_unordered && !is_root && !self.seeks_mate {
            depth -= 1;
        }

        // 11. The moves, best first.
        let asked = window;
        let mut best_score = -Score::INFINITE;
        let mut best_move = None;
        let mut skip_quiets = false;
        let before = self.before(ply);
        let check_squares = CheckSquares::of(&self.position);
        let killers = self.plies[ply].killers;
        let table_move_is_tactical = table_move.is_some_and(|mv| self.position.is_tactical(mv));
        let mut picker = MovePicker::all(&self.position, table_move, &killers, &before);
        let (mut quiets, mut captures) = (Tried::none(), Tried::none());
        let mut move_number = 0;
        while let Some(mv) = picker.next(&self.position, self.history) {
            if Some(mv) == excluded || is_root && self.left_out.contains(&mv) {
                continue;
            }
            let is_quiet = !self.position.is_tactical(mv);
            move_number += 1;
            let gives_check = is_quiet && check_squares.is_check(&self.position, mv);
            let history = match is_quiet {
                true => self.history.quiet_after(&before, &self.position, mv),
                false => self.history.capture(&self.position, mv),
            };
            let mut reduction = reduction(depth, move_number, is_quiet) - history * PLY / REDUCTION_HISTORY;

            // 12. Pruning of moves at shallow nodes, once a move is known that is not mated.
            //     Unsafe in check, where every answer may be the only one, and for quiet checks, which
            //     may mate. Sources: E. Heinz, "Extended Futility Pruning", 1998; the Chess Programming
            //     Wiki, "Futility Pruning" (which names move count pruning) and "Static Exchange Evaluation".
            if !is_root && !in_check && !self.seeks_mate && best_score > Score::mated_in(MAX_PLY) {
                if is_quiet && skip_quiets && !gives_check {
                    continue;
                }
                let reduced_depth = (depth - reduction / PLY).max(0);
                if is_quiet && !gives_check {
                    // Good quiet moves come early, the rest seldom change anything.
                    if is_late(move_number, depth, improving)
                        || is_futile(static_eval, reduced_depth, window.alpha)
                    {
                        skip_quiets = true;
                        picker.stop_sorting_quiets();
                        continue;
                    }
                    // History pruning: it has been bad again and again.
                    if depth <= HISTORY_PRUNING_DEPTH && history < -HISTORY_PRUNING_MARGIN * depth {
                        continue;
                    }
                }
                // Static exchange pruning: moves that simply lose material.
                let may_lose = match is_quiet {
                    true => EXCHANGE_QUIET_MARGIN * reduced_depth,
                    false => EXCHANGE_TACTICAL_MARGIN * depth,
                };
                if depth <= EXCHANGE_DEPTH && !see::wins_at_least(&self.position, mv, -may_lose) {
                    continue;
                }
            }

            // 13. Singular extension.
            let mut extension = 0;
            if Some(mv) == table_move
                && !is_root
                && excluded.is_none()
                && !self.seeks_mate
                && depth >= SINGULAR_DEPTH
                && let Some(entry) = known
                && entry.depth >= depth - SINGULAR_TABLE_DEPTH
                && entry.bound != Bound::Upper
                && !entry.score.is_mate()
            {
                match self.judge_singular(mv, entry.score, window, depth, ply, expects_cut) {
                    Singular::Extend(plies) => extension = plies,
                    Singular::Cut(score) => return score,
                }
                if self.stopped {
                    return Score::DRAW;
                }
            }

            // 14. Make the move.
            let nodes_before = self.nodes;
            self.play(mv, ply);
            self.plies[ply + 1].double_extensions += usize::from(extension > 1);
            let mut new_depth = depth - 1 + extension;

            // 15. Late move reductions: late moves are searched shallower first, and again in full only
            //     if they surprise. Less for checks, evasions, the principal variation and moves with a
            //     good history, more where a cut is expected.
            //     Source: the Chess Programming Wiki, "Late Move Reductions".
            let mut score = Score::DRAW;
            let mut is_promising = true;
            if depth >= REDUCTION_DEPTH && move_number >= REDUCTION_FIRST_MOVE && !self.seeks_mate {
                let is = |fact: bool, weight: i32| if fact { weight } else { 0 };
                reduction -= is(was_pv, REDUCTION_LESS_ON_PV) + is(is_pv, REDUCTION_LESS_ON_PV);
                reduction -= is(in_check, REDUCTION_LESS_IN_CHECK) + is(gives_check, REDUCTION_LESS_BY_CHECK);
                reduction -= is(improving, REDUCTION_LESS_IMPROVING);
                reduction += is(expects_cut, REDUCTION_MORE_FOR_CUT);
                reduction += is(table_move_is_tactical, REDUCTION_MORE_AFTER_TACTICAL);
                let reduced = (new_depth - reduction / PLY).clamp(1, new_depth.max(1));
                if reduced < new_depth {
                    score = -self.search(-Window::zero_above(window.alpha), reduced, ply + 1, true);
                    is_promising = score > window.alpha;
                    if is_promising {
                        // The surprise decides how deep to look again.
                        new_depth += i32::from(score > best_score + DEEPER_MARGIN);
                        new_depth -= i32::from(score < best_score + SHALLOWER_MARGIN);
                        is_promising = reduced < new_depth;
                    }
                }
            }

            // 16. Principal variation search.
            if is_promising && (!is_pv || move_number > 1) {
                score = -self.search(-Window::zero_above(window.alpha), new_depth, ply + 1, !expects_cut);
            }
            if is_pv && (move_number == 1 || score > window.alpha) {
                score = -self.search(-window, new_depth, ply + 1, false);
            }
            self.position.undo();
            if is_root {
                self.note_effort(mv, self.nodes - nodes_before);
            }
            if self.stopped {
                return Score::DRAW;
            }

            // 17. A better move?
            best_score = best_score.max(score);
            if score > window.alpha {
                best_move = Some(mv);
                window.alpha = score;
                if is_pv {
                    self.pv.extend(ply, mv);
                }
                if is_root {
                    let line = &mut self.lines[self.current];
                    line.pv.clear();
                    line.pv.extend_from_slice(self.pv.line(0));
                    line.score = score;
                }
                if score >= window.beta {
                    self.learn_from_cutoff(mv, &quiets, &captures, depth, ply);
                    break;
                }
            }
            if is_quiet { &mut quiets } else { &mut captures }.push(mv);
        }

        // 18. Checkmate and stalemate; with nothing but the excluded move there was nothing to find.
        if move_number == 0 {
            return match excluded {
                Some(_) => asked.alpha,
                None if in_check => Score::mated_in(ply),
                None => Score::DRAW,
            };
        }

        // 19. Remember, unless some moves were not looked at.
        if excluded.is_some() || is_root && !self.left_out.is_empty() {
            return best_score;
        }
        let bound = Bound::of(best_score, asked);
        if let Some(eval) = static_eval {
            self.learn_correction(eval, best_score, bound, best_move, depth, ply);
        }
        let entry = Entry { mv: best_move, score: best_score, static_eval: raw_eval, depth, bound, was_pv };
        self.table.store(key, ply, entry);
        best_score
    }

    /// Singular extension: a table move that is better than all others by a margin is searched deeper,
    /// because everything hangs on it. How good the others are is seen by a shallow search without it.
    /// If they too reach beta, so many do that the node is cut at once (multi-cut); if the table move is
    /// expected to reach beta anyway, it needs no care and is searched shallower. Sources: T. Anantharaman,
    /// M. Campbell and F. Hsu, "Singular Extensions", 1988; Y. Björnsson and T. Marsland, "Multi-Cut
    /// Alpha-Beta Pruning", 1999; in this form from Stockfish.
    fn judge_singular(
        &mut self,
        mv: Move,
        table_score: Score,
        window: Window,
        depth: i32,
        ply: usize,
        expects_cut: bool,
    ) -> Singular {
        let is_pv = !window.is_zero();
        let bar = table_score - SINGULAR_MARGIN * depth / 16;
        self.plies[ply].excluded = Some(mv);
        let score = self.search(Window::zero_below(bar), (depth - 1) / 2, ply, expects_cut);
        self.plies[ply].excluded = None;
        self.pv.clear(ply);
        if score < bar {
            let is_by_far = score < bar - DOUBLE_EXTENSION_MARGIN && !is_pv;
            let may_double = self.plies[ply].double_extensions < DOUBLE_EXTENSIONS_MOST;
            return Singular::Extend(if is_by_far && may_double { 2 } else { 1 });
        }
        if bar >= window.beta && !is_pv {
            return Singular::Cut(bar);
        }
        if table_score >= window.beta {
            return Singular::Extend(-2 + i32::from(is_pv));
        }
        Singular::Extend(if expects_cut { -1 } else { 0 })
    }
}

/// What to do with a node whose table move was compared with the others.
enum Singular {
    /// Search the table move so many plies deeper.
    Extend(i32),
    /// The node is settled.
    Cut(Score),
}
