//! Pure, synchronous chess: prints nothing, reads nothing.

pub mod castling;
mod fen;
mod limits;
mod moves;
pub mod perft;
pub mod position;
mod score;
mod zobrist;

pub use limits::Limits;
pub use moves::{Move, MoveKind, MoveList};
pub use position::{Color, FenError, MoveError, Outcome, Piece, Position, Square};
pub use score::Score;

use serde::Deserialize;
use std::time::Duration;

/// Options of the engine, section `[engine]` of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EngineOptions {
    /// Transposition table of each game, in mebibytes (1..=65536).
    pub hash_mb: usize,
    /// Threads that search one position (1..=256).
    pub threads: usize,
    /// Most nodes searched for one move, 0 for no cap.
    pub nodes: u64,
    /// Most plies of nominal depth searched for one move, 0 for no cap.
    pub depth: u8,
    /// Milliseconds kept back on every move for the way to the server.
    pub move_overhead_ms: u64,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self { hash_mb: 32, threads: 1, nodes: 0, depth: 0, move_overhead_ms: 100 }
    }
}

/// What a search has found so far, or at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchReport {
    /// The best line; its first move is the move to play. Never empty.
    pub pv: Vec<Move>,
    /// From the side to move's point of view.
    pub score: Score,
    /// Nominal depth in plies that was completed.
    pub depth: u8,
    /// Deepest ply reached, extensions and quiescence included.
    pub selective_depth: u8,
    pub nodes: u64,
    pub elapsed: Duration,
}

impl SearchReport {
    /// The move to play.
    pub fn best_move(&self) -> Move {
        self.pv[0]
    }
}
