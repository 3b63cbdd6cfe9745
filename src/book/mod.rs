//! Openings before thinking: what to play in a position that opening lines pass through.
//!
//! Lines are matched by position, never by the order of moves, so transpositions are found.
//!
//! `openings.csv`, the table that is built into the program, is one command away from the file
//! `openings-esca-0.4.0.csv`: the data of crate `esca` 0.4.0, which is the CC0 table of
//! lichess-org/chess-openings with two computed columns. The command renames a column and drops
//! those two:
//!
//! ```sh
//! sed -E '1s/pgn/moves/; s/(,[^,]*){2}$//' openings-esca-0.4.0.csv > openings.csv
//! ```

mod csv;
mod index;
mod movetext;
#[cfg(test)]
mod tests;

pub use movetext::{MovetextError, play_line, read_move};

use crate::engine::{Color, Move, Position};
use csv::{HeaderError, RowError};
use fastrand::Rng;
use index::{Builder, Entry, Index};
use movetext::Replay;
use serde::Deserialize;
use std::fmt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use thiserror::Error;

/// The table for which a path is not needed.
const BUILT_IN: &str = include_str!("../../openings.csv");

/// Looked for in the working directory when no path is given.
const DEFAULT_FILE: &str = "openings.csv";

/// The name of a line that has none.
const UNNAMED: &str = "unnamed";

/// Broken rows that are reported one by one; the others are counted.
const ROWS_REPORTED: usize = 5;

/// Section `[book]` of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BookOptions {
    pub enabled: bool,
    /// A CSV file; empty for `openings.csv` in the working directory if there is one, else the copy
    /// that is built into the program.
    pub path: String,
    /// With which colours the book is used.
    pub colors: BookColors,
    /// Plies from the start of the game in which the book is asked.
    pub depth: usize,
    pub selection: Selection,
    /// Seed of the choice among moves; 0 for a different one at each start.
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BookColors {
    Both,
    White,
    Black,
}

/// How one of several book moves is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Selection {
    /// At random, in proportion to the weights.
    Weighted,
    /// At random, all alike.
    Uniform,
    /// The greatest weight.
    Best,
}

impl Default for BookOptions {
    fn default() -> Self {
        Self {
            enabled: true,
            path: String::new(),
            colors: BookColors::Both,
            depth: 30,
            selection: Selection::Weighted,
            seed: 0,
        }
    }
}

/// Why there is no book. The bot plays on without one.
#[derive(Debug, Error)]
pub enum BookError {
    #[error("opening book {path}: {reason}; correct book.path or clear it for the built-in book")]
    Unreadable { path: String, reason: std::io::Error },
    #[error("opening book {path}: the file is empty; correct book.path or clear it for the built-in book")]
    Empty { path: String },
    #[error("opening book {path}: no column is named moves, pgn or uci (found: {found}); name one in line 1")]
    NoMoves { path: String, found: String },
    #[error("opening book {path}: none of {rows} rows can be used; correct the rows or book.path")]
    NoRows { path: String, rows: usize },
}

/// A move from the book, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookMove {
    pub mv: Move,
    /// The named line that is complete with this move, or else the last that the game completed on
    /// its way here; before any is, the longest line through the move. Never empty.
    pub name: String,
    /// Lines through this move.
    pub lines: u32,
    /// Lines through the position.
    pub of_lines: u32,
}

/// Weighted moves by position.
pub struct Book {
    index: Index,
    options: BookOptions,
    /// Shared by all games: equal seeds repeat as long as the questions come in the same order.
    rng: Mutex<Rng>,
    source: String,
    skipped: usize,
    load_time: Duration,
}

// Opening.
impl Book {
    /// Reads the book that `options` name; without `enabled` the empty one.
    pub fn open(options: &BookOptions) -> Result<Book, BookError> {
        Self::open_in(Path::new(""), options)
    }

    fn open_in(directory: &Path, options: &BookOptions) -> Result<Book, BookError> {
        if !options.enabled {
            return Ok(Book::empty());
        }
        let default = directory.join(DEFAULT_FILE);
        let path = match options.path.as_str() {
            "" if !default.is_file() => return Self::from_csv(BUILT_IN.as_bytes(), "built-in", options),
            "" => default,
            path => Path::new(path).to_path_buf(),
        };
        let start = Instant::now();
        let name = path.display().to_string();
        let bytes =
            std::fs::read(&path).map_err(|reason| BookError::Unreadable { path: name.clone(), reason })?;
        let book = Self::from_csv(&bytes, &name, options)?;
        Ok(Book { load_time: start.elapsed(), ..book })
    }

    /// The book in the text of a CSV file; `source` is what messages call it.
    ///
    /// Rows that cannot be used are reported in the log and skipped.
    pub fn from_csv(bytes: &[u8], source: &str, options: &BookOptions) -> Result<Book, BookError> {
        let start = Instant::now();
        let (mut replay, mut builder) = (Replay::default(), Builder::default());
        let mut skipped = 0;
        let take = |row: &csv::Row| {
            let line = replay.play(row.moves).map_err(|reason| reason.to_string())?;
            builder.add(&line, row.name, row.weight);
            Ok(())
        };
        let refuse = |error: RowError| {
            skipped += 1;
            if skipped <= ROWS_REPORTED {
                tracing::warn!(file = source, "row of the opening book skipped: {error}");
            }
        };
        csv::read(bytes, take, refuse).map_err(|error| BookError::of_header(error, source))?;
        if skipped > ROWS_REPORTED {
            let more = skipped - ROWS_REPORTED;
            tracing::warn!(file = source, "{more} more rows of the opening book skipped");
        }
        let index = builder.finish();
        if index.lines() == 0 {
            return Err(BookError::NoRows { path: source.to_string(), rows: skipped });
        }
        let book = Book::new(index, source, options);
        Ok(Book { skipped, load_time: start.elapsed(), ..book })
    }

