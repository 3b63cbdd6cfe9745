//! From the limits of `go` to the limits of a search.

use super::command::Go;
use crate::engine::clock::{Clock, SHORTEST};
use crate::engine::{Color, Limits};
use std::time::Duration;

impl Go {
    /// Whether the search may go on for ever, so that only `stop` ends it.
    pub fn is_endless(&self) -> bool {
        let has_limit = self.depth.is_some()
            || self.nodes.is_some()
            || self.mate.is_some()
            || self.move_time.is_some()
            || self.time.iter().any(Option::is_some);
        self.infinite || !has_limit
    }
}

/// The limits of the search; `overhead` is what a move costs beyond thinking.
///
/// None if there is a clock, but not of the side to move.
pub fn limits(go: &Go, us: Color, overhead: Duration) -> Option<Limits> {
    let mut limits = Limits { nodes: go.nodes, depth: go.depth, ..Limits::default() };
    if go.infinite {
        return Some(limits);
    }
    if go.time.iter().any(Option::is_some) {
        let clock = Clock {
            remaining: go.time[us.to_index()]?,
            increment: go.increment[us.to_index()],
            moves_to_go: go.moves_to_go.filter(|&moves| moves > 0),
            overhead,
        };
        let (soft, hard) = clock.bounds();
        (limits.soft, limits.hard) = (Some(soft), Some(hard));
    }
    if let Some(move_time) = go.move_time {
        let most = move_time.saturating_sub(overhead).max(SHORTEST);
        limits.hard = Some(limits.hard.map_or(most, |hard| hard.min(most)));
    }
    Some(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(10);
    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn of_white(go: &Go) -> Limits {
        limits(go, Color::White, OVERHEAD).expect("limits")
    }

    #[test]
    fn each_side_has_its_own_clock() {
        let go = Go { time: [Some(MS(60_000)), Some(MS(1_000))], ..Go::default() };
        let (white, black) = (of_white(&go), limits(&go, Color::Black, OVERHEAD).expect("limits"));
        assert!(white.hard > black.hard && black.hard < Some(MS(1_000)), "{white:?} {black:?}");
        let go = Go { time: [None, Some(MS(1_000))], ..Go::default() };
        assert_eq!(limits(&go, Color::White, OVERHEAD), None, "a clock, but not ours");
    }

    #[test]
    fn the_time_for_a_move_is_used_up_but_for_the_overhead() {
        for (time, hard) in [(500, 490), (11, 1), (10, 1), (0, 1)] {
            let limits = of_white(&Go { move_time: Some(MS(time)), ..Go::default() });
            assert_eq!((limits.soft, limits.hard), (None, Some(MS(hard))), "movetime {time}");
        }
        let both = Go { move_time: Some(MS(50)), time: [Some(MS(60_000)); 2], ..Go::default() };
        assert_eq!(of_white(&both).hard, Some(MS(40)), "the tighter of the two");
    }

    #[test]
    fn only_a_limit_ends_a_search() {
        let time = [Some(MS(5)); 2];
        for (go, is_endless) in [
            (Go::default(), true),
            (Go { ponder: true, ..Go::default() }, true),
            (Go { infinite: true, depth: Some(3), ..Go::default() }, true),
            (Go { depth: Some(3), ..Go::default() }, false),
            (Go { nodes: Some(3), ..Go::default() }, false),
            (Go { mate: Some(3), ..Go::default() }, false),
            (Go { move_time: Some(MS(3)), ..Go::default() }, false),
            (Go { time, ..Go::default() }, false),
        ] {
            assert_eq!(go.is_endless(), is_endless, "{go:?}");
        }
        let infinite = Go { infinite: true, time, ..Go::default() };
        assert_eq!(of_white(&infinite), Limits::default(), "no clock binds an infinite search");
    }
}
