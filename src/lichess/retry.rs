//! Patience: delays that grow, and gates that a 429 closes for one kind of call.

use super::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// After a 429 without numbers the server wants a full minute of silence.
pub const DEFAULT_PAUSE: Duration = Duration::from_secs(60);

/// Delays between tries: doubling from `first` to `cap`, each with up to half of it taken off at
/// random, so that many clients do not come back in step.
#[derive(Clone, Debug)]
pub struct Backoff {
    first: Duration,
    cap: Duration,
    next: Duration,
}

impl Backoff {
    pub fn new(first: Duration, cap: Duration) -> Backoff {
        Backoff { first, cap, next: first }
    }

    /// How long to wait before the next try.
    pub fn next_delay(&mut self) -> Duration {
        let delay = self.next.min(self.cap);
        self.next = (delay * 2).min(self.cap);
        delay.mul_f64(0.5 + fastrand::f64() / 2.0)
    }

    /// It worked: the next trouble starts with a short delay again.
    pub fn reset(&mut self) {
        self.next = self.first;
    }
}

/// Kinds of calls that the server counts apart: trouble with one leaves the others open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Move,
    GameAction,
    Chat,
    /// Answers to challenges of others.
    Challenge,
    /// Challenges of ours, which have a budget of their own.
    Offer,
    Account,
    /// Public lists.
    List,
    EventStream,
    GameStream,
}

const KINDS: usize = 9;

/// Until when a gate is closed, and why.
type Closed = Option<(Instant, String)>;

/// For each kind of call, the moment before which the server wants none, and why.
#[derive(Clone, Debug, Default)]
pub struct Gates {
    closed: Arc<Mutex<[Closed; KINDS]>>,
}

impl Gates {
    /// # Errors
    /// `RateLimited` while the gate of this kind is closed.
    pub fn pass(&self, kind: Kind) -> Result<(), Error> {
        let closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        match &closed[kind as usize] {
            Some((until, reason)) if *until > Instant::now() => {
                Err(Error::RateLimited { until: *until, reason: reason.clone(), quota: None })
            }
            _ => Ok(()),
        }
    }

    /// Closes the gate of this kind if the error says so. A quota for some of the calls, such as games
    /// against bots in a day, closes it for a minute only: humans may still be answered all day.
    pub fn note(&self, kind: Kind, error: &Error) {
        let Error::RateLimited { until, reason, quota } = error else { return };
        let until = match quota {
            Some(_) => (*until).min(Instant::now() + DEFAULT_PAUSE),
            None => *until,
        };
        let mut closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        let gate = &mut closed[kind as usize];
        // Of two calls that were on their way together, the longer pause counts.
        if gate.as_ref().is_none_or(|(earlier, _)| *earlier < until) {
            *gate = Some((until, reason.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_the_cap_with_jitter_and_start_anew() {
        let mut backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(5));
        for most in [1, 2, 4, 5, 5] {
            let (delay, most) = (backoff.next_delay(), Duration::from_secs(most));
            assert!(delay >= most / 2 && delay <= most, "{delay:?} of {most:?}");
        }
        backoff.reset();
        assert!(backoff.next_delay() <= Duration::from_secs(1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_closed_gate_stops_its_own_kind_only_and_opens_in_time() {
        let gates = Gates::default();
        let until = Instant::now() + Duration::from_secs(60);
        gates.note(Kind::Chat, &limited(until, None));
        gates.note(Kind::Chat, &limited(until - Duration::from_secs(30), None));
        assert!(matches!(gates.pass(Kind::Chat), Err(Error::RateLimited { until: u, .. }) if u == until));
        assert_eq!(gates.pass(Kind::Move), Ok(()));
        tokio::time::advance(Duration::from_secs(61)).await;
        assert_eq!(gates.pass(Kind::Chat), Ok(()));
    }

    fn limited(until: Instant, quota: Option<&str>) -> Error {
        Error::RateLimited { until, reason: "slow".into(), quota: quota.map(str::to_string) }
    }

    #[tokio::test(start_paused = true)]
    async fn a_quota_that_lasts_for_hours_closes_the_gate_for_a_minute() {
        let gates = Gates::default();
        let tomorrow = Instant::now() + Duration::from_secs(41_234);
        gates.note(Kind::Challenge, &limited(tomorrow, Some("bot.vsBot.day")));
        assert!(gates.pass(Kind::Challenge).is_err());
        tokio::time::advance(Duration::from_secs(61)).await;
        assert_eq!(gates.pass(Kind::Challenge), Ok(()), "humans may be answered");
        gates.note(Kind::Challenge, &limited(tomorrow, None));
        tokio::time::advance(Duration::from_secs(41_000)).await;
        assert!(gates.pass(Kind::Challenge).is_err(), "a limit on everything holds to its end");
    }
}
