//! A move in Standard Algebraic Notation, as short as the standard allows and no shorter.

use super::castling::CastlingSide;
use super::{Move, Piece, Position};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn san_is_exact() {
        let cases = [
            ("startpos", "e2e4", "e4"),
            ("startpos", "g1f3", "Nf3"),
            ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", "e4d5", "exd5"),
            ("rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3", "e5d6", "exd6"),
            ("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", "d8h4", "Qh4#"),
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", "O-O"),
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1a1", "O-O-O"),
            ("5k2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", "O-O+"),
            ("3k4/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1a1", "O-O-O+"),
            // Chess960: the king stays, or only crosses the rook.
            ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1", "O-O"),
            ("4k3/8/8/8/8/8/8/2R1K3 w C - 0 1", "e1c1", "O-O-O"),
            ("4k3/8/8/8/8/8/8/1RK5 w B - 0 1", "c1b1", "O-O-O"),
            ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8q", "a8=Q"),
            ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8n", "a8=N"),
            ("1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8r", "axb8=R+"),
            ("7k/8/8/8/8/8/8/KN3N2 w - - 0 1", "b1d2", "Nbd2"),
            ("7k/8/8/8/8/1N6/8/KN6 w - - 0 1", "b1d2", "N1d2"),
            ("7k/8/8/3p4/8/1N6/8/KN6 w - - 0 1", "b3d4", "Nd4"),
            // Same file and same rank: both are needed.
            ("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
            ("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "e4e1", "Qee1"),
            ("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h1e1", "Q1e1"),
            // Neither file nor rank is shared: the file is preferred.
            ("7k/8/8/8/8/5N2/8/KN6 w - - 0 1", "b1d2", "Nbd2"),
            // A pinned rival cannot go there, so it is no rival.
            ("3rk3/8/8/8/8/3N4/8/N2K4 w - - 0 1", "a1c2", "Nc2"),
            ("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2", "Ne2"),
            ("4k3/8/8/8/8/8/R6R/4K3 w - - 0 1", "a2d2", "Rad2"),
            ("3k4/R7/8/8/8/8/8/4K2R w - - 0 1", "h1h8", "Rh8#"),
        ];
        for (fen, uci, expected) in cases {
            let position = Position::after(fen, "").unwrap_or_else(|error| panic!("{fen}: {error}"));
            let mv = position.parse_uci(uci).unwrap_or_else(|error| panic!("{fen} {uci}: {error}"));
            assert_eq!(san(&position, mv), expected, "{fen} {uci}");
        }
    }
}
