//! The men and their attacks as sets of squares, gathered once for each evaluation.

use super::bits::{count, pawn_attacks};
use super::king;
use crate::engine::position::{Color, Piece, Position, Square, king_attacks};

/// Where the men stand. Sides and kinds by their index.
pub struct Men {
    pub by: [[u64; 6]; 2],
    pub colored: [u64; 2],
    pub occupied: u64,
    pub king: [Square; 2],
}

/// Indexes of the kinds.
pub const PAWN: usize = Piece::Pawn as usize;
pub const KNIGHT: usize = Piece::Knight as usize;
pub const BISHOP: usize = Piece::Bishop as usize;
pub const ROOK: usize = Piece::Rook as usize;
pub const QUEEN: usize = Piece::Queen as usize;
pub const KING: usize = Piece::King as usize;

const PIECES: [Piece; 6] =
    [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];

impl Men {
    pub fn of(position: &Position) -> Men {
        let kinds = PIECES.map(|piece| position.of_kind(piece).0);
        let colored = [position.colored(Color::White).0, position.colored(Color::Black).0];
        Men {
            by: colored.map(|colored| kinds.map(|kind| kind & colored)),
            colored,
            occupied: colored[0] | colored[1],
            king: [position.king(Color::White), position.king(Color::Black)],
        }
    }

    /// How much of the middlegame is left: each knight and bishop counts 1, rook 2, queen 4, at most 24.
    pub fn phase(&self) -> i32 {
        let number = |kind: usize| count(self.by[0][kind] | self.by[1][kind]);
        let minors = count(self.by[0][KNIGHT] | self.by[1][KNIGHT] | self.by[0][BISHOP] | self.by[1][BISHOP]);
        (minors + 2 * number(ROOK) + 4 * number(QUEEN)).min(FULL_PHASE)
    }
}

/// Phase of the start position.
pub const FULL_PHASE: i32 = 24;

/// Enemy pieces that attack the ring of a king.
#[derive(Clone, Copy, Default)]
pub struct Looks {
    pub pieces: i32,
    /// By kind: see [`king::LOOK`].
    pub units: i32,
    /// Squares of the ring attacked, counted once for each piece.
    pub squares: i32,
}

/// What the men attack. Sides and kinds by their index.
pub struct Attacks {
    pub by: [[u64; 6]; 2],
    pub all: [u64; 2],
    /// Attacked at least twice.
    pub twice: [u64; 2],
    /// The ring of each king, and who attacks it.
    pub ring: [u64; 2],
    pub looks_at_ring: [Looks; 2],
}

impl Attacks {
    /// The attacks of pawns and kings; pieces are added one by one.
    pub fn of_pawns_and_kings(men: &Men) -> Attacks {
        let mut attacks = Attacks {
            by: [[0; 6]; 2],
            all: [0; 2],
            twice: [0; 2],
            ring: [king::ring(Color::White, men.king[0]), king::ring(Color::Black, men.king[1])],
            looks_at_ring: [Looks::default(); 2],
        };
        for (us, color) in [Color::White, Color::Black].into_iter().enumerate() {
            let by_pawns = pawn_attacks(color, men.by[us][PAWN]);
            let by_king = king_attacks(men.king[us]).0;
            attacks.by[us][PAWN] = by_pawns;
            attacks.by[us][KING] = by_king;
            attacks.all[us] = by_pawns | by_king;
            attacks.twice[us] = by_pawns & by_king;
        }
        attacks
    }

    /// Adds the attacks of one piece.
    #[inline(always)]
    pub fn add(&mut self, color: Color, kind: usize, squares: u64) {
        let (us, them) = (color.to_index(), (!color).to_index());
        self.twice[us] |= self.all[us] & squares;
        self.all[us] |= squares;
        self.by[us][kind] |= squares;
        let on_ring = squares & self.ring[them];
        if on_ring != 0 {
            let looks = &mut self.looks_at_ring[them];
            looks.pieces += 1;
            looks.units += king::LOOK[kind - KNIGHT];
            looks.squares += count(on_ring);
        }
    }
}
