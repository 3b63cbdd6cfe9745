//! The thread of our own engine: takes jobs one by one until its handle is dropped.

use super::{Job, Progress};
use crate::engine::{Caller, Engine, EngineOptions, SearchReport};
use std::io;
use std::sync::mpsc::Receiver;
use std::thread::{self, JoinHandle};

/// Stack of an engine thread: the search is recursive, and unused pages cost nothing.
const STACK_BYTES: usize = 4 << 20;

/// Starts the thread. A fault inside ends it: what was asked is then dropped unanswered.
pub fn spawn(name: &str, options: EngineOptions, inbox: Receiver<Job>) -> io::Result<JoinHandle<()>> {
    let thread = thread::Builder::new().name(name.to_string()).stack_size(STACK_BYTES);
    thread.spawn(move || work(&options, &inbox))
}

fn work(options: &EngineOptions, inbox: &Receiver<Job>) {
    // Made when first needed: a game that is all book needs none.
    let mut engine: Option<Engine> = None;
    // An answer that nobody waits for any more was to a search that was dropped.
    while let Ok(job) = inbox.recv() {
        match job {
            Job::Think { task, answer } => {
                let engine = engine.get_or_insert_with(|| Engine::new(options));
                let report = engine.search_since(task.start, &task.position, &task.limits, &*task.progress);
                *task.progress.best() = Some(report.clone());
                let _ = answer.send(Ok(report));
            }
            Job::NewGame { answer } => {
                engine.iter_mut().for_each(Engine::new_game);
                let _ = answer.send(Ok(()));
            }
            #[cfg(test)]
            Job::Panic { .. } => panic!("asked for by a test"),
        }
    }
}

impl Caller for Progress {
    fn should_stop(&self) -> bool {
        self.is_stopped()
    }

    fn report(&self, report: &SearchReport) {
        *self.best() = Some(report.clone());
    }
}
