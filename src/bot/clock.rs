//! From the server's clock and the measured lag to the limits of one search.

use crate::engine::clock::{Clock, SHORTEST};
use crate::engine::{EngineOptions, Limits};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// Think at most about this long where no clock presses: correspondence and unlimited games.
const UNHURRIED: Duration = Duration::from_secs(5);
/// Think at most this long on a move that is made before the clocks run.
const FIRST_MOVE: Duration = Duration::from_secs(1);

/// What one of our clocks says when it is our turn.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// Left when the state was made; `None` in an unlimited game.
    pub remaining: Option<Duration>,
    pub increment: Duration,
    /// Correspondence: the whole turn is ours, but nobody wants it used up.
    pub is_correspondence: bool,
    /// Plies played in the game; the clocks run from the third on.
    pub plies: usize,
    /// The server ends the game after this time if our first move is missing.
    pub first_move_expires_in: Option<Duration>,
    /// Passed since the state arrived.
    pub since_arrival: Duration,
    /// Lost on every move on the way to the server.
    pub overhead: Duration,
}

/// The limits of the search for one move.
pub fn limits(situation: &Situation, options: &EngineOptions) -> Limits {
    let (soft, hard) = think_time(situation);
    Limits {
        soft: Some(soft),
        hard: Some(hard),
        nodes: (options.nodes > 0).then_some(options.nodes),
        depth: (options.depth > 0).then_some(options.depth),
    }
}

/// Soft and hard bound on thinking.
fn think_time(situation: &Situation) -> (Duration, Duration) {
    let remaining = match situation.remaining {
        Some(remaining) if !situation.is_correspondence => remaining,
        remaining => {
            let most = remaining.map_or(UNHURRIED, |left| UNHURRIED.min(left / 20));
            return (most.max(SHORTEST), (most * 2).max(SHORTEST));
        }
    };
    let clock = Clock {
        remaining: remaining.saturating_sub(situation.since_arrival),
        increment: situation.increment,
        moves_to_go: None,
        overhead: situation.overhead,
    };
    let (soft, hard) = clock.bounds();
    if situation.plies >= 2 {
        return (soft, hard);
    }
    let expires = situation.first_move_expires_in.map_or(FIRST_MOVE, |left| left / 4);
    let most = FIRST_MOVE.min(expires).max(SHORTEST);
    (soft.min(most), hard.min(most * 2))
}

/// How much of our clock the sending of a move may take: less and less as the flag comes closer.
#[derive(Clone, Copy, Debug)]
pub struct Hurry {
    /// When our flag falls, or our time for a first move ends; `None` while neither runs.
    pub flag_at: Option<Instant>,
    /// Lost on every move on the way to the server.
    pub overhead: Duration,
}

/// An answer to a move is waited for at least this long.
const QUICKEST_ANSWER: Duration = Duration::from_millis(500);
/// Ways to the server and back that one attempt may need: a connection that was lost is made anew, with
/// TLS, before the move goes out.
const ROUND_TRIPS: u32 = 4;
/// The shortest pause before another try.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);

impl Hurry {
    /// How long to wait for the answer to one attempt: a quarter of what is left, so that others can
    /// follow, but long enough to connect again and for an answer that is on its way.
    pub fn attempt(&self) -> Duration {
        self.share(4).max(QUICKEST_ANSWER).max(self.overhead * ROUND_TRIPS)
    }

    /// How long an attempt may be put off, for whatever reason but the server's own word.
    pub fn pause(&self) -> Duration {
        self.share(10).max(SHORTEST_PAUSE)
    }

    fn share(&self, parts: u32) -> Duration {
        let left = |flag_at: Instant| flag_at.saturating_duration_since(Instant::now());
        self.flag_at.map_or(Duration::MAX, |flag_at| left(flag_at) / parts)
    }
}

/// What the moves of one game lose on their way, and the overhead to keep back because of it.
///
/// It is measured twice: by the answers to our moves, and by what the server took off our clock beyond
/// our thinking. The server forgives some lag, and its answers may be slow; the worse of both counts.
#[derive(Debug)]
pub struct Lag {
    floor: Duration,
    round_trips: Recent,
    charges: Recent,
}

/// Kept back beyond what was measured.
const MARGIN: Duration = Duration::from_millis(20);

impl Lag {
    pub fn new(floor: Duration) -> Lag {
        Lag { floor, round_trips: Recent::default(), charges: Recent::default() }
    }

    /// A move was known to be taken this long after it was first sent.
    pub fn observe_round_trip(&mut self, time: Duration) {
        self.round_trips.push(time);
    }

    /// The server took this off our clock beyond our thinking.
    pub fn observe_charge(&mut self, time: Duration) {
        self.charges.push(time);
    }

    /// Overhead of a move: what the second slowest of the recent moves lost with a margin, and at least
    /// the floor.
    ///
    /// The state's way to us and the move's way to the server make one round trip together.
    pub fn overhead(&self) -> Duration {
        let measured = self.round_trips.high().max(self.charges.high());
        measured.map_or(self.floor, |high| self.floor.max(high + MARGIN))
    }
}

/// The latest times of one kind.
#[derive(Debug, Default)]
struct Recent(VecDeque<Duration>);

/// How many are remembered.
const REMEMBERED: usize = 16;
/// What took longer was an outage: no time that is kept back helps against that.
const LONGEST_LAG: Duration = Duration::from_secs(2);

impl Recent {
    fn push(&mut self, time: Duration) {
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(time.min(LONGEST_LAG));
    }

