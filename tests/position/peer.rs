//! What shakmaty says of the same position.

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};
use tabiya::engine::Position;

/// FENs of the perft suite: castling, promotion, en passant, pins and checks in small positions.
pub fn suite_fens() -> impl Iterator<Item = &'static str> {
    include_str!("../perftsuite.epd").lines().map(|line| line.split(" ;").next().expect("a FEN"))
}

/// The position of a FEN that shakmaty accepts without any indulgence.
pub fn peer(fen: &str) -> Chess {
    fen.parse::<Fen>()
        .unwrap_or_else(|error| panic!("{fen}: {error}"))
        .into_position(CastlingMode::Chess960)
        .unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// A FEN with both counters, X-FEN castling and en passant only where legal.
pub fn peer_fen(chess: &Chess) -> String {
    Fen::from_position(chess, EnPassantMode::Legal).to_string()
}

/// Legal moves in sorted UCI, castling as king takes rook, captures marked with an `x`.
pub fn peer_moves(chess: &Chess) -> Vec<String> {
    let mark = |capture: bool| if capture { "x" } else { "" };
    let mut moves: Vec<String> = chess
        .legal_moves()
        .iter()
        .map(|&mv| format!("{}{}", UciMove::from_chess960(mv), mark(mv.is_capture())))
        .collect();
    moves.sort_unstable();
    moves
}

/// As [`peer_moves`], by Tabiya.
pub fn our_moves(position: &Position) -> Vec<String> {
    let mark = |capture: bool| if capture { "x" } else { "" };
    let mut moves: Vec<String> = position
        .legal_moves()
        .into_iter()
        .map(|mv| format!("{mv}{}", mark(position.is_capture(mv))))
        .collect();
    moves.sort_unstable();
    moves
}
