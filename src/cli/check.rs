//! `tabiya check`: looks at everything that the service needs, before it plays.

use super::run::ready_engine;
use super::{exit, load};
use crate::book::{Book, BookOptions};
use crate::bot::StoreOptions;
use crate::bot::store::{Archive, StoreError};
use crate::config::token_form;
use crate::engine::{EngineKind, EngineOptions, Limits, Position, san};
use crate::lichess::{Account, Client, Error, LichessOptions};
use clap::Args;
use jiff::Timestamp;
use serde::Serialize;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::{Instant, timeout};

#[derive(Debug, Default, Args)]
pub struct CheckArguments {
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub json: bool,
}

/// What one look has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Ok,
    /// The service plays, but not as it could.
    Warning,
    /// The service cannot play like this.
    Failed,
}

/// One line of the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Finding {
    what: &'static str,
    verdict: Verdict,
    text: String,
    /// With which code the service would end; 1 where it would go on trying.
    #[serde(skip)]
    code: u8,
}

impl Finding {
    fn ok(what: &'static str, text: impl Into<String>) -> Finding {
        Finding { what, verdict: Verdict::Ok, text: text.into(), code: 0 }
    }

    fn warning(what: &'static str, text: impl Into<String>) -> Finding {
        Finding { verdict: Verdict::Warning, ..Finding::ok(what, text) }
    }

    fn failed(code: u8, what: &'static str, text: impl Into<String>) -> Finding {
        Finding { verdict: Verdict::Failed, code, ..Finding::ok(what, text) }
    }
}

/// Exit status 0 if the service could play now, else the code with which it would end, or 1 if it would go
/// on trying.
pub async fn run(configuration: Option<PathBuf>, arguments: &CheckArguments) -> ExitCode {
    let findings = findings(configuration).await;
    let code = findings.iter().map(|finding| finding.code).find(|code| *code > 0).unwrap_or(0);
    match arguments.json {
        true => println!("{}", serde_json::json!({ "ready": code == 0, "findings": findings })),
        false => findings.iter().for_each(|finding| println!("{}", row(finding))),
    }
    ExitCode::from(code)
}

/// `ok      book      openings.csv: 3810 lines, 9871 positions`; further lines of the text stand below the first.
fn row(Finding { what, verdict, text, .. }: &Finding) -> String {
    let verdict = match verdict {
        Verdict::Ok => "ok",
        Verdict::Warning => "warning",
        Verdict::Failed => "FAILED",
    };
    format!("{verdict:8}{what:15}{}", text.replace('\n', &format!("\n{:23}", "")))
}

async fn findings(file: Option<PathBuf>) -> Vec<Finding> {
    let named = file.as_ref().map_or("no file, defaults".to_string(), |file| file.display().to_string());
    let config = match load(file.as_deref()) {
        Ok(config) => config,
        Err(mistakes) => {
            return vec![Finding::failed(exit::CONFIGURATION, "configuration", mistakes.to_string())];
        }
    };
    let mut findings = vec![Finding::ok("configuration", named), of_engine(&config.engine).await];
    findings.extend(match config.clone().with_token() {
        Ok(config) => of_server(&config.lichess, Duration::from_millis(config.engine.move_overhead_ms)).await,
        Err(mistakes) => vec![Finding::failed(exit::CONFIGURATION, "token", mistakes.to_string())],
    });
    findings.push(of_book(&config.book));
    findings.push(of_store(&config.store));
    findings
}

/// Requests whose round trips are measured. The server counts them, so they are few.
const PROBES: usize = 3;

/// Token, account, clock and lag.
async fn of_server(options: &LichessOptions, overhead: Duration) -> Vec<Finding> {
    let url = &options.url;
    let client = match Client::new(options) {
        Ok(client) => client,
        Err(error) => return vec![Finding::failed(exit::FAILURE, "server", error.to_string())],
    };
    let account = match client.account().await {
        Ok(account) => account,
        Err(error @ Error::Unauthorized(..)) => {
            let advice = format!("{error}\nCreate a new token: {}", token_form(url));
            return vec![Finding::ok("server", url), Finding::failed(exit::TOKEN, "token", advice)];
        }
        Err(error) => return vec![Finding::failed(exit::FAILURE, "server", format!("{url}: {error}"))],
    };
    vec![
        Finding::ok("server", url),
        of_token(&account, url),
        of_account(&account),
        of_clock(account.server_time, Timestamp::now()),
        of_lag(&round_trips(&client).await, overhead),
    ]
}

