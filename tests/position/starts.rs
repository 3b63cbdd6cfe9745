//! Start positions of Chess960.

use super::peer::{peer, peer_fen};
use std::collections::HashSet;
use tabiya::engine::Position;
use tabiya::engine::position::START_FEN;

#[test]
fn start_518_is_classical_chess() {
    assert_eq!(Position::chess960_start(518).fen(), START_FEN);
    assert_eq!(Position::default().fen(), START_FEN);
}

#[test]
fn known_numbers_have_their_known_back_ranks() {
    // As python-chess numbers them.
    for (number, rank) in [
        (0, "bbqnnrkr"),
        (1, "bqnbnrkr"),
        (4, "qbbnnrkr"),
        (100, "qbbnrnkr"),
        (300, "qbnrkrbn"),
        (534, "rnbkqbnr"),
        (959, "rkrnnqbb"),
    ] {
        let fen = Position::chess960_start(number).fen();
        assert_eq!(fen.split('/').next(), Some(rank), "start {number}");
    }
}

#[test]
fn all_960_starts_are_different_legal_and_numbered_as_by_scharnagl() {
    let mut different = HashSet::new();
    for number in 0..960 {
        let fen = Position::chess960_start(number).fen();
        let board = shakmaty::Board::chess960(u32::from(number));
        assert_eq!(fen, format!("{} w KQkq - 0 1", board.board_fen()), "start {number}");
        assert_eq!(peer_fen(&peer(&fen)), fen, "start {number}");
        different.insert(fen);
    }
    assert_eq!(different.len(), 960);
}

#[test]
#[should_panic(expected = "there are 960 start positions")]
fn there_is_no_start_960() {
    Position::chess960_start(960);
}
