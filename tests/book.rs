//! The opening book from outside: the shipped table, tables of users, and what is picked.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::sync::{Arc, Mutex};
use tabiya::book::{Book, BookColors, BookOptions, Selection};
use tabiya::engine::{Move, Position};

const SHIPPED: &str = include_str!("../openings.csv");

fn seeded(seed: u64) -> BookOptions {
    BookOptions { seed, ..BookOptions::default() }
}

fn shipped(options: &BookOptions) -> Book {
    Book::from_csv(SHIPPED.as_bytes(), "openings.csv", options).expect("the shipped book")
}

fn book(csv: &str, options: &BookOptions) -> Book {
    Book::from_csv(csv.as_bytes(), "test.csv", options).expect("a book")
}

fn after(moves: &str) -> Position {
    Position::after("startpos", moves).expect("legal moves")
}

/// How often each move is picked in `tries` questions.
fn counts(book: &Book, position: &Position, tries: usize) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for _ in 0..tries {
        let picked = book.pick(position).expect("a book move");
        *counts.entry(picked.mv.to_string()).or_default() += 1;
    }
    counts
}

#[test]
fn every_row_of_the_shipped_table_is_a_named_line() {
    let book = shipped(&BookOptions::default());
    assert_eq!((book.lines(), book.skipped()), (3810, 0));
    assert_eq!(SHIPPED.lines().next(), Some("eco,name,moves"));
    assert!(!SHIPPED.contains('\r') && SHIPPED.ends_with('\n'));
    for line in SHIPPED.lines().skip(1) {
        let (eco, rest) = line.split_once(',').expect("columns");
        let (name, moves) = rest.rsplit_once(',').expect("columns");
        let is_eco = matches!(eco.as_bytes(), [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9']);
        assert!(is_eco && !name.is_empty() && moves.starts_with("1. "), "{line}");
    }
}

#[test]
fn the_default_book_opens_from_the_working_directory() {
    let book = Book::open(&BookOptions::default()).expect("the default book");
    assert_eq!((book.source(), book.lines()), ("openings.csv", 3810));
    assert!(book.positions() > 5000 && !book.load_time().is_zero());
}

#[test]
fn every_pick_is_legal_named_and_a_share_of_the_lines() {
    let mut picked_positions = HashSet::new();
    for selection in [Selection::Weighted, Selection::Uniform, Selection::Best] {
        let book = shipped(&BookOptions { selection, ..seeded(3) });
        let mut rng = fastrand::Rng::with_seed(4);
        for _ in 0..1500 {
            let mut position = Position::default();
            while let Some(picked) = book.pick(&position) {
                assert!(position.is_legal(picked.mv), "{} in {}", picked.mv, position.fen());
                assert!(0 < picked.lines && picked.lines <= picked.of_lines, "{picked:?}");
                assert!(!picked.name.is_empty(), "{picked:?}");
                picked_positions.insert(position.key());
                // Now and then the opponent leaves the book.
                let legal = position.legal_moves();
                let strays = rng.u8(..10) == 0;
                position.play(if strays { *rng.choice(&legal[..]).expect("a move") } else { picked.mv });
            }
        }
    }
    assert!(picked_positions.len() > 1000, "{}", picked_positions.len());
}

#[test]
fn a_position_is_found_by_every_order_of_moves() {
    let book = book("moves,name\n1. d4 Nf6 2. c4 e6 3. Nc3 Bb4,Nimzo-Indian\n", &BookOptions::default());
    for moves in [
        "d2d4 g8f6 c2c4 e7e6 b1c3",
        "c2c4 e7e6 b1c3 g8f6 d2d4",
        "c2c4 g8f6 b1c3 e7e6 d2d4",
        "d2d4 g8f6 c2c4 e7e6 b1c3 b8c6 g1f3 c6b8 f3g1",
    ] {
        let picked = book.pick(&after(moves)).unwrap_or_else(|| panic!("nothing after {moves}"));
        let told = (picked.mv.to_string(), picked.name.as_str(), picked.lines, picked.of_lines);
        assert_eq!(told, ("f8b4".to_string(), "Nimzo-Indian", 1, 1), "{moves}");
    }
    assert_eq!(book.pick(&after("d2d4 g8f6 c2c4 e7e6 g1f3")), None);
    let from_fen = Position::from_fen(&after("d2d4 g8f6 c2c4 e7e6 b1c3").fen()).expect("a FEN");
    assert!(book.pick(&from_fen).is_some(), "a game may start from the position");
    // The right to castle is gone, so it is another position.
    assert_eq!(book.pick(&after("d2d4 g8f6 c2c4 e7e6 b1c3 h8g8 g1f3 g8h8 f3g1")), None);
}

#[test]
fn the_name_is_that_of_the_last_line_the_game_completed() {
    let csv = "name,moves\nKing's Pawn,e4\nSicilian,e4 c5\nNajdorf,e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6\n\
               ,d4 d5\nQueen's Gambit,d4 d5 c4\nEnglish: long,c4 e5 Nc3\n,Nf3 d5\n";
    let book = book(csv, &BookOptions { selection: Selection::Best, ..seeded(1) });
    let cases = [
        ("", "e2e4", "King's Pawn", 3, 7),
        ("e2e4", "c7c5", "Sicilian", 2, 2),
        ("e2e4 c7c5", "g1f3", "Sicilian", 1, 1),
        ("e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3", "a7a6", "Najdorf", 1, 1),
        // Nothing is complete: the longest line through the move.
        ("d2d4", "d7d5", "Queen's Gambit", 2, 2),
        ("c2c4", "e7e5", "English: long", 1, 1),
        ("g1f3", "d7d5", "unnamed", 1, 1),
    ];
    for (moves, mv, name, lines, of_lines) in cases {
        let picked = book.pick(&after(moves)).unwrap_or_else(|| panic!("nothing after {moves:?}"));
        let told = (picked.mv.to_string(), picked.name.as_str(), picked.lines, picked.of_lines);
        assert_eq!(told, (mv.to_string(), name, lines, of_lines), "{moves:?}");
    }
    let najdorf = shipped(&seeded(1)).pick(&after("e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3"));
    assert!(najdorf.expect("a move").of_lines > 10);
}

#[test]
fn moves_are_drawn_in_proportion_to_the_lines_through_them() {
    let csv = "moves\ne4 e5\ne4 c5\ne4 c6\ne4 e6\ne4 d5\ne4 d6\nd4 d5\nd4 Nf6\nd4 f5\nc4\n";
    let counts = counts(&book(csv, &seeded(11)), &Position::default(), 10_000);
    for (mv, share) in [("e2e4", 6_000), ("d2d4", 3_000), ("c2c4", 1_000)] {
        assert!(counts[mv].abs_diff(share) < 200, "{mv}: {counts:?}");
    }
}

#[test]
fn a_weight_column_steers_the_choice() {
    let csv = "weight,moves\n1,e4 e5\n1,e4 c5\n,e4 e6\n7,d4\n0,c4\n";
    let start = Position::default();
    let weighted = counts(&book(csv, &seeded(12)), &start, 10_000);
    for (mv, share) in [("e2e4", 3_000), ("d2d4", 7_000)] {
        assert!(weighted[mv].abs_diff(share) < 200, "{mv}: {weighted:?}");
    }
    assert_eq!(weighted.get("c2c4"), None, "weight 0 is never played");
    let uniform =
        counts(&book(csv, &BookOptions { selection: Selection::Uniform, ..seeded(13) }), &start, 10_000);
    assert!(uniform["e2e4"].abs_diff(5_000) < 200 && uniform.len() == 2, "{uniform:?}");
    let best = counts(&book(csv, &BookOptions { selection: Selection::Best, ..seeded(14) }), &start, 100);
    assert_eq!(best, BTreeMap::from([("d2d4".to_string(), 100)]));
    assert_eq!(book("weight,moves\n0,c4\n", &seeded(1)).pick(&start), None);
}

#[test]
fn every_book_move_of_a_position_may_be_chosen() {
    let found = counts(&shipped(&seeded(15)), &Position::default(), 20_000);
    assert_eq!(found.len(), 20, "the table begins with every first move: {found:?}");
}

#[test]
fn equal_seeds_repeat_and_others_do_not() {
    let picks = |seed: u64| -> Vec<Move> {
        let book = shipped(&seeded(seed));
        (0..200).map(|_| book.pick(&Position::default()).expect("a move").mv).collect()
    };
    assert_eq!(picks(5), picks(5));
    assert_ne!(picks(5), picks(6));
    assert_ne!(picks(0), picks(0), "0 is a different seed each time");
}

#[test]
fn colours_and_depth_are_honoured() {
    let white = Position::default();
    let black = after("e2e4");
    for (colors, for_white, for_black) in
        [(BookColors::Both, true, true), (BookColors::White, true, false), (BookColors::Black, false, true)]
    {
        let book = shipped(&BookOptions { colors, ..seeded(1) });
        assert_eq!(book.pick(&white).is_some(), for_white, "{colors:?}");
        assert_eq!(book.pick(&black).is_some(), for_black, "{colors:?}");
    }
    for (depth, for_white, for_black) in [(0, false, false), (1, true, false), (2, true, true)] {
        let book = shipped(&BookOptions { depth, ..seeded(1) });
        assert_eq!(book.pick(&white).is_some(), for_white, "depth {depth}");
        assert_eq!(book.pick(&black).is_some(), for_black, "depth {depth}");
    }
}

#[test]
fn the_same_table_in_uci_and_without_numbers_is_the_same_book() {
    let (mut uci, mut bare, mut windows) =
        ("UCI,Name\n".to_string(), "pgn\tname\n".to_string(), "\u{feff}\"Name\";\"Moves\"\r\n".to_string());
    for line in SHIPPED.lines().skip(1) {
        let (_, rest) = line.split_once(',').expect("columns");
        let (name, moves) = rest.rsplit_once(',').expect("columns");
        let words: Vec<&str> = moves.split(' ').filter(|word| !word.ends_with('.')).collect();
        bare += &format!("{}\t{name}\n", words.join(" "));
        windows += &format!("{name};\"{}\"\r\n", moves.replace("O", "0"));
        uci += &format!("{},{name}\n", to_uci(&words));
    }
    let start = Position::default();
    for table in [uci, bare, windows] {
        let (book, expected) = (book(&table, &seeded(21)), shipped(&seeded(21)));
        let figures = |book: &Book| (book.lines(), book.positions(), book.skipped());
        assert_eq!(figures(&book), figures(&expected));
        for _ in 0..100 {
            assert_eq!(book.pick(&start), expected.pick(&start));
        }
    }
}

/// By shakmaty, so that a mistake of ours in reading SAN would show.
fn to_uci(san: &[&str]) -> String {
    use shakmaty::{CastlingMode, Chess, Position, san::San};
    let mut position = Chess::default();
    let mut uci = Vec::new();
    for word in san {
        let san: San = word.trim_end_matches(['+', '#']).parse().expect("SAN");
        let mv = san.to_move(&position).expect("a legal move");
        uci.push(mv.to_uci(CastlingMode::Standard).to_string());
        position.play_unchecked(mv);
    }
    uci.join(" ")
}

/// Where the log of a test goes.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("the log").write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The warnings that are logged while `work` is done.
fn warnings(work: impl FnOnce()) -> Vec<String> {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, work);
    let text = String::from_utf8(log.0.lock().expect("the log").clone()).expect("UTF-8");
    text.lines().map(|line| line.trim().to_string()).collect()
}

#[test]
fn broken_rows_are_reported_with_line_numbers_and_skipped() {
    let csv = b"eco,moves,weight\nB00,1. e4,1\nB00,1. e4 e4,1\nB00,1. d4,-3\nB00,1. \xff,1\n\nB00,1. c4\nB00,1. Nf3,2\n";
    let lines = warnings(|| {
        let book = Book::from_csv(csv, "mine.csv", &seeded(1)).expect("a book");
        assert_eq!((book.lines(), book.skipped()), (2, 4));
        assert_eq!(counts(&book, &Position::default(), 100).len(), 2);
    });
    let start = "WARN row of the opening book skipped:";
    let file = "file=\"mine.csv\"";
    assert_eq!(
        lines,
        [
            format!("{start} line 3, column moves: 1... \"e4\" is not legal there {file}"),
            format!("{start} line 4, column weight: \"-3\" is not a whole number from 0 to 1000000 {file}"),
            format!("{start} line 5, column moves: the text is not UTF-8 {file}"),
            format!("{start} line 7, column weight: the row has 2 fields, the header has 3 {file}"),
        ]
    );
}

#[test]
fn many_broken_rows_are_counted_after_the_first_five() {
    let csv = format!("moves\n{}1. e4\n", "1. e5\n".repeat(40));
    let lines = warnings(|| assert_eq!(book(&csv, &seeded(1)).skipped(), 40));
    assert_eq!(lines.len(), 6, "{lines:?}");
    assert!(lines[4].contains("line 6, column moves"), "{}", lines[4]);
    assert!(lines[5].contains("35 more rows of the opening book skipped"), "{}", lines[5]);
}

#[test]
fn no_bytes_make_it_panic_or_play_an_illegal_move() {
    let mut rng = fastrand::Rng::with_seed(2026);
    let rows: Vec<&str> = SHIPPED.lines().collect();
    let (mut opened, mut refused) = (0, 0);
    for round in 0..3_000 {
        let first = rng.usize(1..rows.len() - 8);
        let mut bytes = b"eco,name,moves,weight\n".to_vec();
        for row in &rows[first..first + 8] {
            bytes.extend_from_slice(format!("{row},3\n").as_bytes());
        }
        for _ in 0..rng.usize(..12) {
            mutate(&mut bytes, &mut rng);
        }
        let Ok(book) = Book::from_csv(&bytes, "fuzz.csv", &seeded(round + 1)) else {
            refused += 1;
            continue;
        };
        opened += 1;
        let mut position = Position::default();
        while let Some(picked) = book.pick(&position) {
            assert!(position.is_legal(picked.mv), "{} in {}", picked.mv, position.fen());
            position.play(picked.mv);
        }
    }
    assert!(opened > 1_000 && refused > 100, "{opened} opened, {refused} refused");
}

fn mutate(bytes: &mut Vec<u8>, rng: &mut fastrand::Rng) {
    const TELLING: &[u8] = b"\"\",\n\r;\t{}()$.!0Oxe1=\0\xff\xc3";
    let at = rng.usize(..bytes.len().max(1)).min(bytes.len());
    let byte = if rng.bool() { TELLING[rng.usize(..TELLING.len())] } else { rng.u8(..) };
    match rng.u8(..5) {
        0 => bytes.insert(at, byte),
        1 if at < bytes.len() => bytes[at] = byte,
        2 if at < bytes.len() => drop(bytes.remove(at)),
        3 if rng.u8(..4) == 0 => bytes.truncate(at),
        _ => {
            let end = rng.usize(at..=bytes.len()).min(at + 40);
            let piece = bytes[at..end].to_vec();
            bytes.splice(at..at, piece);
        }
    }
}
