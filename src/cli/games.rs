//! `tabiya games`: what the state file has kept.

use super::{environment, exit, fail};
use crate::bot::FinishedGame;
use crate::bot::store::{Archive, KeptGame, Wanted};
use crate::config::{Config, usual_file};
use clap::Args;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

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
    let games = Archive::open_to_read(&file).and_then(|archive| archive.games(&wanted(arguments)));
    match games {
        Ok(games) => print(&games, arguments.pgn),
        Err(error) => fail(exit::FAILURE, format!("{}: {error}", file.display())),
    }
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

fn print(games: &[KeptGame], as_pgn: bool) -> ExitCode {
    let text: String =
        games.iter().map(|game| if as_pgn { game.game.pgn.clone() } else { row(game) }).collect();
    match io::stdout().lock().write_all(text.as_bytes()) {
        // Whoever reads may have read enough.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => fail(exit::FAILURE, error),
        _ => ExitCode::SUCCESS,
    }
}

/// `2026-11-30 18:05  q7ZkTfLb  1-0  mate  rated blitz  Tabiya - Ada, 61 plies`
fn row(kept: &KeptGame) -> String {
    let ended = kept.ended_at.strftime("%Y-%m-%d %H:%M");
    let FinishedGame { id, result, status, rated, speed, white, black, plies, .. } = &kept.game;
    let (id, mode) = (id.as_str(), if *rated { "rated" } else { "casual" });
    format!("{ended}  {id}  {result:7}  {status:12}  {mode:6} {speed:14}  {white} - {black}, {plies} plies\n")
}
