//! How long one search may go on.

use std::time::Duration;

/// Bounds of one search; a bound that is `None` does not bind.
///
/// Times count from the moment the search is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// After this no new iteration is begun.
    pub soft: Option<Duration>,
    /// After this the search returns at once with what it has.
    pub hard: Option<Duration>,
    /// Most nodes visited.
    pub nodes: Option<u64>,
    /// Most plies of nominal depth.
    pub depth: Option<u8>,
}
