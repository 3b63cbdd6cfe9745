//! Castling in standard chess and Chess960: when it is legal, what it leaves, what ends the right.

use super::peer::{our_moves, peer, peer_fen, peer_moves};
use tabiya::engine::{Move, Position};

/// Why, the position, and its castling moves as king takes rook.
const CASES: &[(&str, &str, &[&str])] = &[
    ("both sides", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", &["e1h1", "e1a1"]),
    ("both sides, Black", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", &["e8h8", "e8a8"]),
    ("no rights", "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1", &[]),
    ("only the other's rights", "r3k2r/8/8/8/8/8/8/R3K2R w kq - 0 1", &[]),
    ("in check", "4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", &[]),
    ("f1 is attacked", "4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", &["e1a1"]),
    ("g1 is attacked", "4k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1", &["e1a1"]),
    ("h1 is attacked", "4k2r/8/8/8/8/8/8/R3K2R w KQ - 0 1", &["e1h1", "e1a1"]),
    ("d1 is attacked", "3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1", &["e1h1"]),
    ("c1 is attacked", "2r1k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", &["e1h1"]),
    ("b1 is attacked", "1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", &["e1h1", "e1a1"]),
    ("a pawn attacks f1 and d1", "4k3/8/8/8/8/8/4p3/R3K2R w KQ - 0 1", &[]),
    ("a knight attacks g1 and c1", "4k3/8/8/8/8/8/4n3/R3K2R w KQ - 0 1", &[]),
    ("the enemy king attacks f1 and g1", "8/8/8/8/8/8/6k1/R3K2R w KQ - 0 1", &["e1a1"]),
    ("own man on b1", "4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", &["e1h1"]),
    ("enemy man on c1", "4k3/8/8/8/8/8/8/R1b1K2R w KQ - 0 1", &["e1h1"]),
    ("king already on g1", "4k3/8/8/8/8/8/8/6KR w K - 0 1", &["g1h1"]),
    ("king already on c1", "4k3/8/8/8/8/8/8/R1K5 w Q - 0 1", &["c1a1"]),
    ("king and rook swap", "4k3/8/8/8/8/8/8/5KR1 w K - 0 1", &["f1g1"]),
    ("king and rook swap, queen's side", "4k3/8/8/8/8/8/8/3RK3 w D - 0 1", &["e1d1"]),
    ("neither moves", "4k3/8/8/8/8/8/8/5RKR w K - 0 1", &[]),
    ("the rook is already on d1", "4k3/8/8/8/8/8/8/3R1K2 w Q - 0 1", &["f1d1"]),
    ("rook on the b-file", "4k3/8/8/8/8/8/8/1R2K3 w Q - 0 1", &["e1b1"]),
    ("a man behind the rook does not matter", "4k3/8/8/8/8/8/8/NR2K3 w Q - 0 1", &["e1b1"]),
    ("the king jumps over its rook", "4k3/8/8/8/8/8/8/1KR5 w K - 0 1", &["b1c1"]),
    ("the long way is blocked", "4k3/8/8/8/8/8/8/1KR1N3 w K - 0 1", &[]),
    ("the king goes towards its rook's side", "4k3/8/8/8/8/8/8/RK6 w Q - 0 1", &["b1a1"]),
    ("the long way leads through an attack", "k3r3/8/8/8/8/8/8/1K5R w K - 0 1", &[]),
    ("an attack beside the long way", "k6r/8/8/8/8/8/8/1K4R1 w K - 0 1", &["b1g1"]),
    ("the rook shields the landing king, queen's side", "4k3/8/8/8/8/8/8/rRK5 w Q - 0 1", &[]),
    ("the rook shields the landing king, king's side", "4k3/8/8/8/8/8/8/5KRq w K - 0 1", &[]),
    ("the rook shields from afar", "4k3/8/8/8/8/8/8/qR1K4 w Q - 0 1", &[]),
    ("a bishop behind the rook is harmless", "4k3/8/8/8/8/8/8/bRK5 w Q - 0 1", &["c1b1"]),
    ("the inner rook has the right", "4k3/8/8/8/8/8/8/4KR1R w F - 0 1", &["e1f1"]),
    ("the outer rook has the right", "4k3/8/8/8/8/8/8/4KR1R w K - 0 1", &[]),
    ("the inner rook has the right, Black", "r1r1k3/8/8/8/8/8/8/4K3 b c - 0 1", &["e8c8"]),
    ("the enemy rook sees the landing king", "1r1k2r1/8/8/8/8/8/8/3K2R1 b kq - 0 1", &["d8b8"]),
    ("rights on both sides of Chess960", "1r1k2r1/8/8/8/8/8/8/3K4 b kq - 0 1", &["d8g8", "d8b8"]),
];

fn castlings(position: &Position) -> Vec<String> {
    position.legal_moves().into_iter().filter(|mv| mv.is_castling()).map(|mv| mv.to_string()).collect()
}

#[test]
fn castling_is_generated_only_where_it_is_legal() {
    for (why, fen, expected) in CASES {
        let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{why}: {error}"));
        assert_eq!(castlings(&position), *expected, "{why}: {fen}");
        assert_eq!(our_moves(&position), peer_moves(&peer(fen)), "{why}: {fen}");
        assert_eq!(position.fen(), peer_fen(&peer(fen)), "{why}");
        let is_capture = |mv: Move| mv.is_castling() && position.is_tactical(mv);
        assert!(!position.legal_moves().into_iter().any(is_capture), "{why}: castling takes nothing");
    }
}

#[test]
fn castling_puts_king_and_rook_on_their_squares() {
    for (fen, uci, after) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9", "e1h1", "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 4 9"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9", "e1a1", "r3k2r/8/8/8/8/8/8/2KR3R b kq - 4 9"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 9", "e8h8", "r4rk1/8/8/8/8/8/8/R3K2R w KQ - 4 10"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 9", "e8a8", "2kr3r/8/8/8/8/8/8/R3K2R w KQ - 4 10"),
        ("4k3/8/8/8/8/8/8/6KR w K - 0 1", "g1h1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
        ("4k3/8/8/8/8/8/8/5KR1 w K - 0 1", "f1g1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
        ("4k3/8/8/8/8/8/8/1KR5 w K - 0 1", "b1c1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
        ("4k3/8/8/8/8/8/8/RK6 w Q - 0 1", "b1a1", "4k3/8/8/8/8/8/8/2KR4 b - - 1 1"),
        ("4k3/8/8/8/8/8/8/4KR1R w F - 0 1", "e1f1", "4k3/8/8/8/8/8/8/5RKR b - - 1 1"),
    ] {
        let mut position = Position::from_fen(fen).expect(fen);
        position.play_uci(uci).expect(uci);
        assert_eq!(position.fen(), after, "{uci} in {fen}");
        position.undo();
        assert_eq!(position.fen(), fen, "{uci} taken back");
    }
}

#[test]
fn a_castling_rook_can_give_check_and_mate() {
    let mut position = Position::from_fen("5k2/8/8/8/8/8/8/4K2R w K - 0 1").expect("a FEN");
    position.play_uci("e1g1").expect("castling");
    assert!(position.is_check());
    assert_eq!(our_moves(&position), peer_moves(&peer(&position.fen())));
}

#[test]
fn a_castling_right_ends_with_its_king_or_rook() {
    for (why, fen, uci, rights) in [
        ("the king moves", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1e2", "kq"),
        ("the king castles", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1", "kq"),
        ("a rook moves", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "h8h7", "KQq"),
        ("a rook takes a rook", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "a1a8", "Kk"),
        ("a bishop takes a rook", "r3k2r/8/8/8/8/8/6B1/4K3 w kq - 0 1", "g2a8", "k"),
        ("a pawn takes a rook and promotes", "r3k2r/1P4P1/8/8/8/8/8/4K3 w kq - 0 1", "b7a8q", "k"),
        ("a pawn takes a rook and becomes a rook", "r3k2r/1P4P1/8/8/8/8/8/4K3 w kq - 0 1", "g7h8r", "q"),
        ("another man moves", "r3k2r/8/8/8/8/8/4P3/R3K2R w KQkq - 0 1", "e2e4", "KQkq"),
        ("the outer rook moves, so the inner one is K", "4k3/8/8/8/8/8/8/4KR1R w F - 0 1", "h1h2", "K"),
        ("the inner rook moves, the outer has the right", "4k3/8/8/8/8/8/8/4KR1R w K - 0 1", "f1f2", "K"),
        ("the inner rook with the right moves", "4k3/8/8/8/8/8/8/4KR1R w F - 0 1", "f1f2", "-"),
        ("the inner rook with the right is taken", "4k3/8/8/8/8/8/5q2/3K1R1R b F - 0 1", "f2f1", "-"),
    ] {
        let mut position = Position::from_fen(fen).expect(fen);
        position.play_uci(uci).unwrap_or_else(|error| panic!("{why}: {error}"));
        let after = position.fen();
        assert_eq!(after.split(' ').nth(2), Some(rights), "{why}: {uci} in {fen}");
        let fresh = Position::from_fen(&after).expect(&after);
        assert_eq!(fresh.castling(), position.castling(), "{why}: {uci} in {fen}");
        assert_eq!(fresh.key(), position.key(), "{why}: {uci} in {fen}");
    }
}

#[test]
fn x_fen_names_the_file_only_of_an_inner_rook() {
    for (fen, field) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "KQkq"),
        ("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1", "KQkq"),
        ("rr2k1rr/8/8/8/8/8/8/RR2K1RR w GBgb - 0 1", "GBgb"),
        ("rr2k1rr/8/8/8/8/8/8/RR2K1RR w KBgq - 0 1", "KBgq"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w qkQK - 0 1", "KQkq"),
    ] {
        let position = Position::from_fen(fen).expect(fen);
        assert_eq!(position.fen().split(' ').nth(2), Some(field), "{fen}");
        assert_eq!(position.fen(), peer_fen(&peer(fen)));
        assert_eq!(Position::from_fen(&position.fen()).expect(fen).castling(), position.castling(), "{fen}");
    }
}
