//! Bench: a fixed amount of searching, whose node count is the signature of the search.
//!
//! Two builds with the same count search alike; a commit that changes search or evaluation names its
//! new count in its last line, `Bench: <nodes>`.

use super::{Engine, EngineOptions, Limits, Nobody, Position};
use std::time::{Duration, Instant};

/// Depth of each search, in plies.
const DEPTH: u8 = 13;

/// Openings, middlegames, endgames, tactics, a mate, a draw and a Chess960 start.
const POSITIONS: [&str; 16] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r2q1rk1/pb1nbppp/1p2pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 w - - 0 10",
    "2r2rk1/1bqnbppp/pp1ppn2/8/2PNP3/1PN1BP2/P2QB1PP/2RR2K1 b - - 3 15",
    "3r1rk1/p4pp1/1p2q2p/2p1n3/4P3/2P2N1P/PPQ2PP1/3RR1K1 w - - 0 22",
    "8/8/1p1k2p1/p1p2p1p/P1P2P1P/1P1K2P1/8/8 w - - 0 40",
    "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 0 50",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "6k1/5pp1/4p2p/3bP3/1r3P2/4B1P1/3R2KP/8 w - - 2 34",
    "4r1k1/1q3ppp/p7/1pn1P3/2p2P2/2P3Q1/PP4PP/3R1RK1 b - - 0 25",
    "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1",
    "8/8/8/3k4/8/3K4/3Q4/8 w - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
];

/// What a bench run found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchReport {
    /// Nodes of all searches together: the signature.
    pub nodes: u64,
    pub elapsed: Duration,
}

impl BenchReport {
    pub fn nodes_per_second(&self) -> u64 {
        (self.nodes as f64 / self.elapsed.as_secs_f64().max(1e-9)) as u64
    }
}

/// Searches every position with a fresh engine: one thread, 16 MiB.
pub fn run() -> BenchReport {
    run_to_depth(DEPTH)
}

fn run_to_depth(depth: u8) -> BenchReport {
    let options = EngineOptions { hash_mb: 16, threads: 1, nodes: 0, depth: 0, ..EngineOptions::default() };
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let mut engine = Engine::new(&options);
    let start = Instant::now();
    let nodes = POSITIONS
        .iter()
        .map(|fen| {
            engine.new_game();
            let position = Position::from_fen(fen).expect("bench positions are legal");
            engine.search(&position, &limits, &Nobody).nodes
        })
        .sum();
    BenchReport { nodes, elapsed: start.elapsed() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bench_counts_the_same_nodes_every_time() {
        assert_eq!(run_to_depth(4).nodes, run_to_depth(4).nodes);
    }
}
