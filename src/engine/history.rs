//! History: which quiet moves refuted positions before, by side, origin and target.
//!
//! Source of the idea: J. Schaeffer, "The History Heuristic", 1983; the gravity form of the update is
//! from Stockfish.

use super::Move;
use super::position::Color;

/// No history value goes beyond plus or minus this.
pub const HISTORY_MAX: i32 = 16_384;

/// What one thread has learned about quiet moves in the game so far.
pub struct History {
    quiet: Box<[[[i16; 64]; 64]; 2]>,
}

impl History {
    pub fn new() -> History {
        History { quiet: Box::new([[[0; 64]; 64]; 2]) }
    }

    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// How well the quiet move has done for `color`, within plus or minus [`HISTORY_MAX`].
    pub fn quiet(&self, color: Color, mv: Move) -> i32 {
        i32::from(self.quiet[color.to_index()][mv.from().to_index()][mv.to().to_index()])
    }

    /// A quiet move did well (`bonus` above 0) or was tried in vain (below 0).
    pub fn update_quiet(&mut self, color: Color, mv: Move, bonus: i32) {
        let entry = &mut self.quiet[color.to_index()][mv.from().to_index()][mv.to().to_index()];
        add_with_gravity(entry, bonus);
    }
}

impl Default for History {
    fn default() -> Self {
        Self::new()
    }
}

/// Adds `bonus` less a share of the present value, so that the entry never leaves its range and a
/// surprise counts for more than what was known already.
fn add_with_gravity(entry: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-HISTORY_MAX, HISTORY_MAX);
    let value = i32::from(*entry);
    *entry = (value + bonus - value * bonus.abs() / HISTORY_MAX) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_value_nears_its_bound_and_never_passes_it() {
        let mut entry = 0;
        for _ in 0..1000 {
            add_with_gravity(&mut entry, 2000);
        }
        assert!((15_000..=HISTORY_MAX).contains(&i32::from(entry)), "{entry}");
        add_with_gravity(&mut entry, -2000);
        assert!(i32::from(entry) < HISTORY_MAX - 3000, "a surprise counts for more: {entry}");
        for _ in 0..1000 {
            add_with_gravity(&mut entry, -100_000);
        }
        assert!(i32::from(entry) >= -HISTORY_MAX, "{entry}");
    }
}
