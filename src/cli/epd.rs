//! `tabiya epd FILE`: suites of positions with known answers.

use super::progress::Progress;
use super::puzzles::EffortArguments;
use super::{exit, fail, threads};
use crate::engine::Engine;
use crate::train::pool;
use crate::train::suite::{self, Outcome, SuiteError, Task};
use clap::Args;
use serde_json::json;
use std::convert::Infallible;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Solve suites of positions with known best moves, avoided moves, mates or graded moves.
#[derive(Args, Clone, Debug)]
pub struct EpdArguments {
    /// Suites in EPD, with bm, am, dm, or graded by c7 and c8 or by c0
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub effort: EffortArguments,
    /// Print one JSON object for each file
    #[arg(long)]
    pub json: bool,
}

/// Why a suite was refused.
#[derive(Debug, thiserror::Error)]
enum EpdError {
    #[error("cannot read {path}: {reason}")]
    Read { path: String, reason: io::Error },
    #[error("{path}: {reason}")]
    Suite { path: String, reason: SuiteError },
    #[error("{0}: no positions in this file")]
    Empty(String),
}

/// Exit status 0 however many are solved, 2 if a file is of no use.
pub fn run(arguments: &EpdArguments) -> ExitCode {
    for file in &arguments.files {
        match solve(file, arguments) {
            Ok(result) if arguments.json => println!("{}", result.json(file)),
            Ok(result) => println!("{}", result.text(file)),
            Err(error) => return fail(exit::CONFIGURATION, format!("tabiya epd: {error}")),
        }
    }
    ExitCode::SUCCESS
}

fn solve(file: &Path, arguments: &EpdArguments) -> Result<SuiteResult, EpdError> {
    let path = file.display().to_string();
    let text = fs::read_to_string(file).map_err(|reason| EpdError::Read { path: path.clone(), reason })?;
    let tasks = suite::read(&text).map_err(|reason| EpdError::Suite { path: path.clone(), reason })?;
    if tasks.is_empty() {
        return Err(EpdError::Empty(path));
    }
    let limits = arguments.effort.limits();
    let mut progress = Progress::new(tasks.len());
    let mut result = SuiteResult::default();
    let worker = || arguments.effort.engine();
    let job = |engine: &mut Engine, number: usize| tasks[number].solve(engine, &limits);
    let done = pool::run(tasks.len(), threads(arguments.effort.threads), worker, job, |number, outcome| {
        result.add(&tasks[number], &outcome);
        progress.show(number + 1, &format!("{} solved", result.solved));
        Ok::<(), Infallible>(())
    });
    let Ok(()) = done;
    Ok(result)
}

/// What came of a suite.
#[derive(Default)]
struct SuiteResult {
    solved: usize,
    of: usize,
    points: u32,
    most_points: u32,
    failed: Vec<Failed>,
}

struct Failed {
    id: String,
    asked: String,
    played: String,
    score: String,
}

impl SuiteResult {
    fn add(&mut self, task: &Task, outcome: &Outcome) {
        self.of += 1;
        self.solved += usize::from(outcome.solved);
        let (points, most) = outcome.points.unwrap_or_default();
        self.points += points;
        self.most_points += most;
        if !outcome.solved {
            let (id, asked, played) = (task.id.clone(), task.asked(), outcome.played.clone());
            self.failed.push(Failed { id, asked, played, score: outcome.report.score.to_string() });
        }
    }

    fn text(&self, file: &Path) -> String {
        let percent = 100.0 * self.solved as f64 / self.of as f64;
        let mut text = String::new();
        for failed in &self.failed {
            let Failed { id, asked, played, score } = failed;
            text += &format!("{id}: {played} ({score}) for {asked}\n");
        }
        text += &format!("{}: {} of {} solved, {percent:.1} %", file.display(), self.solved, self.of);
        if self.most_points > 0 {
            let percent = 100.0 * f64::from(self.points) / f64::from(self.most_points);
            text += &format!("; {} of {} points, {percent:.1} %", self.points, self.most_points);
        }
        text
    }

    fn json(&self, file: &Path) -> serde_json::Value {
        let failed = |failed: &Failed| {
            let Failed { id, asked, played, score } = failed;
            json!({ "id": id, "asked": asked, "played": played, "score": score })
        };
        json!({
            "file": file.display().to_string(), "solved": self.solved, "of": self.of,
            "points": self.points, "most_points": self.most_points,
            "failed": self.failed.iter().map(failed).collect::<Vec<_>>(),
        })
    }
}
