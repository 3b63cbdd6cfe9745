//! Our turn: from the engine's search to the move that the server has taken.

use super::BotOptions;
use super::clock::Hurry;
use crate::book::BookMove;
use crate::engine::{Limits, Move, Position, Score, SearchReport, san};
use crate::lichess::{Backoff, Client, Error, GameId};
use crate::worker::{EngineHandle, Search};
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout};

type Pending<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// How long a search may run over its hard bound before it is stopped from outside.
const GRACE: Duration = Duration::from_millis(50);
/// Moves of the principal variation that are shown.
const SHOWN_PV: usize = 8;

/// Our move on one ply, and where it came from.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The moves of the game that it answers.
    pub moves: String,
    pub ply: usize,
    pub mv: Move,
    /// `book: …`, `search: …` or `fallback: …`, for people.
    pub source: String,
    /// Ours; none from the book.
    pub score: Option<Score>,
    /// When it was found.
    pub found_at: Instant,
    pub held_back: HeldBack,
}

impl Answer {
    pub fn from_book(position: &Position, moves: &str, book: &BookMove) -> Answer {
        let source = format!("book: {}, {} of {} lines", book.name, book.lines, book.of_lines);
        Answer::new(position, moves, book.mv, source, None)
    }

    fn from_search(position: &Position, moves: &str, report: &SearchReport) -> Answer {
        let source = describe(position, report);
        Answer::new(position, moves, report.best_move(), source, Some(report.score))
    }

    /// Any legal move, for when there is no engine to ask: better a weak move than a lost clock.
    pub fn fallback(position: &Position, moves: &str) -> Answer {
        let legal = position.legal_moves();
        let mv = legal.into_iter().find(|&mv| position.is_capture(mv)).unwrap_or(legal[0]);
        Answer::new(position, moves, mv, "fallback: the engine gave no move".to_string(), None)
    }

    fn new(position: &Position, moves: &str, mv: Move, source: String, score: Option<Score>) -> Answer {
        Answer {
            moves: moves.to_string(),
            ply: position.plies_played(),
            mv,
            source,
            score,
            found_at: Instant::now(),
            held_back: HeldBack::default(),
        }
    }
}

/// `search: depth 14, +0.31, 812 knps, 2.1 s, pv e4 e5 …`
fn describe(position: &Position, report: &SearchReport) -> String {
    let seconds = report.elapsed.as_secs_f64();
    let knps = report.nodes as f64 / seconds.max(1e-6) / 1_000.0;
    let mut position = position.clone();
    let mut pv = String::new();
    for &mv in report.pv.iter().take(SHOWN_PV) {
        pv.push(' ');
        pv.push_str(&san(&position, mv));
        position.play(mv);
    }
    format!("search: depth {}, {}, {knps:.0} knps, {seconds:.1} s, pv{pv}", report.depth, report.score)
}

/// What thinking led to.
pub struct Thought {
    pub answer: Answer,
    /// The engine's thread is gone; the next move needs a new one.
    pub engine_failed: bool,
}

/// How long a move was not sent though it was found: no lag, but a wish of ours or of the server.
#[derive(Clone, Debug, Default)]
pub struct HeldBack(Arc<AtomicU64>);

impl HeldBack {
    pub async fn wait(&self, pause: Duration) {
        // Counted first: the move may be known to be in before the pause is over.
        self.0.fetch_add(u64::try_from(pause.as_millis()).unwrap_or(u64::MAX), Relaxed);
        sleep(pause).await;
    }

    pub fn in_all(&self) -> Duration {
        Duration::from_millis(self.0.load(Relaxed))
    }
}

/// What became of a move that was sent.
pub enum Sent {
    /// The server took it, this long after it was first sent.
    Taken { round_trip: Duration },
    /// The server did not take it: most often because it is in already. The stream will tell.
    Refused {
        error: Error,
        /// The answer to an earlier attempt was lost; the first was sent this long before.
        lost: Option<Duration>,
    },
    /// The token is refused.
    Unauthorized(Error),
}

/// Where we are with our move.
pub enum Turn {
    /// It is not our turn, or our move is on the board.
    Idle,
    Thinking {
        moves: String,
        thought: Pending<Thought>,
    },
    Sending {
        answer: Answer,
        sent: Pending<Sent>,
    },
}

/// A step of [`Turn`] that is done.
pub enum Step {
    Thought(Thought),
    Sent(Sent),
}

impl Turn {
    pub fn thinking(search: Search, limits: Limits, position: Position, moves: String) -> Turn {
        let thought = Box::pin(think(search, limits, position, moves.clone()));
        Turn::Thinking { moves, thought }
    }

    /// Waits for one of `places`, and thinks there with an engine of its own.
    pub fn thinking_in_turn(
        places: Arc<Semaphore>,
        options: Arc<BotOptions>,
        engine_name: String,
        limits: Limits,
        position: Position,
        moves: String,
    ) -> Turn {
        let answered = moves.clone();
        let thought = Box::pin(async move {
            let _place = places.acquire().await.expect("nobody closes the places");
            match EngineHandle::spawn(&engine_name, &options.engine) {
                Ok(mut engine) => {
                    let search = engine.go(position.clone(), limits);
                    think(search, limits, position, moves).await
                }
                Err(error) => {
                    tracing::error!(%error, "the engine cannot be started");
                    Thought { answer: Answer::fallback(&position, &moves), engine_failed: true }
                }
            }
        });
        Turn::Thinking { moves: answered, thought }
    }

