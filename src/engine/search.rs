//! The search: iterative deepening, aspiration, principal variation search, quiescence.
//!
//! It asks its caller two questions, "stop?" and "here is what I have so far", and neither prints
//! nor reads anything. Each thread owns one [`Searcher`]; they share the transposition table and the
//! [`Control`] of this search.

mod control;
mod pv;
mod quiescence;

pub use control::Control;

use super::checks::CheckSquares;
use super::classical::Evaluator;
use super::history::History;
use super::movepick::{Killers, MovePicker};
use super::params::*;
use super::position::{EMPTY, Piece, Position};
use super::tt::{Bound, Entry, Table};
use super::window::Window;
use super::{Line, Move, Question, Score, SearchReport, see};
use pv::PvTable;
use std::sync::LazyLock;

const MAX_PLY: usize = Score::MAX_PLY;

/// What this thread knows about one ply of the line it is looking at.
#[derive(Clone, Copy)]
struct Ply {
    killers: Killers,
    /// The evaluation of the position; `None` in check.
    static_eval: Option<Score>,
    /// Whether the move that led on from here was a null move.
    passed: bool,
}

const FRESH_PLY: Ply = Ply { killers: [None; 2], static_eval: None, passed: false };

/// One thread's search of one position.
pub struct Searcher<'a> {
    position: Position,
    table: &'a Table,
    control: &'a Control<'a>,
    history: &'a mut History,
    evaluator: Evaluator,
    plies: Box<[Ply; MAX_PLY + 2]>,
    pv: PvTable,
    /// The best lines so far, as many as were asked for; and which of them is being searched.
    lines: Vec<Line>,
    current: usize,
    /// Moves that are not looked at: those not asked about, and the first moves of better lines.
    left_out: Vec<Move>,
    /// How many of these are not asked about.
    not_asked: usize,
    completed_depth: i32,
    selective_depth: usize,
    nodes: u64,
    /// Nodes already reported to `control`.
    reported_nodes: u64,
    next_poll: u64,
    stopped: bool,
    /// Below this ply no null move is tried, while one is being verified.
    null_moves_from: usize,
}

