//! Moves in UCI notation, strictly read.

use super::peer::suite_fens;
use tabiya::engine::position::{GameError, START_FEN};
use tabiya::engine::{FenError, MoveError, MoveKind, Position};

const CASTLES: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
const PROMOTES: &str = "1n5k/P7/8/8/8/8/8/K7 w - - 0 1";

fn read(fen: &str, uci: &str) -> Result<String, MoveError> {
    Position::from_fen(fen).expect(fen).parse_uci(uci).map(|mv| mv.to_string())
}

#[test]
fn what_is_not_uci_is_malformed() {
    for uci in [
        "", "e", "e2", "e2e", "e2e4 ", " e2e4", "e2e4\n", "e2e4q1", "e2-e4", "e2e4é", "é2e4", "E2E4", "e2E4",
        "e2e9", "i2i4", "e0e4", "0000", "null", "e7e8Q", "e7e8k", "e7e8p", "e7e8=Q", "Nf3", "O-O", "0-0",
        "P@e4", "♘f3", "e2e4\0",
    ] {
        let expected = MoveError::Malformed(uci.to_string());
        assert_eq!(read(START_FEN, uci), Err(expected), "{uci:?}");
    }
}

#[test]
fn a_long_text_is_malformed_and_quoted_in_part() {
    let error = read(START_FEN, &"é".repeat(500_000)).expect_err("no move");
    assert!(error.to_string().chars().count() < 200, "{error}");
}

#[test]
fn what_is_not_legal_is_refused_with_the_position() {
    for (fen, uci) in [
        (START_FEN, "e2e5"),
        (START_FEN, "e7e5"),
        (START_FEN, "e4e5"),
        (START_FEN, "e2e2"),
        (START_FEN, "a1a2"),
        (START_FEN, "e1g1"),
        (START_FEN, "e1h1"),
        (START_FEN, "e2e4q"),
        (START_FEN, "g1f3n"),
        (PROMOTES, "a7a8"),
        (PROMOTES, "a7b8"),
        (CASTLES, "e1g1q"),
        (CASTLES, "h1e1"),
        (CASTLES, "e8g8"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w kq - 0 1", "e1g1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w kq - 0 1", "e1h1"),
        ("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", "e1h1"),
        ("4k3/8/8/8/8/8/8/1R2K3 w Q - 0 1", "e1c1"),
        ("4k3/8/8/8/8/8/8/R5K1 w Q - 0 1", "g1c1"),
    ] {
        let fen = Position::from_fen(fen).expect(fen).fen();
        let expected = MoveError::Illegal { uci: uci.to_string(), fen: fen.clone() };
        assert_eq!(read(&fen, uci), Err(expected), "{uci} in {fen}");
    }
}

#[test]
fn castling_is_read_in_both_notations_from_the_squares_of_standard_chess() {
    let black = CASTLES.replace(" w ", " b ");
    for (fen, texts, castling) in [
        (CASTLES, ["e1g1", "e1h1"], "e1h1"),
        (CASTLES, ["e1c1", "e1a1"], "e1a1"),
        (&black, ["e8g8", "e8h8"], "e8h8"),
        (&black, ["e8c8", "e8a8"], "e8a8"),
    ] {
        for uci in texts {
            assert_eq!(read(fen, uci), Ok(castling.to_string()), "{uci} in {fen}");
        }
    }
}

#[test]
fn a_plain_move_of_the_king_is_never_read_as_castling() {
    for (fen, uci) in [
        ("4k3/8/8/8/8/8/8/5K1R w K - 0 1", "f1g1"),
        ("4k3/8/8/8/8/8/8/R2K4 w Q - 0 1", "d1c1"),
        ("4k3/8/8/8/8/8/8/RK6 w Q - 0 1", "b1c1"),
        ("4k3/8/8/8/8/8/8/1R1K4 w Q - 0 1", "d1c1"),
    ] {
        let position = Position::from_fen(fen).expect(fen);
        let mv = position.parse_uci(uci).expect(uci);
        assert_eq!((mv.kind(), mv.to_string().as_str()), (MoveKind::Normal, uci), "{fen}");
    }
}

#[test]
fn king_takes_rook_is_castling_wherever_they_stand() {
    for (fen, uci) in [
        ("4k3/8/8/8/8/8/8/5K1R w K - 0 1", "f1h1"),
        ("4k3/8/8/8/8/8/8/5KR1 w K - 0 1", "f1g1"),
        ("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", "e1g1"),
        ("4k3/8/8/8/8/8/8/1R2K3 w Q - 0 1", "e1b1"),
        ("4k3/8/8/8/8/8/8/2R1K3 w Q - 0 1", "e1c1"),
        ("4k3/8/8/8/8/8/8/R5K1 w Q - 0 1", "g1a1"),
    ] {
        let position = Position::from_fen(fen).expect(fen);
        let mv = position.parse_uci(uci).expect(uci);
        assert_eq!((mv.kind(), mv.to_string().as_str()), (MoveKind::Castling, uci), "{fen}");
    }
}

#[test]
fn a_promotion_names_its_piece_in_lower_case() {
    for uci in ["a7a8q", "a7a8r", "a7a8b", "a7a8n", "a7b8q", "a7b8r", "a7b8b", "a7b8n"] {
        assert_eq!(read(PROMOTES, uci), Ok(uci.to_string()));
    }
}

#[test]
fn every_legal_move_is_read_back_from_its_own_text() {
    let chess960 = (0..960).step_by(7).map(|number| Position::chess960_start(number).fen());
    for fen in suite_fens().map(str::to_string).chain(chess960) {
        let position = Position::from_fen(&fen).expect(&fen);
        for mv in &position.legal_moves() {
            assert_eq!(position.parse_uci(&mv.to_string()), Ok(mv), "{mv} in {fen}");
            assert!(position.is_legal(mv), "{mv} in {fen}");
        }
    }
}

#[test]
fn a_game_is_read_from_the_server_s_words() {
    let opening = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6";
    let game = Position::after("startpos", opening).expect("a game");
    assert_eq!(game.fen(), "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 w kq - 6 5");
    assert_eq!(game.plies_played(), 8);
    assert_eq!(Position::after("startpos", "").expect("a game").fen(), START_FEN);
    assert_eq!(Position::after(START_FEN, " e2e4  ").expect("a game").plies_played(), 1);
}

#[test]
fn a_game_that_cannot_be_read_says_where() {
    let broken = Position::after("startpos", "e2e4 e7e5 e4e5").expect_err("not legal");
    assert!(matches!(broken, GameError::Move { ply: 2, reason: MoveError::Illegal { .. } }), "{broken}");
    let broken = Position::after("startpos", "e2e4 e5").expect_err("not UCI");
    assert_eq!(broken.to_string(), "ply 1: \"e5\" is not a move in UCI notation");
    let broken = Position::after("8/8", "").expect_err("not a FEN");
    assert_eq!(broken, GameError::Start { fen: "8/8".to_string(), reason: FenError::Fields(1) });
}
