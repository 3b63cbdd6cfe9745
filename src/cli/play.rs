//! `tabiya play`: a game against the engine in the terminal.

use super::{exit, fail};
use crate::book::read_move;
use crate::engine::diagram::{diagram, symbol};
use crate::engine::position::START_FEN;
use crate::engine::{Color, Engine, EngineOptions, Limits, Nobody, Outcome, Position, Strength, san};
use crate::pgn::{self, PgnGame};
use clap::{Args, ValueEnum};
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// Play a game against the engine in the terminal.
#[derive(Args, Clone, Debug)]
pub struct PlayArguments {
    /// Your side
    #[arg(long, value_enum, default_value_t = Side::White)]
    pub color: Side,
    /// Begin from this position instead of the start position
    #[arg(long)]
    pub fen: Option<String>,
    /// Strength, from 1 to 9 in even steps of Elo; 10 is full strength
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=10))]
    pub level: u8,
    /// Strength in Elo, instead of a level
    #[arg(long, value_parser = clap::value_parser!(u16).range(i64::from(Strength::WEAKEST)..=i64::from(Strength::STRONGEST)))]
    pub elo: Option<u16>,
    /// Positions looked at for a move, instead of a level
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Plies looked ahead, instead of a level
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..))]
    pub depth: Option<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Side {
    White,
    Black,
    Random,
}

impl Side {
    fn color(self) -> Color {
        match self {
            Side::White => Color::White,
            Side::Black => Color::Black,
            Side::Random if fastrand::bool() => Color::White,
            Side::Random => Color::Black,
        }
    }
}

const HELP: &str = "\
  e4, Nf3, exd5, O-O, e2e4   make a move
  back                       take your last move back
  hint                       what would the engine play?
  eval                       what does it think of the position?
  level 1..10                change its strength
  board, fen, pgn            show the position or the game
  resign, quit               end the game
";

/// Plays until the game ends, one resigns, or the input is at its end.
pub fn run(arguments: &PlayArguments) -> ExitCode {
    let fen = arguments.fen.as_deref().unwrap_or(START_FEN);
    let position = match Position::from_fen(fen) {
        Ok(position) => position,
        Err(reason) => return fail(exit::CONFIGURATION, format!("tabiya play: --fen {fen:?}: {reason}")),
    };
    let mut table = Table {
        human: arguments.color.color(),
        opponent: opponent(arguments),
        adviser: Engine::new(&EngineOptions::default()),
        start: position.fen(),
        position,
        input: io::stdin().lock(),
        out: io::stdout().lock(),
    };
    match table.play() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(exit::FAILURE, format!("tabiya play: {error}")),
    }
}

fn opponent(arguments: &PlayArguments) -> Engine {
    let PlayArguments { level, elo, nodes, depth, .. } = *arguments;
    match (elo, nodes, depth) {
        (None, None, None) => of_level(level),
        (elo, nodes, depth) => Engine::new(&EngineOptions {
            elo: elo.unwrap_or(0),
            nodes: nodes.unwrap_or(0),
            depth: depth.unwrap_or(0),
            ..EngineOptions::default()
        }),
    }
}

/// The level of full strength, and positions looked at for a move there: few enough to wait for.
const FULL_STRENGTH: u8 = 10;
const FULL_STRENGTH_NODES: u64 = 2_000_000;

fn of_level(level: u8) -> Engine {
    let elo = elo_of_level(level);
    let nodes = if elo == 0 { FULL_STRENGTH_NODES } else { 0 };
    Engine::new(&EngineOptions { elo, nodes, ..EngineOptions::default() })
}

/// The levels below full strength part the range of strengths evenly.
fn elo_of_level(level: u8) -> u16 {
    let step = (Strength::STRONGEST - Strength::WEAKEST) / u16::from(FULL_STRENGTH - 2);
    if level < FULL_STRENGTH { Strength::WEAKEST + u16::from(level - 1) * step } else { 0 }
}

/// Advice comes from looking at so many positions, whatever the level.
const ADVICE: Limits = Limits { nodes: Some(200_000), soft: None, hard: None, depth: None };

/// The board with two players at it.
struct Table<R, W> {
    human: Color,
    opponent: Engine,
    /// Gives hints, at full strength.
    adviser: Engine,
    start: String,
    position: Position,
    input: R,
    out: W,
}

/// What becomes of the game after an input.
enum Turn {
    /// It is still the human's.
    Same,
    Moved,
    Resigned,
    Left,
}

impl<R: BufRead, W: Write> Table<R, W> {
    fn play(&mut self) -> io::Result<()> {
        writeln!(self.out, "You are {}. A move such as e4, or help.", name(self.human))?;
        self.show_board()?;
        loop {
            if let Some(outcome) = self.position.outcome() {
                return self.end(result(outcome), &tell(outcome));
            }
            if self.position.side_to_move() != self.human {
                self.answer()?;
                continue;
            }
            match self.ask()? {
                Turn::Same => (),
                Turn::Moved => self.show_board()?,
                Turn::Resigned => return self.end(won_by(!self.human), "You resign."),
                Turn::Left => return self.end("*", "The game is not finished."),
            }
        }
    }

