//! Parses the command line and runs one command.

use std::process::ExitCode;
use tabiya::cli::{self, Arguments};

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    cli::execute(Arguments::read()).await
}
