//! A value for the middlegame and one for the endgame, added together in one instruction.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// Centipawns for the middlegame and for the endgame, packed into one integer: the endgame's in the
/// upper half, the middlegame's, which may borrow from it, in the lower.
///
/// Sums stay exact while each half stays within 16 bits. Source of the idea: the Chess Programming
/// Wiki, "Tapered Eval" and "SIMD and SWAR Techniques".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tapered(i32);

impl Tapered {
    pub const ZERO: Tapered = Tapered(0);

    pub const fn new(middlegame: i32, endgame: i32) -> Tapered {
        Tapered((endgame << 16) + middlegame)
    }

    pub const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    pub const fn endgame(self) -> i32 {
        (self.0 + 0x8000) >> 16
    }
}

impl Add for Tapered {
    type Output = Tapered;
    fn add(self, other: Tapered) -> Tapered {
        Tapered(self.0 + other.0)
    }
}

impl Sub for Tapered {
    type Output = Tapered;
    fn sub(self, other: Tapered) -> Tapered {
        Tapered(self.0 - other.0)
    }
}

impl AddAssign for Tapered {
    fn add_assign(&mut self, other: Tapered) {
        self.0 += other.0;
    }
}

impl SubAssign for Tapered {
    fn sub_assign(&mut self, other: Tapered) {
        self.0 -= other.0;
    }
}

impl Neg for Tapered {
    type Output = Tapered;
    fn neg(self) -> Tapered {
        Tapered(-self.0)
    }
}

impl Mul<i32> for Tapered {
    type Output = Tapered;
    fn mul(self, count: i32) -> Tapered {
        Tapered(self.0 * count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_are_added_and_multiplied_apart() {
        let values = [0, 1, -1, 7, -300, 950, -2500];
        for (a, b) in values.iter().flat_map(|&a| values.map(|b| (a, b))) {
            for (c, d) in [(0, 0), (-5, 4), (1200, -1300)] {
                let (one, other) = (Tapered::new(a, b), Tapered::new(c, d));
                for (sum, wanted) in [
                    (one + other, (a + c, b + d)),
                    (one - other, (a - c, b - d)),
                    (-one, (-a, -b)),
                    (one * 3 + other * -2, (3 * a - 2 * c, 3 * b - 2 * d)),
                ] {
                    assert_eq!((sum.middlegame(), sum.endgame()), wanted, "{a} {b} and {c} {d}");
                }
            }
        }
    }
}