/// Of requests on the connection that is there.
async fn round_trips(client: &Client) -> Vec<Duration> {
    let mut round_trips = Vec::new();
    for _ in 0..PROBES {
        let begun = Instant::now();
        if client.account().await.is_ok() {
            round_trips.push(begun.elapsed());
        }
    }
    round_trips
}

fn of_token(account: &Account, url: &str) -> Finding {
    match account.may_play() {
        true => Finding::ok("token", "may play (bot:play)"),
        false => {
            let found = account.scopes.join(", ");
            let text = format!(
                "lacks the scope bot:play (it has: {found})\nCreate a new token: {}",
                token_form(url)
            );
            Finding::failed(exit::TOKEN, "token", text)
        }
    }
}

fn of_account(account: &Account) -> Finding {
    let name = &account.username;
    match account.is_bot() {
        true => Finding::ok("account", format!("{name}, a bot")),
        false => Finding::failed(
            exit::NOT_A_BOT,
            "account",
            format!(
                "{name} is not a bot account yet\n`tabiya upgrade` makes it one, for good, if it has not played a game"
            ),
        ),
    }
}

/// What a clock may be wrong by without anybody minding, in seconds: the server tells whole seconds.
const CLOCK_TOLERANCE: i64 = 3;

/// Games are timed by the server's numbers; logs, kept games and pauses by this machine's clock.
fn of_clock(server: Option<Timestamp>, here: Timestamp) -> Finding {
    let Some(server) = server else {
        return Finding::warning("clock", "the server does not tell its time");
    };
    match here.as_second() - server.as_second() {
        off if off.abs() <= CLOCK_TOLERANCE => Finding::ok("clock", "as the server's"),
        off => {
            let side = if off > 0 { "fast" } else { "slow" };
            let text = format!(
                "{} s {side}\nDates of games and pauses will be wrong: let the system set its clock",
                off.abs()
            );
            Finding::warning("clock", text)
        }
    }
}

/// The overhead follows the lag of each game; what is set is its floor.
fn of_lag(round_trips: &[Duration], floor: Duration) -> Finding {
    let Some(slowest) = round_trips.iter().max() else {
        return Finding::warning("lag", "the server did not answer again");
    };
    let text = format!("{} ms there and back, slowest of {}", slowest.as_millis(), round_trips.len());
    match *slowest <= floor {
        true => Finding::ok("lag", text),
        false => Finding::ok(
            "lag",
            format!(
                "{text}; above engine.move_overhead_ms = {}: the first moves of a game allow for too little",
                floor.as_millis()
            ),
        ),
    }
}

/// A queen to be taken, which every engine sees at once.
const TRIAL: &str = "7k/8/8/3q4/8/2N5/8/6K1 w - - 0 1";
const TRIAL_MOVE: &str = "c3d5";
/// Long enough for any engine, to start as well.
const TRIAL_PATIENCE: Duration = Duration::from_secs(20);

async fn of_engine(options: &EngineOptions) -> Finding {
    let name = match options.kind {
        EngineKind::Builtin => "builtin".to_string(),
        EngineKind::Uci => options.path.clone(),
    };
    match timeout(TRIAL_PATIENCE, trial(options)).await {
        Ok(Ok((mv, uci))) if uci == TRIAL_MOVE => {
            Finding::ok("engine", format!("{name}: takes the queen with {mv}"))
        }
        Ok(Ok((mv, _))) => Finding::warning("engine", format!("{name}: plays {mv} where Nxd5 takes a queen")),
        Ok(Err(reason)) => Finding::failed(exit::CONFIGURATION, "engine", format!("{name}: {reason}")),
        Err(_) => {
            let text = format!("{name}: no move within {} s", TRIAL_PATIENCE.as_secs());
            Finding::failed(exit::CONFIGURATION, "engine", text)
        }
    }
}

