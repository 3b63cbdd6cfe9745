//! Repetition, fifty moves and insufficient material, and mate before all of them.

use tabiya::engine::{Color, Outcome, Position};

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn play(position: &mut Position, moves: &str) {
    for uci in moves.split(' ') {
        position.play_uci(uci).unwrap_or_else(|error| panic!("{error}"));
    }
}

const KNIGHTS_OUT_AND_HOME: &str = "g1f3 g8f6 f3g1 f6g8";

#[test]
fn the_third_occurrence_is_a_draw_and_the_start_counts_as_the_first() {
    let mut game = Position::default();
    assert_eq!((game.repetitions(), game.plies_since_repeated()), (0, None));
    play(&mut game, KNIGHTS_OUT_AND_HOME);
    assert_eq!((game.repetitions(), game.plies_since_repeated()), (1, Some(4)));
    assert_eq!(game.outcome(), None);
    play(&mut game, KNIGHTS_OUT_AND_HOME);
    assert_eq!((game.repetitions(), game.plies_since_repeated()), (2, Some(4)));
    assert_eq!(game.outcome(), Some(Outcome::Threefold));
    game.undo();
    assert_eq!(game.outcome(), None);
}

#[test]
fn occurrences_need_not_follow_each_other() {
    let mut game = Position::default();
    play(&mut game, "g1f3 g8f6 b1c3 b8c6 f3g1 f6g8 c3b1 c6b8");
    assert_eq!(game.plies_since_repeated(), Some(8));
    assert_eq!(game.repetitions(), 1);
}

#[test]
fn the_same_men_with_the_other_side_to_move_are_another_position() {
    let mut game = position("4k3/8/8/8/8/8/8/R3K2R w - - 0 1");
    // The white king loses a move by a triangle.
    play(&mut game, "e1d2 e8d8 d2e2 d8e8 e2e1");
    assert_eq!(game.side_to_move(), Color::Black);
    assert_eq!(game.repetitions(), 0);
}

#[test]
fn a_lost_castling_right_makes_another_position() {
    let mut game = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    play(&mut game, "a1b1 a8b8 b1a1 b8a8");
    assert_eq!(game.repetitions(), 0, "the rights on the queen's side are gone");
    play(&mut game, "a1b1 a8b8 b1a1 b8a8");
    assert_eq!(game.repetitions(), 1);
    play(&mut game, "e1e2 e8e7 e2e1 e7e8");
    assert_eq!(game.repetitions(), 0, "the rights on the king's side are gone");
}

#[test]
fn a_legal_en_passant_capture_makes_another_position() {
    let back_and_forth = "e1e2 e8e7 e2e1 e7e8";
    let mut game = position("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1");
    play(&mut game, &format!("d7d5 {back_and_forth}"));
    assert_eq!(game.repetitions(), 0, "en passant was legal the first time");
    play(&mut game, back_and_forth);
    assert_eq!(game.repetitions(), 1);

    let mut game = position("4k3/3p4/8/8/4P3/8/8/4K3 b - - 0 1");
    play(&mut game, &format!("d7d5 {back_and_forth}"));
    assert_eq!(game.repetitions(), 1, "no pawn stood beside it");
    let mut game = position("4r1k1/3p4/8/4P3/8/8/8/4K3 b - - 0 1");
    play(&mut game, "d7d5 e1d1 g8h8 d1e1 h8g8");
    assert_eq!(game.repetitions(), 1, "the pawn beside it was pinned");
}

#[test]
fn nothing_is_repeated_across_a_capture_or_a_pawn_move() {
    let mut game = Position::default();
    play(&mut game, KNIGHTS_OUT_AND_HOME);
    play(&mut game, "e2e4 e7e5");
    assert_eq!((game.repetitions(), game.halfmove_clock()), (0, 0));
    play(&mut game, KNIGHTS_OUT_AND_HOME);
    assert_eq!(game.repetitions(), 1);
    play(&mut game, "g1f3 g8f6 f3e5 f6e4");
    assert_eq!((game.repetitions(), game.halfmove_clock()), (0, 0));
}

#[test]
fn nothing_is_repeated_across_a_null_move() {
    let mut game = Position::default();
    play(&mut game, "g1f3 g8f6");
    game.play_null();
    play(&mut game, "f6g8");
    game.play_null();
    assert_eq!((game.repetitions(), game.plies_since_repeated()), (0, None));

    let mut game = Position::default();
    play(&mut game, KNIGHTS_OUT_AND_HOME);
    assert_eq!(game.repetitions(), 1);
    game.play_null();
    game.play_null();
    assert_eq!(game.repetitions(), 0, "four plies back lie before the null moves");
    game.undo();
    game.undo();
    assert_eq!(game.repetitions(), 1, "undo brings the memory back");
}

