//! Requests that are not moves: repeated a few times, and never in a move's way.

use crate::lichess::{Backoff, Error};
use std::future::{Future, pending};
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// Tries of one request.
pub const TRIES: usize = 5;

/// A pause that is longer than this outlives what is asked for: a challenge, an offer, a greeting.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(90);

/// Pauses between the tries.
pub fn pauses() -> Backoff {
    Backoff::new(Duration::from_millis(300), Duration::from_secs(5))
}

/// Repeats a request that may yet get through, a few times.
pub async fn persist<F>(request: impl Fn() -> F) -> Result<(), Error>
where
    F: Future<Output = Result<(), Error>>,
{
    let mut pauses = pauses();
    for _ in 1..TRIES {
        match request().await {
            Err(Error::RateLimited { until, .. }) if until <= Instant::now() + LONGEST_PAUSE => {
                sleep_until(until).await;
            }
            limited @ Err(Error::RateLimited { .. }) => return limited,
            Err(error) if error.is_retriable() => sleep(pauses.next_delay()).await,
            done => return done,
        }
    }
    request().await
}

/// Waits until `moment`, for ever without one.
pub async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    /// Fails `failures` times, then succeeds; tells how often it was asked.
    async fn tries(failures: usize, error: impl Fn() -> Error) -> (Result<(), Error>, usize) {
        let asked = AtomicUsize::new(0);
        let done = persist(|| {
            let fails = asked.fetch_add(1, Relaxed) < failures;
            let answer = if fails { Err(error()) } else { Ok(()) };
            async { answer }
        })
        .await;
        (done, asked.into_inner())
    }

    fn limited(seconds: u64) -> Error {
        let until = Instant::now() + Duration::from_secs(seconds);
        Error::RateLimited { until, reason: String::new(), quota: None }
    }

    #[tokio::test(start_paused = true)]
    async fn weather_and_short_limits_are_waited_out_and_refusals_are_not() {
        let begun = Instant::now();
        assert_eq!(tries(2, || limited(60)).await, (Ok(()), 3));
        assert!(begun.elapsed() >= Duration::from_secs(120));
        assert_eq!(tries(4, || Error::Offline("reset".into())).await, (Ok(()), 5));
        let (done, asked) = tries(9, || Error::Offline("reset".into())).await;
        assert!(done.is_err() && asked == TRIES, "{done:?} after {asked}");
        let refused = || Error::Rejected { status: 404, text: "Not found".into() };
        assert_eq!(tries(9, refused).await, (Err(refused()), 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_that_lasts_for_hours_is_not_waited_for() {
        let begun = Instant::now();
        let (done, asked) = tries(9, || limited(41_234)).await;
        assert!(matches!(done, Err(Error::RateLimited { .. })) && asked == 1, "{done:?} after {asked}");
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }
}
