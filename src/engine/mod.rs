//! Pure, synchronous chess: prints nothing, reads nothing.

pub mod bench;
pub mod castling;
mod checks;
pub mod classical;
pub mod clock;
mod correction;
pub mod diagram;
mod fen;
mod generate;
mod history;
mod legality;
mod limits;
mod movepick;
mod moves;
mod notation;
mod params;
pub mod perft;
pub mod position;
mod question;
mod san;
mod score;
mod search;
mod see;
mod state;
mod strength;
mod tt;
mod window;
mod zobrist;

pub use classical::evaluate;
pub use fen::split_epd;

pub use limits::Limits;
pub use moves::{Move, MoveKind, MoveList};
pub use position::{Color, FenError, GameError, MoveError, Outcome, Piece, Position, Square};
pub use question::{Line, Question};
pub use san::san;
pub use score::Score;
pub use strength::Strength;

use classical::Evaluator;
use fastrand::Rng;
use history::History;
use search::{Control, Searcher};
use serde::Deserialize;
use std::thread;
use std::time::{Duration, Instant};
use strength::Discreet;
use tt::Table;

/// One engine, for one game at a time: what it has learned, and how it searches.
pub struct Engine {
    options: EngineOptions,
    /// Of the errors of an engine of limited strength.
    seed: u64,
    table: Table,
    /// One for each thread.
    learners: Vec<Learner>,
}

/// What one thread keeps from search to search.
#[derive(Default)]
struct Learner {
    history: History,
    evaluator: Evaluator,
}

/// The questions of a search.
pub trait Caller {
    /// Whether to give up; asked about once a millisecond, from every thread.
    fn should_stop(&self) -> bool;

    /// Here is what I have so far; told after each completed iteration.
    fn report(&self, report: &SearchReport);

    /// Whether it is still the opponent's turn, so that limits of time do not bind yet.
    fn is_pondering(&self) -> bool {
        false
    }
}

/// A caller that never stops a search and wants to hear nothing.
pub struct Nobody;

impl Caller for Nobody {
    fn should_stop(&self) -> bool {
        false
    }

    fn report(&self, _: &SearchReport) {}
}

/// Stack of a helper thread: the search is recursive, at most [`Score::MAX_PLY`] deep.
const HELPER_STACK_BYTES: usize = 4 << 20;

impl Engine {
    /// An engine with an empty table of `options.hash_mb` MiB.
    pub fn new(options: &EngineOptions) -> Engine {
        let threads = options.threads.max(1);
        Engine {
            options: options.clone(),
            seed: if options.seed == 0 { fastrand::u64(..) } else { options.seed },
            table: Table::new(options.hash_mb.max(1)),
            learners: (0..threads).map(|_| Learner::default()).collect(),
        }
    }

    /// Forgets everything learned in the game before.
    pub fn new_game(&mut self) {
        self.table.clear();
        self.learners.iter_mut().for_each(|learner| learner.history.clear());
    }

    /// Searches a position that has a legal move, until a limit or the caller says stop.
    ///
    /// The caps of the engine's own options bind too. However soon it is stopped, the report holds a
    /// legal move. With one thread and without limits of time the result depends on nothing but the
    /// position, its history, the limits and the searches before; at limited strength on the seed as well.
    pub fn search(
        &mut self,
        position: &Position,
        limits: &Limits,
        caller: &(dyn Caller + Sync),
    ) -> SearchReport {
        self.search_since(Instant::now(), position, limits, caller)
    }

    /// As [`Engine::search`], with the times of `limits` counted from `start`.
    pub fn search_since(
        &mut self,
        start: Instant,
        position: &Position,
        limits: &Limits,
        caller: &(dyn Caller + Sync),
    ) -> SearchReport {
        self.answer(start, &Question::default(), position, limits, caller)
    }

    /// As [`Engine::search_since`], for a question that may be about some moves or several lines only.
    ///
    /// An engine of limited strength is heard once, with the move that it plays.
    pub fn answer(
        &mut self,
        start: Instant,
        question: &Question,
        position: &Position,
        limits: &Limits,
        caller: &(dyn Caller + Sync),
    ) -> SearchReport {
        let Some(strength) = Strength::of(self.options.elo) else {
            return self.answer_in_earnest(start, question, position, limits, caller);
        };
        let discreet = Discreet::new(caller);
        let (wider, shorter) = (strength.question(question), strength.limits(limits));
        let end = self.answer_in_earnest(start, &wider, position, &shorter, &discreet);
        // A search that was cut off knows its best line only.
        let SearchReport { nodes, elapsed, .. } = end;
        let known = SearchReport { nodes, elapsed, ..discreet.into_latest().unwrap_or(end) };
        let report = strength.choose(known, question.lines, &mut self.random(position));
        caller.report(&report);
        report
    }