#[test]
fn a_clock_from_a_fen_does_not_reach_back_before_the_game() {
    let mut game = position("4k3/8/8/8/8/8/8/R3K3 w - - 50 80");
    play(&mut game, "a1a2 e8e7 a2a1 e7e8");
    assert_eq!((game.repetitions(), game.halfmove_clock()), (1, 54));
}

#[test]
fn a_hundred_plies_without_capture_or_pawn_move_are_a_draw() {
    let mut game = position("4k3/8/8/8/8/8/4P3/R3K3 w - - 98 80");
    play(&mut game, "a1a2");
    assert_eq!(game.outcome(), None);
    let mut drawn = game.clone();
    play(&mut drawn, "e8e7");
    assert_eq!((drawn.halfmove_clock(), drawn.outcome()), (100, Some(Outcome::FiftyMoves)));
    play(&mut drawn, "e2e4");
    assert_eq!((drawn.halfmove_clock(), drawn.outcome()), (0, None));
    assert_eq!(position("4k3/8/8/8/8/8/8/R3K3 w - - 100 80").outcome(), Some(Outcome::FiftyMoves));
}

#[test]
fn castling_counts_for_the_fifty_moves_and_promotion_does_not() {
    let mut game = position("4k3/P7/8/8/8/8/8/4K2R w K - 7 30");
    let mut promoted = game.clone();
    play(&mut game, "e1h1");
    assert_eq!(game.halfmove_clock(), 8);
    play(&mut promoted, "a7a8n");
    assert_eq!(promoted.halfmove_clock(), 0);
}

#[test]
fn mate_and_stalemate_come_before_every_draw() {
    let mut mate = position("7k/8/6K1/8/8/8/8/R7 w - - 99 80");
    play(&mut mate, "a1a8");
    assert_eq!(mate.halfmove_clock(), 100);
    assert_eq!(mate.outcome(), Some(Outcome::Checkmate { winner: Color::White }));
    let mut stalemate = position("7k/8/6K1/8/8/8/8/5Q2 w - - 99 80");
    play(&mut stalemate, "f1f7");
    assert_eq!((stalemate.halfmove_clock(), stalemate.outcome()), (100, Some(Outcome::Stalemate)));
    let stalemate = position("7k/5K2/8/8/4B3/8/8/8 b - - 0 1");
    assert!(stalemate.has_insufficient_material());
    assert_eq!(stalemate.outcome(), Some(Outcome::Stalemate));
}

#[test]
fn black_mates_as_well() {
    let mut game = Position::default();
    play(&mut game, "f2f3 e7e5 g2g4 d8h4");
    assert_eq!(game.outcome(), Some(Outcome::Checkmate { winner: Color::Black }));
}

#[test]
fn material_is_insufficient_when_no_series_of_legal_moves_mates() {
    for (men, insufficient) in [
        ("", true),
        ("N", true),
        ("n", true),
        ("B", true),
        ("b", true),
        ("P", false),
        ("R", false),
        ("q", false),
        ("NN", false),
        ("Nn", false),
        ("Bn", false),
        ("BN", false),
        ("bn", false),
    ] {
        let empty = 8 - men.len();
        let middle = if empty == 8 { "8".to_string() } else { format!("{men}{empty}") };
        let fen = format!("7k/8/8/{middle}/8/8/8/7K w - - 0 1");
        assert_eq!(position(&fen).has_insufficient_material(), insufficient, "{men:?}");
    }
    // Bishops: only the colour of their squares counts, not the side or the number.
    for (fen, insufficient) in [
        ("7k/8/8/B1b5/8/8/8/7K w - - 0 1", true),
        ("7k/8/8/Bb6/8/8/8/7K w - - 0 1", false),
        ("7k/8/8/B1B5/8/8/8/7K w - - 0 1", true),
        ("7k/8/8/BB6/8/8/8/7K w - - 0 1", false),
        ("7k/8/8/B1B1b3/1b6/8/8/7K w - - 0 1", true),
        ("7k/8/8/B1B1bN2/8/8/8/7K w - - 0 1", false),
    ] {
        assert_eq!(position(fen).has_insufficient_material(), insufficient, "{fen}");
    }
}
