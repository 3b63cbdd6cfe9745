//! A move in Standard Algebraic Notation, as short as the standard allows and no shorter.

use crate::engine::castling::CastlingSide;
use crate::engine::{Move, Piece, Position};

/// A legal move in SAN, with `+` for check and `#` for mate.
pub fn san(position: &Position, mv: Move) -> String {
    let mut after = position.clone();
    after.play(mv);
    let mark = match after.is_check() {
        true if after.legal_moves().is_empty() => "#",
        true => "+",
        false => "",
    };
    without_mark(position, mv) + mark
}

fn without_mark(position: &Position, mv: Move) -> String {
    if mv.is_castling() {
        let is_king_side = CastlingSide::of(mv.from(), mv.to()) == CastlingSide::King;
        return if is_king_side { "O-O" } else { "O-O-O" }.to_string();
    }
    let (_, piece) = position.piece_on(mv.from()).expect("a legal move starts from a piece");
    let is_capture = position.is_capture(mv);
    let origin = match piece {
        Piece::Pawn if is_capture => mv.from().to_string()[..1].to_string(),
        Piece::Pawn => String::new(),
        _ => origin(position, mv, piece),
    };
    let capture = if is_capture { "x" } else { "" };
    let promotion = mv.promoted().map_or(String::new(), |piece| format!("={}", letter(piece)));
    format!("{}{origin}{capture}{}{promotion}", letter(piece), mv.to())
}

/// As much of the origin as tells the piece from others of its kind that may go to the same square:
/// the file if it does, else the rank if it does, else both.
fn origin(position: &Position, mv: Move, piece: Piece) -> String {
    let from = mv.from();
    let rivals: Vec<_> = position
        .legal_moves()
        .into_iter()
        .filter(|other| other.to() == mv.to() && other.from() != from)
        .map(Move::from)
        .filter(|rival| position.piece_on(*rival).is_some_and(|(_, other)| other == piece))
        .collect();
    let square = from.to_string();
    if rivals.is_empty() {
        String::new()
    } else if rivals.iter().all(|rival| rival.get_file() != from.get_file()) {
        square[..1].to_string()
    } else if rivals.iter().all(|rival| rival.get_rank() != from.get_rank()) {
        square[1..].to_string()
    } else {
        square
    }
}

/// The letter of a piece; a pawn has none.
fn letter(piece: Piece) -> &'static str {
    match piece {
        Piece::Pawn => "",
        Piece::Knight => "N",
        Piece::Bishop => "B",
        Piece::Rook => "R",
        Piece::Queen => "Q",
        Piece::King => "K",
    }
}
