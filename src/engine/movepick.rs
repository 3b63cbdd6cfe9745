//! Move ordering: hands out the legal moves of a node, the most promising first.
//!
//! The order is table move, winning and even captures and promotions to a queen, killers, quiet moves
//! by history, losing captures and underpromotions; captures by their victim and their history. Each
//! kind is generated when its turn comes. The earlier the refutation comes, the smaller the tree:
//! alpha-beta with the best move first visits the square root of what it visits with the worst.

use super::history::{Before, History};
use super::params::VICTIM_WEIGHT;
use super::position::{Piece, Position};
use super::see;
use super::{Move, MoveList};

/// Quiet moves that refuted other moves at the same ply. Source of the idea: S. Akl and M. Newborn,
/// "The Principal Continuation and the Killer Heuristic", 1977.
pub type Killers = [Option<Move>; 2];

/// The moves of one node, generated, scored and sorted only as far as they are asked for.
pub struct MovePicker {
    stage: Stage,
    /// Whether quiet moves and losing captures are wanted too.
    wants_all: bool,
    /// Legal, or none.
    table_move: Option<Move>,
    killers: Killers,
    before: Before,
    /// First tactical moves, then quiet ones; losing captures go to the front, over what is done with.
    moves: MoveList,
    scores: [i32; 256],
    next: usize,
    tactical_moves: usize,
    losing_captures: usize,
    /// Whether the order of the quiet moves still matters.
    sorts_quiets: bool,
}

/// What is to be done next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    TableMove,
    Generate,
    Tactical,
    Quiet,
    Losing,
}

// Scores of quiet moves that no history reaches.
const FIRST_KILLER: i32 = i32::MAX;
const SECOND_KILLER: i32 = i32::MAX - 1;
/// Below every score of a capture.
const UNDERPROMOTION: i32 = i32::MIN / 2;

impl MovePicker {
    /// All legal moves; `before` are the moves that led here.
    pub fn all(
        position: &Position,
        table_move: Option<Move>,
        killers: &Killers,
        before: &Before,
    ) -> MovePicker {
        MovePicker {
            stage: Stage::TableMove,
            wants_all: true,
            table_move: table_move.filter(|&mv| position.is_legal(mv)),
            killers: *killers,
            before: *before,
            moves: MoveList::new(),
            scores: [0; 256],
            next: 0,
            tactical_moves: 0,
            losing_captures: 0,
            sorts_quiets: true,
        }
    }

    /// The table's move if it is one of them, then captures and promotions to a queen that do not lose
    /// material.
    pub fn tactical(position: &Position, table_move: Option<Move>) -> MovePicker {
        let table_move = table_move.filter(|&mv| position.is_tactical(mv));
        MovePicker { wants_all: false, ..Self::all(position, table_move, &[None; 2], &[None; 3]) }
    }

    /// Hands out the quiet moves that are left as they come: most of them will not be looked at.
    pub fn stop_sorting_quiets(&mut self) {
        self.sorts_quiets = false;
    }

    /// The best move that has not been handed out yet.
    pub fn next(&mut self, position: &Position, history: &History) -> Option<Move> {
        if self.stage == Stage::TableMove {
            self.stage = Stage::Generate;
            if self.table_move.is_some() {
                return self.table_move;
            }
        }
        if self.stage == Stage::Generate {
            self.stage = Stage::Tactical;
            self.add_tactical(position, history);
        }
        if self.stage == Stage::Tactical {
            if let Some(mv) = self.find_tactical(position) {
                return Some(mv);
            }
            if !self.wants_all {
                return None;
            }
            self.stage = Stage::Quiet;
            self.add_quiets(position, history);
        }
        if self.stage == Stage::Quiet {
            let quiet = if self.sorts_quiets { self.take_best(self.moves.len()) } else { self.take_next() };
            if quiet.is_some() {
                return quiet;
            }
            self.stage = Stage::Losing;
            self.next = 0;
        }
        (self.next < self.losing_captures).then(|| {
            self.next += 1;
            self.moves[self.next - 1]
        })
    }

    fn add_tactical(&mut self, position: &Position, history: &History) {
        position.add_tactical_moves(&mut self.moves);
        self.tactical_moves = self.moves.len();
        for (score, mv) in self.scores.iter_mut().zip(&self.moves) {
            *score = tactical_score(position, mv, history);
        }
    }

    fn find_tactical(&mut self, position: &Position) -> Option<Move> {
        while let Some(mv) = self.take_best(self.tactical_moves) {
            // Exchanges are only evaluated for captures whose turn has come: most nodes end before.
            let is_underpromotion = self.scores[self.next - 1] == UNDERPROMOTION;
            if !is_underpromotion && see::wins_at_least(position, mv, 0) {
                return Some(mv);
            }
            self.moves[self.losing_captures] = mv;
            self.losing_captures += 1;
        }
        None
    }

