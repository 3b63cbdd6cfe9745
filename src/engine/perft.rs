//! Perft: counting the leaves of the tree of legal moves, the proof of the move generator.
//!
//! The last ply is counted without being played, so a "node" here is a leaf.

use super::{FenError, Move, Position};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use thiserror::Error;

/// Number of leaf nodes `depth` plies below the position.
pub fn perft(position: &mut Position, depth: u32) -> u64 {
    perft_while(position, depth, &|| true).expect("nothing stops it")
}

/// From this many plies above the leaves it is asked whether to go on: some milliseconds of counting.
const ASKING_DEPTH: u32 = 4;

/// As [`perft`], but gives up as soon as `goes_on` says no.
fn perft_while(position: &mut Position, depth: u32, goes_on: &impl Fn() -> bool) -> Option<u64> {
    match depth {
        0 => Some(1),
        1 => Some(position.count_legal_moves() as u64),
        ASKING_DEPTH.. if !goes_on() => None,
        _ => {
            let mut leaves = 0;
            for mv in &position.legal_moves() {
                position.play(mv);
                let below = perft_while(position, depth - 1, goes_on);
                position.undo();
                leaves += below?;
            }
            Some(leaves)
        }
    }
}

/// The leaves behind each legal move, `depth` (at least 1) plies below the position; whether all were
/// counted, or `goes_on` said no.
///
/// `report` is told in the order of the move list, as soon as a count is known; its error ends
/// the work.
pub fn divide<E>(
    position: &Position,
    depth: u32,
    threads: usize,
    goes_on: &(impl Fn() -> bool + Sync),
    mut report: impl FnMut(&Move, u64) -> Result<(), E>,
) -> Result<bool, E> {
    let count = |mv: &Move| {
        let mut position = position.clone();
        position.play(*mv);
        perft_while(&mut position, depth - 1, goes_on)
    };
    let mut all_counted = true;
    in_order(&position.legal_moves(), threads, count, |mv, leaves| match leaves {
        Some(leaves) => report(mv, leaves),
        None => {
            all_counted = false;
            Ok(())
        }
    })?;
    Ok(all_counted)
}

/// One line of a suite in EPD: a position with its published counts.
#[derive(Clone, Debug)]
pub struct Case {
    /// Line in the file, from 1.
    pub line: usize,
    pub fen: String,
    position: Position,
    /// Depth in plies and leaves there, in the order of the file.
    pub counts: Vec<(u32, u64)>,
}

/// Why a line of a suite was refused.
#[derive(Debug, PartialEq, Eq, Error)]
#[error("line {line}: {reason}")]
pub struct SuiteError {
    pub line: usize,
    pub reason: CaseError,
}

#[derive(Debug, PartialEq, Eq, Error)]
pub enum CaseError {
    #[error(transparent)]
    Fen(#[from] FenError),
    #[error("expected a count such as \";D3 8902\", found {0:?}")]
    Count(String),
    #[error("no counts after the position")]
    NoCounts,
}

/// What became of one case.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Deepest depth that was counted, 0 if every count was above the bounds.
    pub depth: u32,
    /// Deeper counts that were left out.
    pub skipped: usize,
    /// Leaves counted, all depths together.
    pub nodes: u64,
    pub differences: Vec<Difference>,
}

/// A count that is not the published one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub depth: u32,
    pub expected: u64,
    pub found: u64,
}

/// How much of a suite is counted; a depth beyond either bound is left out.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub max_depth: u32,
    /// Most leaves of one count.
    pub max_nodes: u64,
}

/// Reads a suite: one position a line, then `;D1 20 ;D2 400` and so on. Empty lines are skipped.
pub fn parse_suite(text: &str) -> Result<Vec<Case>, SuiteError> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            parse_case(index + 1, line).map_err(|reason| SuiteError { line: index + 1, reason })
        })
        .collect()
}

fn parse_case(line: usize, text: &str) -> Result<Case, CaseError> {
    let mut parts = text.split(';').map(str::trim);
    let fen = parts.next().unwrap_or_default().to_string();
    let position = Position::from_fen(&fen)?;
    let counts = parts
        .map(|part| parse_count(part).ok_or_else(|| CaseError::Count(part.to_string())))
        .collect::<Result<Vec<_>, _>>()?;
    match counts.is_empty() {
        true => Err(CaseError::NoCounts),
        false => Ok(Case { line, fen, position, counts }),
    }
}

fn parse_count(text: &str) -> Option<(u32, u64)> {
    let (depth, count) = text.strip_prefix('D')?.split_once(' ')?;
    Some((depth.parse().ok().filter(|&depth| depth > 0)?, count.trim().parse().ok()?))
}

impl Case {
    /// Counts this case at every depth within the bounds.
    pub fn check(&self, bounds: Bounds) -> Verdict {
        let mut verdict = Verdict::default();
        let mut position = self.position.clone();
        for &(depth, expected) in &self.counts {
            if depth > bounds.max_depth || expected > bounds.max_nodes {
                verdict.skipped += 1;
                continue;
            }
            let found = perft(&mut position, depth);
            verdict.nodes += found;
            verdict.depth = verdict.depth.max(depth);
            if found != expected {
                verdict.differences.push(Difference { depth, expected, found });
            }
        }
        verdict
    }
}

/// Checks all cases on `threads` threads; `report` is told in the order of the cases, and its
/// error ends the work.
pub fn run_suite<E>(
    cases: &[Case],
    bounds: Bounds,
    threads: usize,
    report: impl FnMut(&Case, Verdict) -> Result<(), E>,
) -> Result<(), E> {
    in_order(cases, threads, |case| case.check(bounds), report)
}

/// Works on all items on `threads` threads and reports in the order of the items.
fn in_order<T: Sync, R: Send, E>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
    mut report: impl FnMut(&T, R) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, items.len().max(1)) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                while let index = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(item) = items.get(index)
                {
                    if sender.send((index, work(item))).is_err() {
                        break; // The report has failed: nobody waits for more.
                    }
                }
            });
        }
        drop(sender);
        let mut early: Vec<Option<R>> = items.iter().map(|_| None).collect();
        let mut reported = 0;
        for (index, result) in receiver {
            early[index] = Some(result);
            while let Some(result) = early.get_mut(reported).and_then(Option::take) {
                report(&items[reported], result)?;
                reported += 1;
            }
        }
        Ok(())
    })
}
