//! Suites of positions in EPD: best moves (bm), moves to avoid (am), mates (dm) and graded moves.
//!
//! Graded are the suites that give points to several moves: in c7 the moves and in c8 their points, or in
//! c0 both as `Nf3=10, e4=4`.

use crate::book;
use crate::engine::{
    Engine, FenError, Limits, Move, Nobody, Position, Question, SearchReport, san, split_epd,
};
use std::num::NonZeroU8;
use std::time::Instant;
use thiserror::Error;

/// One line of a suite.
pub struct Task {
    pub id: String,
    pub position: Position,
    best: Vec<Move>,
    avoid: Vec<Move>,
    /// Moves to mate.
    mate: Option<NonZeroU8>,
    grades: Vec<(Move, u32)>,
}

/// Why a line was refused.
#[derive(Debug, Error)]
pub enum SuiteError {
    #[error("line {line}: {reason}")]
    Fen { line: usize, reason: FenError },
    #[error("line {line}: {text:?} is not a legal move here")]
    Move { line: usize, text: String },
    #[error("line {line}: {opcode} {text:?} is not a number")]
    Number { line: usize, opcode: &'static str, text: String },
    #[error("line {line}: dm {text:?} is not a number of moves from 1 to 255")]
    Mate { line: usize, text: String },
    #[error("line {line}: {moves} moves in c7, but {points} points in c8")]
    Grades { line: usize, moves: usize, points: usize },
    #[error("line {line}: the game is over here")]
    Over { line: usize },
    #[error("line {line} asks for nothing: no bm, am, dm or graded moves")]
    Nothing { line: usize },
}

/// How a task went.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Everything that was asked was found.
    pub solved: bool,
    /// The move played, in SAN.
    pub played: String,
    /// Points of the move played and of the best one, for graded tasks.
    pub points: Option<(u32, u32)>,
    pub report: SearchReport,
}

/// What stands between a theme and a number.
const SEPARATORS: [char; 5] = ['.', '-', '_', '#', ' '];

/// Reads a suite; blank lines and lines that begin with # are passed over.
pub fn read(text: &str) -> Result<Vec<Task>, SuiteError> {
    let lines = text.lines().enumerate().map(|(index, text)| (index + 1, text.trim()));
    lines
        .filter(|(_, text)| !text.is_empty() && !text.starts_with('#'))
        .map(|(line, text)| Task::parse(text, line))
        .collect()
}

impl Task {
    fn parse(text: &str, line: usize) -> Result<Task, SuiteError> {
        let (fen, operations) = split_epd(text);
        let position = Position::from_fen(&fen).map_err(|reason| SuiteError::Fen { line, reason })?;
        if position.legal_moves().is_empty() {
            return Err(SuiteError::Over { line });
        }
        let operations = self::operations(operations);
        let operand =
            |opcode: &str| operations.iter().find(|(name, _)| *name == opcode).map(|(_, text)| *text);
        let moves = |opcode: &str| -> Result<Vec<Move>, SuiteError> {
            let words = operand(opcode).unwrap_or_default().split_ascii_whitespace();
            words.map(|text| read_move(&position, text, line)).collect()
        };
        let mate = operand("dm")
            .map(|text| text.parse().map_err(|_| SuiteError::Mate { line, text: text.to_string() }));
        let mate: Option<NonZeroU8> = mate.transpose()?;
        let grades = grades(&position, &operand, line)?;
        let (best, avoid) = (moves("bm")?, moves("am")?);
        if best.is_empty() && avoid.is_empty() && mate.is_none() && grades.is_empty() {
            return Err(SuiteError::Nothing { line });
        }
        let id = operand("id").map_or_else(|| format!("line {line}"), str::to_string);
        Ok(Task { id, mate, best, avoid, grades, position })
    }

    /// Searches the position and judges the move.
    pub fn solve(&self, engine: &mut Engine, limits: &Limits) -> Outcome {
        engine.new_game();
        let question = Question { mate: self.mate.map(NonZeroU8::get), ..Question::default() };
        let report = engine.answer(Instant::now(), &question, &self.position, limits, &Nobody);
        let mv = report.best_move();
        let is_mate =
            self.mate.is_none_or(|mate| report.score.moves_to_mate() == Some(i32::from(mate.get())));
        // Of several mates in the same number of moves each is as good.
        let is_best = self.best.is_empty() || self.best.contains(&mv) || self.mate.is_some() && is_mate;
        let points = |of: Move| self.grades.iter().find(|(mv, _)| *mv == of).map_or(0, |(_, points)| *points);
        let most = self.grades.iter().map(|(_, points)| *points).max();
        Outcome {
            solved: is_best && is_mate && !self.avoid.contains(&mv),
            played: san(&self.position, mv),
            points: most.map(|most| (points(mv), most)),
            report,
        }
    }

