//! History: which moves did well before, in this position's like.
//!
//! Four tables, one rule of update. Quiet moves are known by side, origin and target; captures by man,
//! target and victim; and moves that follow others (continuations) by the man and target of both. The
//! correction of the evaluation is learned in the same way, see [`Correction`].
//!
//! Sources of the ideas: J. Schaeffer, "The History Heuristic", 1983; the gravity form of the update,
//! continuation and capture history are from Stockfish.

use super::Move;
use super::correction::Correction;
use super::position::{Color, Piece, Position};

/// No history value goes beyond plus or minus this.
pub const HISTORY_MAX: i32 = 16_384;

/// A man and the square it went to: what later moves know of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceTo(u16);

impl PieceTo {
    /// Twelve kinds of men on 64 squares.
    pub const COUNT: usize = 12 * 64;

    /// Of a move that has not been played yet; castling goes to the rook's square.
    pub fn of(position: &Position, mv: Move) -> PieceTo {
        let piece = position.kind_on(mv.from()).expect("a move starts from a piece").to_index();
        let man = position.side_to_move().to_index() * 6 + piece;
        PieceTo((man * 64 + mv.to().to_index()) as u16)
    }

    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The moves one, two and four plies before a node; none where there was no move.
pub type Before = [Option<PieceTo>; 3];

type Continuations = [[i16; PieceTo::COUNT]; PieceTo::COUNT];

/// What one thread has learned in the game so far.
pub struct History {
    quiet: Box<[[[i16; 64]; 64]; 2]>,
    /// By man and target, and by the victim; the king's place is for promotions that take nothing.
    capture: Box<[[i16; 6]; PieceTo::COUNT]>,
    /// By the earlier move, and by the later.
    continuation: Box<Continuations>,
    pub correction: Correction,
}

impl History {
    pub fn new() -> History {
        let continuation = vec![[0; PieceTo::COUNT]; PieceTo::COUNT].into_boxed_slice();
        History {
            quiet: Box::new([[[0; 64]; 64]; 2]),
            capture: Box::new([[0; 6]; PieceTo::COUNT]),
            continuation: continuation.try_into().expect("as many rows as were made"),
            correction: Correction::new(),
        }
    }

    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// How well the quiet move has done for `color` by itself, within plus or minus [`HISTORY_MAX`].
    fn quiet(&self, color: Color, mv: Move) -> i32 {
        i32::from(self.quiet[color.to_index()][mv.from().to_index()][mv.to().to_index()])
    }

    /// How well the quiet move has done, by itself and after the moves before: each of four tables within
    /// plus or minus [`HISTORY_MAX`].
    pub fn quiet_after(&self, before: &Before, position: &Position, mv: Move) -> i32 {
        let moved = PieceTo::of(position, mv).index();
        let followed =
            before.iter().flatten().map(|earlier| i32::from(self.continuation[earlier.index()][moved]));
        self.quiet(position.side_to_move(), mv) + followed.sum::<i32>()
    }

    /// A quiet move did well (`bonus` above 0) or was tried in vain (below 0).
    pub fn update_quiet(&mut self, before: &Before, position: &Position, mv: Move, bonus: i32) {
        let color = position.side_to_move().to_index();
        add_with_gravity(
            &mut self.quiet[color][mv.from().to_index()][mv.to().to_index()],
            bonus,
            HISTORY_MAX,
        );
        let moved = PieceTo::of(position, mv).index();
        for earlier in before.iter().flatten() {
            add_with_gravity(&mut self.continuation[earlier.index()][moved], bonus, HISTORY_MAX);
        }
    }

    /// How well the capture or promotion has done, within plus or minus [`HISTORY_MAX`].
    pub fn capture(&self, position: &Position, mv: Move) -> i32 {
        i32::from(self.capture[PieceTo::of(position, mv).index()][victim(position, mv)])
    }

    /// A capture or promotion did well, or was tried in vain.
    pub fn update_capture(&mut self, position: &Position, mv: Move, bonus: i32) {
        let entry = &mut self.capture[PieceTo::of(position, mv).index()][victim(position, mv)];
        add_with_gravity(entry, bonus, HISTORY_MAX);
    }
}

impl Default for History {
    fn default() -> Self {
        Self::new()
    }
}

fn victim(position: &Position, mv: Move) -> usize {
    let victim = match mv.is_en_passant() {
        true => Piece::Pawn,
        false => position.kind_on(mv.to()).unwrap_or(Piece::King),
    };
    victim.to_index()
}

/// Adds `bonus` less a share of the present value, so that the entry never leaves plus or minus `most`
/// and a surprise counts for more than what was known already.
pub fn add_with_gravity(entry: &mut i16, bonus: i32, most: i32) {
    let bonus = bonus.clamp(-most, most);
    let value = i32::from(*entry);
    *entry = (value + bonus - value * bonus.abs() / most) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_value_nears_its_bound_and_never_passes_it() {
        let mut entry = 0;
        for _ in 0..1000 {
            add_with_gravity(&mut entry, 2000, HISTORY_MAX);
        }
        assert!((15_000..=HISTORY_MAX).contains(&i32::from(entry)), "{entry}");
        add_with_gravity(&mut entry, -2000, HISTORY_MAX);
        assert!(i32::from(entry) < HISTORY_MAX - 3000, "a surprise counts for more: {entry}");
        for _ in 0..1000 {
            add_with_gravity(&mut entry, -100_000, HISTORY_MAX);
        }
        assert!(i32::from(entry) >= -HISTORY_MAX, "{entry}");
    }

    #[test]
    fn a_quiet_move_is_known_by_itself_and_by_what_came_before() {
        let position = Position::default();
        let mv = |uci| position.parse_uci(uci).expect(uci);
        let mut history = History::new();
        let one = PieceTo::of(&position, mv("e2e4"));
        let other = PieceTo::of(&position, mv("d2d4"));
        history.update_quiet(&[Some(one), None, None], &position, mv("g1f3"), 100);
        assert_eq!(history.quiet(Color::White, mv("g1f3")), 100);
        assert_eq!(history.quiet_after(&[Some(one), None, None], &position, mv("g1f3")), 200);
        assert_eq!(history.quiet_after(&[Some(one), Some(one), None], &position, mv("g1f3")), 300);
        assert_eq!(history.quiet_after(&[Some(other), None, None], &position, mv("g1f3")), 100);
        assert_eq!(history.quiet_after(&[Some(one), None, None], &position, mv("g1h3")), 0);
    }

    #[test]
    fn a_capture_is_known_by_its_victim() {
        let fen = "4k3/2P5/8/3pP2n/8/8/6B1/3QK3 w - d6 0 1";
        let position = Position::from_fen(fen).expect(fen);
        let mv = |uci| position.parse_uci(uci).expect(uci);
        let mut history = History::new();
        for (bonus, uci) in [(10, "e5d6"), (20, "d1d5"), (30, "d1h5"), (40, "c7c8q"), (50, "g2d5")] {
            history.update_capture(&position, mv(uci), bonus);
        }
        for (bonus, uci) in [(10, "e5d6"), (20, "d1d5"), (30, "d1h5"), (40, "c7c8q"), (50, "g2d5")] {
            assert_eq!(history.capture(&position, mv(uci)), bonus, "{uci}");
        }
    }
}
