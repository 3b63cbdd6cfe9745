//! Perft: counting the leaves of the tree of legal moves, the proof of the move generator.

use super::Position;

/// Number of leaf nodes `depth` plies below the position.
pub fn perft(position: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves() as u64,
        _ => {
            let moves = position.legal_moves();
            moves
                .into_iter()
                .map(|mv| {
                    position.play(mv);
                    let leaves = perft(position, depth - 1);
                    position.undo();
                    leaves
                })
                .sum()
        }
    }
}
