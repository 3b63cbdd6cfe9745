//! Positions labelled with the result of their game: `FEN4 c9 "result";`, one a line. After it may stand what
//! a search saw there, in centipawns for the side to move: `ce 31;`.

use crate::engine::{FenError, Position};
use std::io::{self, BufRead};
use thiserror::Error;

/// A position and what White made of it.
pub struct Labelled {
    pub position: Position,
    pub result: GameResult,
    /// What a search saw, in centipawns for the side to move.
    pub score: Option<i32>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    White,
    Draw,
    Black,
}

impl GameResult {
    const ALL: [GameResult; 3] = [GameResult::White, GameResult::Draw, GameResult::Black];

    /// As in PGN.
    pub fn as_str(self) -> &'static str {
        match self {
            GameResult::White => "1-0",
            GameResult::Draw => "1/2-1/2",
            GameResult::Black => "0-1",
        }
    }

    /// White's points.
    pub fn points(self) -> f64 {
        match self {
            GameResult::White => 1.0,
            GameResult::Draw => 0.5,
            GameResult::Black => 0.0,
        }
    }
}

/// Why a file of positions was refused.
#[derive(Debug, Error)]
pub enum LabelError {
    #[error("line {line}: {reason}")]
    Fen { line: usize, reason: FenError },
    #[error("line {line} does not end with c9 \"1-0\";, c9 \"0-1\"; or c9 \"1/2-1/2\";")]
    Result { line: usize },
    #[error("line {line}: after ce stands {text:?} instead of a number")]
    Score { line: usize, text: String },
    #[error("line {line}: {reason}")]
    Read { line: usize, reason: io::Error },
}

/// Reads every line and gives the position to `visit`; how many there were.
pub fn read(input: impl BufRead, mut visit: impl FnMut(Labelled)) -> Result<usize, LabelError> {
    let mut seen = 0;
    for (number, text) in input.lines().enumerate() {
        let line = number + 1;
        let text = text.map_err(|reason| LabelError::Read { line, reason })?;
        if text.trim().is_empty() {
            continue;
        }
        visit(parse(&text, line)?);
        seen += 1;
    }
    Ok(seen)
}

fn parse(text: &str, line: usize) -> Result<Labelled, LabelError> {
    let (fen, operations) = text.split_once(" c9 ").ok_or(LabelError::Result { line })?;
    let mut operations = operations.split(';').map(str::trim);
    let label = operations.next().unwrap_or_default().trim_matches('"');
    let result = GameResult::ALL.into_iter().find(|result| result.as_str() == label);
    let result = result.ok_or(LabelError::Result { line })?;
    let score = operations
        .find_map(|operation| operation.strip_prefix("ce "))
        .map(|text| text.trim().parse().map_err(|_| LabelError::Score { line, text: text.to_string() }));
    let position = Position::from_fen(fen).map_err(|reason| LabelError::Fen { line, reason })?;
    Ok(Labelled { position, result, score: score.transpose()? })
}

/// A line of such a file, without its end. `score` is for the side to move.
pub fn line(fen: &str, result: GameResult, score: i32) -> String {
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    format!("{} c9 \"{}\"; ce {score};", fields.join(" "), result.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 40";
        for result in GameResult::ALL {
            let text = line(fen, result, -31);
            let labelled = parse(&text, 1).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((labelled.result, labelled.score), (result, Some(-31)), "{text}");
            assert_eq!(labelled.position.fen(), fen.replace("3 40", "0 1"), "{text}");
        }
    }

    #[test]
    fn a_bad_line_is_named_by_its_number() {
        for (text, wanted) in [
            ("\n4k3/8/8/8/8/8/8/4K3 w - - c9 \"2-0\";", "line 2 does not end"),
            ("4k3/8/8/8/8/8/8/4K3 w - -", "line 1 does not end"),
            ("4k3/8/8/8/8/8/8/4K3 w - - c9 \"1-0\"; ce far;", "line 1: after ce"),
            ("4k3/8/8/8/8/8/8 w - - c9 \"1-0\";", "line 1: "),
        ] {
            let error = read(text.as_bytes(), |_| ()).expect_err(text).to_string();
            assert!(error.starts_with(wanted), "{error}");
        }
    }
}
