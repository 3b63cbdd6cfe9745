//! `tabiya epd FILE`: suites of positions with known answers.

use super::progress::Progress;
use super::puzzles::EffortArguments;
use super::shares::{Share, section};
use super::{exit, fail, input, threads};
use crate::engine::Engine;
use crate::train::pool;
use crate::train::suite::{self, Outcome, SuiteError, Task};
use clap::Args;
use serde_json::json;
use std::convert::Infallible;
use std::io::{self, Read};
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
    let text = read(file).map_err(|reason| EpdError::Read { path: path.clone(), reason })?;
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
        progress.show(number + 1, &format!("{} solved", result.all.solved.solved));
        Ok::<(), Infallible>(())
    });
    let Ok(()) = done;
    Ok(result)
}

fn read(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    input::open(file)?.read_to_string(&mut text)?;
    Ok(text)
}

/// What came of some tasks.
#[derive(Clone, Copy, Default)]
struct Marks {
    solved: Share,
    /// Of graded tasks.
    points: Share,
}

impl Marks {
    fn add(&mut self, outcome: &Outcome) {
        self.solved.add(outcome.solved);
        let (points, most) = outcome.points.unwrap_or_default();
        self.points.add_points(points.into(), most.into());
    }

    fn json(self) -> serde_json::Value {
        let Marks { solved, points } = self;
        json!({ "solved": solved.solved, "of": solved.of, "points": points.solved, "most_points": points.of })
    }
}

/// What came of a suite.
#[derive(Default)]
struct SuiteResult {
    all: Marks,
    /// In the order of the suite.
    themes: Vec<(String, Marks)>,
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
        self.all.add(outcome);
        self.theme(task.theme()).add(outcome);
        if !outcome.solved {
            let (id, asked, played) = (task.id.clone(), task.asked(), outcome.played.clone());
            self.failed.push(Failed { id, asked, played, score: outcome.report.score.to_string() });
        }
    }

    fn theme(&mut self, name: String) -> &mut Marks {
        let known = self.themes.iter().position(|(known, _)| *known == name);
        let index = known.unwrap_or_else(|| {
            self.themes.push((name, Marks::default()));
            self.themes.len() - 1
        });
        &mut self.themes[index].1
    }

    /// Whether the ids sort the tasks, and do not just name each.
    fn has_themes(&self) -> bool {
        self.themes.len() > 1 && 2 * self.themes.len() as u64 <= self.all.solved.of
    }

    fn text(&self, file: &Path) -> String {
        let mut text = String::new();
        for failed in &self.failed {
            let Failed { id, asked, played, score } = failed;
            text += &format!("{id}: {played} ({score}) for {asked}\n");
        }
        let Marks { solved, points } = self.all;
        if self.has_themes() {
            let (title, of): (_, fn(&Marks) -> Share) = match points.of {
                0 => ("By theme", |marks| marks.solved),
                _ => ("By theme, in points", |marks| marks.points),
            };
            let shares: Vec<(String, Share)> =
                self.themes.iter().map(|(name, marks)| (name.clone(), of(marks))).collect();
            section(&mut text, title, &shares);
        }
        let sum =
            |share: Share, what| format!("{} of {} {what}, {:.1} %", share.solved, share.of, share.percent());
        text += &format!("{}: {}", file.display(), sum(solved, "solved"));
        if points.of > 0 {
            text += &format!("; {}", sum(points, "points"));
        }
        text
    }

    fn json(&self, file: &Path) -> serde_json::Value {
        let failed = |failed: &Failed| {
            let Failed { id, asked, played, score } = failed;
            json!({ "id": id, "asked": asked, "played": played, "score": score })
        };
        let themes: serde_json::Map<_, _> =
            self.themes.iter().map(|(name, marks)| (name.clone(), marks.json())).collect();
        let mut json = self.all.json();
        json["file"] = file.display().to_string().into();
        json["theme"] = if self.has_themes() { themes.into() } else { json!({}) };
        json["failed"] = self.failed.iter().map(failed).collect();
        json
    }
}
