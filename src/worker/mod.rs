//! The door between the async side and thinking: one engine thread for each game.
//!
//! Nothing here blocks: jobs go to the thread by a channel without bounds, the report comes back by a
//! oneshot. Dropping is cancelling: a dropped [`Search`] stops the thinking, a dropped
//! [`EngineHandle`] ends the thread.

mod builtin;

use crate::engine::{EngineOptions, Limits, Position, SearchReport};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Instant;
use thiserror::Error;
use tokio::sync::oneshot;

/// An engine on its own thread, for one game. Spawn a new one when it is gone.
pub struct EngineHandle {
    jobs: mpsc::Sender<Job>,
    /// The thinking asked for last.
    latest: Option<Arc<Progress>>,
}

/// The engine's thread has ended by a fault; nothing will come from it any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the engine's thread has ended by a fault; spawn a new one")]
pub struct EngineGone;

impl EngineHandle {
    /// Starts a thread called `name`. Its table is not allocated before the first [`EngineHandle::go`].
    ///
    /// Fails when the operating system gives no thread.
    pub fn spawn(name: &str, options: &EngineOptions) -> io::Result<EngineHandle> {
        let (jobs, inbox) = mpsc::channel();
        // The thread ends by itself once `jobs` is dropped: nobody needs to join it.
        let _thread = builtin::spawn(name, options.clone(), inbox)?;
        Ok(EngineHandle { jobs, latest: None })
    }

    /// Starts to think about a position that has a legal move.
    ///
    /// The times of `limits` count from now. A search that still runs on this handle is stopped first.
    pub fn go(&mut self, position: Position, limits: Limits) -> Search {
        self.send(Instant::now(), Task::Think { position, limits })
    }

    /// A job that ends the thread by a fault.
    #[cfg(test)]
    pub fn go_panicking(&mut self) -> Search {
        self.send(Instant::now(), Task::Panic)
    }

    fn send(&mut self, start: Instant, task: Task) -> Search {
        self.stop_latest();
        let progress = Arc::new(Progress::default());
        self.latest = Some(progress.clone());
        let (answer, report) = oneshot::channel();
        // When the thread is gone the job is dropped with its answer, and `finish` says so.
        let _ = self.jobs.send(Job { task, start, progress: progress.clone(), answer });
        Search { report, progress, finished: None }
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
    report: oneshot::Receiver<SearchReport>,
    progress: Arc<Progress>,
    finished: Option<Result<SearchReport, EngineGone>>,
}

impl Search {
    /// Waits for the report, at most until the limits are reached or someone says stop.
    ///
    /// Cancel-safe: a wait that is dropped loses nothing. Once there, the report stays.
    pub async fn finish(&mut self) -> Result<SearchReport, EngineGone> {
        if self.finished.is_none() {
            let report = (&mut self.report).await;
            self.finished = Some(report.map_err(|_| EngineGone));
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

/// One thing for the engine's thread to do.
struct Job {
    task: Task,
    /// When it was asked for.
    start: Instant,
    progress: Arc<Progress>,
    answer: oneshot::Sender<SearchReport>,
}

enum Task {
    Think {
        position: Position,
        limits: Limits,
    },
    /// Fails inside the engine, so that tests see what becomes of it.
    #[cfg(test)]
    Panic,
}

/// What the two sides of one search tell each other.
#[derive(Default)]
struct Progress {
    is_stopped: AtomicBool,
    best: Mutex<Option<SearchReport>>,
}

impl Progress {
    fn stop(&self) {
        self.is_stopped.store(true, Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Relaxed)
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
        let mut engine = EngineHandle { jobs, latest: None };
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
        assert_eq!(soon(search.finish()).await, Err(EngineGone));
        assert_eq!(soon(search.finish()).await, Err(EngineGone), "it stays so");
        let mut next = engine.go(Position::default(), to_depth(1));
        assert_eq!(soon(next.finish()).await, Err(EngineGone), "the thread is not there any more");
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

    impl EngineHandle {
        fn go_since(&mut self, start: Instant, position: Position, limits: Limits) -> Search {
            self.send(start, Task::Think { position, limits })
        }
    }
}
