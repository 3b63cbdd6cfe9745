//! The search: iterative deepening, aspiration, principal variation search, quiescence.
//!
//! It asks its caller two questions, "stop?" and "here is what I have so far", and neither prints
//! nor reads anything. Each thread owns one [`Searcher`]; they share the transposition table and the
//! [`Control`] of this search.

mod control;
mod learn;
mod node;
mod patience;
mod pruning;
mod pv;
mod quiescence;

pub use control::Control;

use super::classical::Evaluator;
use super::history::{Before, History, PieceTo};
use super::movepick::{Killers, MovePicker};
use super::params::*;
use super::position::Position;
use super::tt::{Entry, Table};
use super::window::Window;
use super::{Learner, Line, Move, Question, Score, SearchReport};
use patience::Patience;
use pv::PvTable;

const MAX_PLY: usize = Score::MAX_PLY;

/// What this thread knows about one ply of the line it is looking at.
#[derive(Clone, Copy)]
struct Ply {
    killers: Killers,
    /// The corrected evaluation of the position; `None` in check.
    static_eval: Option<Score>,
    /// The move being looked at; `None` for a null move.
    moved: Option<PieceTo>,
    /// A move that is left out, to see what the others are worth.
    excluded: Option<Move>,
    /// Double extensions on the way from the root.
    double_extensions: usize,
}

const FRESH_PLY: Ply =
    Ply { killers: [None; 2], static_eval: None, moved: None, excluded: None, double_extensions: 0 };

/// One thread's search of one position.
pub struct Searcher<'a> {
    position: Position,
    table: &'a Table,
    control: &'a Control<'a>,
    history: &'a mut History,
    evaluator: &'a Evaluator,
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
    /// Nodes below each move of the root that was searched.
    efforts: Vec<(Move, u64)>,
    patience: Patience,
    /// Nodes already reported to `control`.
    reported_nodes: u64,
    next_poll: u64,
    stopped: bool,
    /// A mate is asked for: nothing may be left out or reduced that could hide one.
    seeks_mate: bool,
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
        learner: &'a mut Learner,
    ) -> Searcher<'a> {
        let Learner { history, evaluator } = learner;
        let mut position = position.clone();
        position.reserve(MAX_PLY + 2);
        // What to play when stopped before anything is known.
        let table_move = table.probe(position.key(), 0).and_then(|entry| entry.mv);
        let first_move = MovePicker::all(&position, table_move, &[None; 2], &[None; 3])
            .next(&position, history)
            .expect("a position to search has a legal move");
        Searcher {
            position,
            table,
            control,
            history,
            evaluator,
            plies: Box::new([FRESH_PLY; MAX_PLY + 2]),
            pv: PvTable::new(),
            lines: vec![Line::beginning(first_move)],
            current: 0,
            left_out: Vec::new(),
            not_asked: 0,
            completed_depth: 0,
            selective_depth: 0,
            nodes: 0,
            efforts: Vec::new(),
            patience: Patience::default(),
            reported_nodes: 0,
            next_poll: 1,
            stopped: false,
            seeks_mate: false,
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
        self.seeks_mate = question.mate.is_some();
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
            let (best, score) = (self.lines[0].pv[0], self.lines[0].score);
            let effort = self.efforts.iter().find(|effort| effort.0 == best).map_or(0, |effort| effort.1);
            self.patience.see(best, score, effort as f64 / self.nodes as f64);
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
            return self.search(Window::FULL, depth, 0, false);
        }
        let mut margin = ASPIRATION_MARGIN;
        let mut window = Window::around(expected, margin);
        let mut less = 0;
        loop {
            let score = self.search(window, (depth - less).max(1), 0, false);
            if self.stopped || window.contains(score) {
                return score;
            }
            margin *= 2;
            let wider = match margin > ASPIRATION_GIVE_UP || score.is_mate() {
                true => Window::FULL,
                false => Window::around(score, margin),
            };
            if score <= window.alpha {
                // A fall needs the full depth, and what seemed too good for beta is in doubt.
                less = 0;
                window.beta = window.middle();
                window.alpha = wider.alpha;
            } else {
                // A move that is better than expected is found again with less effort.
                less = if self.seeks_mate { 0 } else { (less + 1).min(ASPIRATION_LESS_DEPTH) };
                window.beta = wider.beta;
            }
        }
    }

    /// What part of the usual time this move deserves, judged by the iterations so far.
    pub fn patience(&self) -> f64 {
        self.patience.factor()
    }

    /// `nodes` were spent on a move of the root.
    fn note_effort(&mut self, mv: Move, nodes: u64) {
        match self.efforts.iter_mut().find(|effort| effort.0 == mv) {
            Some(effort) => effort.1 += nodes,
            None => self.efforts.push((mv, nodes)),
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
    /// Makes a move at `ply`; [`Position::undo`] takes it back.
    fn play(&mut self, mv: Move, ply: usize) {
        let moved = PieceTo::of(&self.position, mv);
        self.position.play(mv);
        self.begin_ply(ply, Some(moved));
    }

    /// Passes the turn at `ply`.
    fn play_null(&mut self, ply: usize) {
        self.position.play_null();
        self.begin_ply(ply, None);
    }

    fn begin_ply(&mut self, ply: usize, moved: Option<PieceTo>) {
        self.plies[ply].moved = moved;
        self.plies[ply + 1].double_extensions = self.plies[ply].double_extensions;
        self.table.prefetch(self.position.key());
    }

    /// The moves one, two and four plies before `ply`.
    fn before(&self, ply: usize) -> Before {
        [1, 2, 4].map(|back| self.moved(ply, back))
    }

    /// The move `back` plies before `ply`, if it lies within the tree and was not a null move.
    fn moved(&self, ply: usize, back: usize) -> Option<PieceTo> {
        ply.checked_sub(back).and_then(|earlier| self.plies[earlier].moved)
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

    /// An evaluation, moved by what was learned about evaluations like it. Never a mate.
    fn corrected(&self, eval: Score, ply: usize) -> Score {
        let correction = self.history.correction.of(&self.position, self.moved(ply, 1), self.moved(ply, 2));
        Score((eval.0 + correction).clamp(1 - Score::MATE_IN_MAX, Score::MATE_IN_MAX - 1))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::tt::Bound;
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
                let entry = Entry {
                    mv,
                    score,
                    static_eval,
                    depth: random.i32(0..3),
                    bound: Bound::Lower,
                    was_pv: false,
                };
                table.store(key, 0, entry);
            }
            let limits = Limits { depth: Some(5), ..Limits::default() };
            let control = Control::new(Instant::now(), limits, &Nobody, 1);
            let mut learner = Learner::default();
            let mut searcher = Searcher::new(&root, &table, &control, &mut learner);
            searcher.deepen(&mut |_| true);
            let report = searcher.report();
            assert!(root.is_legal(report.best_move()) && report.depth == 5, "{report:?}");
        }
    }
}
