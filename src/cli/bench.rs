//! `tabiya bench`: the signature of the search, and its speed.

use crate::engine::bench;
use std::process::ExitCode;

/// Prints the lines `N nodes` and `N nps`.
pub fn run() -> ExitCode {
    let report = bench::run();
    println!("{} nodes\n{} nps", report.nodes, report.nodes_per_second());
    ExitCode::SUCCESS
}
