//! The pace of moves: however fast they come, the server's limit on requests is kept.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Room for the moves of one minute: a third of them, but one at least, may come at once, the rest
/// evenly, so that no minute has more of them than the limit.
///
/// It is a leaky bucket that keeps a single moment: when it will be empty again.
#[derive(Clone, Debug)]
pub struct Pace {
    /// From one move to the next once the room is used up; `None` without a limit.
    interval: Option<Duration>,
    at_once: u32,
    empty_at: Arc<Mutex<Instant>>,
}

impl Pace {
    /// `per_minute` is the limit, 0 for none.
    pub fn new(per_minute: u32) -> Pace {
        let third = per_minute / 3;
        let interval = (per_minute > 0).then(|| Duration::from_secs(60) / (per_minute - third));
        Pace { interval, at_once: third.max(1), empty_at: Arc::new(Mutex::new(Instant::now())) }
    }

    /// Takes the place of one move, and says how long to wait before it is sent.
    pub fn next_delay(&self) -> Duration {
        let Some(interval) = self.interval else { return Duration::ZERO };
        let (now, room) = (Instant::now(), interval * self.at_once);
        let mut empty_at = self.empty_at.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody whose clock runs out cannot wait: that must not make the others wait for ever.
        *empty_at = (*empty_at).clamp(now, now + room * 2) + interval;
        empty_at.saturating_duration_since(now + room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn no_minute_has_more_moves_than_the_limit_and_none_is_kept_for_long() {
        let pace = Pace::new(180);
        let mut sent: Vec<Instant> = Vec::new();
        for number in 0..600 {
            let delay = pace.next_delay();
            assert!(number >= 60 || delay.is_zero(), "move {number} waits for {delay:?}");
            assert!(delay <= Duration::from_millis(500), "move {number} waits for {delay:?}");
            tokio::time::advance(delay).await;
            sent.push(Instant::now());
        }
        for window in sent.windows(181) {
            assert!(window[180] - window[0] >= Duration::from_secs(60), "{:?}", window[180] - window[0]);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_move_never_waits_however_low_the_limit() {
        for per_minute in [1, 2, 3] {
            let pace = Pace::new(per_minute);
            assert_eq!(pace.next_delay(), Duration::ZERO, "{per_minute}");
            let spacing = Duration::from_secs(60) / per_minute.min(2);
            for _ in 0..5 {
                let delay = pace.next_delay();
                assert_eq!(delay, spacing, "{per_minute}");
                tokio::time::advance(delay).await;
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn quiet_times_make_room_again() {
        let pace = Pace::new(180);
        for _ in 0..60 {
            assert_eq!(pace.next_delay(), Duration::ZERO);
        }
        assert!(pace.next_delay() > Duration::ZERO);
        tokio::time::advance(Duration::from_secs(31)).await;
        for _ in 0..60 {
            assert_eq!(pace.next_delay(), Duration::ZERO);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn those_who_do_not_wait_cost_the_others_a_bounded_time() {
        let pace = Pace::new(180);
        let longest = (0..1_000).map(|_| pace.next_delay()).max();
        assert!(longest < Some(Duration::from_secs(31)), "{longest:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_limit_nothing_waits() {
        let pace = Pace::new(0);
        assert!((0..1_000).all(|_| pace.next_delay().is_zero()));
    }
}