    /// What the task is about, where the suite's ids tell: the id without its last number.
    ///
    /// `STS(v2.2) Open Files and Diagonals.017` is about `STS(v2.2) Open Files and Diagonals`.
    pub fn theme(&self) -> String {
        let Some(end) = self.id.rfind(|c: char| c.is_ascii_digit()) else { return self.id.clone() };
        let start =
            self.id[..end].trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(SEPARATORS);
        format!("{start}{}", &self.id[end + 1..]).trim().to_string()
    }

    /// What was asked, in words.
    pub fn asked(&self) -> String {
        let list = |name: &str, moves: &[Move]| -> Option<String> {
            let moves: Vec<String> = moves.iter().map(|&mv| san(&self.position, mv)).collect();
            (!moves.is_empty()).then(|| format!("{name} {}", moves.join(" ")))
        };
        let mate = self.mate.map(|mate| format!("dm {mate}"));
        [list("bm", &self.best), list("am", &self.avoid), mate]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// Opcodes and operands. Quotes are taken off; a semicolon within them is part of the text.
fn operations(text: &str) -> Vec<(&str, &str)> {
    let mut is_quoted = false;
    let parts = text.split(move |c: char| {
        is_quoted ^= c == '"';
        c == ';' && !is_quoted
    });
    parts
        .filter_map(|part| part.trim().split_once(' '))
        .map(|(opcode, operand)| (opcode, operand.trim().trim_matches('"')))
        .collect()
}

fn number(opcode: &'static str, text: &str, line: usize) -> Result<u32, SuiteError> {
    text.parse().map_err(|_| SuiteError::Number { line, opcode, text: text.to_string() })
}

fn grades<'a>(
    position: &Position,
    operand: &impl Fn(&str) -> Option<&'a str>,
    line: usize,
) -> Result<Vec<(Move, u32)>, SuiteError> {
    if let (Some(moves), Some(points)) = (operand("c7"), operand("c8")) {
        let [moves, points]: [Vec<&str>; 2] =
            [moves, points].map(|text| text.split_ascii_whitespace().collect());
        if moves.len() != points.len() {
            return Err(SuiteError::Grades { line, moves: moves.len(), points: points.len() });
        }
        let pairs = moves.into_iter().zip(points);
        return pairs
            .map(|(mv, points)| Ok((read_move(position, mv, line)?, number("c8", points, line)?)))
            .collect();
    }
    // Anything else may stand in c0: only a list of moves with points is one.
    let pairs = operand("c0").unwrap_or_default().split(',').map(|pair| pair.trim().rsplit_once('='));
    let read = |(mv, points): (&str, &str)| Some((read_move(position, mv, line).ok()?, points.parse().ok()?));
    Ok(pairs.map(|pair| pair.and_then(read)).collect::<Option<Vec<_>>>().unwrap_or_default())
}

/// A legal move in SAN, with or without its marks, or as origin and target (`g7f8`, `Bg7f8`, `Bg7-f8`).
fn read_move(position: &Position, text: &str, line: usize) -> Result<Move, SuiteError> {
    let squares =
        || text.trim_start_matches(['K', 'Q', 'R', 'B', 'N']).replace(['-', 'x'], "").to_lowercase();
    book::read_move(position, text)
        .ok()
        .or_else(|| position.parse_uci(&squares()).ok())
        .ok_or_else(|| SuiteError::Move { line, text: text.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineOptions;

    fn outcome(line: &str) -> Outcome {
        let tasks = read(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let mut engine = Engine::new(&EngineOptions { hash_mb: 1, ..EngineOptions::default() });
        tasks[0].solve(&mut engine, &Limits { nodes: Some(5000), ..Limits::default() })
    }

    #[test]
    fn a_task_is_solved_when_all_it_asks_is_found() {
        for (line, solved) in [
            ("7k/8/8/3q4/8/2N5/8/6K1 w - - bm Nxd5; id \"a\";", true),
            ("7k/8/8/3q4/8/2N5/8/6K1 w - - bm Nb1; id \"a; b\";", false),
            ("7k/8/8/3q4/8/2N5/8/6K1 w - - bm Nb1 Nxd5;", true),
            ("7k/8/8/3q4/8/2N5/8/6K1 w - - 3 41 bm Nxd5;", true),
            ("7k/8/8/3q4/8/2N5/8/6K1 w - - bm c3d5;", true),
            ("7k/8/8/3q4/8/2N5/8/6K1 w - - bm Nc3d5;", true),
            ("7k/8/8/3q4/8/2N5/8/6K1 w - - bm Nc3xd5;", true),
            ("7k/8/8/3q4/8/2N5/8/6K1 w - - am Nxd5;", false),
            ("7k/8/8/3q4/8/2N5/8/6K1 w - - am Nb1 Kf1;", true),
            ("6k1/5ppp/8/8/8/8/5PPP/R2R2K1 w - - dm 1; bm Ra8;", true),
            ("6k1/5ppp/8/8/8/8/5PPP/R2R2K1 w - - dm 1; bm Rd8#;", true),
            ("6k1/5ppp/8/8/8/8/5PPP/R2R2K1 w - - dm 2;", false),
        ] {
            assert_eq!(outcome(line).solved, solved, "{line}");
        }
    }

    #[test]
    fn graded_moves_give_their_points() {
        for (line, points) in [
            ("7k/8/8/3q4/8/2N5/8/6K1 w - - bm Nxd5; c7 \"Nxd5 Nb1\"; c8 \"100 7\";", Some((100, 100))),
            ("7k/8/8/3q4/8/2N5/8/6K1 w - - bm Nb1; c0 \"Nb1=10, Nxd5=3\";", Some((3, 10))),
            ("7k/8/8/3q4/8/2N5/8/6K1 w - - bm Nxd5; c0 \"Somebody - Somebody, 1980\";", None),
        ] {
            assert_eq!(outcome(line).points, points, "{line}");
        }
    }

    #[test]
    fn a_theme_is_an_id_without_its_number() {
        for (id, theme) in [
            ("STS(v2.2) Open Files and Diagonals.017", "STS(v2.2) Open Files and Diagonals"),
            ("STS(v14.0) 7th Rank.100", "STS(v14.0) 7th Rank"),
            ("WAC.001", "WAC"),
            ("E_E_T 001 - B vs B", "E_E_T - B vs B"),
            ("PET001: Pawn endgame", "PET: Pawn endgame"),
            ("no number", "no number"),
        ] {
            let line = format!("7k/8/8/3q4/8/2N5/8/6K1 w - - bm Nxd5; id \"{id}\";");
            assert_eq!(read(&line).expect(id)[0].theme(), theme, "{id}");
        }
    }

    #[test]
    fn a_line_that_cannot_be_used_is_named() {
        for (text, wanted) in [
            ("\n7k/8/8/3q4/8/2N5/8/6K1 w - - bm Nxd6;", "line 2: \"Nxd6\" is not a legal move"),
            ("7k/8/8/3q4/8/2N5/8/6K1 w - - id \"x\";", "line 1 asks for nothing"),
            ("7k/8/8/3q4/8/2N5/8/6K1 w - - dm soon;", "line 1: dm \"soon\" is not a number"),
            ("7k/8/8/3q4/8/2N5/8/6K1 w - - dm 0;", "line 1: dm \"0\" is not a number of moves from 1 to 255"),
            (
                "7k/8/8/3q4/8/2N5/8/6K1 w - - dm -2;",
                "line 1: dm \"-2\" is not a number of moves from 1 to 255",
            ),
            (
                "7k/8/8/3q4/8/2N5/8/6K1 w - - dm 256;",
                "line 1: dm \"256\" is not a number of moves from 1 to 255",
            ),
            ("7k/8/8/3q4/8/2N5/8/6K1 w - - 3 41", "line 1 asks for nothing"),
            (
                "7k/8/8/3q4/8/2N5/8/6K1 w - - c7 \"Nxd5 Nb1\"; c8 \"9\";",
                "line 1: 2 moves in c7, but 1 points in c8",
            ),
            ("7k/6Q1/6K1/8/8/8/8/8 b - - dm 1;", "line 1: the game is over here"),
            ("# a remark\n7k/8 w - - bm Nxd6;", "line 2: "),
        ] {
            let error = read(text).err().unwrap_or_else(|| panic!("{text} was taken")).to_string();
            assert!(error.starts_with(wanted), "{error}");
        }
    }
}
