//! The engine behind the Universal Chess Interface: a GUI's lines in, ours out.
//!
//! After the "Description of the universal chess interface" of April 2006. One thread reads and
//! answers what can be answered at once, another thinks (`work`); what they share of a search is
//! `thinking`. A line that makes no sense is answered with an `info string` that says why.

mod chances;
mod command;
mod genfens;
mod options;
mod think_time;
mod thinking;
mod work;
mod write;

use crate::engine::diagram::{diagram, letter};
use crate::engine::{Color, Limits, Move, Position, Question, evaluate};
use command::{Command, Go};
use options::{Effect, Options};
use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;
use std::time::Instant;
use thinking::Thinking;
use work::{Job, Search};

const AUTHORS: &str = "the Tabiya developers";

/// Obeys commands until `quit`, or to the end of input; then what can end by itself may still end.
///
/// # Errors
/// The system has no thread to think on.
pub fn run(commands: impl Iterator<Item = String>) -> io::Result<()> {
    let mut session = Session::start()?;
    for line in commands {
        if session.obey(&line, Instant::now()).is_break() {
            return Ok(());
        }
    }
    session.finish();
    Ok(())
}

/// The lines of a stream. What is not UTF-8 is replaced; an error counts as the end.
pub fn lines(mut input: impl BufRead) -> impl Iterator<Item = String> {
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        let length = input.read_until(b'\n', &mut line).unwrap_or(0);
        (length > 0).then(|| String::from_utf8_lossy(&line).into_owned())
    })
}

/// Says whole lines, unmixed with what other threads say.
fn say(text: impl Display) {
    let mut out = io::stdout().lock();
    // A GUI that no longer listens has gone, and then the input ends too.
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}

/// Says why something was not done.
fn complain(reason: impl Display) {
    say(format!("info string {reason}\n"));
}

/// What is known between two lines.
struct Session {
    options: Options,
    position: Position,
    /// The last search that was begun, and whether it will end by itself.
    thinking: Option<Arc<Thinking>>,
    is_limited: bool,
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

impl Session {
    fn start() -> io::Result<Session> {
        let options = Options::default();
        let (jobs, thread) = work::spawn(options.engine.clone())?;
        Ok(Session { options, position: Position::default(), thinking: None, is_limited: true, jobs, thread })
    }

    /// Does what one line says, which arrived `at` this time.
    fn obey(&mut self, line: &str, at: Instant) -> ControlFlow<()> {
        match command::parse(line) {
            Ok(Some(Command::Quit)) => return Break(()),
            Ok(Some(command)) => self.execute(command, at),
            Ok(None) => (),
            Err(mistake) => complain(mistake),
        }
        Continue(())
    }

    fn execute(&mut self, command: Command, at: Instant) {
        match command {
            Command::Uci => introduce(),
            Command::IsReady if self.is_thinking() => say("readyok\n"),
            Command::IsReady => self.send(Job::Ready),
            Command::Position { fen, moves } => self.set_position(&fen, &moves),
            Command::Stop => self.thinking.iter().for_each(|thinking| thinking.stop()),
            Command::PonderHit => self.ponder_hit(),
            Command::Eval => self.show_evaluation(),
            Command::Display => self.show_position(),
            Command::Quit | Command::Nothing => (),
            _ if self.is_thinking() => complain("still thinking: send stop first"),
            Command::NewGame => self.send(Job::Forget),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Go(go) => self.go(&go, at),
            Command::Perft { depth } => {
                let (position, style) = (self.position.clone(), self.options.style);
                let thinking = self.begin_thinking(false, false);
                self.send(Job::Perft { position, depth, thinking, style });
            }
            Command::Bench => {
                let thinking = self.begin_thinking(false, false);
                self.send(Job::Bench(thinking));
            }
            Command::GenFens(order) => {
                if let Err(error) = genfens::run(&order, |fen| say(format!("info string genfens {fen}\n"))) {
                    complain(error);
                }
            }
        }
    }

    fn is_thinking(&self) -> bool {
        self.thinking.as_ref().is_some_and(|thinking| thinking.is_going_on())
    }

    fn send(&self, job: Job) {
        self.jobs.send(job).expect("the thread that thinks outlives the session");
    }

    fn set_position(&mut self, fen: &str, moves: &str) {
        match Position::after(fen, moves) {
            Ok(position) => self.position = position,
            Err(error) => complain(format!("{error}; the position stays as it was")),
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        match self.options.set(name, value) {
            Ok(Effect::Noted) => (),
            Ok(Effect::Rebuild) => self.send(Job::Rebuild(self.options.engine.clone())),
            Ok(Effect::Clear) => self.send(Job::Forget),
            Err(error) => complain(error),
        }
    }

    fn go(&mut self, go: &Go, start: Instant) {
        let Some(limits) = think_time::limits(go, self.position.side_to_move(), self.options.overhead) else {
            return complain("go has a clock, but not of the side to move");
        };
        let moves = match self.search_moves(&go.search_moves) {
            Ok(moves) => moves,
            Err(error) => return complain(error),
        };
        let thinking = self.begin_thinking(go.is_endless(), go.ponder);
        self.is_limited = limits != Limits::default();
        self.send(Job::Search(Box::new(Search {
            start,
            question: Question { moves, lines: self.options.lines, mate: go.mate },
            position: self.position.clone(),
            limits,
            style: self.options.style,
            thinking,
        })));
    }

    fn search_moves(&self, moves: &[String]) -> Result<Vec<Move>, String> {
        let read = |uci: &String| self.position.parse_uci(uci);
        moves.iter().map(read).collect::<Result<_, _>>().map_err(|error| format!("searchmoves: {error}"))
    }

    fn begin_thinking(&mut self, is_infinite: bool, is_pondering: bool) -> Arc<Thinking> {
        let thinking = Arc::new(Thinking::new(self.options.style, is_infinite, is_pondering));
        self.thinking = Some(thinking.clone());
        self.is_limited = true;
        thinking
    }

    fn ponder_hit(&self) {
        match &self.thinking {
            Some(thinking) if thinking.is_held() => thinking.ponder_hit(),
            _ => complain("ponderhit without go ponder"),
        }
    }

    fn show_evaluation(&self) {
        let for_us = evaluate(&self.position);
        let side = if self.position.side_to_move() == Color::White { "white" } else { "black" };
        say(format!("evaluation {for_us} for {side}, who is to move\n"));
    }

    fn show_position(&self) {
        let position = &self.position;
        let board = diagram(position, Color::White, letter);
        say(format!("{board}\nFen: {}\nKey: {:016X}\n", position.fen(), position.key()));
    }

    /// The end of input: nobody is left to say `stop` or `ponderhit`, the rest may end by itself.
    fn finish(self) {
        if let Some(thinking) = self.thinking.filter(|thinking| thinking.is_held() || !self.is_limited) {
            thinking.stop();
        }
        drop(self.jobs);
        // A panic in it has ended the program already.
        let _ = self.thread.join();
    }
}

fn introduce() {
    let version = env!("CARGO_PKG_VERSION");
    let options = options::declarations();
    say(format!("id name Tabiya {version}\nid author {AUTHORS}\n{options}uciok\n"));
}