    pub fn sending(client: Client, id: GameId, answer: Answer, offering_draw: bool, hurry: Hurry) -> Turn {
        let (uci, held_back) = (answer.mv.to_string(), answer.held_back.clone());
        let sent = Box::pin(async move { send(&client, &id, &uci, offering_draw, hurry, &held_back).await });
        Turn::Sending { answer, sent }
    }

    /// Whether this turn is about the game as far as `moves`, its own answer included.
    pub fn belongs_to(&self, moves: &str) -> bool {
        match self {
            Turn::Idle => true,
            Turn::Thinking { moves: thinking_about, .. } => thinking_about == moves,
            // The state with our move often comes before the reply to our request.
            Turn::Sending { answer, .. } => answer.moves == moves || is_one_ply_longer(moves, &answer.moves),
        }
    }

    pub fn is_idle(&self) -> bool {
        matches!(self, Turn::Idle)
    }

    pub fn is_sending(&self) -> bool {
        matches!(self, Turn::Sending { .. })
    }

    /// Waits for what is under way; for ever if nothing is. Cancel-safe.
    pub async fn step(&mut self) -> Step {
        match self {
            Turn::Idle => pending().await,
            Turn::Thinking { thought, .. } => Step::Thought(thought.as_mut().await),
            Turn::Sending { sent, .. } => Step::Sent(sent.as_mut().await),
        }
    }
}

fn is_one_ply_longer(moves: &str, before: &str) -> bool {
    moves.strip_prefix(before).is_some_and(|rest| rest.split_ascii_whitespace().count() == 1)
}

/// Waits for the search, and never comes back without a legal move.
async fn think(mut search: Search, limits: Limits, position: Position, moves: String) -> Thought {
    let patience = limits.hard.map_or(Duration::MAX, |hard| hard + GRACE);
    let mut finished = timeout(patience, search.finish()).await;
    if finished.is_err() {
        tracing::warn!("the search overran its time and is stopped");
        search.stop();
        finished = timeout(GRACE, search.finish()).await;
    }
    if let Ok(Err(error)) = &finished {
        tracing::error!(%error, "the engine failed; a move is sent all the same");
    }
    let engine_failed = !matches!(finished, Ok(Ok(_)));
    if let Ok(Err(gone)) = &finished {
        tracing::error!(%gone, "another engine is started for the next move");
    }
    let report = match finished {
        Ok(Ok(report)) => Some(report),
        _ => search.best_so_far(),
    };
    let report = report.filter(|report| position.is_legal(report.best_move()));
    let answer = match &report {
        Some(report) => Answer::from_search(&position, &moves, report),
        None => Answer::fallback(&position, &moves),
    };
    Thought { answer, engine_failed }
}

