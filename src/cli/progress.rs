//! A bar for work that takes a while, on the error stream.

use std::io::{self, IsTerminal};
use std::time::Instant;

/// One line that is written over while there is a terminal, and now and then a new one otherwise.
pub struct Progress {
    all: usize,
    start: Instant,
    is_terminal: bool,
}

impl Progress {
    /// Of `all` things to do.
    pub fn new(all: usize) -> Progress {
        Progress { all, start: Instant::now(), is_terminal: io::stderr().is_terminal() }
    }

    /// So many are done, and this is new.
    pub fn show(&mut self, done: usize, news: &str) {
        const WIDTH: usize = 20;
        let full = WIDTH * done.min(self.all) / self.all.max(1);
        let bar = "#".repeat(full) + &".".repeat(WIDTH - full);
        let seconds = self.start.elapsed().as_secs();
        let line = format!("[{bar}] {done} of {}, {seconds} s: {news}", self.all);
        let is_milestone = done == self.all || done.is_multiple_of((self.all / 10).max(1));
        match self.is_terminal {
            true => eprint!("\r{line}{}", if done == self.all { "\n" } else { "" }),
            false if is_milestone => eprintln!("{line}"),
            false => (),
        }
    }
}