// From the root.
impl<'a> Searcher<'a> {
    /// Prepares a search of `position`, which must have a legal move.
    pub fn new(
        position: &Position,
        table: &'a Table,
        control: &'a Control<'a>,
        history: &'a mut History,
    ) -> Searcher<'a> {
        let mut position = position.clone();
        position.reserve(MAX_PLY + 2);
        // What to play when stopped before anything is known.
        let table_move = table.probe(position.key(), 0).and_then(|entry| entry.mv);
        let first_move = MovePicker::all(&position, table_move, &[None; 2], history)
            .next(&position)
            .expect("a position to search has a legal move");
        Searcher {
            position,
            table,
            control,
            history,
            evaluator: Evaluator::new(),
            plies: Box::new([FRESH_PLY; MAX_PLY + 2]),
            pv: PvTable::new(),
            lines: vec![Line::beginning(first_move)],
            current: 0,
            left_out: Vec::new(),
            not_asked: 0,
            completed_depth: 0,
            selective_depth: 0,
            nodes: 0,
            reported_nodes: 0,
            next_poll: 1,
            stopped: false,
            null_moves_from: 0,
        }
    }

    /// Looks at the moves and for the lines of `question`, not at all moves for the best line.
    pub fn answering(mut self, question: &Question) -> Self {
        let guess = self.lines[0].pv[0];
        let legal_moves = self.position.legal_moves();
        let (mut asked, not_asked): (Vec<Move>, Vec<Move>) =
            legal_moves.into_iter().partition(|&mv| question.admits(mv));
        asked.sort_by_key(|&mv| mv != guess);
        self.lines = asked.into_iter().take(question.lines.max(1)).map(Line::beginning).collect();
        self.not_asked = not_asked.len();
        self.left_out = not_asked;
        self
    }

    /// Iterative deepening: searches one ply deeper each time, until a limit says stop.
    ///
    /// `on_iteration` is called after each completed iteration and says whether to begin another.
    pub fn deepen(&mut self, on_iteration: &mut dyn FnMut(&mut Self) -> bool) {
        for depth in 1..=self.control.deepest() {
            self.search_lines(depth);
            if self.stopped {
                break;
            }
            self.completed_depth = depth;
            if !on_iteration(self) {
                break;
            }
        }
        self.control.add_nodes(self.nodes - self.reported_nodes);
        self.reported_nodes = self.nodes;
    }

    /// Searches for each line in turn, leaving out the first moves of those before it (MultiPV).
    fn search_lines(&mut self, depth: i32) {
        for current in 0..self.lines.len() {
            self.current = current;
            self.left_out.truncate(self.not_asked);
            self.left_out.extend(self.lines[..current].iter().map(|line| line.pv[0]));
            let score = self.aspirate(depth);
            if self.stopped {
                return;
            }
            self.lines[current].score = score;
        }
        self.lines.sort_by_key(|line| -line.score.0);
    }

    /// Aspiration windows: expects about the last score again, because a narrow window cuts more, and
    /// opens the side that failed. Source: the Chess Programming Wiki, "Aspiration Windows".
    fn aspirate(&mut self, depth: i32) -> Score {
        let expected = self.lines[self.current].score;
        if depth < ASPIRATION_DEPTH || expected.is_mate() {
            return self.search(Window::FULL, depth, 0);
        }
        let mut margin = ASPIRATION_MARGIN;
        let mut window = Window::around(expected, margin);
        loop {
            let score = self.search(window, depth, 0);
            if self.stopped || window.contains(score) {
                return score;
            }
            margin *= 2;
            let wider = match margin > ASPIRATION_GIVE_UP || score.is_mate() {
                true => Window::FULL,
                false => Window::around(score, margin),
            };
            if score <= window.alpha {
                window.alpha = wider.alpha;
            } else {
                window.beta = wider.beta;
            }
        }
    }

    /// What is known now.
    pub fn report(&self) -> SearchReport {
        let [best, others @ ..] = self.lines.as_slice() else { unreachable!("one line is always known") };
        SearchReport {
            pv: best.pv.clone(),
            score: best.score,
            depth: self.completed_depth as u8,
            selective_depth: self.selective_depth as u8,
            nodes: self.control.nodes() + self.nodes - self.reported_nodes,
            elapsed: self.control.elapsed(),
            table_permille: self.table.permille_full(),
            others: if self.stopped { Vec::new() } else { others.to_vec() },
        }
    }
}