    fn add_quiets(&mut self, position: &Position, history: &History) {
        position.add_quiet_moves(&mut self.moves);
        for index in self.tactical_moves..self.moves.len() {
            let mv = self.moves[index];
            self.scores[index] = match Some(mv) {
                killer if killer == self.killers[0] => FIRST_KILLER,
                killer if killer == self.killers[1] => SECOND_KILLER,
                _ => history.quiet_after(&self.before, position, mv),
            };
        }
    }

    /// The move with the highest score among those from `next` to `end`, but never the table's; of equals
    /// the first.
    fn take_best(&mut self, end: usize) -> Option<Move> {
        while self.next < end {
            let mut best = self.next;
            for index in self.next + 1..end {
                if self.scores[index] > self.scores[best] {
                    best = index;
                }
            }
            self.moves.swap(self.next, best);
            self.scores.swap(self.next, best);
            self.next += 1;
            let mv = self.moves[self.next - 1];
            if Some(mv) != self.table_move {
                return Some(mv);
            }
        }
        None
    }

    /// The move at `next`, but never the table's.
    fn take_next(&mut self) -> Option<Move> {
        let left = &self.moves[self.next..];
        let ahead = left.iter().position(|&mv| Some(mv) != self.table_move)?;
        self.next += ahead + 1;
        Some(self.moves[self.next - 1])
    }
}

/// The most valuable victim first, moved by how such captures have done.
fn tactical_score(position: &Position, mv: Move, history: &History) -> i32 {
    match mv.promoted() {
        None | Some(Piece::Queen) => {
            VICTIM_WEIGHT * see::immediate_gain(position, mv) + history.capture(position, mv)
        }
        Some(_) => UNDERPROMOTION,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(mut picker: MovePicker, position: &Position, history: &History) -> Vec<String> {
        std::iter::from_fn(|| picker.next(position, history)).map(|mv| mv.to_string()).collect()
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
            wanted.sort();
            for table_move in &position.legal_moves() {
                let picker = MovePicker::all(&position, Some(table_move), &[None; 2], &[None; 3]);
                let mut found = order(picker, &position, &History::new());
                assert_eq!(found[0], table_move.to_string(), "{fen}: the table move comes first");
                found.sort();
                assert_eq!(found, wanted, "{fen}");
            }
        }
    }

    #[test]
    fn a_table_move_that_is_not_legal_is_never_handed_out() {
        let position = Position::default();
        let elsewhere = Position::from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1").expect("a FEN");
        let foreign = elsewhere.parse_uci("a1a8").expect("a move");
        let picker = MovePicker::all(&position, Some(foreign), &[None; 2], &[None; 3]);
        assert_eq!(order(picker, &position, &History::new()).len(), 20);
    }

    #[test]
    fn quiet_moves_that_are_not_sorted_are_handed_out_once_all_the_same() {
        let position = Position::default();
        for table_move in &position.legal_moves() {
            let mut picker = MovePicker::all(&position, Some(table_move), &[None; 2], &[None; 3]);
            let first = picker.next(&position, &History::new()).expect("the table move");
            picker.stop_sorting_quiets();
            let mut found = order(picker, &position, &History::new());
            found.push(first.to_string());
            found.sort();
            found.dedup();
            assert_eq!(found.len(), 20, "{found:?}");
        }
    }

    #[test]
    fn moves_come_in_the_order_of_their_promise() {
        // The queen may take a defended pawn (bad), a rook may take a knight (good).
        let position = Position::from_fen("4k3/2p5/3p4/8/5n2/8/3Q1R2/4K3 w - - 0 1").expect("a FEN");
        let mv = |uci| position.parse_uci(uci).expect(uci);
        let mut history = History::new();
        history.update_quiet(&[None; 3], &position, mv("e1d1"), 500);
        history.update_capture(&position, mv("f2f4"), 500);
        let killers = [Some(mv("f2g2")), None];
        let picker = MovePicker::all(&position, Some(mv("d2e2")), &killers, &[None; 3]);
        let found = order(picker, &position, &history);
        assert_eq!(found[..5], ["d2e2", "f2f4", "d2f4", "f2g2", "e1d1"]);
        assert_eq!(found.last().expect("moves"), "d2d6");
        let picker = MovePicker::tactical(&position, Some(mv("d2e2")));
        assert_eq!(order(picker, &position, &history), ["f2f4", "d2f4"], "nothing quiet, nothing that loses");
    }
}
