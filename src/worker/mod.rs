//! The door between the async side and thinking: one engine for each game, ours or a UCI program.
//!
//! Nothing here blocks: jobs go to the engine by a channel without bounds, the report comes back by a
//! oneshot. Dropping is cancelling: a dropped [`Search`] stops the thinking, a dropped
//! [`EngineHandle`] ends the thread or the process.

mod builtin;
mod child;
mod external;
mod protocol;

use crate::engine::{EngineKind, EngineOptions, Limits, Position, SearchReport};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};
use thiserror::Error;
use tokio::sync::{Notify, oneshot};

/// An engine, for one game at a time. Spawn a new one when it is gone.
pub struct EngineHandle {
    engine: Door,
    /// The thinking asked for last.
    latest: Option<Arc<Progress>>,
}

/// Where jobs go.
enum Door {
    /// Our own engine on a thread, which ends by itself once this is dropped.
    Builtin(mpsc::Sender<Job>),
    /// A UCI program, which is ended once this is dropped.
    External(external::Link),
}

/// Why nothing will come from this engine any more; spawn a new one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EngineGone {
    /// The thread or the process is not there any more.
    #[error("the engine has ended: {0}")]
    Ended(String),
    /// It did not answer in time.
    #[error("the engine hangs: {0}")]
    Hung(String),
    /// It said what no engine may say.
    #[error("the engine breaks the UCI protocol: {0}")]
    Garbled(String),
    #[error("the engine has played an illegal move: {0}")]
    IllegalMove(String),
    /// It lacks what was asked for, and a new one will, too.
    #[error("the engine is not able to: {0}")]
    Unable(String),
}

impl EngineGone {
    fn without_answer() -> EngineGone {
        EngineGone::Ended("its thread has stopped by a fault".to_string())
    }
}

/// What both clocks of a game show, for engines that share out their time themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// Time left to White and to Black.
    pub remaining: [Duration; 2],
    /// Time added by a move of White and of Black.
    pub increment: [Duration; 2],
}

impl EngineHandle {
    /// Starts the engine that `options` name, on a thread called `name` if it is ours.
    ///
    /// Our own allocates its table at the first [`EngineHandle::go`]. A UCI program is greeted in the
    /// background, which needs a tokio runtime around.
    ///
    /// # Errors
    /// The operating system gives no thread or process, or there is no such program.
    pub fn spawn(name: &str, options: &EngineOptions) -> io::Result<EngineHandle> {
        let engine = match options.kind {
            EngineKind::Builtin => {
                let (jobs, inbox) = mpsc::channel();
                // The thread ends by itself once `jobs` is dropped: nobody needs to join it.
                let _thread = builtin::spawn(name, options.clone(), inbox)?;
                Door::Builtin(jobs)
            }
            EngineKind::Uci => Door::External(external::spawn(options)?),
        };
        Ok(EngineHandle { engine, latest: None })
    }

    /// Makes the engine forget the game before, and waits until it is ready for the next.
    ///
    /// # Errors
    /// Why the engine cannot play, also if that was known before.
    pub async fn new_game(&mut self) -> Result<(), EngineGone> {
        self.stop_latest();
        let (answer, ready) = oneshot::channel();
        self.send(Job::NewGame { answer });
        ready.await.unwrap_or_else(|_| Err(EngineGone::without_answer()))
    }

    /// Starts to think about a position that has a legal move.
    ///
    /// The times of `limits` count from now. A search that still runs on this handle is stopped first.
    pub fn go(&mut self, position: Position, limits: Limits) -> Search {
        self.think(Instant::now(), position, limits, None)
    }

    /// As [`EngineHandle::go`]; a UCI program is told what the clocks show and shares out its time itself,
    /// while the soft and hard bounds of `limits` are for our own engine.
    pub fn go_on_clock(&mut self, position: Position, limits: Limits, clocks: Clocks) -> Search {
        self.think(Instant::now(), position, limits, Some(clocks))
    }

    fn think(
        &mut self,
        start: Instant,
        position: Position,
        limits: Limits,
        clocks: Option<Clocks>,
    ) -> Search {
        self.stop_latest();
        let progress = Arc::new(Progress::default());
        self.latest = Some(progress.clone());
        let (answer, report) = oneshot::channel();
        let task = Task { position, limits, clocks, start, progress: progress.clone() };
        self.send(Job::Think { task, answer });
        Search { report, progress, finished: None }
    }

