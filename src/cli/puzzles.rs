//! `tabiya puzzles FILE`: how many puzzles the engine solves, by rating and theme.

use super::progress::Progress;
use super::shares::{Share, section};
use super::{exit, fail, input, threads};
use crate::engine::{Engine, EngineOptions, Limits};
use crate::train::pool;
use crate::train::puzzles::{self, Puzzle, PuzzleError, Verdict};
use clap::Args;
use serde_json::json;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Solve puzzles in the format of Lichess, and count by rating and theme.
#[derive(Args, Clone, Debug)]
pub struct PuzzlesArguments {
    /// CSV file with the columns PuzzleId, FEN, Moves, Rating and Themes (for a packed one: <(zcat FILE))
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub effort: EffortArguments,
    /// Take only so many puzzles, spread over the whole file
    #[arg(long, value_name = "NUMBER")]
    pub limit: Option<usize>,
    /// Print one JSON object instead of bars
    #[arg(long)]
    pub json: bool,
}

/// How hard to think about each move.
#[derive(Args, Clone, Debug)]
pub struct EffortArguments {
    /// Nodes for each move [default: 100000, unless another limit is given]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Plies for each move
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..))]
    pub depth: Option<u8>,
    /// Milliseconds for each move
    #[arg(long, value_name = "MS")]
    pub movetime: Option<u64>,
    /// Transposition table, in mebibytes
    #[arg(long, default_value_t = 16, value_name = "MIB")]
    pub hash: usize,
    /// Positions thought about at the same time, 0 for one per core
    #[arg(long, default_value_t = 1)]
    pub threads: usize,
}

impl EffortArguments {
    pub fn limits(&self) -> Limits {
        let is_free = self.nodes.is_none() && self.depth.is_none() && self.movetime.is_none();
        Limits {
            nodes: if is_free { Some(100_000) } else { self.nodes },
            depth: self.depth,
            hard: self.movetime.map(Duration::from_millis),
            ..Limits::default()
        }
    }

    pub fn engine(&self) -> Engine {
        Engine::new(&EngineOptions { hash_mb: self.hash, ..EngineOptions::default() })
    }
}

/// Why nothing was solved.
#[derive(Debug, thiserror::Error)]
enum PuzzlesError {
    #[error("cannot read {path}: {reason}")]
    Read { path: String, reason: io::Error },
    #[error("{path}: {reason}")]
    Puzzle { path: String, reason: PuzzleError },
    #[error("{0}: no puzzles in this file")]
    Empty(String),
}

/// Exit status 0 however many are solved, 2 if the file is of no use.
pub fn run(arguments: &PuzzlesArguments) -> ExitCode {
    match solve(arguments) {
        Ok(tally) => {
            print!("{}", if arguments.json { tally.json() } else { tally.bars() });
            ExitCode::SUCCESS
        }
        Err(error) => fail(exit::CONFIGURATION, format!("tabiya puzzles: {error}")),
    }
}

fn solve(arguments: &PuzzlesArguments) -> Result<Tally, PuzzlesError> {
    let path = arguments.file.display().to_string();
    let file =
        input::open(&arguments.file).map_err(|reason| PuzzlesError::Read { path: path.clone(), reason })?;
    let unsound = |reason| PuzzlesError::Puzzle { path: path.clone(), reason };
    let all = puzzles::read(file).map_err(unsound)?;
    let chosen = spread(&all, arguments.limit.unwrap_or(usize::MAX));
    if chosen.is_empty() {
        return Err(PuzzlesError::Empty(path));
    }
    let limits = arguments.effort.limits();
    let mut progress = Progress::new(chosen.len());
    let mut tally = Tally::default();
    let job = |engine: &mut Engine, number: usize| puzzles::solve(engine, chosen[number], &limits);
    let worker = || arguments.effort.engine();
    pool::run(chosen.len(), threads(arguments.effort.threads), worker, job, |number, verdict| {
        tally.add(chosen[number], verdict?);
        progress.show(number + 1, &format!("{} solved", tally.all.solved));
        Ok(())
    })
    .map_err(unsound)?;
    Ok(tally)
}

/// At most `limit` puzzles, evenly taken from all.
fn spread(all: &[Puzzle], limit: usize) -> Vec<&Puzzle> {
    let taken = all.len().min(limit);
    (0..taken).map(|index| &all[index * all.len() / taken]).collect()
}

