//! Castling rights for standard chess and Chess960 alike: a right is the square of its rook.

use super::position::{Color, File, Piece, Rank, Square};

/// On which side of the king the castling rook stands at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastlingSide {
    /// Towards the h-file: the king lands on g, the rook on f.
    King,
    /// Towards the a-file: the king lands on c, the rook on d.
    Queen,
}

impl CastlingSide {
    pub const BOTH: [CastlingSide; 2] = [CastlingSide::King, CastlingSide::Queen];

    /// The side on which a rook on `rook` stands, seen from a king on `king`.
    pub fn of(king: Square, rook: Square) -> CastlingSide {
        if rook.get_file().to_index() > king.get_file().to_index() {
            CastlingSide::King
        } else {
            CastlingSide::Queen
        }
    }

    /// Where the king lands, on the rank on which it stands.
    pub fn king_target(self, rank: Rank) -> Square {
        Square::make_square(rank, if self == CastlingSide::King { File::G } else { File::C })
    }

    /// Where the rook lands, on the rank on which it stands.
    pub fn rook_target(self, rank: Rank) -> Square {
        Square::make_square(rank, if self == CastlingSide::King { File::F } else { File::D })
    }
}

/// Who may still castle, and with which rook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CastlingRights {
    rooks: [[Option<Square>; 2]; 2],
}

impl CastlingRights {
    /// The rook that `color` may castle with on `side`.
    pub fn rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        self.rooks[color.to_index()][side as usize]
    }

    pub fn grant(&mut self, color: Color, side: CastlingSide, rook: Square) {
        self.rooks[color.to_index()][side as usize] = Some(rook);
    }

    /// Takes away what a move of `us` ends: the rights of a king or rook that has left its square, and
    /// of a rook that was captured.
    pub fn revoke_by_move(&mut self, us: Color, piece: Piece, from: Square, to: Square) {
        if piece == Piece::King {
            self.rooks[us.to_index()] = [None; 2];
        }
        self.revoke_rook(us, from);
        self.revoke_rook(!us, to);
    }

    fn revoke_rook(&mut self, color: Color, square: Square) {
        for right in &mut self.rooks[color.to_index()] {
            if *right == Some(square) {
                *right = None;
            }
        }
    }

    /// Squares of all rooks that may still castle.
    pub fn rooks(&self) -> impl Iterator<Item = Square> {
        self.rooks.into_iter().flatten().flatten()
    }
}