    /// The second slowest.
    fn high(&self) -> Option<Duration> {
        let mut sorted: Vec<Duration> = self.0.iter().copied().collect();
        sorted.sort_unstable();
        sorted.iter().rev().nth(1).or(sorted.last()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn situation(remaining_ms: u64, increment_ms: u64) -> Situation {
        Situation {
            remaining: Some(Duration::from_millis(remaining_ms)),
            increment: Duration::from_millis(increment_ms),
            is_correspondence: false,
            plies: 20,
            first_move_expires_in: None,
            since_arrival: Duration::ZERO,
            overhead: Duration::from_millis(100),
        }
    }

    #[test]
    fn a_search_never_outlasts_the_clock() {
        for remaining in [0, 1, 50, 99, 100, 101, 200, 500, 1_000, 3_000, 60_000, 10_800_000] {
            for increment in [0, 1_000, 10_000, 180_000] {
                for plies in [0, 1, 2, 80] {
                    let situation = Situation { plies, ..situation(remaining, increment) };
                    let (soft, hard) = think_time(&situation);
                    assert!(soft <= hard, "{situation:?}");
                    let left = Duration::from_millis(remaining).saturating_sub(situation.overhead);
                    assert!(hard <= left.max(SHORTEST), "{situation:?}: {hard:?}");
                }
            }
        }
    }

    #[test]
    fn bullet_without_increment_lasts_a_long_game() {
        let mut left = Duration::from_secs(60);
        for _ in 0..100 {
            let situation = Situation { remaining: Some(left), ..situation(0, 0) };
            let (soft, _) = think_time(&situation);
            // What the way to the server really costs here.
            left = left.checked_sub(soft + Duration::from_millis(60)).expect("time for 100 moves");
        }
    }

    #[test]
    fn an_increment_is_used_but_not_overdrawn() {
        let (soft, hard) = think_time(&situation(3_000, 2_000));
        assert!(
            soft > Duration::from_millis(900) && hard <= Duration::from_millis(1_200),
            "{soft:?} {hard:?}"
        );
    }

    #[test]
    fn time_already_gone_since_the_state_arrived_counts() {
        let fresh = think_time(&situation(10_000, 0)).0;
        let late = think_time(&Situation { since_arrival: Duration::from_secs(8), ..situation(10_000, 0) });
        assert!(late.0 < fresh / 2, "{late:?} against {fresh:?}");
        let asleep = Situation { since_arrival: Duration::from_secs(60), ..situation(10_000, 0) };
        assert_eq!(think_time(&asleep), (SHORTEST, SHORTEST));
    }

    #[test]
    fn moves_before_the_clocks_run_are_quick_and_in_time() {
        let first = Situation { plies: 0, ..situation(600_000, 0) };
        assert!(think_time(&first).1 <= FIRST_MOVE * 2);
        let expiring = Situation { first_move_expires_in: Some(Duration::from_secs(1)), ..first };
        assert!(think_time(&expiring).1 <= Duration::from_millis(500));
    }

    #[tokio::test(start_paused = true)]
    async fn attempts_get_shorter_as_the_flag_comes_closer() {
        let overhead = Duration::from_millis(100);
        for (left_ms, attempt_ms, pause_ms) in
            [(60_000, 15_000, 6_000), (4_000, 1_000, 400), (1_000, 500, 100), (0, 500, 100)]
        {
            let hurry = Hurry { flag_at: Some(Instant::now() + Duration::from_millis(left_ms)), overhead };
            assert_eq!(hurry.attempt(), Duration::from_millis(attempt_ms), "{left_ms} ms left");
            assert_eq!(hurry.pause(), Duration::from_millis(pause_ms), "{left_ms} ms left");
        }
        let far_away = Hurry { flag_at: Some(Instant::now()), overhead: Duration::from_millis(700) };
        assert_eq!(far_away.attempt(), Duration::from_millis(2_800), "it takes longer to connect here");
        assert_eq!(Hurry { flag_at: None, overhead }.attempt(), Duration::MAX);
    }

    #[test]
    fn without_a_pressing_clock_thinking_is_bounded() {
        let days = Situation { is_correspondence: true, ..situation(259_200_000, 0) };
        let unlimited = Situation { remaining: None, ..situation(0, 0) };
        for situation in [days, unlimited] {
            assert_eq!(think_time(&situation), (UNHURRIED, UNHURRIED * 2), "{situation:?}");
        }
        let last_minute = Situation { is_correspondence: true, ..situation(20_000, 0) };
        assert!(think_time(&last_minute).1 <= Duration::from_secs(2));
    }

    #[test]
    fn overhead_follows_what_moves_lose_but_not_a_single_one() {
        for observe in [Lag::observe_round_trip, Lag::observe_charge] {
            let mut lag = Lag::new(Duration::from_millis(100));
            assert_eq!(lag.overhead(), Duration::from_millis(100));
            for _ in 0..10 {
                observe(&mut lag, Duration::from_millis(30));
            }
            observe(&mut lag, Duration::from_secs(3));
            assert_eq!(lag.overhead(), Duration::from_millis(100), "one outlier");
            for _ in 0..3 {
                observe(&mut lag, Duration::from_millis(300));
            }
            assert_eq!(lag.overhead(), Duration::from_millis(320));
            for _ in 0..2 {
                observe(&mut lag, Duration::from_secs(600));
            }
            assert_eq!(lag.overhead(), LONGEST_LAG + MARGIN, "an outage is no lag");
            for _ in 0..REMEMBERED {
                observe(&mut lag, Duration::ZERO);
            }
            assert_eq!(lag.overhead(), Duration::from_millis(100), "forgotten");
        }
    }
}