    /// A book that knows nothing.
    pub fn empty() -> Book {
        Book::new(Builder::default().finish(), "none", &BookOptions::default())
    }

    fn new(index: Index, source: &str, options: &BookOptions) -> Book {
        let rng = if options.seed == 0 { Rng::new() } else { Rng::with_seed(options.seed) };
        Book {
            index,
            options: options.clone(),
            rng: Mutex::new(rng),
            source: source.to_string(),
            skipped: 0,
            load_time: Duration::ZERO,
        }
    }
}

/// The ends of the lines of a table in CSV, each with the moves that lead to it; `refuse` is told of rows
/// that cannot be used.
///
/// # Errors
/// The table has no column of moves. `source` is what messages call it.
pub fn lines_of_csv(
    bytes: &[u8],
    source: &str,
    most_plies: usize,
    mut refuse: impl FnMut(String),
) -> Result<Vec<Position>, BookError> {
    let mut lines = Vec::new();
    let take = |row: &csv::Row| {
        let mut position = Position::default();
        play_line(&mut position, row.moves, most_plies).map_err(|reason| reason.to_string())?;
        lines.push(position);
        Ok(())
    };
    csv::read(bytes, take, |error| refuse(error.to_string()))
        .map_err(|error| BookError::of_header(error, source))?;
    Ok(lines)
}

// Asking.
impl Book {
    /// A legal move for the side to move, if the book has one and may be asked here.
    pub fn pick(&self, position: &Position) -> Option<BookMove> {
        if !self.may_answer(position) {
            return None;
        }
        // Two positions may share a key, however unlikely: legality is always looked at.
        let legal = position.legal_moves();
        let entries: Vec<&Entry> =
            self.index.moves(position.key()).iter().filter(|entry| legal.contains(&entry.mv)).collect();
        let chosen = self.choose(&entries)?;
        Some(BookMove {
            mv: chosen.mv,
            name: self.name(position, chosen).to_string(),
            lines: chosen.lines,
            of_lines: entries.iter().map(|entry| entry.lines).sum(),
        })
    }

    fn may_answer(&self, position: &Position) -> bool {
        let is_our_color = match self.options.colors {
            BookColors::Both => true,
            BookColors::White => position.side_to_move() == Color::White,
            BookColors::Black => position.side_to_move() == Color::Black,
        };
        is_our_color && position.plies_played() < self.options.depth
    }

    /// A move whose lines all have weight 0 is never chosen.
    fn choose<'a>(&self, entries: &[&'a Entry]) -> Option<&'a Entry> {
        let playable: Vec<&Entry> = entries.iter().copied().filter(|entry| entry.weight > 0).collect();
        match self.options.selection {
            Selection::Best => playable.into_iter().max_by_key(|entry| (entry.weight, entry.lines)),
            Selection::Weighted => self.draw(&playable, |entry| u64::from(entry.weight)),
            Selection::Uniform => self.draw(&playable, |_| 1),
        }
    }

    /// A ticket is drawn; each entry owns as many as it weighs.
    fn draw<'a>(&self, entries: &[&'a Entry], weight: impl Fn(&Entry) -> u64) -> Option<&'a Entry> {
        let total: u64 = entries.iter().copied().map(&weight).sum();
        if total == 0 {
            return None;
        }
        let ticket = self.rng.lock().unwrap_or_else(PoisonError::into_inner).u64(..total);
        let mut sold = 0;
        entries.iter().copied().find(|entry| {
            sold += weight(entry);
            ticket < sold
        })
    }

    /// Looks back through the game, the move included, for the last position that has a name.
    fn name(&self, position: &Position, entry: &Entry) -> &str {
        let mut game = position.clone();
        game.play(entry.mv);
        loop {
            if let Some(name) = self.index.name_at(game.key()) {
                return name;
            }
            if game.plies_played() == 0 {
                let longest = self.index.longest_line(entry);
                return if longest.is_empty() { UNNAMED } else { longest };
            }
            game.undo();
        }
    }

    /// Where the book comes from: the path of a file, `built-in` or `none`.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Lines that were read.
    pub fn lines(&self) -> usize {
        self.index.lines()
    }

    /// Positions in which the book knows a move.
    pub fn positions(&self) -> usize {
        self.index.positions()
    }

    /// Rows that could not be used.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// How long opening took, the reading of the file included.
    pub fn load_time(&self) -> Duration {
        self.load_time
    }
}

impl BookError {
    fn of_header(error: HeaderError, path: &str) -> BookError {
        let path = path.to_string();
        match error {
            HeaderError::Empty => BookError::Empty { path },
            HeaderError::NoMoves(found) => BookError::NoMoves { path, found },
        }
    }
}

impl fmt::Debug for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Book({}, {} lines)", self.source, self.lines())
    }
}
