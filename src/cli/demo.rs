//! `tabiya demo`: the command line of the demonstration, which itself lives in `crate::demo`.

use super::{DemoArguments, exit, fail};
use crate::demo::{self, DemoOptions};
use std::process::ExitCode;

/// Hands the arguments over and says how it ended.
pub async fn demo(arguments: DemoArguments) -> ExitCode {
    let DemoArguments { games, clock, serve } = arguments;
    match demo::run(DemoOptions { games, clock, serve }).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(exit::FAILURE, error),
    }
}
