//! The command line as clap reads it.

use super::{
    CheckArguments, DemoArguments, EpdArguments, EvalArguments, GamesArguments, MatchArguments,
    PerftArguments,
};
use super::{PlayArguments, PuzzlesArguments, TuneArguments, UciArguments};
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "tabiya", version, about, after_help = AFTER_HELP)]
pub struct Arguments {
    /// Configuration file [default: config.toml in the working directory, if there is one]
    #[arg(long, global = true, value_name = "PATH")]
    pub config: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Arguments {
    /// Reads the arguments of this process; a mistake in them ends it.
    pub fn read() -> Arguments {
        Arguments::parse_from(with_command(std::env::args_os().collect()))
    }
}

/// OpenBench gives the UCI command `genfens …` in one argument, where our own command would stand.
fn with_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.get(1).is_some_and(|first| first.to_string_lossy().starts_with("genfens ")) {
        arguments.insert(1, "uci".into());
    }
    arguments
}

impl Command {
    /// What happens without a command.
    pub fn usual() -> Command {
        match cfg!(feature = "uci") {
            true => Command::Uci(UciArguments::default()),
            false => Command::Run,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Play on Lichess until told to stop (this is what happens without a command)
    Run,
    /// Make the account a bot account: irreversible, and impossible once it has played a game
    Upgrade(UpgradeArguments),
    /// Look at everything that is needed to play, and say what is missing
    Check(CheckArguments),
    /// List the finished games of the state file, or export them as PGN
    Games(GamesArguments),
    /// Play a few games against a small Lichess in this program: no account, no network
    Demo(DemoArguments),
    /// Play a game in the terminal
    Play(PlayArguments),
    /// Be an engine for a chess program: speak the Universal Chess Interface
    Uci(UciArguments),
    /// Count the leaves of the tree of legal moves
    Perft(PerftArguments),
    /// Print what each term of the evaluation says about a position
    Eval(EvalArguments),
    /// Fit the weights of the evaluation to labelled positions, or play games that make such positions
    Tune(TuneArguments),
    /// Solve puzzles in the format of Lichess, and count by rating and theme
    Puzzles(PuzzlesArguments),
    /// Solve suites of positions with known best moves, avoided moves, mates or graded moves
    Epd(EpdArguments),
    /// Search a fixed set of positions; the number of nodes is the signature of the search
    Bench,
    /// Let engines play each other, and tell which is stronger
    Match(Box<MatchArguments>),
}

const AFTER_HELP: &str = "\
The token of the bot's account comes from the variable LICHESS_BOT_TOKEN, or from the file that
LICHESS_BOT_TOKEN_FILE names, or from lichess.token of the configuration file.

Exit codes:
  0  fine
  1  unexpected failure
  2  mistake on the command line or in the configuration
  3  the token was refused, or lacks the scope bot:play
  4  the account is not a bot account";

#[derive(Debug, Args)]
pub struct UpgradeArguments {
    /// Do not ask for confirmation
    #[arg(long)]
    pub yes: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::exit;
    use clap::CommandFactory;
    use std::path::Path;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn arguments_are_read_as_documented() {
        let parse = |line: &str| Arguments::try_parse_from(line.split(' ')).expect(line);
        assert!(parse("tabiya").command.is_none());
        assert!(matches!(parse("tabiya run").command, Some(Command::Run)));
        for line in ["tabiya --config a.toml upgrade", "tabiya upgrade --config a.toml"] {
            let arguments = parse(line);
            assert_eq!(arguments.config.as_deref(), Some(Path::new("a.toml")), "{line}");
            assert!(matches!(arguments.command, Some(Command::Upgrade(_))), "{line}");
        }
    }

    #[test]
    fn openbench_orders_openings_in_its_own_way() {
        let line = ["tabiya", "genfens 3 seed 1 book None", "quit"].map(OsString::from).to_vec();
        let arguments = Arguments::try_parse_from(with_command(line)).expect("a command line");
        let Some(Command::Uci(uci)) = arguments.command else { panic!("{arguments:?}") };
        assert_eq!(uci.commands, ["genfens 3 seed 1 book None", "quit"]);
    }

    #[test]
    fn a_wrong_command_line_is_exit_code_2() {
        for line in ["tabiya --confg a.toml", "tabiya upgarde", "tabiya perft --depth many"] {
            let error = Arguments::try_parse_from(line.split(' ')).expect_err(line);
            assert_eq!(error.exit_code(), i32::from(exit::CONFIGURATION), "{line}");
        }
    }

    #[test]
    fn the_help_tells_every_exit_code() {
        for code in [0, exit::FAILURE, exit::CONFIGURATION, exit::TOKEN, exit::NOT_A_BOT] {
            assert!(AFTER_HELP.contains(&format!("\n  {code}  ")), "{code}");
        }
    }
}
