//! FENs: what is refused and why, and what is written.

use super::peer::suite_fens;
use std::collections::HashSet;
use std::mem::discriminant;
use tabiya::engine::{FenError, Position};

fn refusal(fen: &str) -> FenError {
    match Position::from_fen(fen) {
        Ok(position) => panic!("{fen:?} was read as {position:?}"),
        Err(error) => error,
    }
}

/// The start position with one field replaced.
fn with_field(index: usize, text: &str) -> String {
    let mut fields = ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "w", "KQkq", "-", "0", "1"];
    fields[index] = text;
    fields.join(" ")
}

fn board(text: &str) -> String {
    format!("{text} w - - 0 1")
}

#[test]
fn a_bad_fen_is_refused_with_the_reason() {
    use FenError::*;
    let castling = |text: &str| Castling(text.to_string());
    let en_passant = |text: &str| EnPassant(text.to_string());
    let counter = |text: &str| Counter(text.to_string());
    let side = |text: &str| SideToMove(text.to_string());
    let cases = [
        // Fields.
        (String::new(), Fields(1)),
        (" ".to_string(), Fields(2)),
        ("startpos".to_string(), Fields(1)),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR".to_string(), Fields(1)),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0".to_string(), Fields(5)),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 ".to_string(), Fields(7)),
        (" 4k3/8/8/8/8/8/8/4K3 w - - 0 1".to_string(), Fields(7)),
        ("4k3/8/8/8/8/8/8/4K3  w - - 0 1".to_string(), Fields(7)),
        ("4k3/8/8/8/8/8/8/4K3\tw\t-\t-\t0\t1".to_string(), Fields(1)),
        ("4k3/8/8/8/8/8/8/4K3_w_-_-_0_1".to_string(), Fields(1)),
        // The shape of the board.
        (with_field(0, ""), Ranks(1)),
        (board("8/8/8/8/8/8/8"), Ranks(7)),
        (board("4k3/8/8/8/8/8/8/4K3/"), Ranks(9)),
        (board("4k3/8/8/8/8/8/8/8/8/4K3"), Ranks(10)),
        (board("/4k3/8/8/8/8/8/4K3"), RankLength(8)),
        (board("4k3/8/8//8/8/8/4K3"), RankLength(5)),
        (board("4k3/7/8/8/8/8/8/4K3"), RankLength(7)),
        (board("4k3/p8/8/8/8/8/8/4K3"), RankLength(7)),
        (board("rnbqkbnrr/8/8/8/8/8/8/4K3"), RankLength(8)),
        (board("4k3/8/8/8/8/8/8/4K4"), RankLength(1)),
        (board("4k3/44/8/8/8/8/8/4K3"), AdjacentDigits(7)),
        (board("4k3/88/8/8/8/8/8/4K3"), AdjacentDigits(7)),
        (board("4k3/9/8/8/8/8/8/4K3"), Piece('9')),
        (board("4k3/08/8/8/8/8/8/4K3"), Piece('0')),
        (board("4k3/x7/8/8/8/8/8/4K3"), Piece('x')),
        (board("4k3/é7/8/8/8/8/8/4K3"), Piece('é')),
        (board("4k3/♙7/8/8/8/8/8/4K3"), Piece('♙')),
        (board("4k3/-7/8/8/8/8/8/4K3"), Piece('-')),
        (board("4kQ~2/8/8/8/8/8/8/4K3"), Piece('~')),
        (board("4k3/8/8/8/8/8/8/4K3[]"), RankLength(1)),
        // The men.
        (board("8/8/8/8/8/8/8/8"), Kings("White")),
        (board("8/8/8/8/8/8/8/4K3"), Kings("Black")),
        (board("4k3/8/8/8/8/8/8/8"), Kings("White")),
        (board("4k3/8/8/8/8/8/8/3KK3"), Kings("White")),
        (board("3kk3/8/8/8/8/8/8/4K3"), Kings("Black")),
        (board("3k4/8/PPPPPPPP/8/PPPPPPPP/8/PPPPPPPP/3K4"), TooManyMen("White")),
        (board("3k4/8/8/8/8/P7/PPPPPPPP/3K4"), TooManyMen("White")),
        (board("3k4/pppppppp/8/8/8/8/8/qq1K4"), TooManyMen("Black")),
        (board("rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR"), TooManyMen("White")),
        (board("4k3/8/8/8/8/NNNN4/NNNNNNN1/4K3"), TooManyMen("White")),
        (board("4k2P/8/8/8/8/8/8/4K3"), PawnOnBackRank),
        (board("4k2p/8/8/8/8/8/8/4K3"), PawnOnBackRank),
        (board("4k3/8/8/8/8/8/8/P3K3"), PawnOnBackRank),
        (board("4k3/8/8/8/8/8/8/4K2p"), PawnOnBackRank),
        // The side to move.
        (with_field(1, ""), side("")),
        (with_field(1, "W"), side("W")),
        (with_field(1, "white"), side("white")),
        (with_field(1, "-"), side("-")),
        // Castling rights.
        (with_field(2, ""), castling("")),
        (with_field(2, "--"), castling("--")),
        (with_field(2, "KQkq-"), castling("KQkq-")),
        (with_field(2, "KK"), castling("KK")),
        (with_field(2, "KH"), castling("KH")),
        (with_field(2, "KQkqK"), castling("KQkqK")),
        (with_field(2, "X"), castling("X")),
        (with_field(2, "E"), castling("E")),
        (with_field(2, "B"), castling("B")),
        (with_field(2, "Ké"), castling("Ké")),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1".to_string(), castling("K")),
        ("4k2r/8/8/8/8/8/8/4K2R w Q - 0 1".to_string(), castling("Q")),
        ("4k3/8/8/8/8/8/4K3/7R w K - 0 1".to_string(), castling("K")),
        ("4k3/8/8/8/8/8/8/R3K3 w K - 0 1".to_string(), castling("K")),
        ("4k3/8/8/8/8/8/8/4K2r w K - 0 1".to_string(), castling("K")),
        ("4k3/8/8/8/8/8/8/1RR1K3 w BC - 0 1".to_string(), castling("BC")),
        // En passant.
        (with_field(3, ""), en_passant("")),
        (with_field(3, "e"), en_passant("e")),
        (with_field(3, "e9"), en_passant("e9")),
        (with_field(3, "i6"), en_passant("i6")),
        (with_field(3, "E6"), en_passant("E6")),
        (with_field(3, "e66"), en_passant("e66")),
        (with_field(3, "é"), en_passant("é")),
        (with_field(3, "e6"), en_passant("e6")),
        (with_field(3, "e3"), en_passant("e3")),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d3 0 1".to_string(), en_passant("d3")),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d5 0 1".to_string(), en_passant("d5")),
        ("4k3/8/8/3pP3/8/8/8/4K3 b - e6 0 1".to_string(), en_passant("e6")),
        ("4k3/8/8/3PP3/8/8/8/4K3 w - d6 0 1".to_string(), en_passant("d6")),
        ("4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1".to_string(), en_passant("d6")),
        ("4k3/3n4/8/3pP3/8/8/8/4K3 w - d6 0 1".to_string(), en_passant("d6")),
        // Counters.
        (with_field(4, "x"), counter("x")),
        (with_field(4, ""), counter("")),
        (with_field(4, "-"), counter("-")),
        (with_field(4, "-1"), counter("-1")),
        (with_field(4, "+1"), counter("+1")),
        (with_field(4, "1.5"), counter("1.5")),
        (with_field(4, "10000"), counter("10000")),
        (with_field(4, "٣"), counter("٣")),
        (with_field(5, "y"), counter("y")),
        (with_field(5, "99999999999999999999999"), counter("99999999999999999999999")),
        // The board as a whole.
        (board("8/8/8/4k3/4K3/8/8/8"), OpponentInCheck),
        (board("5k2/8/8/8/8/8/8/4KR2"), OpponentInCheck),
        ("4k3/8/8/8/8/8/4r3/4K3 b - - 0 1".to_string(), OpponentInCheck),
        (board("4k3/3P4/8/8/8/8/8/4K3"), OpponentInCheck),
        (board("k3r3/8/8/8/7b/3n1n2/8/4K3"), TooManyCheckers(4)),
        ("4k3/8/3N1N2/8/8/8/4R3/K7 b - - 0 1".to_string(), TooManyCheckers(3)),
    ];
    for (fen, expected) in &cases {
        assert_eq!(refusal(fen), *expected, "{fen:?}");
    }
    let kinds: HashSet<_> = cases.iter().map(|(_, error)| discriminant(error)).collect();
    assert_eq!(kinds.len(), 14, "every kind of refusal has a case");
}