    /// Depends on the seed and the game so far, not on what was searched before.
    fn random(&self, position: &Position) -> Rng {
        Rng::with_seed(self.seed ^ position.key().rotate_left(position.plies_played() as u32))
    }

    fn answer_in_earnest(
        &mut self,
        start: Instant,
        question: &Question,
        position: &Position,
        limits: &Limits,
        caller: &(dyn Caller + Sync),
    ) -> SearchReport {
        let choices = position.legal_moves().into_iter().filter(|&mv| question.admits(mv)).count();
        assert!(choices > 0, "a search needs a legal move: {position:?}, {question:?}");
        if question.mate.is_some() {
            // Entries of searches that left something out may hide a mate.
            self.table.clear();
        }
        self.table.begin_search();
        let limits = limits.capped(self.options.nodes, self.options.depth);
        let control = Control::new(start, limits, caller, self.learners.len());
        let table = &self.table;
        let (learner, helpers) = self.learners.split_first_mut().expect("at least one thread");

        // Lazy SMP: helpers search the same position, and what they find reaches the first thread
        // through the table alone. Source: the Chess Programming Wiki, "Lazy SMP".
        thread::scope(|scope| {
            // Also when this thread panics: the scope waits for its helpers.
            let _stop_helpers = StopOnDrop(&control);
            for learner in helpers {
                let control = &control;
                let helper = thread::Builder::new().name("helper".into()).stack_size(HELPER_STACK_BYTES);
                let spawned = helper.spawn_scoped(scope, move || {
                    Searcher::new(position, table, control, learner)
                        .answering(question)
                        .deepen(&mut |_| true);
                });
                // Out of threads: the search goes on with those it has.
                drop(spawned);
            }
            let mut searcher = Searcher::new(position, table, &control, learner).answering(question);
            searcher.deepen(&mut |searcher| {
                let report = searcher.report();
                caller.report(&report);
                !question.is_answered_by(&report)
                    && control.should_deepen(
                        i32::from(report.depth),
                        report.score,
                        choices == 1,
                        searcher.patience(),
                    )
            });
            searcher.report()
        })
    }
}

struct StopOnDrop<'a>(&'a Control<'a>);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Which engine thinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineKind {
    /// The one in this program.
    #[default]
    Builtin,
    /// Another program that speaks UCI.
    Uci,
}

/// Options of the engine, section `[engine]` of the configuration.
///
/// [`Engine`] itself reads none of those that tell of another program.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EngineOptions {
    /// Transposition table of each game, in mebibytes (1..=65536).
    pub hash_mb: usize,
    /// Threads that search one position (1..=256).
    pub threads: usize,
    /// Most nodes searched for one move, 0 for no cap.
    pub nodes: u64,
    /// Most plies of nominal depth searched for one move, 0 for no cap.
    pub depth: u8,
    /// Strength in Elo ([`Strength`]), 0 for all there is.
    pub elo: u16,
    /// Seed of the errors of limited strength, 0 for one of its own; for programs, not for the configuration.
    #[serde(skip)]
    pub seed: u64,
    /// Milliseconds kept back on every move for the way to the server.
    pub move_overhead_ms: u64,
    /// Which engine thinks.
    pub kind: EngineKind,
    /// The UCI program; a name without a slash is looked for where programs are (`PATH`).
    pub path: String,
    /// Options of the UCI program, each `Name=value`, `Name=` for a button.
    pub options: Vec<String>,
    /// Where the UCI program runs, empty for where we do.
    pub working_directory: String,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            hash_mb: 32,
            threads: 1,
            nodes: 0,
            depth: 0,
            elo: 0,
            seed: 0,
            move_overhead_ms: 100,
            kind: EngineKind::Builtin,
            path: String::new(),
            options: Vec::new(),
            working_directory: String::new(),
        }
    }
}

/// What a search has found so far, or at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchReport {
    /// The best line; its first move is the move to play. Never empty.
    pub pv: Vec<Move>,
    /// From the side to move's point of view.
    pub score: Score,
    /// Nominal depth in plies that was completed.
    pub depth: u8,
    /// Deepest ply reached, extensions and quiescence included.
    pub selective_depth: u8,
    pub nodes: u64,
    pub elapsed: Duration,
    /// How full the table is of this search's entries, in thousandths.
    pub table_permille: u16,
    /// Further lines, if more than one was asked for, best first. Only a completed iteration has them.
    pub others: Vec<Line>,
}

impl SearchReport {
    /// The move to play.
    pub fn best_move(&self) -> Move {
        self.pv[0]
    }
}