/// What was solved, in all and by kind.
#[derive(Default)]
struct Tally {
    all: Share,
    bands: BTreeMap<u32, Share>,
    themes: BTreeMap<String, Share>,
    failed: Vec<serde_json::Value>,
}

/// Width of a band of ratings.
const BAND: u32 = 200;

impl Tally {
    fn add(&mut self, puzzle: &Puzzle, verdict: Verdict) {
        let is_solved = verdict == Verdict::Solved;
        self.all.add(is_solved);
        self.bands.entry(u32::from(puzzle.rating) / BAND * BAND).or_default().add(is_solved);
        for theme in puzzle.themes.split_ascii_whitespace() {
            self.themes.entry(theme.to_string()).or_default().add(is_solved);
        }
        if let Verdict::Wrong { number, played, wanted } = verdict {
            self.failed.push(json!({
                "id": puzzle.id, "rating": puzzle.rating, "move": number, "played": played, "wanted": wanted,
            }));
        }
    }

    fn bars(&self) -> String {
        let name = |from: &u32| format!("{from}-{}", from + BAND - 1);
        let bands: Vec<(String, Share)> =
            self.bands.iter().map(|(from, share)| (name(from), *share)).collect();
        let mut themes: Vec<(String, Share)> =
            self.themes.iter().map(|(theme, share)| (theme.clone(), *share)).collect();
        themes.sort_by(|(_, a), (_, b)| a.percent().total_cmp(&b.percent()));
        let mut text = String::new();
        section(&mut text, "By rating", &bands);
        section(&mut text, "By theme, the hardest first", &themes);
        section(&mut text, "Together", &[("all".to_string(), self.all)]);
        text
    }

    fn json(&self) -> String {
        let by = |shares: &mut dyn Iterator<Item = (String, Share)>| -> serde_json::Map<_, _> {
            shares.map(|(name, share)| (name, share.json())).collect()
        };
        let bands = by(&mut self.bands.iter().map(|(from, share)| (from.to_string(), *share)));
        let themes = by(&mut self.themes.iter().map(|(theme, share)| (theme.clone(), *share)));
        let all = json!({ "all": self.all.json(), "rating": bands, "theme": themes, "failed": self.failed });
        format!("{all}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn puzzle(rating: u16, themes: &str) -> Puzzle {
        let [id, fen, moves] = ["p", "", ""].map(str::to_string);
        Puzzle { id, fen, moves, rating, themes: themes.to_string() }
    }

    #[test]
    fn puzzles_are_counted_by_rating_and_theme() {
        let mut tally = Tally::default();
        tally.add(&puzzle(1399, "mate short"), Verdict::Solved);
        let [played, wanted] = ["a1a2", "a1a3"].map(str::to_string);
        tally.add(&puzzle(1400, "mate"), Verdict::Wrong { number: 1, played, wanted });
        let json: serde_json::Value = serde_json::from_str(&tally.json()).expect("JSON");
        assert_eq!(json["all"], json!({ "solved": 1, "of": 2 }));
        assert_eq!(json["rating"]["1200"], json!({ "solved": 1, "of": 1 }));
        assert_eq!(json["rating"]["1400"], json!({ "solved": 0, "of": 1 }));
        assert_eq!(json["theme"]["mate"], json!({ "solved": 1, "of": 2 }));
        assert_eq!(json["failed"][0]["wanted"], "a1a3");
        tally.add(&puzzle(u16::MAX, "mate"), Verdict::Solved);
        let bars = tally.bars();
        for line in ["  1200-1399 ", "  1400-1599 ", "  65400-65599 ", "  mate ", "  short ", "  all "] {
            assert!(bars.contains(line), "{line:?} in\n{bars}");
        }
    }

    #[test]
    fn a_limit_takes_puzzles_from_the_whole_file() {
        let all: Vec<Puzzle> = (0..10).map(|rating| puzzle(rating, "")).collect();
        let ratings = |limit| spread(&all, limit).iter().map(|puzzle| puzzle.rating).collect::<Vec<_>>();
        assert_eq!(ratings(4), [0, 2, 5, 7]);
        assert_eq!(ratings(50), (0..10).collect::<Vec<_>>());
    }
}
