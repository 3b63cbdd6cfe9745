//! `tabiya tune`: plays labelled positions, and fits the weights of the evaluation to them.

use super::progress::Progress;
use super::{exit, fail, input, threads};
use crate::train::fit::{Fit, FitOptions};
use crate::train::labelled::{self, LabelError};
use crate::train::pool;
use crate::train::samples::Samples;
use crate::train::selfplay::{PlayOptions, Player};
use crate::train::weights_file;
use clap::Args;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Fit the weights of the evaluation to labelled positions, or play games that make such positions.
///
/// The same positions and options give the same weights, on any number of threads.
#[derive(Args, Clone, Debug)]
pub struct TuneArguments {
    /// Files of positions, each line `FEN4 c9 "1-0";` (for a packed file: <(zcat FILE))
    #[arg(value_name = "FILE", required_unless_present = "play", conflicts_with = "play")]
    pub files: Vec<PathBuf>,
    /// Play so many games against itself and write their quiet positions instead
    #[arg(long, value_name = "GAMES", requires = "output")]
    pub play: Option<u64>,
    /// With --play: nodes searched for each move
    #[arg(long, default_value_t = 3000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// With --play: games with the same seed are the same games
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Passes over all positions
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub epochs: u32,
    /// Centipawns by which a weight may be expected to move: the smaller, the nearer to the start
    #[arg(long, default_value_t = 15.0, value_parser = positive)]
    pub deviation: f64,
    /// Positions of one game that together tell as much as one
    #[arg(long, default_value_t = 16.0, value_parser = positive)]
    pub redundancy: f64,
    /// Share of what a search saw, where the line tells it (ce), in what is expected; the rest is the result
    #[arg(long, default_value_t = 0.5, value_parser = share)]
    pub trust: f64,
    /// Where the fit is kept, to go on from after an interruption
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Where the result goes: the weights as source, usually src/engine/classical/weights.rs
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Threads, 0 for one per core
    #[arg(long, default_value_t = 0)]
    pub threads: usize,
}

fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    if number.is_finite() && number > 0.0 { Ok(number) } else { Err("must be above 0".to_string()) }
}

fn share(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    if (0.0..=1.0).contains(&number) { Ok(number) } else { Err("must be from 0 to 1".to_string()) }
}

/// Why there was nothing to fit, or nowhere to put it.
#[derive(Debug, thiserror::Error)]
enum TuneError {
    #[error("cannot read {path}: {reason}")]
    Read { path: String, reason: io::Error },
    #[error("{path}: {reason}")]
    Label { path: String, reason: LabelError },
    #[error("no positions in these files")]
    Empty,
    #[error("{0}: not the state of a fit; remove it to begin anew")]
    State(String),
    #[error("cannot write {path}: {reason}")]
    Write { path: String, reason: io::Error },
}

/// Exit status 0, 1 if a file cannot be written, 2 if the input is of no use.
pub fn run(arguments: &TuneArguments) -> ExitCode {
    let done = match arguments.play {
        Some(games) => play(arguments, games),
        None => fit(arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error @ TuneError::Write { .. }) => fail(exit::FAILURE, format!("tabiya tune: {error}")),
        Err(error) => fail(exit::CONFIGURATION, format!("tabiya tune: {error}")),
    }
}

fn write_error(path: &Path) -> impl Fn(io::Error) -> TuneError {
    let path = path.display().to_string();
    move |reason| TuneError::Write { path: path.clone(), reason }
}