    /// The engine makes its move.
    fn answer(&mut self) -> io::Result<()> {
        let mv = self.opponent.search(&self.position, &Limits::default(), &Nobody).best_move();
        writeln!(self.out, "Tabiya plays {}", san(&self.position, mv))?;
        self.position.play(mv);
        self.show_board()
    }

    /// Reads one line and does what it says.
    fn ask(&mut self) -> io::Result<Turn> {
        write!(self.out, "{} to move> ", name(self.human))?;
        self.out.flush()?;
        let mut line = Vec::new();
        if self.input.read_until(b'\n', &mut line)? == 0 {
            writeln!(self.out)?;
            return Ok(Turn::Left);
        }
        let line = String::from_utf8_lossy(&line);
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => (),
            ["help" | "?"] => write!(self.out, "{HELP}")?,
            ["board"] => self.show_board()?,
            ["fen"] => writeln!(self.out, "{}", self.position.fen())?,
            ["pgn"] => write!(self.out, "{}", self.pgn("*"))?,
            ["hint"] => self.hint()?,
            ["eval"] => self.evaluate()?,
            ["back"] => self.take_back()?,
            ["level", level] => self.set_level(level)?,
            ["resign"] => return Ok(Turn::Resigned),
            ["quit" | "exit"] => return Ok(Turn::Left),
            [word] => return self.try_move(word),
            _ => writeln!(self.out, "One move at a time, please; help tells what else there is.")?,
        }
        Ok(Turn::Same)
    }

    fn try_move(&mut self, word: &str) -> io::Result<Turn> {
        match read_move(&self.position, word) {
            Ok(mv) => {
                self.position.play(mv);
                Ok(Turn::Moved)
            }
            Err(error) => {
                writeln!(self.out, "{error}; help tells what else there is.")?;
                Ok(Turn::Same)
            }
        }
    }

    fn take_back(&mut self) -> io::Result<()> {
        if self.position.plies_played() < 2 {
            return writeln!(self.out, "There is no move of yours to take back.");
        }
        self.position.undo();
        self.position.undo();
        self.show_board()
    }

    fn set_level(&mut self, text: &str) -> io::Result<()> {
        match text.parse() {
            Ok(level @ 1..=10) => {
                self.opponent = of_level(level);
                match elo_of_level(level) {
                    0 => writeln!(self.out, "Level {level}: full strength."),
                    elo => writeln!(self.out, "Level {level}: about {elo} Elo."),
                }
            }
            _ => writeln!(self.out, "A level is a number from 1 to 10, not {text:?}."),
        }
    }

    fn hint(&mut self) -> io::Result<()> {
        let mv = self.adviser.search(&self.position, &ADVICE, &Nobody).best_move();
        writeln!(self.out, "Tabiya would play {}", san(&self.position, mv))
    }

    /// The score as White sees it, and the line behind it.
    fn evaluate(&mut self) -> io::Result<()> {
        let report = self.adviser.search(&self.position, &ADVICE, &Nobody);
        let is_white = self.position.side_to_move() == Color::White;
        let score = if is_white { report.score } else { -report.score };
        let mut line = String::new();
        let mut position = self.position.clone();
        for &mv in &report.pv {
            line = line + " " + &san(&position, mv);
            position.play(mv);
        }
        writeln!(self.out, "{score} for White at depth {}:{line}", report.depth)
    }

    fn show_board(&mut self) -> io::Result<()> {
        write!(self.out, "\n{}\n", diagram(&self.position, self.human, symbol))
    }

    fn end(&mut self, result: &str, reason: &str) -> io::Result<()> {
        let pgn = self.pgn(result);
        write!(self.out, "{reason}\n\n{pgn}")?;
        self.out.flush()
    }

    fn pgn(&self, result: &str) -> String {
        let (white, black) = match self.human {
            Color::White => ("You", "Tabiya"),
            Color::Black => ("Tabiya", "You"),
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let date = pgn::utc_date(now.as_millis() as i64);
        let tags = [("Event", "Game in the terminal"), ("Date", &date), ("White", white), ("Black", black)];
        let (start, moves) = (self.start.clone(), self.position.moves());
        pgn::write(&PgnGame {
            tags: tags.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
            initial_fen: Some(start).filter(|fen| fen != START_FEN),
            moves: moves.map(|(_, mv)| (mv, None)).collect(),
            result: result.to_string(),
        })
    }
}

fn name(color: Color) -> &'static str {
    if color == Color::White { "White" } else { "Black" }
}

fn won_by(color: Color) -> &'static str {
    if color == Color::White { "1-0" } else { "0-1" }
}

fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Checkmate { winner } => won_by(winner),
        _ => "1/2-1/2",
    }
}

fn tell(outcome: Outcome) -> String {
    match outcome {
        Outcome::Checkmate { winner } => format!("Checkmate: {} wins.", name(winner)),
        Outcome::Stalemate => "Stalemate: a draw.".to_string(),
        Outcome::InsufficientMaterial => "Neither side can mate any more: a draw.".to_string(),
        Outcome::FiftyMoves => "Fifty moves without capture or pawn move: a draw.".to_string(),
        Outcome::Threefold => "The position stands for the third time: a draw.".to_string(),
    }
}

#[cfg(test)]
mod tests;