    /// When the engine is gone the job is dropped with its answer, and whoever waits for it hears so.
    fn send(&self, job: Job) {
        match &self.engine {
            Door::Builtin(jobs) => drop(jobs.send(job)),
            Door::External(link) => link.send(job),
        }
    }

    fn stop_latest(&self) {
        if let Some(progress) = &self.latest {
            progress.stop();
        }
    }
}

impl Drop for EngineHandle {
    fn drop(&mut self) {
        self.stop_latest();
    }
}

/// Thinking that goes on elsewhere; dropping it stops the thinking.
pub struct Search {
    report: oneshot::Receiver<Result<SearchReport, EngineGone>>,
    progress: Arc<Progress>,
    finished: Option<Result<SearchReport, EngineGone>>,
}

impl Search {
    /// Waits for the report, at most until the limits are reached or someone says stop.
    ///
    /// A report of depth 0 is a move without a score: the engine has told none.
    ///
    /// Cancel-safe: a wait that is dropped loses nothing. Once there, the report stays.
    pub async fn finish(&mut self) -> Result<SearchReport, EngineGone> {
        if self.finished.is_none() {
            let report = (&mut self.report).await;
            self.finished = Some(report.unwrap_or_else(|_| Err(EngineGone::without_answer())));
        }
        self.finished.clone().expect("it has just been put there")
    }

    /// What is known by now; also when the engine is gone.
    pub fn best_so_far(&self) -> Option<SearchReport> {
        self.progress.best().clone()
    }

    /// Asks for the report now: [`Search::finish`] follows within milliseconds.
    pub fn stop(&self) {
        self.progress.stop();
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.stop();
    }
}

/// One thing for the engine to do.
enum Job {
    Think {
        task: Task,
        answer: oneshot::Sender<Result<SearchReport, EngineGone>>,
    },
    NewGame {
        answer: oneshot::Sender<Result<(), EngineGone>>,
    },
    /// Fails inside the engine, so that tests see what becomes of it.
    #[cfg(test)]
    Panic {
        _answer: oneshot::Sender<Result<SearchReport, EngineGone>>,
    },
}

/// What to think about.
struct Task {
    position: Position,
    limits: Limits,
    clocks: Option<Clocks>,
    /// When it was asked for.
    start: Instant,
    progress: Arc<Progress>,
}

/// What the two sides of one search tell each other.
#[derive(Default)]
struct Progress {
    is_stopped: AtomicBool,
    stopping: Notify,
    best: Mutex<Option<SearchReport>>,
}

