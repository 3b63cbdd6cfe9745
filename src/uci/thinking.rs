//! One `go`, shared by the thread that reads and the thread that thinks.

use super::options::Style;
use super::say;
use crate::engine::{Caller, SearchReport};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How far one search has come, and whether its answer may be given.
pub struct Thinking {
    style: Style,
    is_stopped: AtomicBool,
    is_finished: AtomicBool,
    is_pondering: AtomicBool,
    /// `infinite`: only `stop` lets the answer out.
    is_infinite: bool,
    /// Whether the answer may not be given yet.
    is_held: Mutex<bool>,
    released: Condvar,
    /// Nodes of the report that was told last.
    told_nodes: AtomicU64,
}

impl Thinking {
    /// The answer of a search that is `infinite`, or on the opponent's time, is held back.
    pub fn new(style: Style, is_infinite: bool, is_pondering: bool) -> Thinking {
        Thinking {
            style,
            is_stopped: AtomicBool::new(false),
            is_finished: AtomicBool::new(false),
            is_pondering: AtomicBool::new(is_pondering),
            is_infinite,
            is_held: Mutex::new(is_infinite || is_pondering),
            released: Condvar::new(),
            told_nodes: AtomicU64::new(0),
        }
    }

    /// `stop`: the answer is wanted now.
    pub fn stop(&self) {
        self.is_stopped.store(true, Relaxed);
        self.release();
    }

    /// `ponderhit`: the opponent has played the move, our clock runs.
    pub fn ponder_hit(&self) {
        self.is_pondering.store(false, Relaxed);
        if !self.is_infinite {
            self.release();
        }
    }

    /// Whether the GUI has reason to wait for it: neither stopped nor finished.
    pub fn is_going_on(&self) -> bool {
        !self.is_stopped.load(Relaxed) && !self.is_finished.load(Relaxed)
    }

    /// Whether it would never end by itself.
    pub fn is_held(&self) -> bool {
        *self.held()
    }

    /// Waits until the answer may be given.
    pub fn wait_for_release(&self) {
        let wait = self.released.wait_while(self.held(), |held| *held);
        drop(wait.unwrap_or_else(PoisonError::into_inner));
    }

    /// The answer is about to be given.
    pub fn finish(&self) {
        self.is_finished.store(true, Relaxed);
    }

    /// Tells what was found, unless it was told already or nothing is known.
    pub fn tell(&self, report: &SearchReport) {
        if report.depth > 0 && self.told_nodes.swap(report.nodes, Relaxed) != report.nodes {
            say(self.style.info(report));
        }
    }

    fn release(&self) {
        *self.held() = false;
        self.released.notify_all();
    }

    fn held(&self) -> MutexGuard<'_, bool> {
        self.is_held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Caller for Thinking {
    fn should_stop(&self) -> bool {
        self.is_stopped.load(Relaxed)
    }

    fn report(&self, report: &SearchReport) {
        self.tell(report);
    }

    fn is_pondering(&self) -> bool {
        self.is_pondering.load(Relaxed)
    }
}
