//! `tabiya perft`: proves the move generator by counting, or counts one position.

use super::{input, threads};
use crate::engine::Position;
use crate::engine::perft::{Bounds, Case, Verdict, divide, parse_suite, run_suite};
use crate::engine::position::START_FEN;
use clap::Args;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Count the leaves of the tree of legal moves.
#[derive(Args, Clone, Debug)]
pub struct PerftArguments {
    /// Plies to look ahead; with --suite the deepest depth to check.
    #[arg(long, required_unless_present = "suite", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub depth: Option<u32>,
    /// The position to count from, the start position if not given.
    #[arg(long, conflicts_with = "suite")]
    pub fen: Option<String>,
    /// A file of positions with known counts, each line "FEN ;D1 20 ;D2 400".
    #[arg(long, value_name = "FILE")]
    pub suite: Option<PathBuf>,
    /// Leave out counts above this number of nodes.
    #[arg(long, value_name = "NODES", requires = "suite")]
    pub max_nodes: Option<u64>,
    /// Threads to count on, 0 for one per core.
    #[arg(long, default_value_t = 1)]
    pub threads: usize,
}

/// Why there was nothing to count.
#[derive(Debug, thiserror::Error)]
enum PerftError {
    #[error("--fen {fen:?}: {reason}")]
    Fen { fen: String, reason: crate::engine::FenError },
    #[error("cannot read {path}: {reason}")]
    Read { path: String, reason: io::Error },
    #[error("{path}: {reason}")]
    Suite { path: String, reason: crate::engine::perft::SuiteError },
    #[error("{0}: no positions in this file")]
    EmptySuite(String),
    #[error("cannot write the counts: {0}")]
    Write(#[from] io::Error),
}

/// Exit status 0 if every count is right, 1 if one is wrong, 2 if the input is of no use.
pub fn run(arguments: &PerftArguments) -> ExitCode {
    match count(arguments, &mut io::stdout().lock()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("tabiya perft: {error}");
            ExitCode::from(2)
        }
    }
}

/// Writes the counts to `out`; whether all were right.
fn count(arguments: &PerftArguments, out: &mut dyn Write) -> Result<bool, PerftError> {
    let threads = threads(arguments.threads);
    match &arguments.suite {
        Some(path) => check_suite(path, bounds(arguments), threads, out),
        None => {
            let fen = arguments.fen.as_deref().unwrap_or(START_FEN);
            count_moves(fen, arguments.depth.unwrap_or(1), threads, out).map(|()| true)
        }
    }
}

fn bounds(arguments: &PerftArguments) -> Bounds {
    Bounds {
        max_depth: arguments.depth.unwrap_or(u32::MAX),
        max_nodes: arguments.max_nodes.unwrap_or(u64::MAX),
    }
}

fn count_moves(fen: &str, depth: u32, threads: usize, out: &mut dyn Write) -> Result<(), PerftError> {
    let position =
        Position::from_fen(fen).map_err(|reason| PerftError::Fen { fen: fen.to_string(), reason })?;
    let start = Instant::now();
    let mut total = 0;
    divide(&position, depth, threads, &|| true, |mv, nodes| {
        total += nodes;
        writeln!(out, "{mv}: {nodes}")
    })?;
    writeln!(out, "depth {depth}: {}", speed(total, start))?;
    Ok(())
}

fn check_suite(path: &Path, bounds: Bounds, threads: usize, out: &mut dyn Write) -> Result<bool, PerftError> {
    let name = path.display().to_string();
    let text = input::open(path).and_then(io::read_to_string);
    let text = text.map_err(|reason| PerftError::Read { path: name.clone(), reason })?;
    let cases = parse_suite(&text).map_err(|reason| PerftError::Suite { path: name.clone(), reason })?;
    if cases.is_empty() {
        return Err(PerftError::EmptySuite(name));
    }
    let start = Instant::now();
    let (mut nodes, mut wrong, mut skipped) = (0, 0, 0);
    run_suite(&cases, bounds, threads, |case, verdict| {
        nodes += verdict.nodes;
        wrong += usize::from(!verdict.differences.is_empty());
        skipped += verdict.skipped;
        write_verdict(case, &verdict, out)
    })?;
    let left_out = if skipped > 0 { format!(", {skipped} counts left out") } else { String::new() };
    let speed = speed(nodes, start);
    writeln!(out, "{} positions, {wrong} wrong{left_out}: {speed}", cases.len())?;
    Ok(wrong == 0)
}

fn write_verdict(case: &Case, verdict: &Verdict, out: &mut dyn Write) -> io::Result<()> {
    let (line, fen) = (case.line, &case.fen);
    if verdict.differences.is_empty() {
        writeln!(out, "ok    line {line} to depth {}, {} nodes: {fen}", verdict.depth, verdict.nodes)?;
    }
    for wrong in &verdict.differences {
        let (depth, expected, found) = (wrong.depth, wrong.expected, wrong.found);
        writeln!(out, "wrong line {line} at depth {depth}, expected {expected}, found {found}: {fen}")?;
    }
    out.flush()
}

