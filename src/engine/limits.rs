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

impl Limits {
    /// The same limits, with caps on nodes and depth of which 0 is no cap.
    pub fn capped(self, nodes: u64, depth: u8) -> Limits {
        Limits { nodes: least(self.nodes, nodes), depth: least(self.depth, depth), ..self }
    }
}

fn least<T: Ord + Default>(limit: Option<T>, cap: T) -> Option<T> {
    let cap = (cap > T::default()).then_some(cap);
    limit.into_iter().chain(cap).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tighter_of_limit_and_cap_binds() {
        for (limit, cap, wanted) in [
            (None, 0, None),
            (Some(5), 0, Some(5)),
            (None, 7, Some(7)),
            (Some(5), 7, Some(5)),
            (Some(9), 7, Some(7)),
        ] {
            let limits = Limits { nodes: limit, ..Limits::default() };
            assert_eq!(limits.capped(cap, 0).nodes, wanted, "limit {limit:?}, cap {cap}");
        }
    }
}