/// Sends one move until it is known to be in, or known to be refused.
async fn send(
    client: &Client,
    id: &GameId,
    uci: &str,
    offering_draw: bool,
    hurry: Hurry,
    held_back: &HeldBack,
) -> Sent {
    let mut backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(2));
    // When the first of the attempts was made whose answers were lost.
    let mut first_lost: Option<Instant> = None;
    loop {
        held_back.wait(client.next_move_delay().min(hurry.pause())).await;
        let begun = first_lost.unwrap_or_else(Instant::now);
        match client.play(id, uci, offering_draw, hurry.attempt()).await {
            Ok(()) => return Sent::Taken { round_trip: begun.elapsed() },
            Err(Error::RateLimited { until, .. }) => {
                let wait = until.saturating_duration_since(Instant::now());
                tracing::warn!(uci, wait_s = wait.as_secs(), "the server limits our moves; waiting");
                held_back.wait(wait).await;
                // This pause was the server's wish, and no lag.
                first_lost = None;
            }
            Err(error) if error.is_retriable() => {
                tracing::warn!(uci, %error, "the move did not get through; sending it again");
                first_lost = Some(begun);
                sleep(backoff.next_delay().min(hurry.pause())).await;
            }
            Err(error @ Error::Unauthorized(..)) => return Sent::Unauthorized(error),
            Err(error) => return Sent::Refused { error, lost: first_lost.map(|first| first.elapsed()) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineOptions;
    use crate::lichess::{LichessOptions, Token};
    use crate::worker::EngineHandle;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    #[test]
    fn only_our_own_next_ply_belongs_to_a_move_being_sent() {
        for (moves, before, expected) in [
            ("e2e4", "", true),
            ("e2e4 e7e5", "e2e4", true),
            ("e2e4", "e2e4", false),
            ("e2e4 e7e5 g1f3", "e2e4", false),
            ("d2d4 e7e5", "e2e4", false),
        ] {
            assert_eq!(is_one_ply_longer(moves, before), expected, "{moves:?} after {before:?}");
        }
    }

    #[test]
    fn a_search_is_described_for_people() {
        let mut position = Position::default();
        let pv: Vec<Move> =
            ["e2e4", "e7e5"].iter().map(|uci| position.play_uci(uci).expect("legal")).collect();
        let report = SearchReport {
            pv,
            score: Score(31),
            depth: 14,
            selective_depth: 20,
            nodes: 812_000,
            elapsed: Duration::from_secs(1),
            table_permille: 0,
            others: Vec::new(),
        };
        let text = describe(&Position::default(), &report);
        assert_eq!(text, "search: depth 14, +0.31, 812 knps, 1.0 s, pv e4 e5");
    }

    fn handle() -> EngineHandle {
        let options = EngineOptions { hash_mb: 1, ..EngineOptions::default() };
        EngineHandle::spawn("engine-test", &options).expect("a thread")
    }

    #[tokio::test]
    async fn an_engine_that_fails_costs_no_move() {
        let (mut engine, position) = (handle(), Position::default());
        let thought = think(engine.go_panicking(), Limits::default(), position.clone(), String::new()).await;
        assert!(thought.engine_failed && position.is_legal(thought.answer.mv), "{:?}", thought.answer);
    }

    #[tokio::test]
    async fn a_search_that_overruns_is_stopped_and_its_move_is_sent() {
        let (mut engine, position) = (handle(), Position::default());
        let endless = engine.go(position.clone(), Limits::default());
        let limits = Limits { hard: Some(Duration::from_millis(1)), ..Limits::default() };
        let thought = think(endless, limits, position.clone(), String::new()).await;
        assert!(position.is_legal(thought.answer.mv), "{:?}", thought.answer);
    }

    const OK: &str = "200 OK\r\nconnection: close\r\ncontent-length: 11\r\n\r\n{\"ok\":true}";
    const LATE: &str =
        "400 Bad Request\r\nconnection: close\r\ncontent-length: 25\r\n\r\n{\"error\":\"Not your turn\"}";

    /// A server that hangs up on the first `lost` requests, and gives all others the same answer.
    async fn server(lost: usize, answer: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(async move {
            for number in 0.. {
                let (mut connection, _) = listener.accept().await.expect("a connection");
                let mut request = [0; 4_096];
                let length = connection.read(&mut request).await.expect("a request");
                assert!(length > 0);
                if number >= lost {
                    let answer = format!("HTTP/1.1 {answer}");
                    connection.write_all(answer.as_bytes()).await.expect("a listener");
                }
            }
        });
        url
    }

    async fn sent_to(url: String, moves_per_minute: u32, hurry: Hurry) -> Sent {
        let client = Client::new(&LichessOptions { url, token: Token::new("lip_test"), moves_per_minute })
            .expect("a client");
        if moves_per_minute > 0 {
            // The place of the first move is taken.
            client.next_move_delay();
        }
        send(&client, &"q7ZkTfLb".parse().expect("an id"), "e2e4", false, hurry, &HeldBack::default()).await
    }

    #[tokio::test]
    async fn the_round_trip_begins_with_the_first_attempt() {
        let hurry = Hurry { flag_at: None, overhead: Duration::from_millis(100) };
        // Between two attempts there are 50 ms at least, and 100 before the third.
        for (lost, least) in [(1, 50), (2, 150)] {
            let least = Duration::from_millis(least);
            match sent_to(server(lost, OK).await, 0, hurry).await {
                Sent::Taken { round_trip } => assert!(round_trip >= least, "{lost}: {round_trip:?}"),
                _ => panic!("{lost}: it is taken"),
            }
            match sent_to(server(lost, LATE).await, 0, hurry).await {
                Sent::Refused { lost: Some(since), .. } => assert!(since >= least, "{lost}: {since:?}"),
                _ => panic!("{lost}: it is in already"),
            }
        }
        let refused = sent_to(server(0, LATE).await, 0, hurry).await;
        assert!(matches!(refused, Sent::Refused { lost: None, .. }), "nothing was lost");
    }

    #[tokio::test]
    async fn a_fast_move_keeps_the_pace_and_no_longer_than_the_clock_allows() {
        let begun = Instant::now();
        let flag_at = Some(begun + Duration::from_secs(3));
        let hurry = Hurry { flag_at, overhead: Duration::from_secs(1) };
        let sent = sent_to(server(0, OK).await, 1, hurry).await;
        assert!(matches!(sent, Sent::Taken { .. }));
        let least = Duration::from_millis(250);
        assert!(begun.elapsed() >= least, "it waits, but not for a minute: {:?}", begun.elapsed());
    }

    #[test]
    fn the_fallback_is_legal_and_prefers_a_capture() {
        let quiet = Position::default();
        assert!(quiet.is_legal(Answer::fallback(&quiet, "").mv));
        let position = Position::after("startpos", "e2e4 d7d5").expect("legal");
        assert!(position.is_capture(Answer::fallback(&position, "e2e4 d7d5").mv));
    }
}
