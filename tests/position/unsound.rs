//! Games whose start cannot be set up, because the side that is not to move stands in check.

use tabiya::engine::position::GameError;
use tabiya::engine::{FenError, Position};

#[test]
fn an_unsound_start_can_be_played_from_its_first_move_on() {
    let start = "7k/8/8/8/8/8/8/K6R w - - 90 100";
    assert_eq!(Position::from_fen(start).err(), Some(FenError::OpponentInCheck));
    assert!(Position::after(start, "").is_err());
    let position = Position::after(start, "h1h2 h8g8 h2h1").expect("legal from there on");
    assert_eq!((position.halfmove_clock(), position.plies_played()), (93, 3));
    let moves: Vec<String> = position.moves().map(|(_, mv)| mv.to_string()).collect();
    assert_eq!(moves, ["h1h2", "h8g8", "h2h1"]);
}

#[test]
fn the_first_move_is_made_as_by_the_rules() {
    for (why, start, first, after) in [
        ("a rook", "7k/8/8/8/8/8/8/K6R w - - 90 100", "h1h2", "7k/8/8/8/8/8/7R/K7 b - - 91 100"),
        ("Black", "7k/8/8/8/8/8/8/K6r b - - 3 7", "h8g8", "6k1/8/8/8/8/8/8/K6r w - - 4 8"),
        ("a capture", "7k/7p/8/8/8/8/8/K5QR w - - 9 9", "h1h7", "7k/7R/8/8/8/8/8/K5Q1 b - - 0 9"),
        ("a pawn", "6k1/8/8/8/8/8/P7/K5R1 w - - 9 9", "a2a3", "6k1/8/8/8/8/P7/8/K5R1 b - - 0 9"),
        ("promotion", "6k1/P7/8/8/8/8/8/K5R1 w - - 9 9", "a7a8q", "Q5k1/8/8/8/8/8/8/K5R1 b - - 0 9"),
        ("castling", "k7/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", "k7/8/8/8/8/8/8/R4RK1 b - - 1 1"),
        ("castling king style", "k7/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "k7/8/8/8/8/8/8/R4RK1 b - - 1 1"),
        (
            "castling, king and rook swap",
            "k7/8/8/8/8/8/8/R4KR1 w K - 0 1",
            "f1g1",
            "k7/8/8/8/8/8/8/R4RK1 b - - 1 1",
        ),
        ("a king's step", "6k1/8/8/8/8/8/8/5KR1 w K - 0 1", "f1f2", "6k1/8/8/8/8/8/5K2/6R1 b - - 1 1"),
        ("a captured rook", "r3k2r/8/8/8/8/8/8/4K2R w kq - 0 1", "h1h8", "r3k2R/8/8/8/8/8/8/4K3 b q - 0 1"),
        ("en passant", "6k1/8/8/3pP3/8/8/8/K5R1 w - d6 0 1", "e5d6", "6k1/8/3P4/8/8/8/8/K5R1 b - - 0 1"),
        ("a double step", "8/8/8/8/3p4/3k4/4P3/K7 w - - 0 1", "e2e4", "8/8/8/8/3pP3/3k4/8/K7 b - e3 0 1"),
    ] {
        let position = Position::after(start, first).unwrap_or_else(|error| panic!("{why}: {error}"));
        assert_eq!(position.fen(), after, "{why}: {first} in {start}");
        assert_eq!(position.moves().count(), 1, "{why}");
        assert_eq!(position.key(), Position::from_fen(after).expect(after).key(), "{why}");
    }
}

#[test]
fn a_first_move_that_cannot_be_is_refused() {
    let start = "7k/P7/8/8/8/8/P7/K6R w - - 90 100";
    for first in ["", "x", "h8g8", "e4e5", "h1h1", "h1a1", "h1h8", "h1h2q", "a7a8", "a2a1", "a2a1q"] {
        let error = Position::after(start, first).expect_err(first);
        let reason = FenError::OpponentInCheck;
        assert_eq!(error, GameError::Start { fen: start.to_string(), reason }, "{first}");
    }
}

#[test]
fn no_first_move_of_an_unsound_start_panics() {
    for start in [
        "r3k2r/P6P/8/3pP3/2Pp4/8/P6P/R3K1RR w KQkq d6 0 1",
        "4k2r/8/8/3pP3/2Pp4/4R3/8/R3K3 w Qk d6 0 1",
        "4k3/8/8/8/pPp5/8/4r3/4K3 b - b3 0 1",
    ] {
        let squares = || ('a'..='h').flat_map(|file| ('1'..='8').map(move |rank| format!("{file}{rank}")));
        for from in squares() {
            for to in squares() {
                for promoted in ["", "q", "n"] {
                    let first = format!("{from}{to}{promoted}");
                    if let Ok(position) = Position::after(start, &first) {
                        let fen = position.fen();
                        assert_eq!(Position::from_fen(&fen).expect(&fen).key(), position.key(), "{first}");
                    }
                }
            }
        }
    }
}
