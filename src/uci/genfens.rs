//! Openings for self-play: random moves, kept if the position is still playable for both sides.
//!
//! The order and the answer are OpenBench's: `genfens N seed S book <None|path>`, and one line
//! `info string genfens <FEN>` for each opening.

use super::command::GenFens;
use crate::engine::{Engine, EngineOptions, FenError, Limits, Nobody, Position, split_epd};
use std::io;
use thiserror::Error;

/// Plies played at random: from the start position, and from a position of a book. One more in
/// half of the openings, so that both sides come to move first.
const PLIES_FROM_START: usize = 8;
const PLIES_FROM_BOOK: usize = 4;
/// The search that looks whether an opening is sane, and the greatest advantage it may find, in the
/// engine's centipawns.
const NODES: u64 = 5_000;
const GREATEST_ADVANTAGE: i32 = 150;
/// Openings that may be thrown away in a row before something must be wrong.
const MOST_REJECTED: u32 = 200;

/// Why there are no openings.
#[derive(Debug, Error)]
pub enum GenFensError {
    #[error("genfens: cannot read the book {path:?}: {reason}")]
    Read { path: String, reason: io::Error },
    #[error("genfens: the book {0:?} has no positions")]
    EmptyBook(String),
    #[error("genfens: line {line} of the book {path:?}: {reason}")]
    Line { path: String, line: usize, reason: FenError },
    #[error("genfens: {MOST_REJECTED} openings in a row were lost for one side; is the book balanced?")]
    NeverBalanced,
}

/// Hands out as many openings as ordered; the same seed gives the same ones.
///
/// # Errors
/// The book is of no use.
pub fn run(order: &GenFens, mut give: impl FnMut(&str)) -> Result<(), GenFensError> {
    let book = order.book.as_deref().map(Book::read).transpose()?;
    let mut random = fastrand::Rng::with_seed(order.seed);
    let mut engine = Engine::new(&EngineOptions { hash_mb: 8, threads: 1, ..EngineOptions::default() });
    for _ in 0..order.count {
        give(&opening(book.as_ref(), &mut random, &mut engine)?.fen());
    }
    Ok(())
}

/// A book: positions in FEN or EPD, one a line.
struct Book {
    path: String,
    /// With their numbers in the file.
    lines: Vec<(usize, String)>,
}

impl Book {
    fn read(path: &str) -> Result<Book, GenFensError> {
        let path = path.to_string();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(reason) => return Err(GenFensError::Read { path, reason }),
        };
        let numbered = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let lines: Vec<_> = numbered.map(|(index, line)| (index + 1, line.to_string())).collect();
        if lines.is_empty() { Err(GenFensError::EmptyBook(path)) } else { Ok(Book { path, lines }) }
    }

    fn pick(&self, random: &mut fastrand::Rng) -> Result<Position, GenFensError> {
        let (line, text) = &self.lines[random.usize(..self.lines.len())];
        Position::from_fen(&split_epd(text).0).map_err(|reason| GenFensError::Line {
            path: self.path.clone(),
            line: *line,
            reason,
        })
    }
}

fn opening(
    book: Option<&Book>,
    random: &mut fastrand::Rng,
    engine: &mut Engine,
) -> Result<Position, GenFensError> {
    for _ in 0..MOST_REJECTED {
        let (start, plies) = match book {
            Some(book) => (book.pick(random)?, PLIES_FROM_BOOK),
            None => (Position::default(), PLIES_FROM_START),
        };
        let plies = plies + usize::from(random.bool());
        if let Some(position) = wander(start, plies, random).filter(|position| is_playable(position, engine))
        {
            return Ok(position);
        }
    }
    Err(GenFensError::NeverBalanced)
}

/// Plays random moves; nothing if the game ends on the way.
fn wander(mut position: Position, plies: usize, random: &mut fastrand::Rng) -> Option<Position> {
    for _ in 0..plies {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return None;
        }
        position.play(moves[random.usize(..moves.len())]);
    }
    position.outcome().is_none().then_some(position)
}

/// Whether neither side has won already.
fn is_playable(position: &Position, engine: &mut Engine) -> bool {
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    engine.search(position, &limits, &Nobody).score.0.abs() <= GREATEST_ADVANTAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openings(count: u64, seed: u64, book: Option<&str>) -> Result<Vec<String>, GenFensError> {
        let mut fens = Vec::new();
        let order = GenFens { count, seed, book: book.map(str::to_string) };
        run(&order, |fen| fens.push(fen.to_string())).map(|()| fens)
    }

    #[test]
    fn openings_are_playable_different_and_repeatable() {
        let fens = openings(6, 3, None).expect("openings");
        for (index, fen) in fens.iter().enumerate() {
            let position = Position::from_fen(fen).expect(fen);
            assert!(position.outcome().is_none(), "{fen}");
            assert!(!fens[..index].contains(fen), "{fen} stands twice");
        }
        assert_eq!(fens.len(), 6);
        assert_eq!(openings(6, 3, None).expect("openings"), fens);
        assert_ne!(openings(6, 4, None).expect("openings"), fens);
    }

    #[test]
    fn a_book_gives_the_starts_and_its_mistakes_their_lines() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("book.epd");
        let path = file.to_str().expect("a path");
        let write = |text: &str| std::fs::write(&file, text).expect("a file");

        write("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - hmvc 0; id \"pawns\";\n\n");
        for fen in openings(4, 1, Some(path)).expect("openings") {
            assert!(!fen.contains(['N', 'B', 'R', 'q', 'r']) && fen.contains('k'), "{fen}");
        }
        for (text, wanted) in [
            ("\n", "has no positions"),
            ("\n8/8/8/8/8/8/8/8 w - -\n", "line 2 of the book"),
            ("4k3/8/8/8/8/8/8/QQQ1K3 w - - 0 1\n", "openings in a row were lost"),
        ] {
            write(text);
            let error = openings(1, 1, Some(path)).expect_err(text).to_string();
            assert!(error.contains(wanted), "{text:?}: {error}");
        }
        let error = openings(1, 1, Some("/no/such/book")).expect_err("no file").to_string();
        assert!(error.contains("cannot read the book \"/no/such/book\""), "{error}");
    }
}
