//! A score: centipawns, or a mate at a distance.

use std::fmt;

/// A score from the side to move's point of view.
///
/// Ordinary values are centipawns. The range beyond [`Score::MATE_IN_MAX`] holds mates:
/// `MATE - ply` when the side to move mates at that ply, so that a nearer mate is worth more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Score(pub i32);

impl Score {
    /// Longest line in plies that a score can express.
    pub const MAX_PLY: usize = 128;
    pub const DRAW: Score = Score(0);
    pub const MATE: i32 = 32_000;
    /// The least score that means a forced mate for the side to move.
    pub const MATE_IN_MAX: i32 = Self::MATE - Self::MAX_PLY as i32;
    pub const INFINITE: Score = Score(32_001);

    /// The side to move mates with the move at `ply - 1` plies from the root.
    pub fn mate_in(ply: usize) -> Score {
        Score(Self::MATE - ply as i32)
    }

    /// The side to move is mated at `ply` plies from the root.
    pub fn mated_in(ply: usize) -> Score {
        Score(-Self::MATE + ply as i32)
    }

    pub fn is_mate(self) -> bool {
        self.0.abs() >= Self::MATE_IN_MAX
    }

    /// Full moves to mate, as in UCI: positive when the side to move mates, negative when it is mated.
    pub fn moves_to_mate(self) -> Option<i32> {
        match self.0 {
            s if s >= Self::MATE_IN_MAX => Some((Self::MATE - s + 1) / 2),
            s if s <= -Self::MATE_IN_MAX => Some(-(Self::MATE + s) / 2),
            _ => None,
        }
    }

    /// Centipawns, with mates as their large raw value.
    pub fn centipawns(self) -> i32 {
        self.0
    }
}

impl std::ops::Neg for Score {
    type Output = Score;
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.moves_to_mate() {
            Some(moves) => write!(f, "#{moves}"),
            None => write!(f, "{:+.2}", f64::from(self.0) / 100.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_read_as_people_write_them() {
        for (score, text) in [
            (Score(31), "+0.31"),
            (Score(-205), "-2.05"),
            (Score::DRAW, "+0.00"),
            (Score::mate_in(1), "#1"),
            (Score::mate_in(5), "#3"),
            (Score::mated_in(2), "#-1"),
            (Score::mated_in(4), "#-2"),
        ] {
            assert_eq!(score.to_string(), text, "{score:?}");
        }
    }

    #[test]
    fn a_nearer_mate_is_worth_more() {
        assert!(Score::mate_in(1) > Score::mate_in(3));
        assert!(Score::mated_in(2) < Score::mated_in(4));
    }
}
