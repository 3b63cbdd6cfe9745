//! Requests that are not moves: repeated a few times, and never in a move's way.

use crate::lichess::{Backoff, Error};
use std::future::{Future, pending};
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// Tries of one request.
const TRIES: usize = 5;

/// Repeats a request that may yet get through, a few times.
pub async fn persist<F>(request: impl Fn() -> F) -> Result<(), Error>
where
    F: Future<Output = Result<(), Error>>,
{
    let mut backoff = Backoff::new(Duration::from_millis(300), Duration::from_secs(5));
    for _ in 1..TRIES {
        match request().await {
            Err(Error::RateLimited { until, .. }) => sleep_until(until).await,
            Err(error) if error.is_retriable() => sleep(backoff.next_delay()).await,
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
