//! The thread that thinks: takes jobs one by one.

use super::options::Style;
use super::say;
use super::thinking::Thinking;
use crate::engine::perft::divide;
use crate::engine::{Engine, EngineOptions, Limits, Position, Question, bench};
use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// Stack of the thread: the search is recursive, and unused pages cost nothing.
const STACK_BYTES: usize = 4 << 20;

/// What the thread is to do next.
pub enum Job {
    /// Make the engine anew, with these options.
    Rebuild(EngineOptions),
    Forget,
    /// Say that everything before is done.
    Ready,
    Search(Box<Search>),
    Perft {
        position: Position,
        depth: u32,
        thinking: Arc<Thinking>,
        style: Style,
    },
    Bench(Arc<Thinking>),
}

/// A position to search, and what for.
pub struct Search {
    /// When it was asked for: times count from here.
    pub start: Instant,
    pub question: Question,
    pub position: Position,
    pub limits: Limits,
    pub style: Style,
    pub thinking: Arc<Thinking>,
}

/// Starts the thread; it ends when the sender of its jobs is dropped and all of them are done.
///
/// A fault in it ends the program: a GUI sees that at once, but would wait for a move for ever.
///
/// # Errors
/// The system has no thread to give.
pub fn spawn(options: EngineOptions) -> io::Result<(Sender<Job>, JoinHandle<()>)> {
    let (jobs, inbox) = mpsc::channel();
    let thread = thread::Builder::new().name("engine".into()).stack_size(STACK_BYTES).spawn(move || {
        let _guard = ExitOnPanic;
        let mut bench = Workbench { options, engine: None };
        inbox.into_iter().for_each(|job| bench.work(job));
    })?;
    Ok((jobs, thread))
}

struct ExitOnPanic;

impl Drop for ExitOnPanic {
    fn drop(&mut self) {
        if thread::panicking() {
            std::process::exit(1);
        }
    }
}

/// The engine, made when it is first needed.
struct Workbench {
    options: EngineOptions,
    engine: Option<Engine>,
}

impl Workbench {
    fn work(&mut self, job: Job) {
        match job {
            Job::Rebuild(options) => {
                self.engine = None;
                self.options = options;
            }
            Job::Forget => {
                if let Some(engine) = &mut self.engine {
                    engine.new_game();
                }
            }
            Job::Ready => {
                self.engine();
                say("readyok\n");
            }
            Job::Search(search) => self.search(&search),
            Job::Perft { position, depth, thinking, style } => perft(&position, depth, &thinking, style),
            Job::Bench(thinking) => {
                let report = bench::run();
                thinking.finish();
                say(format!("{} nodes\n{} nps\n", report.nodes, report.nodes_per_second()));
            }
        }
    }

    /// The engine, with a table of the size that was asked for if there is memory for it.
    fn engine(&mut self) -> &mut Engine {
        self.engine.get_or_insert_with(|| {
            let fits = |mebibytes: usize| Vec::<u8>::new().try_reserve_exact(mebibytes << 20).is_ok();
            let wanted = self.options.hash_mb;
            while !fits(self.options.hash_mb) && self.options.hash_mb > 1 {
                self.options.hash_mb /= 2;
            }
            if self.options.hash_mb < wanted {
                let got = self.options.hash_mb;
                say(format!("info string no memory for a Hash of {wanted} MiB: it has {got} MiB\n"));
            }
            Engine::new(&self.options)
        })
    }

    fn search(&mut self, search: &Search) {
        let Search { start, question, position, limits, style, thinking } = search;
        if position.legal_moves().is_empty() {
            return answer_without_moves(position, thinking);
        }
        let report = self.engine().answer(*start, question, position, limits, &**thinking);
        thinking.wait_for_release();
        thinking.tell(&report);
        thinking.finish();
        say(style.best_move(&report));
    }
}

/// The game is over here, and a GUI that asks for a move nevertheless must get its answer.
fn answer_without_moves(position: &Position, thinking: &Thinking) {
    let (score, reason) = match position.is_check() {
        true => ("mate 0", "checkmate"),
        false => ("cp 0", "stalemate"),
    };
    say(format!("info depth 0 score {score}\ninfo string no legal move: {reason}\n"));
    thinking.wait_for_release();
    thinking.finish();
    say("bestmove 0000\n");
}

/// Says the leaves behind each move, and at the end how many there are; `stop` ends it early.
fn perft(position: &Position, depth: u32, thinking: &Thinking, style: Style) {
    let mut total = 0;
    let goes_on = || thinking.is_going_on();
    let Ok(all_counted) = divide(position, depth, 1, &goes_on, |mv, leaves| {
        total += leaves;
        say(format!("{}: {leaves}\n", style.mv(*mv)));
        Ok::<(), Infallible>(())
    });
    // Before the last line: who has read it may send the next command.
    thinking.finish();
    match all_counted {
        true => say(format!("\nNodes searched: {total}\n")),
        false => say("info string perft was stopped\n"),
    }
}
