//! Move ordering: hands out the legal moves of a node, the most promising first.
//!
//! The order is table move, winning and even captures and promotions to a queen, killers, quiet moves
//! by history, losing captures and underpromotions. The earlier the refutation comes, the smaller the
//! tree: alpha-beta with the best move first visits the square root of what it visits with the worst.

use super::history::History;
use super::position::{Piece, Position};
use super::see;
use super::{Move, MoveList};

/// Quiet moves that refuted other moves at the same ply. Source of the idea: S. Akl and M. Newborn,
/// "The Principal Continuation and the Killer Heuristic", 1977.
pub type Killers = [Option<Move>; 2];

// Bands of scores, far enough apart that no score leaves its band.
const TABLE_MOVE: i32 = 1 << 30;
const GOOD_TACTICAL: i32 = 1 << 26;
const KILLER: i32 = 1 << 22;
const BAD_TACTICAL: i32 = -(1 << 26);

/// The moves of one node, each with its score; sorted only as far as they are asked for.
pub struct MovePicker {
    moves: MoveList,
    scores: [i32; 256],
    picked: usize,
}

impl MovePicker {
    /// All legal moves.
    pub fn all(
        position: &Position,
        table_move: Option<Move>,
        killers: &Killers,
        history: &History,
    ) -> MovePicker {
        Self::scored(position.legal_moves(), |mv| match () {
            _ if Some(mv) == table_move => TABLE_MOVE,
            _ if position.is_tactical(mv) => tactical_score(position, mv),
            _ if Some(mv) == killers[0] => KILLER + 1,
            _ if Some(mv) == killers[1] => KILLER,
            _ => history.quiet(position.side_to_move(), mv),
        })
    }

    /// Captures and promotions only.
    pub fn tactical(position: &Position, table_move: Option<Move>) -> MovePicker {
        Self::scored(position.tactical_moves(), |mv| match Some(mv) == table_move {
            true => TABLE_MOVE,
            false => tactical_score(position, mv),
        })
    }

    fn scored(moves: MoveList, score: impl Fn(Move) -> i32) -> MovePicker {
        let mut scores = [0; 256];
        for (slot, mv) in scores.iter_mut().zip(&moves) {
            *slot = score(mv);
        }
        MovePicker { moves, scores, picked: 0 }
    }

    /// Whether the node has no moves of the kind asked for.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The best move that has not been handed out yet.
    pub fn next(&mut self, position: &Position) -> Option<Move> {
        loop {
            let best = self.best_left()?;
            let mv = self.moves[best];
            // Exchanges are only evaluated for captures whose turn has come: most nodes end before.
            let is_good_tactical = (GOOD_TACTICAL..TABLE_MOVE).contains(&self.scores[best]);
            if is_good_tactical && !see::wins_at_least(position, mv, 0) {
                self.scores[best] += BAD_TACTICAL - GOOD_TACTICAL;
                continue;
            }
            self.moves.swap(self.picked, best);
            self.scores.swap(self.picked, best);
            self.picked += 1;
            return Some(mv);
        }
    }

    /// Index of the highest score not handed out; of equals the first.
    fn best_left(&self) -> Option<usize> {
        let scores = &self.scores[..self.moves.len()];
        let mut best = self.picked;
        let mut best_score = *scores.get(best)?;
        for (index, &score) in scores.iter().enumerate().skip(best + 1) {
            if score > best_score {
                (best, best_score) = (index, score);
            }
        }
        Some(best)
    }

    /// Like [`MovePicker::next`], but ends before captures that lose material.
    pub fn next_not_losing(&mut self, position: &Position) -> Option<Move> {
        let mv = self.next(position)?;
        (self.scores[self.picked - 1] >= 0).then_some(mv)
    }

    /// What was handed out so far, in that order.
    pub fn tried(&self) -> &[Move] {
        &self.moves[..self.picked]
    }
}

/// Most valuable victim first, then least valuable attacker (MVV-LVA).
fn tactical_score(position: &Position, mv: Move) -> i32 {
    let band = match mv.promoted() {
        None | Some(Piece::Queen) => GOOD_TACTICAL,
        Some(_) => BAD_TACTICAL,
    };
    let attacker = position.kind_on(mv.from()).map_or(0, |piece| piece.to_index() as i32);
    band + 8 * see::immediate_gain(position, mv) - attacker
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Color;

    fn order(mut picker: MovePicker, position: &Position) -> Vec<String> {
        std::iter::from_fn(|| picker.next(position)).map(|mv| mv.to_string()).collect()
    }

    #[test]
    fn every_legal_move_is_handed_out_once() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
        ] {
            let position = Position::from_fen(fen).expect(fen);
            let mut wanted: Vec<String> = position.legal_moves().iter().map(Move::to_string).collect();
            let picker =
                MovePicker::all(&position, Some(position.legal_moves()[5]), &[None; 2], &History::new());
            let mut found = order(picker, &position);
            assert_eq!(found[0], position.legal_moves()[5].to_string(), "{fen}: the table move comes first");
            wanted.sort();
            found.sort();
            assert_eq!(found, wanted, "{fen}");
        }
    }

    #[test]
    fn moves_come_in_the_order_of_their_promise() {
        // The queen may take a defended pawn (bad), a rook may take a knight (good).
        let position = Position::from_fen("4k3/2p5/3p4/8/5n2/8/3Q1R2/4K3 w - - 0 1").expect("a FEN");
        let mv = |uci| position.parse_uci(uci).expect(uci);
        let mut history = History::new();
        history.update_quiet(Color::White, mv("e1d1"), 500);
        let picker = MovePicker::all(&position, Some(mv("d2e2")), &[Some(mv("f2g2")), None], &history);
        let found = order(picker, &position);
        assert_eq!(found[..5], ["d2e2", "f2f4", "d2f4", "f2g2", "e1d1"]);
        assert_eq!(found.last().expect("moves"), "d2d6");
    }
}