#[test]
fn a_huge_text_is_refused_in_one_short_line() {
    let million = 1 << 20;
    for (fen, expected) in [
        ("x".repeat(million), FenError::Fields(1)),
        (" ".repeat(million), FenError::Fields(million + 1)),
        (board(&"8/".repeat(million)), FenError::Ranks(million + 1)),
        (board(&format!("{}/8/8/8/8/8/8/8", "k".repeat(million))), FenError::RankLength(8)),
        (board(&format!("{}/8/8/8/8/8/8/8", "1".repeat(million))), FenError::AdjacentDigits(8)),
        (with_field(1, &"é".repeat(million)), FenError::SideToMove(format!("{}…", "é".repeat(90)))),
        (with_field(2, &"K".repeat(million)), FenError::Castling(format!("{}…", "K".repeat(90)))),
        (with_field(3, &"e".repeat(million)), FenError::EnPassant(format!("{}…", "e".repeat(90)))),
        (with_field(5, &"1".repeat(million)), FenError::Counter(format!("{}…", "1".repeat(90)))),
    ] {
        let error = refusal(&fen);
        assert_eq!(error, expected);
        assert!(error.to_string().chars().count() < 200, "{error}");
    }
}

#[test]
fn a_line_break_is_quoted_not_printed() {
    for index in 0..6 {
        let error = refusal(&with_field(index, "\n\r\u{2028}"));
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
    }
}

