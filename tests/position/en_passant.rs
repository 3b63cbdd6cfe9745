//! En passant: only where the capture is legal does it count, in moves, keys and FEN.

use super::peer::{our_moves, peer, peer_fen, peer_moves};
use tabiya::engine::{Position, Square};

/// Why, a FEN that names the square, and the legal captures there.
const CASES: &[(&str, &str, &[&str])] = &[
    ("plain, White", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", &["e5d6x"]),
    ("plain, Black", "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1", &["e4d3x"]),
    ("from both sides", "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", &["c5d6x", "e5d6x"]),
    ("no pawn beside it", "4k3/8/8/3p4/4P3/8/8/4K3 w - d6 0 1", &[]),
    ("a piece beside it", "4k3/8/8/3pN3/8/8/8/4K3 w - d6 0 1", &[]),
    ("the files do not wrap, a6", "4k3/8/8/p6P/8/8/8/4K3 w - a6 0 1", &[]),
    ("the files do not wrap, h3", "4k3/8/8/8/p6P/8/8/4K3 b - h3 0 1", &[]),
    ("on the edge", "4k3/8/8/pP6/8/8/8/4K3 w - a6 0 1", &["b5a6x"]),
    ("both pawns leave the king's rank", "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1", &[]),
    ("the same, the king right", "8/8/8/r2Pp2K/8/8/8/4k3 w - e6 0 1", &[]),
    ("the same, Black", "4K3/8/8/8/k2Pp2R/8/8/8 b - d3 0 1", &[]),
    ("a second pawn keeps the rank closed", "8/8/8/K1PpP2r/8/8/8/4k3 w - d6 0 1", &["c5d6x", "e5d6x"]),
    ("pinned on the file", "4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 1", &[]),
    ("pinned on the crossing diagonal", "4k2b/8/8/3pP3/3K4/8/8/8 w - d6 0 1", &[]),
    ("pinned on the diagonal of the capture", "4k3/2b5/8/3pP3/5K2/8/8/8 w - d6 0 1", &["e5d6x"]),
    ("one of two is pinned", "4r1k1/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", &["c5d6x"]),
    ("the captured pawn was a shield on the diagonal", "b5k1/8/8/3pP3/8/8/6K1/8 w - d6 0 1", &[]),
    ("the captured pawn was a shield on the file", "3rk3/8/8/3pP3/8/8/8/3K4 w - d6 0 1", &["e5d6x"]),
    ("takes the pawn that gives check", "4k3/8/8/3pP3/4K3/8/8/8 w - d6 0 1", &["e5d6x"]),
    ("pinned, though the pawn gives check", "4r1k1/8/8/3pP3/4K3/8/8/8 w - d6 0 1", &[]),
    ("the step has opened a check elsewhere", "k7/r6K/8/4pP2/8/8/8/8 w - e6 0 1", &[]),
];

#[test]
fn en_passant_is_generated_only_where_it_is_legal() {
    for (why, fen, expected) in CASES {
        let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{why}: {error}"));
        let target = fen.split(' ').nth(3).expect("a target");
        let mut captures: Vec<String> = position
            .legal_moves()
            .into_iter()
            .filter(|mv| mv.is_en_passant())
            .map(|mv| format!("{mv}x"))
            .collect();
        captures.sort_unstable();
        assert_eq!(captures, *expected, "{why}: {fen}");
        let marked = position.en_passant().map(|square| square.to_string());
        assert_eq!(marked.as_deref(), (!expected.is_empty()).then_some(target), "{why}: {fen}");
        assert_eq!(our_moves(&position), peer_moves(&peer(fen)), "{why}: {fen}");
        assert_eq!(position.fen(), peer_fen(&peer(fen)), "{why}");
    }
}

#[test]
fn the_square_changes_the_key_only_where_the_capture_is_legal() {
    for (why, fen, expected) in CASES {
        let target = fen.split(' ').nth(3).expect("a target");
        let without = fen.replace(&format!(" {target} "), " - ");
        let key = |fen: &str| Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}")).key();
        assert_eq!(key(fen) != key(&without), !expected.is_empty(), "{why}: {fen}");
    }
}

#[test]
fn a_double_step_marks_its_square_only_where_the_capture_is_legal() {
    for (fen, uci, target) in [
        ("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5", Some(Square::D6)),
        ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4", Some(Square::E3)),
        ("4k3/3p4/8/8/4P3/8/8/4K3 b - - 0 1", "d7d5", None),
        ("8/3p4/8/K3P2r/8/8/8/4k3 b - - 0 1", "d7d5", None),
        ("4r1k1/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5", None),
        ("k7/r3p2K/8/5P2/8/8/8/8 b - - 0 1", "e7e5", None),
    ] {
        let mut position = Position::from_fen(fen).expect(fen);
        position.play_uci(uci).expect(uci);
        assert_eq!(position.en_passant(), target, "{uci} in {fen}");
    }
}

#[test]
fn a_square_that_no_rule_of_chess_explains_captures_nothing() {
    // The king stands in check from a knight, which a double step can neither give nor open.
    let position = Position::from_fen("4k3/8/8/3pP3/8/5n2/8/4K3 w - d6 0 1").expect("a FEN");
    assert_eq!(position.en_passant(), None);
    assert!(position.legal_moves().into_iter().all(|mv| mv.from() == Square::E1));
}

#[test]
fn the_right_lasts_one_ply() {
    let mut position = Position::default();
    for uci in ["e2e4", "a7a6", "e4e5", "d7d5"] {
        position.play_uci(uci).expect(uci);
    }
    assert_eq!(position.en_passant(), Some(Square::D6));
    for uci in ["h2h3", "h7h6"] {
        position.play_uci(uci).expect(uci);
        assert_eq!(position.en_passant(), None);
    }
    assert!(position.parse_uci("e5d6").is_err());
}
