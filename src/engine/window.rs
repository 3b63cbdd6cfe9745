//! Window: alpha and beta, which always travel together.

use super::Score;

/// The scores that still matter at a node, from the side to move's point of view.
///
/// At most `alpha` is too bad to be chosen here, at least `beta` is too good to be allowed by the
/// opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub alpha: Score,
    pub beta: Score,
}

impl Window {
    pub const FULL: Window = Window { alpha: Score(-Score::INFINITE.0), beta: Score::INFINITE };

    /// The window that only asks "better than `alpha`?".
    pub fn zero_above(alpha: Score) -> Window {
        Window { alpha, beta: alpha + 1 }
    }

    /// The score half-way between the bounds.
    pub fn middle(self) -> Score {
        Score((self.alpha.0 + self.beta.0) / 2)
    }

    /// The window that only asks "at least `beta`?".
    pub fn zero_below(beta: Score) -> Window {
        Window { alpha: beta - 1, beta }
    }

    /// `margin` centipawns around `score`, within the possible scores.
    pub fn around(score: Score, margin: i32) -> Window {
        Window { alpha: (score - margin).max(Self::FULL.alpha), beta: (score + margin).min(Self::FULL.beta) }
    }

    /// Whether `score` is exact: neither too bad nor too good.
    pub fn contains(self, score: Score) -> bool {
        self.alpha < score && score < self.beta
    }

    /// Whether it only asks a yes-or-no question. Nodes with a wider one are on the principal variation.
    pub fn is_zero(self) -> bool {
        self.beta.0 - self.alpha.0 == 1
    }
}

/// The same window seen by the opponent.
impl std::ops::Neg for Window {
    type Output = Window;
    fn neg(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}
