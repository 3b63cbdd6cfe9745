//! What a search is asked about a position, when it is not simply "the best move?".

use super::{Move, Score, SearchReport};

/// A question about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Only these moves are looked at, at least one of them legal; all moves if empty.
    pub moves: Vec<Move>,
    /// How many of the best lines are wanted (MultiPV); fewer if there are fewer moves.
    pub lines: usize,
    /// A mate in at most this many moves, for either side, is answer enough. The search then leaves
    /// nothing out, so that at the depth of such a mate it is found, or there is none.
    pub mate: Option<u8>,
}

impl Default for Question {
    fn default() -> Self {
        Question { moves: Vec::new(), lines: 1, mate: None }
    }
}

impl Question {
    /// Whether it asks about `mv`.
    pub fn admits(&self, mv: Move) -> bool {
        self.moves.is_empty() || self.moves.contains(&mv)
    }

    /// Whether there is nothing more to ask.
    pub fn is_answered_by(&self, report: &SearchReport) -> bool {
        let wanted = self.mate.map(u32::from);
        wanted.zip(report.score.moves_to_mate()).is_some_and(|(most, moves)| moves.unsigned_abs() <= most)
    }
}

/// A line of play from the root, and what it is worth to the side to move there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Never empty.
    pub pv: Vec<Move>,
    pub score: Score,
}

impl Line {
    /// A line of which only the first move is known; it has room to grow.
    pub fn beginning(mv: Move) -> Line {
        let mut pv = Vec::with_capacity(Score::MAX_PLY + 1);
        pv.push(mv);
        Line { pv, score: Score::DRAW }
    }
}
