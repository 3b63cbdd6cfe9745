//! Control: what all threads of one search share, to know when to stop.

use crate::engine::params::{FORCED_MOVE_DEPTH, PATIENCE_DEPTH, POLL_INTERVAL};
use crate::engine::{Caller, Limits, Score};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The limits of one search and how far it has come.
pub struct Control<'a> {
    start: Instant,
    limits: Limits,
    caller: &'a (dyn Caller + Sync),
    threads: u64,
    is_stopped: AtomicBool,
    nodes: AtomicU64,
}

impl<'a> Control<'a> {
    /// Times count from `start`.
    pub fn new(start: Instant, limits: Limits, caller: &'a (dyn Caller + Sync), threads: usize) -> Self {
        let (is_stopped, nodes) = (AtomicBool::new(false), AtomicU64::new(0));
        Control { start, limits, caller, threads: threads as u64, is_stopped, nodes }
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Nodes of all threads, as far as they have been added.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    pub fn add_nodes(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Relaxed);
    }

    /// The last iteration to begin, in plies.
    pub fn deepest(&self) -> i32 {
        let deepest = Score::MAX_PLY as i32 - 1;
        self.limits.depth.map_or(deepest, |depth| i32::from(depth).clamp(1, deepest))
    }

    /// Makes every thread stop at its next look.
    pub fn stop(&self) {
        self.is_stopped.store(true, Relaxed);
    }

    /// Whether to give up now: told to, out of nodes, or out of time.
    pub fn should_stop(&self) -> bool {
        if !self.is_stopped.load(Relaxed)
            && (self.limits.nodes.is_some_and(|most| self.nodes() >= most)
                || self.limits.hard.is_some_and(|hard| self.is_spent(hard))
                || self.caller.should_stop())
        {
            self.stop();
        }
        self.is_stopped.load(Relaxed)
    }

    /// Whether this much time is gone, and it was ours.
    fn is_spent(&self, time: Duration) -> bool {
        self.elapsed() >= time && !self.caller.is_pondering()
    }

    /// How many nodes a thread may visit before it asks again; fewer when the cap on nodes is near.
    pub fn nodes_until_poll(&self) -> u64 {
        let left = self.limits.nodes.map_or(u64::MAX, |most| most.saturating_sub(self.nodes()));
        left.div_ceil(self.threads).clamp(1, POLL_INTERVAL)
    }

    /// Whether another iteration is worth beginning after `depth` plies found `score`; the move deserves
    /// `patience` times the usual time.
    pub fn should_deepen(&self, depth: i32, score: Score, is_forced: bool, patience: f64) -> bool {
        let Some(soft) = self.limits.soft.filter(|_| !self.caller.is_pondering()) else { return true };
        let mate_is_certain = score.plies_to_mate().is_some_and(|plies| plies <= depth);
        let is_settled = mate_is_certain || is_forced && depth >= FORCED_MOVE_DEPTH;
        let soft = if depth < PATIENCE_DEPTH { soft } else { soft.mul_f64(patience) };
        !is_settled && self.elapsed() < soft
    }
}