#[test]
fn a_good_fen_is_written_as_it_was_read() {
    for fen in suite_fens() {
        let position = Position::from_fen(fen).expect(fen);
        assert_eq!(position.fen(), fen.replacen(" 0 0", " 0 1", 1), "the suite writes what is legal");
    }
}

#[test]
fn other_spellings_are_written_in_one_way() {
    for (fen, written) in [
        ("4k3/8/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 b - - 7 0", "4k3/8/8/8/8/8/8/4K3 b - - 7 1"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 007 0042", "4k3/8/8/8/8/8/8/4K3 w - - 7 42"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 9999 9999", "4k3/8/8/8/8/8/8/4K3 w - - 9999 9999"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b qKkQ - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b HAha - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"),
        ("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3p4/8/8/8/4K3 w - - 0 1"),
    ] {
        let position = Position::from_fen(fen).expect(fen);
        assert_eq!(position.fen(), written);
        assert_eq!(format!("{position:?}"), format!("Position({written})"));
    }
}

#[test]
fn counters_run_on_from_the_fen_and_stop_at_their_end() {
    let mut position = Position::from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 9999 9999").expect("a FEN");
    for uci in ["a1a2", "e8e7", "a2a1", "e7e8"].iter().cycle().take(60_000) {
        position.play_uci(uci).expect(uci);
    }
    assert_eq!(position.halfmove_clock(), u16::MAX);
    assert_eq!(position.move_number(), 9999 + 30_000);
}