impl Progress {
    fn stop(&self) {
        self.is_stopped.store(true, Relaxed);
        // Kept for a listener that comes later.
        self.stopping.notify_one();
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Relaxed)
    }

    /// Waits for [`Progress::stop`]; for the one who thinks.
    async fn stopped(&self) {
        while !self.is_stopped() {
            self.stopping.notified().await;
        }
    }

    /// Held for a copy only. A report is whole even if a thread died while holding it.
    fn best(&self) -> MutexGuard<'_, Option<SearchReport>> {
        self.best.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const ENDLESS: Limits = Limits { soft: None, hard: None, nodes: None, depth: None };

    fn handle() -> EngineHandle {
        let options = EngineOptions { hash_mb: 1, ..EngineOptions::default() };
        EngineHandle::spawn("engine-test", &options).expect("a thread")
    }

    fn to_depth(depth: u8) -> Limits {
        Limits { depth: Some(depth), ..ENDLESS }
    }

    /// No test waits longer than this for what must come anyway.
    async fn soon<T>(future: impl Future<Output = T>) -> T {
        tokio::time::timeout(Duration::from_secs(60), future).await.expect("it comes long before")
    }

    async fn until_something_is_known(search: &Search) -> SearchReport {
        soon(async {
            loop {
                if let Some(report) = search.best_so_far() {
                    break report;
                }
                tokio::task::yield_now().await;
            }
        })
        .await
    }

    #[tokio::test]
    async fn a_search_reports_a_legal_move() {
        let mut engine = handle();
        let position = Position::default();
        let mut search = engine.go(position.clone(), to_depth(5));
        let report = soon(search.finish()).await.expect("a report");
        assert!(position.is_legal(report.best_move()) && report.depth == 5, "{report:?}");
        assert_eq!(soon(search.finish()).await, Ok(report.clone()), "the report stays");
        assert_eq!(search.best_so_far(), Some(report));
    }

    #[tokio::test]
    async fn stop_brings_the_report_of_an_endless_search() {
        let mut engine = handle();
        let mut search = engine.go(Position::default(), ENDLESS);
        let known = until_something_is_known(&search).await;
        search.stop();
        let report = soon(search.finish()).await.expect("a report");
        assert!(report.depth >= known.depth, "{report:?} after {known:?}");
    }

    #[tokio::test]
    async fn a_wait_that_is_dropped_loses_nothing() {
        let mut engine = handle();
        let mut search = engine.go(Position::default(), ENDLESS);
        tokio::select! {
            biased;
            _ = search.finish() => panic!("it was to be endless"),
            _ = std::future::ready(()) => {}
        }
        search.stop();
        soon(search.finish()).await.expect("a report");
    }

    #[tokio::test]
    async fn a_dropped_search_stops_and_the_next_one_works() {
        let mut engine = handle();
        drop(engine.go(Position::default(), ENDLESS));
        let report = soon(engine.go(Position::default(), to_depth(3)).finish()).await.expect("a report");
        assert_eq!(report.depth, 3);
    }

    #[tokio::test]
    async fn a_new_search_stops_the_one_before() {
        let mut engine = handle();
        let mut first = engine.go(Position::default(), ENDLESS);
        let mut second = engine.go(Position::default(), to_depth(3));
        assert_eq!(soon(second.finish()).await.expect("a report").depth, 3);
        soon(first.finish()).await.expect("the first one's report, too");
    }

    #[tokio::test]
    async fn dropping_the_handle_ends_the_thread() {
        let (jobs, inbox) = mpsc::channel();
        let thread = builtin::spawn("engine-test", EngineOptions::default(), inbox).expect("a thread");
        let mut engine = EngineHandle { engine: Door::Builtin(jobs), latest: None };
        let mut search = engine.go(Position::default(), ENDLESS);
        drop(engine);
        soon(search.finish()).await.expect("a report at the end");
        soon(async {
            while !thread.is_finished() {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }

    #[tokio::test]
    async fn a_fault_inside_the_engine_is_engine_gone_and_a_new_handle_works() {
        let mut engine = handle();
        let mut search = engine.go_panicking();
        assert_eq!(soon(search.finish()).await, Err(EngineGone::without_answer()));
        assert_eq!(soon(search.finish()).await, Err(EngineGone::without_answer()), "it stays so");
        let mut next = engine.go(Position::default(), to_depth(1));
        assert_eq!(
            soon(next.finish()).await,
            Err(EngineGone::without_answer()),
            "the thread is not there any more"
        );
        let mut engine = handle();
        soon(engine.go(Position::default(), to_depth(1)).finish()).await.expect("a report");
    }

    #[tokio::test]
    async fn time_counts_from_the_moment_of_asking() {
        let mut engine = handle();
        let mut first = engine.go(Position::default(), to_depth(1));
        soon(first.finish()).await.expect("a report");
        let asked = Instant::now();
        let mut search = engine.go_since(
            asked - Duration::from_secs(3600),
            Position::default(),
            Limits { hard: Some(Duration::from_secs(60)), ..ENDLESS },
        );
        let report = soon(search.finish()).await.expect("a report");
        assert!(report.elapsed >= Duration::from_secs(3600) && report.nodes == 1, "{report:?}");
    }

    #[tokio::test]
    async fn a_new_game_begins_with_an_empty_table() {
        let mut engine = handle();
        let mut nodes = Vec::new();
        for _ in 0..2 {
            soon(engine.new_game()).await.expect("ready");
            nodes.push(
                soon(engine.go(Position::default(), to_depth(6)).finish()).await.expect("a report").nodes,
            );
        }
        assert_eq!(nodes[0], nodes[1]);
    }

    impl EngineHandle {
        pub fn go_panicking(&mut self) -> Search {
            let (answer, report) = oneshot::channel();
            self.send(Job::Panic { _answer: answer });
            Search { report, progress: Arc::default(), finished: None }
        }

        fn go_since(&mut self, start: Instant, position: Position, limits: Limits) -> Search {
            self.think(start, position, limits, None)
        }
    }
}
