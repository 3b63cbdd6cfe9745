//! From a clock to the soft and hard bound of one move.

use std::time::Duration;

/// Moves that the rest of the game is expected to take.
const MOVES_TO_GO: u32 = 26;
/// No time is reserved for moves beyond these.
const MOST_MOVES_RESERVED: u32 = 60;
/// No search is asked to be shorter than this.
pub const SHORTEST: Duration = Duration::from_millis(1);

/// Our clock when it is our turn.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    pub remaining: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves until more time is added, this one included; none if the time is for all of the game.
    pub moves_to_go: Option<u32>,
    /// What a move costs beyond thinking.
    pub overhead: Duration,
}

impl Clock {
    /// Soft and hard bound on thinking: a share of what is left, and a few such shares.
    pub fn bounds(&self) -> (Duration, Duration) {
        let usable = self.remaining.saturating_sub(self.reserve());
        let moves = self.moves_to_go.unwrap_or(MOVES_TO_GO).clamp(1, MOVES_TO_GO);
        let share = usable / moves + self.increment * 3 / 4;
        // The last move before more time is added may take nearly all, any other a good part.
        let most = usable * 4 / if moves == 1 { 5 } else { 10 };
        // The overhead comes out of the move's share.
        let soft = share.saturating_sub(self.overhead).min(most * 5 / 6).max(SHORTEST);
        let hard = (soft * 4).min(most).max(SHORTEST);
        (soft, hard)
    }

    /// What must be left for this move's overhead, and for the quickest of moves until more time is added.
    fn reserve(&self) -> Duration {
        match self.moves_to_go {
            Some(moves) => (self.overhead + SHORTEST) * moves.clamp(1, MOST_MOVES_RESERVED),
            None => self.overhead,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(remaining_ms: u64, increment_ms: u64, moves_to_go: Option<u32>) -> Clock {
        Clock {
            remaining: Duration::from_millis(remaining_ms),
            increment: Duration::from_millis(increment_ms),
            moves_to_go,
            overhead: Duration::from_millis(10),
        }
    }

    #[test]
    fn no_bound_outlasts_the_clock() {
        for remaining in [0, 1, 9, 10, 12, 50, 100, 1_000, 60_000, 10_800_000, u64::from(u32::MAX)] {
            for increment in [0, 10, 1_000, 180_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let clock = clock(remaining, increment, moves_to_go);
                    let (soft, hard) = clock.bounds();
                    assert!(soft <= hard, "{clock:?}: {soft:?} {hard:?}");
                    let left = clock.remaining.saturating_sub(clock.overhead);
                    assert!(hard <= left.max(SHORTEST), "{clock:?}: {hard:?}");
                }
            }
        }
    }

    /// Plays `moves` moves that each take their hard bound and the overhead.
    fn outlasts(mut clock: Clock, moves: u32) {
        for move_number in 0..moves {
            let (_, hard) = clock.bounds();
            let spent = hard + clock.overhead;
            clock.remaining = clock.remaining.checked_sub(spent).unwrap_or_else(|| {
                panic!("move {move_number} takes {spent:?} of {:?}", clock.remaining);
            });
            clock.remaining += clock.increment;
            clock.moves_to_go = clock.moves_to_go.map(|moves| moves - 1);
        }
    }

    #[test]
    fn even_the_longest_thoughts_keep_the_flag_up() {
        outlasts(clock(1_000, 12, None), 300);
        outlasts(clock(60_000, 1_000, None), 300);
        outlasts(clock(10_000, 0, Some(40)), 40);
        outlasts(clock(1_000, 0, Some(1)), 1);
    }

    #[test]
    fn the_last_move_before_more_time_may_take_most_of_it() {
        let (soft, hard) = clock(10_010, 0, Some(1)).bounds();
        assert!(soft > Duration::from_secs(6) && hard <= Duration::from_secs(8), "{soft:?} {hard:?}");
        let (soft, _) = clock(10_010, 0, Some(20)).bounds();
        assert!(soft < Duration::from_secs(1), "{soft:?}");
    }
}
