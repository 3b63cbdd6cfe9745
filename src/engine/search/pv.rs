//! The principal variation: the triangular table of best lines from each ply.
//!
//! Source of the idea: the Chess Programming Wiki, "Triangular PV-Table".

use crate::engine::{Move, Score};

const PLIES: usize = Score::MAX_PLY + 2;

/// For each ply the best line from there on, found so far. Room for all is taken at the start.
pub struct PvTable {
    lines: Vec<Vec<Move>>,
}

impl PvTable {
    pub fn new() -> PvTable {
        PvTable { lines: (0..PLIES).map(|ply| Vec::with_capacity(PLIES - ply)).collect() }
    }

    /// No line is known from `ply` on.
    pub fn clear(&mut self, ply: usize) {
        self.lines[ply].clear();
    }

    /// The best line from `ply` is `mv` and then the best line from the next ply.
    pub fn extend(&mut self, ply: usize, mv: Move) {
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        let line = &mut upper[ply];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&lower[0]);
    }

    /// The best line from `ply`.
    pub fn line(&self, ply: usize) -> &[Move] {
        &self.lines[ply]
    }
}
