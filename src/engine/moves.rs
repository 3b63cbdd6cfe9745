//! A move in two bytes, and a list of them that lives on the stack.

use super::castling::CastlingSide;
use super::position::{File, Piece, Square};
use std::fmt;

/// What is special about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    Normal,
    Promotion,
    EnPassant,
    /// Inside, castling is always written as the king taking its own rook.
    Castling,
}

/// A move: from, to, kind and promotion in 16 bits.
///
/// Bits 0..6 hold the origin, 6..12 the target (the rook's square for castling), 12..14 the
/// promoted piece (knight, bishop, rook, queen), 14..16 the kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(u16);

const PROMOTIONS: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

impl Move {
    fn with_kind(from: Square, to: Square, kind: u16) -> Move {
        Move(from.to_int() as u16 | (to.to_int() as u16) << 6 | kind << 14)
    }

    pub fn normal(from: Square, to: Square) -> Move {
        Self::with_kind(from, to, 0)
    }

    /// `piece` is a knight, bishop, rook or queen.
    pub fn promotion(from: Square, to: Square, piece: Piece) -> Move {
        let index = PROMOTIONS.iter().position(|&p| p == piece).expect("a piece a pawn may become");
        Move(Self::with_kind(from, to, 1).0 | (index as u16) << 12)
    }

    pub fn en_passant(from: Square, to: Square) -> Move {
        Self::with_kind(from, to, 2)
    }

    pub fn castling(king: Square, rook: Square) -> Move {
        Self::with_kind(king, rook, 3)
    }

    pub fn from(self) -> Square {
        square(self.0 & 63)
    }

    /// The target square; for castling the square of the castling rook.
    pub fn to(self) -> Square {
        square(self.0 >> 6 & 63)
    }

    pub fn kind(self) -> MoveKind {
        match self.0 >> 14 {
            0 => MoveKind::Normal,
            1 => MoveKind::Promotion,
            2 => MoveKind::EnPassant,
            _ => MoveKind::Castling,
        }
    }

    pub fn promoted(self) -> Option<Piece> {
        (self.kind() == MoveKind::Promotion).then(|| PROMOTIONS[(self.0 >> 12 & 3) as usize])
    }

    pub fn is_castling(self) -> bool {
        self.kind() == MoveKind::Castling
    }

    pub fn is_en_passant(self) -> bool {
        self.kind() == MoveKind::EnPassant
    }

    /// Where the king lands (as in `e1g1`) when castling from the squares of standard chess.
    pub fn two_square_castling(self) -> Option<Square> {
        let (king, rook) = (self.from(), self.to());
        let is_standard = king.get_file() == File::E && matches!(rook.get_file(), File::A | File::H);
        (self.is_castling() && is_standard).then(|| CastlingSide::of(king, rook).king_target(king.get_rank()))
    }

    /// The move as 16 bits; never zero, because no move stays on its square.
    pub fn bits(self) -> u16 {
        self.0
    }

    /// The inverse of [`Move::bits`]; 0 is no move. The result need not be legal anywhere.
    pub fn from_bits(bits: u16) -> Option<Move> {
        (bits != 0).then_some(Move(bits))
    }
}

fn square(index: u16) -> Square {
    super::position::ALL_SQUARES[index as usize]
}

/// UCI notation, castling as king takes rook (`e1h1`): what Lichess understands in every variant.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promoted() {
            Some(Piece::Knight) => f.write_str("n"),
            Some(Piece::Bishop) => f.write_str("b"),
            Some(Piece::Rook) => f.write_str("r"),
            Some(_) => f.write_str("q"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// At most 256 moves; no legal position has more than 218.
#[derive(Clone)]
pub struct MoveList {
    moves: [Move; 256],
    length: usize,
}

impl MoveList {
    pub fn new() -> MoveList {
        MoveList { moves: [Move(0); 256], length: 0 }
    }

    pub fn push(&mut self, mv: Move) {
        self.moves[self.length] = mv;
        self.length += 1;
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];
    fn deref(&self) -> &[Move] {
        &self.moves[..self.length]
    }
}

impl std::ops::DerefMut for MoveList {
    fn deref_mut(&mut self) -> &mut [Move] {
        &mut self.moves[..self.length]
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = Move;
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, Move>>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter().copied()
    }
}
