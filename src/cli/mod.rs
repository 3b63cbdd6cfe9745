//! The commands: each reads its arguments, gives the parts their options and says how it ended.

mod arguments;
mod bench;
mod check;
mod demo;
mod epd;
mod eval;
mod games;
mod input;
mod match_;
mod perft;
mod play;
mod progress;
mod puzzles;
mod run;
mod shares;
mod signals;
mod tune;
mod uci;
mod upgrade;

pub use arguments::{Arguments, Command, UpgradeArguments};
pub use check::CheckArguments;
pub use demo::DemoArguments;
pub use epd::EpdArguments;
pub use eval::EvalArguments;
pub use games::GamesArguments;
pub use match_::MatchArguments;
pub use perft::PerftArguments;
pub use play::PlayArguments;
pub use puzzles::PuzzlesArguments;
pub use tune::TuneArguments;
pub use uci::UciArguments;

use crate::config::{Config, Mistakes, usual_file};
use crate::logging;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Codes other than 0, as the help tells them.
mod exit {
    pub const FAILURE: u8 = 1;
    pub const CONFIGURATION: u8 = 2;
    pub const TOKEN: u8 = 3;
    pub const NOT_A_BOT: u8 = 4;
}

/// Runs one command to its end.
pub async fn execute(arguments: Arguments) -> ExitCode {
    let file = arguments.config.or_else(usual_file);
    match arguments.command.unwrap_or_else(Command::usual) {
        Command::Run => match configuration(file) {
            Ok(config) => run::run(config).await,
            Err(mistakes) => fail(exit::CONFIGURATION, mistakes),
        },
        Command::Upgrade(arguments) => match configuration(file) {
            Ok(config) => upgrade::upgrade(&config, &arguments).await,
            Err(mistakes) => fail(exit::CONFIGURATION, mistakes),
        },
        Command::Demo(arguments) => demo::run(arguments).await,
        Command::Check(arguments) => check::run(file, &arguments).await,
        Command::Games(arguments) => games::run(file, &arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Puzzles(arguments) => puzzles::run(&arguments),
        Command::Epd(arguments) => epd::run(&arguments),
        Command::Bench => bench::run(),
        Command::Play(arguments) => play::run(&arguments),
        Command::Uci(arguments) => uci::run(&arguments),
        Command::Match(arguments) => match_::run(*arguments).await,
    }
}

/// The configuration for a command that talks to Lichess; logging starts with it.
fn configuration(file: Option<PathBuf>) -> Result<Config, Mistakes> {
    let config = load(file.as_deref())?.with_token()?;
    logging::start(&config.log);
    let file = file.as_deref().unwrap_or(Path::new("none"));
    tracing::info!(version = env!("CARGO_PKG_VERSION"), configuration = %file.display(), "Tabiya starts");
    Ok(config)
}

/// The configuration from this file, if there is one, and from the environment.
fn load(file: Option<&Path>) -> Result<Config, Mistakes> {
    Config::load(file, environment())
}

/// The process environment. What is not UTF-8 is replaced, and refused later if it matters.
fn environment() -> impl Iterator<Item = (String, String)> {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    std::env::vars_os().map(move |(name, value)| (text(name), text(value)))
}

/// The last line of a command that failed.
fn fail(code: u8, reason: impl Display) -> ExitCode {
    eprintln!("{reason}");
    ExitCode::from(code)
}

/// Threads as asked for, 0 meaning one per core.
fn threads(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}
