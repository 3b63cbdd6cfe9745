//! `tabiya match`: lets engines play each other and says which is stronger, and how surely.

use super::signals::signals;
use super::{exit, fail, input};
use crate::arena::{
    DrawRule, EloModel, MatchOptions, Openings, Player, ResignRule, Rules, Sprt, Standings, TimeControl,
};
use clap::{Args, ValueEnum};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const AFTER_HELP: &str = "\
A player is `builtin`, or the path of a UCI program, with options after a colon:
  builtin:Hash=16,Threads=1,Nodes=2000    /usr/games/stockfish:UCI_LimitStrength=true,UCI_Elo=2400
Name=, Nodes= and Depth= are understood for every player, Directory= for a program, Elo= (limited strength)
and Move Overhead= (in milliseconds) for builtin. Limits of a player and of the match all bind.

A crash, a hang, an illegal move and an overstepped clock lose the game; the engine is started again.
Elo ± and nElo ± are 95 % intervals of the pentanomial model; LOS is the likelihood of superiority.";

/// Play engines against each other
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct MatchArguments {
    /// The first plays against each of the others
    #[arg(required = true, num_args = 2.., value_name = "PLAYER")]
    pub players: Vec<Player>,
    /// Seconds for the game and for each move, as in 1+0.01
    #[arg(long, value_name = "TIME+INCREMENT")]
    pub tc: Option<TimeControl>,
    /// Nodes for each move
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Plies of depth for each move
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=127))]
    pub depth: Option<u8>,
    /// Games against each opponent, an even number
    #[arg(long, default_value_t = 100, value_parser = even)]
    pub games: usize,
    /// Games at the same time; more than there are processor cores falsify all clocks
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub concurrency: u16,
    /// Openings in EPD or FEN, PGN, or CSV as in openings.csv; each is played with both colours
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,
    /// Plies of a game or line that make an opening
    #[arg(long, default_value_t = 16, value_name = "PLIES")]
    pub opening_plies: usize,
    /// Order of the openings, 0 for that of the file
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// A game is won when both players say so: moves of each in a row, and centipawns
    #[arg(long, value_name = "moves=3,score=400")]
    pub resign: Option<ResignRule>,
    /// A game is drawn when both players say so, from a move on
    #[arg(long, value_name = "from=40,moves=8,score=10")]
    pub draw: Option<DrawRule>,
    /// A game is drawn after so many moves
    #[arg(long, value_name = "MOVES", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_moves: Option<u32>,
    /// Overstepping the clock by so many milliseconds is forgiven
    #[arg(long, default_value_t = 20, value_name = "MS")]
    pub margin: u64,
    /// A move without a clock may take so many seconds
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    pub move_timeout: u64,
    /// Stop as soon as it is sure (5 % error) that the first player is ahead by elo0 or less, elo1 or more
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    pub sprt: Option<Sprt>,
    /// In which Elo the bounds of --sprt are
    #[arg(long, value_enum, default_value_t = Model::Logistic, requires = "sprt")]
    pub sprt_model: Model,
    /// Add the games to this file, with score, depth and time of each move
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
    /// Keep the results in this file, and go on from it if it is there
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Print the end result as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Model {
    Logistic,
    Normalized,
}

fn even(text: &str) -> Result<usize, String> {
    let games = text.parse().ok().filter(|games| *games > 0 && games % 2 == 0);
    games.ok_or_else(|| "games come in pairs with colours swapped: an even number from 2 on".to_string())
}

/// Exit code 0 when the match is over, 1 when it ended before, 2 when it could not begin.
pub async fn run(arguments: MatchArguments) -> ExitCode {
    let json = arguments.json;
    let options = match options(arguments) {
        Ok(options) => options,
        Err(mistake) => return fail(exit::CONFIGURATION, format!("tabiya match: {mistake}")),
    };
    let mut stopped = match signals() {
        Ok(stopped) => stopped,
        Err(error) => return fail(exit::FAILURE, format!("cannot listen for signals: {error}")),
    };
    let resume = options.resume.clone();
    let mut screen = Screen::new();
    let mut latest = None;
    let outcome = tokio::select! {
        outcome = crate::arena::play(options, |standings| {
            screen.show(standings);
            latest = Some(standings.clone());
        }) => Some(outcome),
        _ = stopped.recv() => None,
    };
    screen.close();
    let has_games = latest.as_ref().is_some_and(|standings| standings.total().games() > 0);
    if let Some(standings) = latest.filter(|_| has_games) {
        report(&standings, json);
    }
    match outcome {
        Some(Ok(_)) => ExitCode::SUCCESS,
        Some(Err(error)) if !has_games => fail(exit::CONFIGURATION, format!("tabiya match: {error}")),
        Some(Err(error)) => fail(exit::FAILURE, format!("tabiya match: {error}")),
        None => fail(exit::FAILURE, stopped_line(resume)),
    }
}