/// Plays on all threads and writes the games in their order.
fn play(arguments: &TuneArguments, games: u64) -> Result<(), TuneError> {
    let path = arguments.output.as_deref().expect("--play asks for --output");
    let mut file = BufWriter::new(File::create(path).map_err(write_error(path))?);
    let options = PlayOptions { nodes: arguments.nodes, seed: arguments.seed };
    let mut progress = Progress::new(games as usize);
    let mut positions = 0;
    let player = || Player::new(options);
    let game = |player: &mut Player, number: usize| player.play(number as u64);
    pool::run(games as usize, threads(arguments.threads), player, game, |number, lines| {
        positions += lines.len();
        for line in lines {
            writeln!(file, "{line}")?;
        }
        file.flush()?;
        progress.show(number + 1, &format!("{positions} positions"));
        Ok(())
    })
    .map_err(write_error(path))
}

fn fit(arguments: &TuneArguments) -> Result<(), TuneError> {
    let state = arguments.state.as_deref().filter(|path| path.exists());
    let kept = state.map(resume).transpose()?;
    let samples = read(&arguments.files)?;
    let options = FitOptions {
        epochs: arguments.epochs as usize,
        deviation: arguments.deviation,
        redundancy: arguments.redundancy,
        trust: arguments.trust,
        threads: threads(arguments.threads),
    };
    let mut fit = kept.unwrap_or_else(|| Fit::begin(&samples, &options));
    let before = fit.start().losses(&samples, &options);
    println!("{} positions; 100 centipawns expect {:.1} %", samples.len(), 100.0 * fit.expected(100.0));
    println!("loss before: {:.6}, held out {:.6}", before.fitted, before.held_out);
    let mut progress = Progress::new(options.epochs);
    while fit.epoch < options.epochs {
        let losses = fit.step(&samples, &options);
        progress.show(fit.epoch, &format!("loss {:.6}, held out {:.6}", losses.fitted, losses.held_out));
        if fit.epoch.is_multiple_of(KEEP_EVERY) || fit.epoch == options.epochs {
            keep(arguments.state.as_deref(), &fit)?;
        }
    }
    let after = fit.losses(&samples, &options);
    println!("loss after: {:.6}, held out {:.6}", after.fitted, after.held_out);
    if let Some(path) = &arguments.output {
        let origin = origin(arguments, samples.len());
        fs::write(path, weights_file::source(&fit.weights, &origin)).map_err(write_error(path))?;
    }
    Ok(())
}

/// Epochs between two savings of the state.
const KEEP_EVERY: usize = 20;

fn read(files: &[PathBuf]) -> Result<Samples, TuneError> {
    let mut samples = Samples::default();
    for file in files {
        let path = file.display().to_string();
        let input = input::open(file).map_err(|reason| TuneError::Read { path: path.clone(), reason })?;
        labelled::read(input, |labelled| samples.push(&labelled))
            .map_err(|reason| TuneError::Label { path, reason })?;
    }
    if samples.is_empty() { Err(TuneError::Empty) } else { Ok(samples) }
}

fn resume(path: &Path) -> Result<Fit, TuneError> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|reason| TuneError::Read { path: name.clone(), reason })?;
    Fit::from_text(&text).ok_or(TuneError::State(name))
}

/// Writes beside the state and then over it: an interruption leaves the old or the new, never half.
fn keep(path: Option<&Path>, fit: &Fit) -> Result<(), TuneError> {
    let Some(path) = path else { return Ok(()) };
    let beside = path.with_extension("new");
    fs::write(&beside, fit.to_text()).map_err(write_error(&beside))?;
    fs::rename(&beside, path).map_err(write_error(path))
}

/// What the weights' file says of where they come from: the command, without paths of this machine.
fn origin(arguments: &TuneArguments, positions: usize) -> String {
    let name =
        |file: &PathBuf| file.file_name().map_or("-".into(), |name| name.to_string_lossy().into_owned());
    let files: Vec<String> = arguments.files.iter().map(name).collect();
    let TuneArguments { epochs, deviation, redundancy, trust, .. } = arguments;
    format!(
        "Fitted to {positions} positions by\n`tabiya tune --epochs {epochs} --deviation {deviation} --redundancy {redundancy} --trust {trust} {}`.",
        files.join(" ")
    )
}