// Within the tree.
impl Searcher<'_> {
    /// The score of the position `ply` moves from the root, exact within `window` and otherwise a bound,
    /// searched `depth` plies deep.
    ///
    /// Principal variation search: the first move is searched with the whole window, the others with
    /// one that only asks whether they are better. Source: T. Marsland and M. Campbell, "Parallel Search
    /// of Strongly Ordered Game Trees", 1982.
    fn search(&mut self, mut window: Window, mut depth: i32, ply: usize) -> Score {
        debug_assert!(window.alpha < window.beta && ply <= MAX_PLY);
        let is_root = ply == 0;
        let is_pv = !window.is_zero();
        let in_check = self.position.is_check();

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
            && entry.depth >= depth
            && self.is_settled_by(&entry, window)
        {
            return entry.score;
        }
        let table_move = match is_root {
            true => self.lines[self.current].pv.first().copied(),
            false => known.and_then(|entry| entry.mv),
        };

        // 6. Static evaluation, and whether it has improved since our last move.
        let static_eval = self.static_eval(known);
        self.plies[ply].static_eval = static_eval;
        let earlier_eval = ply.checked_sub(2).and_then(|earlier| self.plies[earlier].static_eval);
        let improving = static_eval.is_some_and(|now| earlier_eval.is_some_and(|then| now > then));
        self.plies[ply + 1].killers = [None; 2];

        if let Some(eval) = static_eval
            && !is_pv
        {
            // The table's score, where it is a bound in the right direction, is the better estimate.
            let eval = known.filter(|entry| entry.improves_on(eval)).map_or(eval, |entry| entry.score);

            // 7. Reverse futility pruning: so far above beta that the opponent will hardly come back in
            //    the few plies left. Unsafe when mates are about.
            //    Source: the Chess Programming Wiki, "Reverse Futility Pruning".
            let margin = REVERSE_FUTILITY_MARGIN * (depth - i32::from(improving));
            if depth <= REVERSE_FUTILITY_DEPTH && eval - margin >= window.beta && !window.beta.is_mate() {
                return eval;
            }

            // 8. Null move pruning.
            if depth >= NULL_MOVE_DEPTH
                && eval >= window.beta
                && let Some(score) = self.try_null_move(window.beta, eval, depth, ply)
            {
                return score;
            }
        }

        // 9. Internal iterative reduction: without a table move the order is poor and the node
        //    expensive; search it shallower now, the next iteration will know a move.
        //    Source: E. Schröder's Rebel, described by him in 2022.
        if depth >= INTERNAL_REDUCTION_DEPTH && table_move.is_none() && !is_root {
            depth -= 1;
        }

        // 10. The moves, best first.
        let asked = window;
        let mut best_score = -Score::INFINITE;
        let mut best_move = None;
        let mut skip_quiets = false;
        let us = self.position.side_to_move();
        let check_squares = CheckSquares::of(&self.position);
        let mut picker = MovePicker::all(&self.position, table_move, &self.plies[ply].killers, self.history);
        let mut move_number = 0;
        while let Some(mv) = picker.next(&self.position) {
            if is_root && self.left_out.contains(&mv) {
                continue;
            }
            let is_quiet = !self.position.is_tactical(mv);
            let gives_check = is_quiet && check_squares.is_check(&self.position, mv);
            move_number += 1;
            let reduction = reduction(depth, move_number);

            // 11. Pruning of moves at shallow nodes, once a move is known that is not mated.
            //     Unsafe in check, where every answer may be the only one, and for quiet checks, which
            //     may mate. Sources: E. Heinz, "Extended Futility Pruning", 1998; the Chess Programming
            //     Wiki, "Futility Pruning" (which names move count pruning) and "Static Exchange Evaluation".
            if !is_root && !in_check && best_score > Score::mated_in(MAX_PLY) {
                if is_quiet && skip_quiets && !gives_check {
                    continue;
                }
                let lmr_depth = (depth - reduction).max(0);
                // Late move pruning: good quiet moves come early, the rest seldom change anything.
                // Futility pruning: so far below alpha that a quiet move will hardly bring it back.
                if is_quiet
                    && !gives_check
                    && (is_late(move_number, depth, improving)
                        || is_futile(static_eval, lmr_depth, window.alpha))
                {
                    skip_quiets = true;
                    continue;
                }
                // Static exchange pruning: moves that simply lose material.
                let may_lose = match is_quiet {
                    true => EXCHANGE_QUIET_MARGIN * lmr_depth,
                    false => EXCHANGE_TACTICAL_MARGIN * depth,
                };
                if depth <= EXCHANGE_DEPTH && !see::wins_at_least(&self.position, mv, -may_lose) {
                    continue;
                }
            }

            // 12. Make the move.
            let mv_history = if is_quiet { self.history.quiet(us, mv) } else { 0 };
            self.plies[ply].passed = false;
            self.position.play(mv);
            let new_depth = depth - 1;

            // 13. Late move reductions: late moves are searched shallower first, and again in full only
            //     if they surprise. Less for checks, evasions, the principal variation and moves with a
            //     good history. Source: the Chess Programming Wiki, "Late Move Reductions".
            let mut score = Score::DRAW;
            let mut is_promising = true;
            if depth >= REDUCTION_DEPTH && move_number >= REDUCTION_FIRST_MOVE && is_quiet {
                let mut less = i32::from(is_pv) + i32::from(in_check) + i32::from(improving);
                less += i32::from(gives_check);
                less += mv_history / REDUCTION_HISTORY;
                let reduced = (new_depth + less - reduction).clamp(1, new_depth);
                if reduced < new_depth {
                    score = -self.search(-Window::zero_above(window.alpha), reduced, ply + 1);
                    is_promising = score > window.alpha;
                }
            }

            // 14. Principal variation search.
            if is_promising && (!is_pv || move_number > 1) {
                score = -self.search(-Window::zero_above(window.alpha), new_depth, ply + 1);
            }
            if is_pv && (move_number == 1 || score > window.alpha) {
                score = -self.search(-window, new_depth, ply + 1);
            }
            self.position.undo();
            if self.stopped {
                return Score::DRAW;
            }

            // 15. A better move?
            if score > best_score {
                best_score = score;
            }
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
                    self.learn_from_cutoff(mv, picker.tried(), depth, ply);
                    break;
                }
            }
        }

        // 16. Checkmate and stalemate.
        if picker.is_empty() {
            return if in_check { Score::mated_in(ply) } else { Score::DRAW };
        }

        // 17. Remember, unless some moves were not looked at.
        if is_root && !self.left_out.is_empty() {
            return best_score;
        }
        let bound = Bound::of(best_score, asked);
        self.table.store(key, ply, Entry { mv: best_move, score: best_score, static_eval, depth, bound });
        best_score
    }

    /// Whether what the table knows ends the search of this node. Near the fifty-move draw it does not:
    /// its scores know nothing of the clock.
    fn is_settled_by(&self, entry: &Entry, window: Window) -> bool {
        entry.settles(window) && self.position.halfmove_clock() < CLOCK_DISTRUST
    }

    /// The evaluation of the position, from the table if it is there; none in check, where it would
    /// mean nothing.
    fn static_eval(&self, known: Option<Entry>) -> Option<Score> {
        if self.position.is_check() {
            return None;
        }
        let from_table = known.and_then(|entry| entry.static_eval);
        Some(from_table.unwrap_or_else(|| self.evaluator.evaluate(&self.position)))
    }

    /// Null move pruning: if even passing leaves us above beta, a move surely would. A pass is illegal,
    /// and in zugzwang better than every move: so never with pawns alone, never twice in a row, and a
    /// deep success is verified by a search without null moves. Sources: C. Donninger, "Null Move and
    /// Deep Search", 1993; O. David-Tabibi and N. Netanyahu, "Verified Null-Move Pruning", 2002.
    fn try_null_move(&mut self, beta: Score, eval: Score, depth: i32, ply: usize) -> Option<Score> {
        let us = self.position.side_to_move();
        let pawns_and_king = self.position.of_kind(Piece::Pawn) | self.position.of_kind(Piece::King);
        let has_pieces = self.position.colored(us) & !pawns_and_king != EMPTY;
        if !has_pieces || self.plies[ply - 1].passed || ply < self.null_moves_from || beta.is_mate() {
            return None;
        }
        let by_eval = ((eval.0 - beta.0) / NULL_MOVE_EVAL_DIVISOR).min(NULL_MOVE_EVAL_MOST);
        let reduction = NULL_MOVE_REDUCTION + depth / NULL_MOVE_DEPTH_DIVISOR + by_eval;
        let reduced = (depth - reduction).max(0);

        self.plies[ply].passed = true;
        self.position.play_null();
        let score = -self.search(-Window::zero_below(beta), reduced, ply + 1);
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
        let verified = self.search(Window::zero_below(beta), reduced, ply);
        self.null_moves_from = 0;
        (self.stopped || verified >= beta).then_some(score)
    }

    /// Draws inside the tree: by repetition, by fifty moves (unless the last of them mates) and by
    /// material.
    ///
    /// One repetition since the root is enough: who could do better would have done so the first time.
    /// Of positions before the root it takes the second, as the rules say.
    fn ended_by_rule(&self, ply: usize) -> Option<Score> {
        let position = &self.position;
        if position.halfmove_clock() >= 100 {
            let is_mate = position.is_check() && position.count_legal_moves() == 0;
            return Some(if is_mate { Score::mated_in(ply) } else { Score::DRAW });
        }
        let is_repeated =
            position.plies_since_repeated().is_some_and(|back| back <= ply || position.repetitions() >= 2);
        (is_repeated || position.has_insufficient_material()).then_some(Score::DRAW)
    }

    /// A move reached beta: it comes earlier next time, and the quiet moves tried in vain later.
    fn learn_from_cutoff(&mut self, mv: Move, tried: &[Move], depth: i32, ply: usize) {
        if self.position.is_tactical(mv) {
            return;
        }
        let us = self.position.side_to_move();
        let bonus = (HISTORY_BONUS * depth - HISTORY_BONUS_OFFSET).min(HISTORY_BONUS_MOST);
        self.history.update_quiet(us, mv, bonus);
        for &other in tried.iter().filter(|&&other| other != mv) {
            if !self.position.is_tactical(other) {
                self.history.update_quiet(us, other, -bonus);
            }
        }
        let killers = &mut self.plies[ply].killers;
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
    }

    /// Counts a node and now and then looks whether to stop; false when it is time.
    fn enter(&mut self, ply: usize) -> bool {
        if self.stopped {
            return false;
        }
        self.nodes += 1;
        self.selective_depth = self.selective_depth.max(ply);
        if self.nodes >= self.next_poll {
            self.control.add_nodes(self.nodes - self.reported_nodes);
            self.reported_nodes = self.nodes;
            self.stopped = self.control.should_stop();
            self.next_poll = self.nodes + self.control.nodes_until_poll();
        }
        !self.stopped
    }
}

