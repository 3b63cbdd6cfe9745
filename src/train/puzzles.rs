//! Puzzles in the format of Lichess: the first move is the opponent's, every later one of the solver's counts.

use crate::engine::Nobody;
use crate::engine::{Engine, FenError, Limits, MoveError, Outcome, Position};
use serde::Deserialize;
use std::io;
use thiserror::Error;

/// One puzzle, as its line of the CSV file tells it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Puzzle {
    #[serde(rename = "PuzzleId")]
    pub id: String,
    /// The position before the opponent's move.
    #[serde(rename = "FEN")]
    pub fen: String,
    /// Moves in UCI notation, separated by spaces.
    #[serde(rename = "Moves")]
    pub moves: String,
    #[serde(rename = "Rating")]
    pub rating: u16,
    /// Themes, separated by spaces.
    #[serde(rename = "Themes")]
    pub themes: String,
}

/// Why puzzles were refused.
#[derive(Debug, Error)]
pub enum PuzzleError {
    #[error("{0}")]
    Csv(#[from] csv::Error),
    #[error("puzzle {id}: {reason}")]
    Fen { id: String, reason: FenError },
    #[error("puzzle {id}: {reason}")]
    Move { id: String, reason: MoveError },
    #[error("puzzle {id} has no move to find")]
    TooShort { id: String },
}

/// How a puzzle went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Solved,
    /// The solver's move of this number, counted from 1, was another.
    Wrong {
        number: usize,
        played: String,
        wanted: String,
    },
}

/// Reads the puzzles of a CSV file whose first line names the columns; others than those needed may stand
/// between them.
pub fn read(input: impl io::Read) -> Result<Vec<Puzzle>, PuzzleError> {
    Ok(csv::Reader::from_reader(input).deserialize().collect::<Result<_, _>>()?)
}

/// Lets the engine find the solver's moves one by one, each with these limits.
///
/// Any move that mates is right, whatever the file says.
pub fn solve(engine: &mut Engine, puzzle: &Puzzle, limits: &Limits) -> Result<Verdict, PuzzleError> {
    let id = || puzzle.id.clone();
    let mut position =
        Position::from_fen(&puzzle.fen).map_err(|reason| PuzzleError::Fen { id: id(), reason })?;
    let moves: Vec<&str> = puzzle.moves.split_ascii_whitespace().collect();
    if moves.len() < 2 {
        return Err(PuzzleError::TooShort { id: id() });
    }
    engine.new_game();
    for (ply, uci) in moves.iter().enumerate() {
        let mv = position.parse_uci(uci).map_err(|reason| PuzzleError::Move { id: id(), reason })?;
        if ply % 2 == 1 {
            let found = engine.search(&position, limits, &Nobody).best_move();
            let mut after = position.clone();
            after.play(found);
            if matches!(after.outcome(), Some(Outcome::Checkmate { .. })) {
                return Ok(Verdict::Solved);
            }
            if found != mv {
                let (played, wanted) = (found.to_string(), mv.to_string());
                return Ok(Verdict::Wrong { number: ply / 2 + 1, played, wanted });
            }
        }
        position.play(mv);
    }
    Ok(Verdict::Solved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineOptions;

    fn puzzle(fen: &str, moves: &str) -> Puzzle {
        let [id, themes] = ["test", "mate short"].map(str::to_string);
        Puzzle { id, fen: fen.to_string(), moves: moves.to_string(), rating: 1500, themes }
    }

    fn verdict(puzzle: &Puzzle) -> Result<Verdict, PuzzleError> {
        let mut engine = Engine::new(&EngineOptions { hash_mb: 1, ..EngineOptions::default() });
        solve(&mut engine, puzzle, &Limits { nodes: Some(5_000), ..Limits::default() })
    }

    #[test]
    fn columns_are_found_by_name() {
        let text = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n\
            0000D,5rk1/1p3ppp/pq3b2/8/8/1P1Q1N2/P4PPP/3R2K1 w - - 2 27,d3d6 f8d8 d6d8 f6d8,1474,,96,36920,\
            advantage endgame short,https://lichess.org/F8M8OS71#53,\n";
        let puzzles = read(text.as_bytes()).expect("a puzzle");
        assert_eq!((puzzles.len(), puzzles[0].rating), (1, 1474));
        assert_eq!(puzzles[0].themes, "advantage endgame short");
        assert_eq!(verdict(&puzzles[0]).expect("a sound puzzle"), Verdict::Solved);
        assert!(read("PuzzleId,FEN\n1,2\n".as_bytes()).is_err(), "columns are missing");
    }

    #[test]
    fn any_mate_in_one_is_right() {
        // Either rook mates on the eighth rank.
        for wanted in ["a1a8", "d1d8"] {
            let mate = puzzle("5k2/5ppp/8/8/8/8/5PPP/R2R2K1 b - - 0 1", &format!("f8g8 {wanted}"));
            assert_eq!(verdict(&mate).expect("a sound puzzle"), Verdict::Solved, "{wanted}");
        }
    }

    #[test]
    fn a_wrong_move_is_told_with_its_number() {
        let wrong = puzzle("7k/8/8/3q4/8/2N5/8/6K1 b - - 0 1", "h8h7 c3b1");
        let told = Verdict::Wrong { number: 1, played: "c3d5".to_string(), wanted: "c3b1".to_string() };
        assert_eq!(verdict(&wrong).expect("a sound puzzle"), told);
    }

    #[test]
    fn an_unsound_puzzle_is_named() {
        for (fen, moves, why) in [
            ("7k/8/8/3q4/8/2N5/8/6K1 b - - 0 1", "h8h7", "has no move to find"),
            ("7k/8/8/3q4/8/2N5/8/6K1 b - - 0 1", "h8h5 c3d5", "h8h5 is not legal"),
            ("7k/8", "h8h5 c3d5", ""),
        ] {
            let error = verdict(&puzzle(fen, moves)).expect_err(moves).to_string();
            assert!(error.starts_with("puzzle test") && error.contains(why), "{error}");
        }
    }
}