/// Its move in the trial, in SAN and in UCI notation.
async fn trial(options: &EngineOptions) -> Result<(String, String), String> {
    let position = Position::from_fen(TRIAL).expect("a sound position");
    let full_strength = EngineOptions { elo: 0, ..options.clone() };
    let mut engine = ready_engine(&full_strength).await?;
    let limits = Limits { nodes: Some(20_000), hard: Some(Duration::from_secs(2)), ..Limits::default() };
    let report = engine.go(position.clone(), limits).finish().await.map_err(|gone| gone.to_string())?;
    let mv = report.best_move();
    match position.is_legal(mv) {
        true => Ok((san(&position, mv), mv.to_string())),
        false => Err(format!("{mv} is not a legal move in {TRIAL}")),
    }
}

fn of_book(options: &BookOptions) -> Finding {
    if !options.enabled {
        return Finding::ok("book", "switched off (book.enabled)");
    }
    match Book::open(options) {
        Ok(book) => {
            let (source, lines, positions) = (book.source(), book.lines(), book.positions());
            Finding::ok("book", format!("{source}: {lines} lines, {positions} positions"))
        }
        Err(error) => Finding::warning("book", format!("{error}\nTabiya will play without one")),
    }
}

fn of_store(options: &StoreOptions) -> Finding {
    let Some(file) = options.file() else {
        return match options.is_in_memory() {
            true => Finding::ok("state file", "none (store.path = \":memory:\")"),
            false => Finding::warning("state file", "there is no home directory: name a file in store.path"),
        };
    };
    let name = file.display();
    let looked = match file.exists() {
        true => Archive::open(&file).and_then(|archive| {
            archive.try_to_write()?;
            Ok(format!("{} games", archive.count()?))
        }),
        // Made by the service and not here, so that it belongs to whom the service runs as.
        false => place_for(&file).map(|()| "will be made".to_string()).map_err(StoreError::Directory),
    };
    match looked {
        Ok(state) => Finding::ok("state file", format!("{name}: {state}")),
        Err(error) => {
            let text =
                format!("{name}: {error}\nTabiya will play, but forget its games and the server's limits");
            Finding::warning("state file", text)
        }
    }
}

/// Whether the nearest directory that is there can take what is missing.
fn place_for(file: &Path) -> io::Result<()> {
    let parents =
        file.ancestors().skip(1).map(|path| if path == Path::new("") { Path::new(".") } else { path });
    let nearest = parents.into_iter().find(|path| path.exists()).unwrap_or(Path::new("."));
    let found = nearest.metadata()?;
    match (found.is_dir(), found.permissions().readonly()) {
        (false, _) => {
            Err(io::Error::new(ErrorKind::NotADirectory, format!("{} is not a directory", nearest.display())))
        }
        (true, true) => {
            Err(io::Error::new(ErrorKind::PermissionDenied, format!("{} is read-only", nearest.display())))
        }
        (true, false) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_lines_stand_below_the_first() {
        let finding = Finding::failed(3, "token", "refused\nmake a new one");
        assert_eq!(row(&finding), "FAILED  token          refused\n                       make a new one");
    }

    #[test]
    fn a_clock_is_told_when_it_is_off_by_more_than_a_moment() {
        let at = |second| Timestamp::from_second(second).expect("a moment");
        for (server, verdict, text) in [
            (Some(1_000), Verdict::Ok, "as the server's"),
            (Some(1_003), Verdict::Ok, "as the server's"),
            (Some(1_060), Verdict::Warning, "60 s slow"),
            (Some(400), Verdict::Warning, "600 s fast"),
            (None, Verdict::Warning, "the server does not tell its time"),
        ] {
            let finding = of_clock(server.map(at), at(1_000));
            assert_eq!(finding.verdict, verdict, "{server:?}");
            assert!(finding.text.starts_with(text), "{server:?}: {}", finding.text);
        }
    }

    #[test]
    fn a_lag_above_the_floor_is_named() {
        let of = |ms: &[u64]| {
            let times: Vec<Duration> = ms.iter().copied().map(Duration::from_millis).collect();
            of_lag(&times, Duration::from_millis(100))
        };
        let [quick, slow] = [of(&[30, 50, 40]).text, of(&[250]).text];
        assert_eq!(quick, "50 ms there and back, slowest of 3");
        assert_eq!(of(&[]).verdict, Verdict::Warning);
        assert!(slow.contains("above engine.move_overhead_ms = 100"), "{slow}");
    }
}