fn is_late(move_number: usize, depth: i32, improving: bool) -> bool {
    let most = (LATE_MOVE_PRUNING_BASE + depth * depth) / (2 - i32::from(improving));
    depth <= LATE_MOVE_PRUNING_DEPTH && move_number as i32 > most
}

fn is_futile(static_eval: Option<Score>, depth: i32, alpha: Score) -> bool {
    depth <= FUTILITY_DEPTH
        && !alpha.is_mate()
        && static_eval.is_some_and(|eval| eval + FUTILITY_BASE + FUTILITY_MARGIN * depth <= alpha)
}

/// Plies by which a late move is reduced: grows with the logarithms of depth and move number.
fn reduction(depth: i32, move_number: usize) -> i32 {
    static TABLE: LazyLock<[[u8; 64]; 64]> = LazyLock::new(|| {
        let formula = |depth: usize, move_number: usize| {
            REDUCTION_BASE + (depth as f64).ln() * (move_number as f64).ln() / REDUCTION_DIVISOR
        };
        std::array::from_fn(|depth| std::array::from_fn(|number| formula(depth.max(1), number.max(1)) as u8))
    });
    i32::from(TABLE[depth.clamp(0, 63) as usize][move_number.min(63)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Limits, Nobody};
    use std::time::Instant;

    /// Every 16-bit pattern is some move; most are illegal in any position.
    #[test]
    fn an_illegal_move_in_the_table_is_never_played() {
        let root = Position::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
            .expect("a FEN");
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..40 {
            let table = Table::new(1);
            let mut position = root.clone();
            let mut keys = vec![position.key()];
            for mv in &root.legal_moves() {
                position.play(mv);
                keys.push(position.key());
                position.undo();
            }
            for key in keys {
                let mv = Move::from_bits(random.u16(..));
                let (score, static_eval) = (Score(random.i32(-500..500)), Some(Score::DRAW));
                let entry = Entry { mv, score, static_eval, depth: random.i32(0..3), bound: Bound::Lower };
                table.store(key, 0, entry);
            }
            let limits = Limits { depth: Some(5), ..Limits::default() };
            let control = Control::new(Instant::now(), limits, &Nobody, 1);
            let mut history = History::new();
            let mut searcher = Searcher::new(&root, &table, &control, &mut history);
            searcher.deepen(&mut |_| true);
            let report = searcher.report();
            assert!(root.is_legal(report.best_move()) && report.depth == 5, "{report:?}");
        }
    }
}
