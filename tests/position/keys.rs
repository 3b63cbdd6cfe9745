//! Keys that were updated move by move equal keys computed from scratch, over whole trees.

use super::peer::suite_fens;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use tabiya::engine::{Color, Move, Piece, Position};

/// Visits every position of a tree, the last ply included.
fn visit(position: &mut Position, depth: u32, look: &mut dyn FnMut(&mut Position)) {
    look(position);
    if depth > 0 {
        for mv in &position.legal_moves() {
            position.play(mv);
            visit(position, depth - 1, look);
            position.undo();
        }
    }
}

/// Trees of the suite and of some Chess960 starts.
fn visit_trees(depth: u32, look: &mut dyn FnMut(&mut Position)) {
    for fen in suite_fens() {
        visit(&mut Position::from_fen(fen).expect(fen), depth, look);
    }
    for number in (0..960).step_by(40) {
        visit(&mut Position::chess960_start(number), depth, look);
    }
}

fn keys(position: &Position) -> [u64; 4] {
    let non_pawn = |color| position.non_pawn_key(color);
    [position.key(), position.pawn_key(), non_pawn(Color::White), non_pawn(Color::Black)]
}

#[test]
fn keys_after_play_equal_keys_from_fen_over_whole_trees() {
    visit_trees(3, &mut |position| {
        let fen = position.fen();
        let fresh = Position::from_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(keys(position), keys(&fresh), "{fen}");
        assert_eq!(fresh.fen(), fen);
    });
}

#[test]
fn undo_restores_everything_over_whole_trees() {
    visit_trees(2, &mut |position| {
        let facts = |position: &Position| {
            (position.fen(), keys(position), position.legal_moves().to_vec(), position.plies_played())
        };
        let before = facts(position);
        for mv in &position.legal_moves() {
            position.play(mv);
            position.undo();
            assert_eq!(facts(position), before, "after {mv}");
        }
    });
}

#[test]
fn a_null_move_changes_the_side_and_is_undone_over_whole_trees() {
    visit_trees(2, &mut |position| {
        if position.is_check() {
            return;
        }
        let (fen, before) = (position.fen(), keys(position));
        position.play_null();
        let passed = position.fen();
        let fresh = Position::from_fen(&passed).unwrap_or_else(|error| panic!("{passed}: {error}"));
        assert_eq!(keys(position), keys(&fresh), "null move in {fen}");
        assert_eq!(position.legal_moves().to_vec(), fresh.legal_moves().to_vec(), "null move in {fen}");
        assert_ne!(position.key(), before[0], "null move in {fen}");
        assert_eq!(position.en_passant(), None, "null move in {fen}");
        position.undo();
        assert_eq!((position.fen(), keys(position)), (fen, before));
    });
}

#[test]
fn different_positions_of_the_trees_have_different_keys() {
    let digest = |text: &str| {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        hasher.finish()
    };
    let mut texts: HashMap<u64, u64> = HashMap::new();
    let mut pawns: HashMap<u64, [u64; 2]> = HashMap::new();
    visit_trees(3, &mut |position| {
        let fen = position.fen();
        let fields = fen.rsplitn(3, ' ').last().expect("a FEN without counters");
        let same = *texts.entry(position.key()).or_insert_with(|| digest(fields));
        assert_eq!(same, digest(fields), "another position has the key of {fen}");

        let of = |color| position.pieces(color, Piece::Pawn).0;
        let boards = [of(Color::White), of(Color::Black)];
        let same = *pawns.entry(position.pawn_key()).or_insert(boards);
        assert_eq!(same, boards, "other pawns have the pawn key of {fen}");
    });
    assert!(texts.len() > 300_000, "{} different positions", texts.len());
}

#[test]
fn a_pawn_key_knows_pawns_alone_and_a_non_pawn_key_one_side_s_men() {
    let position = |fen: &str| Position::from_fen(fen).expect(fen);
    let base = position("4k3/pp6/8/8/8/8/PP6/R3K3 w Q - 0 1");
    let no_rook = position("4k3/pp6/8/8/8/8/PP6/4K3 b - - 7 9");
    let other_pawn = position("4k3/pp6/8/8/8/P7/1P6/R3K3 w Q - 0 1");
    let black_rook = position("r3k3/pp6/8/8/8/8/PP6/R3K3 w Q - 0 1");
    assert_eq!(base.pawn_key(), no_rook.pawn_key());
    assert_ne!(base.pawn_key(), other_pawn.pawn_key());
    assert_ne!(base.non_pawn_key(Color::White), no_rook.non_pawn_key(Color::White));
    assert_eq!(base.non_pawn_key(Color::Black), no_rook.non_pawn_key(Color::Black));
    assert_eq!(base.non_pawn_key(Color::White), other_pawn.non_pawn_key(Color::White));
    assert_eq!(base.non_pawn_key(Color::White), black_rook.non_pawn_key(Color::White));
    assert_ne!(base.non_pawn_key(Color::Black), black_rook.non_pawn_key(Color::Black));
}

#[test]
fn a_key_knows_side_rights_and_men_but_not_the_counters() {
    let key = |fen: &str| Position::from_fen(fen).expect(fen).key();
    let base = key("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    assert_eq!(key("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 34 56"), base);
    assert_eq!(key("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1"), base);
    let rights = ["-", "K", "Q", "k", "q", "KQ", "kq", "Kk", "KQk", "KQkq"];
    let mut keys: Vec<u64> = ["w", "b"]
        .iter()
        .flat_map(|side| rights.map(|rights| key(&format!("r3k2r/8/8/8/8/8/8/R3K2R {side} {rights} - 0 1"))))
        .collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 2 * rights.len());
}

#[test]
fn a_key_knows_the_file_of_a_legal_en_passant_capture() {
    let key = |fen: String| Position::from_fen(&fen).expect(&fen).key();
    let mut marks = Vec::new();
    for (board, targets) in [
        ("4k3/8/8/pPpPpPpP/8/8/8/4K3", ["a6", "c6", "e6", "g6"]),
        ("4k3/8/8/PpPpPpPp/8/8/8/4K3", ["b6", "d6", "f6", "h6"]),
    ] {
        let without = key(format!("{board} w - - 0 1"));
        marks.extend(targets.map(|target| key(format!("{board} w - {target} 0 1")) ^ without));
    }
    marks.sort_unstable();
    marks.dedup();
    assert_eq!(marks.len(), 8);
    assert!(!marks.contains(&0));
}

#[test]
fn a_move_from_anywhere_is_legal_only_if_it_is_in_the_list() {
    for fen in suite_fens().step_by(9) {
        let position = Position::from_fen(fen).expect(fen);
        let legal = position.legal_moves();
        for mv in (0..=u16::MAX).filter_map(Move::from_bits) {
            assert_eq!(position.is_legal(mv), legal.contains(&mv), "{mv} in {fen}");
        }
    }
}

#[test]
fn sixteen_bits_hold_every_move_of_the_trees() {
    visit_trees(2, &mut |position| {
        for mv in &position.legal_moves() {
            assert_eq!(Move::from_bits(mv.bits()), Some(mv), "{mv} in {position:?}");
        }
    });
    assert_eq!(Move::from_bits(0), None);
}
