//! One open NDJSON stream: lines in, bytes of a chunked body out, with keep-alives in between.

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use thiserror::Error;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

/// Unsent lines that the server keeps for one stream; beyond it the oldest is lost.
const MOST_UNSENT: usize = 32;

/// How a stream is brought to its end on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The body ends as it should; nothing tells that this was not the end.
    Clean,
    /// The connection breaks in the middle of the body.
    Broken,
    /// The connection stays and nothing comes any more, not even keep-alives.
    Silent,
}

/// How streams behave; the same for all of one server.
#[derive(Clone, Copy, Debug)]
pub struct StreamManners {
    pub keep_alive: Duration,
    /// Adds fields that no client knows to every object.
    pub unknown_fields: bool,
    /// Cuts the body into pieces of this many bytes, across lines and characters; 0 leaves lines whole.
    pub piece_bytes: usize,
}

/// The server's end of a stream.
#[derive(Clone)]
pub struct Feed(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    wake: Notify,
    manners: StreamManners,
}

#[derive(Default)]
struct State {
    lines: VecDeque<Bytes>,
    end: Option<Cut>,
    reader_has_gone: bool,
}

#[derive(Debug, Error)]
#[error("the stream was cut on purpose")]
struct Broken;

impl Feed {
    /// The feed and the response that carries it. `closed` is touched when the reader goes.
    pub fn open(manners: StreamManners, closed: watch::Sender<()>) -> (Feed, Response) {
        let shared = Arc::new(Shared { state: Mutex::default(), wake: Notify::new(), manners });
        let mut keep_alive = interval_at(Instant::now() + manners.keep_alive, manners.keep_alive);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let reader = Reader { shared: shared.clone(), keep_alive, rest: Bytes::new(), closed };
        let body = stream::unfold(reader, |mut reader| async {
            let piece = reader.next().await?;
            Some((piece, reader))
        });
        let headers = [(header::CONTENT_TYPE, "application/x-ndjson")];
        (Feed(shared), (headers, Body::from_stream(body)).into_response())
    }

    pub fn push(&self, mut line: Value) {
        if self.0.manners.unknown_fields {
            add_unknown_fields(&mut line);
        }
        self.push_raw(&line.to_string());
    }

    /// Any text as one line.
    pub fn push_raw(&self, line: &str) {
        let mut state = self.0.lock();
        state.lines.push_back(Bytes::from(format!("{line}\n")));
        if state.lines.len() > MOST_UNSENT {
            state.lines.pop_front();
        }
        self.0.wake.notify_one();
    }

    /// Ends the stream; what is queued is still sent, except when it breaks or falls silent.
    pub fn end(&self, how: Cut) {
        self.0.lock().end = Some(how);
        self.0.wake.notify_one();
    }

