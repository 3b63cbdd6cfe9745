//! `tabiya games`: what the state file has kept.

use super::{environment, exit, fail};
use crate::bot::FinishedGame;
use crate::bot::store::{Archive, KeptGame, StoreError, Wanted};
use crate::config::{Config, usual_file};
use clap::Args;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Default, Args)]
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

/// Lists or exports, the oldest game first.
pub fn run(configuration: Option<PathBuf>, arguments: &GamesArguments) -> ExitCode {
    let configuration = configuration.or_else(usual_file);
    let config = match Config::load(configuration.as_deref(), environment()) {
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
        Ok(Ok(())) => ExitCode::SUCCESS,
        // Whoever reads may have read enough.
        Ok(Err(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Ok(Err(error)) => fail(exit::FAILURE, error),
        Err(error) => fail(exit::FAILURE, format!("{}: {error}", file.display())),
    }
}

/// One game after the other, however many there are.
fn print(file: &Path, arguments: &GamesArguments) -> Result<io::Result<()>, StoreError> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut written = Ok(());
    Archive::open_to_read(file)?.each(&wanted(arguments), |kept| {
        written = match arguments.pgn {
            true => out.write_all(kept.game.pgn.as_bytes()),
            false => out.write_all(row(&kept).as_bytes()),
        };
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(written.and_then(|()| out.flush()))
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
    let FinishedGame { id, result, status, speed, white, black, plies, rated, .. } = &kept.game;
    let mode = if *rated { "rated" } else { "casual" };
    format!("{ended}  {id}  {result:7}  {status:12}  {mode:6} {speed:14}  {white} - {black}, {plies} plies\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Option<Timestamp> {
        Some(text.parse().expect("a moment"))
    }

    #[test]
    fn days_are_whole() {
        let day = |text: &str| Some(text.parse().expect("a day"));
        let arguments = GamesArguments {
            since: day("2026-11-30"),
            until: day("2026-12-31"),
            ..GamesArguments::default()
        };
        let wanted = wanted(&arguments);
        assert_eq!(wanted.since, at("2026-11-30T00:00:00Z"));
        assert_eq!(wanted.until, at("2027-01-01T00:00:00Z"));
    }
}
