//! A position as people look at it.

use super::position::{ALL_SQUARES, Color, Piece, Position};

/// The board in eight lines and one for the files, seen from `bottom`'s side; `man` says how a man looks.
pub fn diagram(position: &Position, bottom: Color, man: impl Fn(Color, Piece) -> char) -> String {
    let turned = |index: usize| if bottom == Color::White { index } else { 7 - index };
    let mut text = String::new();
    for rank in (0..8).rev().map(turned) {
        text.push((b'1' + rank as u8) as char);
        for file in (0..8).map(turned) {
            let seen = position.piece_on(ALL_SQUARES[rank * 8 + file]);
            text.push(' ');
            text.push(seen.map_or('.', |(color, piece)| man(color, piece)));
        }
        text.push('\n');
    }
    text.push(' ');
    for file in (0..8).map(turned) {
        text.extend([' ', (b'a' + file as u8) as char]);
    }
    text.push('\n');
    text
}

/// A man's letter in FEN: upper case for White.
pub fn letter(color: Color, piece: Piece) -> char {
    super::fen::piece_letter(color, piece)
}

/// A man as a chess symbol.
pub fn symbol(color: Color, piece: Piece) -> char {
    let symbols = match color {
        Color::White => ['♙', '♘', '♗', '♖', '♕', '♔'],
        Color::Black => ['♟', '♞', '♝', '♜', '♛', '♚'],
    };
    symbols[piece.to_index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_is_seen_from_either_side() {
        let position = Position::from_fen("r3k3/8/8/8/8/8/5P2/6KR w - - 0 1").expect("a FEN");
        let white = "8 r . . . k . . .\n7 . . . . . . . .\n6 . . . . . . . .\n5 . . . . . . . .\n\
                     4 . . . . . . . .\n3 . . . . . . . .\n2 . . . . . P . .\n1 . . . . . . K R\n  a b c d e f g h\n";
        assert_eq!(diagram(&position, Color::White, letter), white);
        let black = diagram(&position, Color::Black, symbol);
        assert!(black.starts_with("1 ♖ ♔ . . . . . .\n2 . . ♙ "), "{black}");
        assert!(black.ends_with("8 . . . ♚ . . . ♜\n  h g f e d c b a\n"), "{black}");
    }
}