    /// Whether the client still reads and may be told something.
    pub fn is_open(&self) -> bool {
        let state = self.0.lock();
        state.end.is_none() && !state.reader_has_gone
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The body's end of a stream.
struct Reader {
    shared: Arc<Shared>,
    keep_alive: Interval,
    /// Of the current line, what has not been sent.
    rest: Bytes,
    closed: watch::Sender<()>,
}

impl Reader {
    /// The next piece of the body; `None` at its proper end.
    async fn next(&mut self) -> Option<Result<Bytes, Broken>> {
        loop {
            if self.rest.is_empty() {
                let mut state = self.shared.lock();
                match state.end {
                    Some(Cut::Broken) => return Some(Err(Broken)),
                    Some(Cut::Silent) => state.lines.clear(),
                    _ => (),
                }
                match state.lines.pop_front() {
                    Some(line) => self.rest = line,
                    None if state.end == Some(Cut::Clean) => return None,
                    None => (),
                }
            }
            if !self.rest.is_empty() {
                return Some(Ok(self.take_piece()));
            }
            tokio::select! {
                _ = self.shared.wake.notified() => (),
                _ = self.keep_alive.tick() => self.send_keep_alive(),
            }
        }
    }

    fn send_keep_alive(&mut self) {
        if self.shared.lock().end.is_none() {
            self.rest = Bytes::from_static(b"\n");
        }
    }

    fn take_piece(&mut self) -> Bytes {
        match self.shared.manners.piece_bytes {
            0 => std::mem::take(&mut self.rest),
            most => self.rest.split_to(most.min(self.rest.len())),
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.shared.lock().reader_has_gone = true;
        self.closed.send_replace(());
    }
}

/// What a later version of the server might add, at every depth.
fn add_unknown_fields(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.values_mut().for_each(add_unknown_fields);
            object.insert("novelty".to_string(), json!({"since": 2031, "why": null, "tags": ["ü", []]}));
        }
        Value::Array(items) => items.iter_mut().for_each(add_unknown_fields),
        _ => (),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::BodyDataStream;
    use futures_util::StreamExt;
    use tokio::time::timeout;

    const KEEP_ALIVE: Duration = Duration::from_secs(7);

    fn open(piece_bytes: usize) -> (Feed, BodyDataStream) {
        let manners = StreamManners { keep_alive: KEEP_ALIVE, unknown_fields: false, piece_bytes };
        let (feed, response) = Feed::open(manners, watch::Sender::new(()));
        (feed, response.into_body().into_data_stream())
    }

    async fn next(body: &mut BodyDataStream) -> String {
        let bytes = body.next().await.expect("more to come").expect("a whole stream");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[tokio::test(start_paused = true)]
    async fn keep_alives_come_at_their_time_whatever_else_is_sent() {
        let (feed, mut body) = open(0);
        let opened = Instant::now();
        for beat in 1..=3 {
            feed.push(json!({"n": beat}));
            assert_eq!(next(&mut body).await, format!("{{\"n\":{beat}}}\n"));
            assert_eq!(next(&mut body).await, "\n");
            assert_eq!(opened.elapsed(), KEEP_ALIVE * beat, "beat {beat}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_stream_says_nothing_at_all() {
        let (feed, mut body) = open(0);
        feed.push(json!({}));
        feed.end(Cut::Silent);
        assert!(timeout(KEEP_ALIVE * 10, body.next()).await.is_err());
        assert!(!feed.is_open());
    }

    #[tokio::test]
    async fn a_clean_end_comes_after_what_is_queued_and_a_broken_one_before() {
        let (feed, mut body) = open(0);
        feed.push(json!({}));
        feed.end(Cut::Clean);
        assert_eq!(next(&mut body).await, "{}\n");
        assert!(body.next().await.is_none());

        let (feed, mut body) = open(0);
        feed.push(json!({}));
        feed.end(Cut::Broken);
        assert!(body.next().await.is_some_and(|piece| piece.is_err()));
    }

    #[tokio::test]
    async fn pieces_are_cut_across_characters() {
        let (feed, mut body) = open(3);
        feed.push_raw("aüü");
        let mut pieces = Vec::new();
        for _ in 0..2 {
            pieces.push(body.next().await.expect("a piece").expect("a whole stream").to_vec());
        }
        assert_eq!(pieces, ["aü".as_bytes().to_vec(), "ü\n".as_bytes().to_vec()]);
    }

    #[tokio::test]
    async fn a_reader_that_goes_is_noticed() {
        let bell = watch::Sender::new(());
        let mut heard = bell.subscribe();
        let manners = StreamManners { keep_alive: KEEP_ALIVE, unknown_fields: false, piece_bytes: 0 };
        let (feed, response) = Feed::open(manners, bell);
        assert!(feed.is_open());
        drop(response);
        heard.changed().await.expect("the feed lives");
        assert!(!feed.is_open());
    }

    #[test]
    fn unknown_fields_are_added_at_every_depth() {
        let mut line = json!({"game": {"tags": [{"a": 1}]}});
        add_unknown_fields(&mut line);
        assert!(line["novelty"].is_object() && line["game"]["novelty"].is_object());
        assert!(line["game"]["tags"][0]["novelty"].is_object());
        assert_eq!(line["game"]["tags"][0]["a"], 1);
    }
}
