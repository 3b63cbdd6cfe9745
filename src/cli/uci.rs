//! `tabiya uci`: the engine for a GUI, or for OpenBench.

use super::{exit, fail};
use crate::uci;
use clap::Args;
use std::io;
use std::process::ExitCode;

/// Speak the Universal Chess Interface.
#[derive(Args, Clone, Debug, Default)]
pub struct UciArguments {
    /// Obey these commands ("go depth 10") and leave, instead of reading the standard input.
    #[arg(value_name = "COMMAND")]
    pub commands: Vec<String>,
}

/// Obeys until `quit` or the end of input.
pub fn run(arguments: &UciArguments) -> ExitCode {
    let served = match arguments.commands.as_slice() {
        [] => uci::run(uci::lines(io::stdin().lock())),
        // What was asked for is to be seen: `quit` here is the end, not an interruption.
        commands => uci::run(commands.iter().take_while(|command| command.trim() != "quit").cloned()),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(exit::FAILURE, format!("tabiya uci: no thread to think on: {error}")),
    }
}
