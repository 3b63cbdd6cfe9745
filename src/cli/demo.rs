//! `tabiya demo`: the command line of the demonstration, which itself lives in [`crate::demo`].

use super::{exit, fail};
use crate::book::{Book, BookOptions};
use crate::demo::{self, DemoOptions, Pace};
use clap::Args;
use std::process::ExitCode;
use std::sync::Arc;

#[derive(Debug, Args)]
pub struct DemoArguments {
    /// How many games are played
    #[arg(long, value_name = "N", default_value_t = DemoOptions::default().games)]
    pub games: usize,
    /// Clock of the games in seconds, start and increment, as in 60+0.6
    #[arg(long, value_name = "START+INCREMENT", default_value_t = Pace::default())]
    pub clock: Pace,
    /// Stay up after the games, for any bot to be pointed at it
    #[arg(long)]
    pub serve: bool,
}

/// Plays the games with the usual book.
pub async fn run(arguments: DemoArguments) -> ExitCode {
    let DemoArguments { games, clock, serve } = arguments;
    let book = Book::open(&BookOptions::default()).unwrap_or_else(|error| {
        eprintln!("{error}; playing without a book");
        Book::empty()
    });
    let options = DemoOptions { games, clock, serve, book: Arc::new(book), ..DemoOptions::default() };
    match demo::run(options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(exit::FAILURE, error),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Arguments, Command};
    use super::*;
    use clap::Parser;

    fn parse(line: &str) -> Result<DemoArguments, clap::Error> {
        match Arguments::try_parse_from(line.split(' '))?.command {
            Some(Command::Demo(arguments)) => Ok(arguments),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn arguments_are_read_as_documented() {
        for (line, games, clock, serve) in [
            ("tabiya demo", 3, "30+0", false),
            ("tabiya demo --games 2 --clock 60+0.6 --serve", 2, "60+0.6", true),
            ("tabiya demo --games 0 --serve", 0, "30+0", true),
        ] {
            let arguments = parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            let found = (arguments.games, arguments.clock.to_string(), arguments.serve);
            assert_eq!(found, (games, clock.to_string(), serve), "{line}");
        }
    }

    #[test]
    fn a_clock_that_bots_may_not_play_is_exit_code_2() {
        for line in ["tabiya demo --clock 10+0", "tabiya demo --clock fast", "tabiya demo --games many"] {
            let error = parse(line).expect_err(line);
            assert_eq!(error.exit_code(), i32::from(exit::CONFIGURATION), "{line}");
        }
    }
}
