//! Accepting a challenge: what can be known of it afterwards.

use super::Stop;
use super::errand::{LONGEST_PAUSE, TRIES, pauses};
use crate::lichess::{Client, Error, GameId};
use std::future::Future;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// How our acceptance of a challenge ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Acceptance {
    /// The game starts.
    Taken,
    /// Perhaps it starts: an answer was lost. That the server knows no such open challenge afterwards
    /// says no more, since it says so after an acceptance that it took, too.
    Uncertain(Error),
    /// It does not start. The server takes acceptances again at this moment.
    Limited(Instant),
    /// It does not start.
    Refused(Error),
    /// It was not sent, because the service is about to stop.
    CalledOff,
}

/// Accepts a challenge, unless the service takes no more games.
pub async fn accept(client: &Client, id: &GameId, stop: &watch::Receiver<Stop>) -> Acceptance {
    persist(|| client.accept_challenge(id), || *stop.borrow() == Stop::Running).await
}

async fn persist<F>(request: impl Fn() -> F, is_wanted: impl Fn() -> bool) -> Acceptance
where
    F: Future<Output = Result<(), Error>>,
{
    let mut pauses = pauses();
    let mut lost = None;
    for _ in 0..TRIES {
        if lost.is_some() {
            sleep(pauses.next_delay()).await;
        }
        if !is_wanted() {
            break;
        }
        match request().await {
            Ok(()) => return Acceptance::Taken,
            Err(error @ Error::Rejected { status: 404, .. }) if lost.is_some() => {
                return Acceptance::Uncertain(error);
            }
            Err(error @ Error::RateLimited { .. }) => return limited(error, lost),
            Err(error) if error.is_retriable() => lost = Some(error),
            Err(error) => return Acceptance::Refused(error),
        }
    }
    lost.map_or(Acceptance::CalledOff, Acceptance::Uncertain)
}

/// `lost`: an earlier try ended without an answer, and may have been taken.
fn limited(error: Error, lost: Option<Error>) -> Acceptance {
    match (lost, &error) {
        (Some(lost), _) => Acceptance::Uncertain(lost),
        (None, Error::RateLimited { until, .. })
            if !error.is_bot_quota() && *until <= Instant::now() + LONGEST_PAUSE =>
        {
            Acceptance::Limited(*until)
        }
        (None, _) => Acceptance::Refused(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::time::Duration;

    /// Gives these answers in turn; tells how many were asked for.
    async fn after(answers: Vec<Result<(), Error>>, tries: usize) -> (Acceptance, usize) {
        let asked = Mutex::new(0);
        let acceptance = persist(
            || {
                let mut asked = asked.lock().expect("no panic before");
                let answer = answers[*asked].clone();
                *asked += 1;
                async { answer }
            },
            || *asked.lock().expect("no panic before") < tries,
        )
        .await;
        (acceptance, asked.into_inner().expect("no panic before"))
    }

    fn rejected(status: u16) -> Error {
        Error::Rejected { status, text: "no".to_string() }
    }

    fn limit(seconds: u64) -> Error {
        let until = Instant::now() + Duration::from_secs(seconds);
        Error::RateLimited { until, reason: String::new(), quota: None }
    }

    /// Some acceptances are limited for a while, all others are not.
    fn quota(key: &str) -> Error {
        let until = Instant::now() + Duration::from_secs(60);
        Error::RateLimited { until, reason: String::new(), quota: Some(key.to_string()) }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_known_afterwards_depends_on_the_answers() {
        use Acceptance::*;
        let reset = || Error::Offline("reset".to_string());
        let in_a_minute = Instant::now() + Duration::from_secs(60);
        for (answers, expected, asked) in [
            (vec![Ok(())], Taken, 1),
            (vec![Err(reset()), Ok(())], Taken, 2),
            (vec![Err(rejected(502)), Err(rejected(404))], Uncertain(rejected(404)), 2),
            (vec![Err(rejected(404))], Refused(rejected(404)), 1),
            (vec![Err(reset()); 5], Uncertain(reset()), 5),
            (vec![Err(rejected(400))], Refused(rejected(400)), 1),
            (vec![Err(limit(60))], Limited(in_a_minute), 1),
            (vec![Err(quota("bot.vsBot.day"))], Refused(quota("bot.vsBot.day")), 1),
            (vec![Err(quota("challenge.minute"))], Limited(in_a_minute), 1),
            (vec![Err(limit(41_234))], Refused(limit(41_234)), 1),
            (vec![Err(reset()), Err(limit(41_234))], Uncertain(reset()), 2),
        ] {
            assert_eq!(after(answers.clone(), TRIES).await, (expected, asked), "{answers:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_try_is_the_end() {
        let begun = Instant::now();
        let reset = Error::Offline("reset".to_string());
        assert_eq!(
            after(vec![Err(reset.clone()); TRIES], TRIES).await,
            (Acceptance::Uncertain(reset), TRIES)
        );
        // The four pauses between five tries.
        let most = [300, 600, 1_200, 2_400].map(Duration::from_millis).iter().sum();
        assert!(begun.elapsed() <= most, "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_sent_once_the_service_is_about_to_stop() {
        assert_eq!(after(vec![Ok(())], 0).await, (Acceptance::CalledOff, 0));
        let reset = Error::Offline("reset".to_string());
        let answers = vec![Err(reset.clone()), Ok(())];
        assert_eq!(after(answers, 1).await, (Acceptance::Uncertain(reset), 1));
    }
}