fn stopped_line(resume: Option<PathBuf>) -> String {
    match resume {
        Some(file) => format!("stopped; the same command goes on from {}", file.display()),
        None => "stopped; with --resume FILE it could have gone on".to_string(),
    }
}

fn report(standings: &Standings, json: bool) {
    match json {
        true => println!("{}", standings.json()),
        false => println!("{}", standings.table()),
    }
}

fn options(arguments: MatchArguments) -> Result<MatchOptions, String> {
    check_limits(&arguments)?;
    if arguments.sprt.is_some() && arguments.players.len() > 2 {
        return Err("--sprt is about two players".to_string());
    }
    let mut openings = match &arguments.openings {
        Some(file) => openings(file, arguments.opening_plies)?,
        None => Openings::none(),
    };
    if let Some(reason) = &openings.first_reason {
        eprintln!("{} openings cannot be used and are left out; {reason}", openings.skipped);
    }
    if arguments.seed > 0 {
        openings.shuffle(arguments.seed);
    }
    if repeats_games(&arguments, openings.positions.len()) {
        eprintln!(
            "there are more pairs of games ({}) than openings ({}), and without clocks the games of one opening may be the same: the error shown is then too small",
            arguments.games / 2,
            openings.positions.len()
        );
    }
    let model = match arguments.sprt_model {
        Model::Logistic => EloModel::Logistic,
        Model::Normalized => EloModel::Normalized,
    };
    Ok(MatchOptions {
        players: arguments.players,
        pairs: arguments.games / 2,
        concurrency: usize::from(arguments.concurrency),
        rules: Rules {
            time_control: arguments.tc,
            margin: Duration::from_millis(arguments.margin),
            nodes: arguments.nodes,
            depth: arguments.depth,
            move_patience: Duration::from_secs(arguments.move_timeout),
            resign: arguments.resign,
            draw: arguments.draw,
            max_moves: arguments.max_moves,
        },
        openings,
        seed: arguments.seed,
        sprt: arguments.sprt.map(|sprt| Sprt { model, ..sprt }),
        pgn: arguments.pgn,
        resume: arguments.resume,
    })
}

fn openings(file: &Path, plies: usize) -> Result<Openings, String> {
    let name = file.display().to_string();
    let input = input::open(file).map_err(|reason| format!("cannot read {name}: {reason}"))?;
    Openings::read(input, &name, plies).map_err(|error| error.to_string())
}

/// Without clocks, and at full strength, an engine plays the same from the same opening.
fn repeats_games(arguments: &MatchArguments, openings: usize) -> bool {
    let errs = arguments.players.iter().any(|player| player.engine.elo > 0);
    arguments.tc.is_none() && !errs && arguments.games / 2 > openings
}

/// Nobody may think for ever.
fn check_limits(arguments: &MatchArguments) -> Result<(), String> {
    if arguments.tc.is_some() || arguments.nodes.is_some() || arguments.depth.is_some() {
        return Ok(());
    }
    let endless = arguments
        .players
        .iter()
        .find(|player| player.engine.nodes == 0 && player.engine.depth == 0 && player.engine.elo == 0);
    endless.map_or(Ok(()), |player| {
        Err(format!("{} has no limit: give --tc, --nodes or --depth, or Nodes= or Depth= to it", player.text))
    })
}

/// Pairs between two tables where the table cannot be redrawn.
const PAIRS_BETWEEN_TABLES: u64 = 25;

/// The table as it changes, on stderr: in place on a terminal, now and then elsewhere.
struct Screen {
    is_terminal: bool,
    /// Lines of the table that is shown.
    lines: usize,
}

impl Screen {
    fn new() -> Screen {
        Screen { is_terminal: io::stderr().is_terminal(), lines: 0 }
    }

    fn show(&mut self, standings: &Standings) {
        let (games, planned) = (standings.total().games(), standings.games_planned);
        if !self.is_terminal && (games == 0 || games / 2 % PAIRS_BETWEEN_TABLES > 0 || games == planned) {
            return;
        }
        let table = format!("{}\n{games} of {planned} games\n", standings.table());
        let back = if self.lines > 0 { format!("\x1b[{}A\x1b[J", self.lines) } else { String::new() };
        self.lines = if self.is_terminal { table.lines().count() } else { 0 };
        // A screen that cannot be written to is no reason to stop playing.
        let _ = write!(io::stderr().lock(), "{back}{table}");
    }

    /// Takes the last table away: the end result follows.
    fn close(&mut self) {
        if self.lines > 0 {
            let _ = write!(io::stderr().lock(), "\x1b[{}A\x1b[J", std::mem::take(&mut self.lines));
        }
    }
}
