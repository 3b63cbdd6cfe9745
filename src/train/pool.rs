//! Many jobs on a few threads, their results in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;

/// Does jobs `0..jobs`, each with the worker of its thread, and gives the results to `done` in their
/// order. The first error of `done` ends it: jobs begun are finished, no more are begun.
pub fn run<W, R: Send, E>(
    jobs: usize,
    threads: usize,
    worker: impl Fn() -> W + Sync,
    job: impl Fn(&mut W, usize) -> R + Sync,
    mut done: impl FnMut(usize, R) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.max(1)) {
            let sender = sender.clone();
            let (next, worker, job) = (&next, &worker, &job);
            scope.spawn(move || {
                let mut worker = worker();
                loop {
                    let number = next.fetch_add(1, Relaxed);
                    // Nobody listens any more after an error.
                    if number >= jobs || sender.send((number, job(&mut worker, number))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut due = 0;
        for (number, result) in receiver {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&due) {
                done(due, result)?;
                due += 1;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once_and_reported_in_order() {
        for threads in [0, 1, 3, 50] {
            let mut seen = Vec::new();
            let square = |_: &mut (), number: usize| number * number;
            let done = |number, result| -> Result<(), ()> {
                seen.push((number, result));
                Ok(())
            };
            run(20, threads, || (), square, done).expect("no error");
            assert_eq!(
                seen,
                (0..20).map(|number| (number, number * number)).collect::<Vec<_>>(),
                "{threads}"
            );
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        let begun = AtomicUsize::new(0);
        let job = |_: &mut (), _: usize| begun.fetch_add(1, Relaxed);
        let result = run(1_000_000, 2, || (), job, |number, _| if number < 3 { Ok(()) } else { Err("full") });
        assert_eq!(result, Err("full"));
        assert!(begun.load(Relaxed) < 1_000_000, "all were begun");
    }
}
