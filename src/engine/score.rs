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

    /// Plies to mate, for either side.
    pub fn plies_to_mate(self) -> Option<i32> {
        self.is_mate().then_some(Self::MATE - self.0.abs())
    }

    /// Full moves to mate, as in UCI: positive when the side to move mates, negative when it is mated.
    pub fn moves_to_mate(self) -> Option<i32> {
        match self.0 {
            s if s >= Self::MATE_IN_MAX => Some((Self::MATE - s + 1) / 2),
            s if s <= -Self::MATE_IN_MAX => Some(-(Self::MATE + s) / 2),
            _ => None,
        }
    }

    /// As the transposition table keeps it: mates counted from the node at `ply`, not from the root,
    /// because the same node may be met at another distance.
    pub fn to_table(self, ply: usize) -> i16 {
        let raw = match self.0 {
            s if s >= Self::MATE_IN_MAX => s + ply as i32,
            s if s <= -Self::MATE_IN_MAX => s - ply as i32,
            s => s,
        };
        raw as i16
    }

    /// The inverse of [`Score::to_table`].
    pub fn from_table(raw: i16, ply: usize) -> Score {
        match i32::from(raw) {
            s if s >= Self::MATE_IN_MAX => Score(s - ply as i32),
            s if s <= -Self::MATE_IN_MAX => Score(s + ply as i32),
            s => Score(s),
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

impl std::ops::Add<i32> for Score {
    type Output = Score;
    fn add(self, centipawns: i32) -> Score {
        Score(self.0 + centipawns)
    }
}

impl std::ops::Sub<i32> for Score {
    type Output = Score;
    fn sub(self, centipawns: i32) -> Score {
        Score(self.0 - centipawns)
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

    #[test]
    fn a_mate_in_the_table_is_counted_from_its_node() {
        let mate_at_nine = Score::mate_in(9);
        let kept = mate_at_nine.to_table(4);
        assert_eq!(Score::from_table(kept, 4), mate_at_nine);
        assert_eq!(Score::from_table(kept, 2), Score::mate_in(7), "met two plies nearer the root");
        assert_eq!(Score::from_table(Score::mated_in(8).to_table(3), 5), Score::mated_in(10));
        assert_eq!(Score::from_table(Score(-250).to_table(7), 1), Score(-250));
    }
}