/// `12345 nodes in 0.1 s, 123450 nodes/s`.
fn speed(nodes: u64, start: Instant) -> String {
    let seconds = start.elapsed().as_secs_f64();
    format!("{nodes} nodes in {seconds:.3} s, {:.0} nodes/s", nodes as f64 / seconds.max(1e-9))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct CommandLine {
        #[command(flatten)]
        arguments: PerftArguments,
    }

    fn parse(words: &[&str]) -> Result<PerftArguments, clap::Error> {
        CommandLine::try_parse_from(["perft"].iter().chain(words)).map(|line| line.arguments)
    }

    /// What a command line prints, and whether all counts were right.
    fn counted(words: &[&str]) -> Result<(bool, String), String> {
        let mut out = Vec::new();
        let right = count(&parse(words).expect("a command line"), &mut out);
        right.map(|right| (right, String::from_utf8(out).expect("text"))).map_err(|error| error.to_string())
    }

    fn suite(text: &str) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(text.as_bytes()).expect("a file");
        file
    }

    fn suite_counted(text: &str, more: &[&str]) -> Result<(bool, String), String> {
        let file = suite(text);
        let path = file.path().to_str().expect("a path");
        let words: Vec<&str> = ["--suite", path].iter().chain(more).copied().collect();
        counted(&words).map_err(|error| error.replace(path, "FILE"))
    }

    #[test]
    fn every_root_move_and_the_total_are_printed() {
        for threads in ["0", "1", "3"] {
            let words = ["--depth", "3", "--fen", "7k/8/8/8/8/8/P7/K7 w - - 0 1", "--threads", threads];
            let (right, text) = counted(&words).expect("counts");
            let lines: Vec<&str> = text.lines().collect();
            assert!(right);
            assert_eq!(lines[..4], ["a2a3: 12", "a2a4: 12", "a1b1: 18", "a1b2: 27"], "{text}");
            assert!(lines[4].starts_with("depth 3: 69 nodes in "), "{text}");
            assert_eq!(lines.len(), 5, "{text}");
        }
        let (_, text) = counted(&["--depth", "1"]).expect("counts");
        assert!(text.contains("e2e4: 1\n") && text.contains("depth 1: 20 nodes in "), "{text}");
    }

    #[test]
    fn a_right_suite_is_ok_line_by_line() {
        let text = format!("{START_FEN} ;D1 20 ;D2 400 ;D3 8902\n\n4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15\n");
        let (right, text) = suite_counted(&text, &["--max-nodes", "400"]).expect("counts");
        let lines: Vec<&str> = text.lines().collect();
        assert!(right);
        assert_eq!(lines[0], format!("ok    line 1 to depth 2, 420 nodes: {START_FEN}"));
        assert_eq!(lines[1], "ok    line 3 to depth 1, 15 nodes: 4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        assert!(lines[2].starts_with("2 positions, 0 wrong, 1 counts left out: 435 nodes in "), "{text}");
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn a_wrong_count_is_printed_and_remembered() {
        let (right, text) =
            suite_counted(&format!("{START_FEN} ;D1 21 ;D2 400"), &["--depth", "1"]).expect("counts");
        assert!(!right);
        assert!(text.starts_with(&format!(
            "wrong line 1 at depth 1, expected 21, found 20: {START_FEN}\n1 positions, 1 wrong, 1 counts left out"
        )));
    }

    #[test]
    fn bad_input_is_one_line_that_says_where() {
        for (text, expected) in [
            ("", "FILE: no positions in this file"),
            ("\n \n", "FILE: no positions in this file"),
            ("8/8 ;D1 20", "FILE: line 1: a FEN has 4 or 6 fields separated by single spaces, found 1"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "FILE: line 1: no counts after the position"),
        ] {
            assert_eq!(suite_counted(text, &[]), Err(expected.to_string()), "{text:?}");
        }
        assert_eq!(
            counted(&["--depth", "1", "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"]),
            Err("--fen \"8/8/8/8/8/8/8/8 w - - 0 1\": White must have exactly one king".to_string())
        );
        let missing = counted(&["--suite", "no/such/file"]).expect_err("no file");
        assert!(missing.starts_with("cannot read no/such/file: "), "{missing}");
        assert_eq!(missing.lines().count(), 1);
    }

    #[test]
    fn a_command_line_asks_for_one_thing() {
        for words in [
            &[][..],
            &["--depth", "0"],
            &["--depth", "x"],
            &["--fen", START_FEN],
            &["--suite", "s", "--fen", START_FEN],
            &["--depth", "1", "--max-nodes", "9"],
        ] {
            assert!(parse(words).is_err(), "{words:?}");
        }
        assert!(parse(&["--suite", "s", "--depth", "4", "--max-nodes", "9", "--threads", "0"]).is_ok());
    }
}
