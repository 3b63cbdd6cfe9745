//! `tabiya games`: what the state file has kept.

use super::{exit, fail, load};
use crate::bot::FinishedGame;
use crate::bot::store::{Archive, KeptGame, StoreError, Wanted};
use clap::Args;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use thiserror::Error;

#[derive(Debug, Args)]
pub struct GamesArguments {
    /// Only games against this account
    #[arg(long, value_name = "NAME")]
    pub opponent: Option<String>,
    /// Only games that ended on this day or later (UTC)
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub since: Option<Date>,
    /// Only games that ended on this day or before (UTC)
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub until: Option<Date>,
    /// Write the games as PGN, with clocks, evaluations and how each move was found
    #[arg(long)]
    pub pgn: bool,
}

/// Why the games could not be shown.
#[derive(Debug, Error)]
enum Failure {
    #[error("{0}")]
    File(#[from] StoreError),
    #[error("{0}")]
    Output(#[from] io::Error),
}

/// Lists or exports, the oldest game first.
pub fn run(configuration: Option<PathBuf>, arguments: &GamesArguments) -> ExitCode {
    let config = match load(configuration.as_deref()) {
        Ok(config) => config,
        Err(mistakes) => return fail(exit::CONFIGURATION, mistakes),
    };
    let Some(file) = config.store.file() else {
        return fail(exit::CONFIGURATION, "No games are kept: there is no state file (store.path).");
    };
    if !file.exists() {
        return fail(
            exit::FAILURE,
            format!("{}: no such file; it is made when Tabiya plays.", file.display()),
        );
    }
    match print(&file, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads may have read enough.
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => fail(exit::FAILURE, error),
        Err(Failure::File(error)) => fail(exit::FAILURE, format!("{}: {error}", file.display())),
    }
}

/// Game by game: there may be more of them than fit in memory.
fn print(file: &Path, arguments: &GamesArguments) -> Result<(), Failure> {
    let (archive, wanted) = (Archive::open_to_read(file)?, wanted(arguments));
    let mut output = BufWriter::new(io::stdout().lock());
    for kept in archive.games(&wanted) {
        let kept = kept?;
        let text = if arguments.pgn { kept.game.pgn } else { row(&kept) };
        output.write_all(text.as_bytes())?;
    }
    Ok(output.flush()?)
}

fn wanted(arguments: &GamesArguments) -> Wanted {
    Wanted {
        opponent: arguments.opponent.clone(),
        since: arguments.since.and_then(midnight),
        until: arguments.until.and_then(|day| day.checked_add(1.day()).ok()).and_then(midnight),
    }
}

/// When a day begins. A day beyond the calendar bounds nothing.
fn midnight(day: Date) -> Option<Timestamp> {
    day.to_zoned(TimeZone::UTC).ok().map(|moment| moment.timestamp())
}

/// `2026-11-30 18:05  q7ZkTfLb  1-0  mate  rated blitz  Tabiya - Ada, 61 plies`
fn row(kept: &KeptGame) -> String {
    let ended = kept.ended_at.strftime("%Y-%m-%d %H:%M");
    let FinishedGame { id, result, status, rated, speed, white, black, plies, .. } = &kept.game;
    let (id, mode) = (id.as_str(), if *rated { "rated" } else { "casual" });
    format!("{ended}  {id}  {result:7}  {status:12}  {mode:6} {speed:14}  {white} - {black}, {plies} plies\n")
}
