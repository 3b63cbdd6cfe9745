//! A stream that is always open again: the events of one route, through cuts, stalls and refusals.

use crate::lichess::{Backoff, Error, EventStream, Line};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};

type Opening<T> = Pin<Box<dyn Future<Output = Result<EventStream<T>, Error>> + Send>>;

/// What happened on a feed.
#[derive(Debug)]
pub enum Signal<T> {
    /// The stream is open, for the first time or again.
    Opened,
    Event(T),
    /// The stream ended or could not be opened; it is tried again after this time.
    Lost {
        reason: String,
        retry_in: Duration,
    },
}

/// Delay before the first try to open a lost stream again.
const FIRST_DELAY: Duration = Duration::from_millis(250);

/// How patiently a lost stream is opened again.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Longest delay between two tries.
    pub cap: Duration,
    /// A stream that lived this long is no sign of trouble: the next delay starts small again.
    pub stable: Duration,
}

enum Link<T> {
    Down(Pin<Box<Sleep>>),
    Opening(Opening<T>),
    Up { stream: EventStream<T>, since: Instant },
}

/// Keeps one stream open.
pub struct Feed<T> {
    open: Box<dyn Fn() -> Opening<T> + Send>,
    is_final: fn(&Error) -> bool,
    stable: Duration,
    link: Link<T>,
    backoff: Backoff,
}

impl<T: Line> Feed<T> {
    /// `open` opens the stream once; `is_final` knows the errors after which there is no point in
    /// another try.
    pub fn new<F>(
        patience: Patience,
        is_final: fn(&Error) -> bool,
        open: impl Fn() -> F + Send + 'static,
    ) -> Feed<T>
    where
        F: Future<Output = Result<EventStream<T>, Error>> + Send + 'static,
    {
        let open = Box::new(move || -> Opening<T> { Box::pin(open()) });
        Feed {
            link: Link::Opening(open()),
            is_final,
            open,
            stable: patience.stable,
            backoff: Backoff::new(FIRST_DELAY, patience.cap),
        }
    }

    /// The next thing that happens. Cancel-safe: nothing is lost when the future is dropped.
    ///
    /// # Errors
    /// Only what is final for this feed, such as a refused token.
    pub async fn next(&mut self) -> Result<Signal<T>, Error> {
        loop {
            match &mut self.link {
                Link::Down(pause) => {
                    pause.as_mut().await;
                    self.link = Link::Opening((self.open)());
                }
                Link::Opening(opening) => match opening.as_mut().await {
                    Ok(stream) => {
                        self.link = Link::Up { stream, since: Instant::now() };
                        return Ok(Signal::Opened);
                    }
                    Err(error) => return self.lost(Some(error)),
                },
                Link::Up { stream, since } => match stream.next().await {
                    Ok(Some(event)) => return Ok(Signal::Event(event)),
                    ended => {
                        if since.elapsed() > self.stable {
                            self.backoff.reset();
                        }
                        return self.lost(ended.err());
                    }
                },
            }
        }
    }

    /// Opens the stream anew at once: the server closes the old one.
    pub fn reopen(&mut self) {
        self.link = Link::Opening((self.open)());
    }

    fn lost(&mut self, error: Option<Error>) -> Result<Signal<T>, Error> {
        let error = match error {
            Some(error) if (self.is_final)(&error) => return Err(error),
            error => error,
        };
        let retry_in = match &error {
            Some(Error::RateLimited { until, .. }) => until.saturating_duration_since(Instant::now()),
            _ => self.backoff.next_delay(),
        };
        self.link = Link::Down(Box::pin(sleep(retry_in)));
        let reason = error.map_or("the server closed the stream".to_string(), |error| error.to_string());
        Ok(Signal::Lost { reason, retry_in })
    }
}
