//! What only the inside of the book can show: where it looks, and keys that collide.

use super::movetext::{Line, Ply};
use super::*;
use std::fs;

fn with_path(path: &Path) -> BookOptions {
    BookOptions { path: path.display().to_string(), ..BookOptions::default() }
}

#[test]
fn without_a_path_the_file_in_the_working_directory_goes_before_the_built_in_one() {
    let directory = tempfile::tempdir().expect("a directory");
    let options = BookOptions::default();
    let built_in = Book::open_in(directory.path(), &options).expect("the built-in book");
    assert_eq!((built_in.source(), built_in.lines(), built_in.skipped()), ("built-in", 3810, 0));
    let file = directory.path().join("openings.csv");
    fs::write(&file, "moves\n1. e4\n").expect("a file");
    let own = Book::open_in(directory.path(), &options).expect("the book in the directory");
    assert_eq!((own.source(), own.lines()), (file.to_str().expect("a path in UTF-8"), 1));
    let broken = fs::write(&file, "").map(|()| Book::open_in(directory.path(), &options));
    assert!(
        matches!(broken, Ok(Err(BookError::Empty { .. }))),
        "a broken file is not passed over in silence"
    );
}

#[test]
fn a_book_that_is_switched_off_is_not_even_looked_for() {
    let options = BookOptions { enabled: false, ..with_path(Path::new("no such file")) };
    let book = Book::open(&options).expect("nothing to open");
    assert_eq!((book.source(), book.lines(), book.positions()), ("none", 0, 0));
    assert_eq!(book.pick(&Position::default()), None);
}

#[test]
fn a_book_that_cannot_be_had_is_one_clear_line() {
    let directory = tempfile::tempdir().expect("a directory");
    let cases: [(&str, &[u8], &str); 6] = [
        ("empty.csv", b"", "the file is empty; correct book.path or clear it for the built-in book"),
        (
            "blank.csv",
            b"\xef\xbb\xbf\n \r\n",
            "the file is empty; correct book.path or clear it for the built-in book",
        ),
        (
            "other.csv",
            b"eco,name\nB00,x\n",
            "no column is named moves, pgn or uci (found: eco, name); name one in line 1",
        ),
        ("header.csv", b"moves\n", "none of 0 rows can be used; correct the rows or book.path"),
        ("wrong.csv", b"moves\ne5\nNf9\n", "none of 2 rows can be used; correct the rows or book.path"),
        (
            "binary.csv",
            &[0xff, 0, 0x80, b'\n', 0],
            "no column is named moves, pgn or uci (found: \u{fffd}\u{fffd}); name one in line 1",
        ),
    ];
    for (name, bytes, expected) in cases {
        let path = directory.path().join(name);
        fs::write(&path, bytes).expect("a file");
        let error = Book::open(&with_path(&path)).expect_err(name).to_string();
        assert_eq!(error, format!("opening book {}: {expected}", path.display()), "{name}");
    }
    for path in [directory.path().join("missing.csv"), directory.path().to_path_buf()] {
        let error = Book::open(&with_path(&path)).expect_err("nothing to read").to_string();
        let start = format!("opening book {}: ", path.display());
        assert!(error.starts_with(&start) && error.contains("correct book.path"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn keys_that_collide_never_yield_an_illegal_move() {
    let start = Position::default();
    let uci = |moves: &str, uci: &str| {
        Position::after("startpos", moves).expect("legal moves").parse_uci(uci).expect("a legal move")
    };
    let illegal = [uci("e2e4", "e7e5"), uci("e2e4 e7e5", "d1h5"), uci("d2d4 d7d5 c2c4", "d5c4")];
    for selection in [Selection::Weighted, Selection::Uniform, Selection::Best] {
        let options = BookOptions { selection, ..BookOptions::default() };
        let book = |moves: &[Move]| {
            let mut builder = Builder::default();
            for mv in moves {
                let plies = [Ply { key: start.key(), mv: *mv, end: 0 }];
                builder.add(&Line { plies: &plies, end_key: 0 }, "collision", 1_000_000);
            }
            Book::new(builder.finish(), "collisions", &options)
        };
        assert_eq!(book(&illegal).pick(&start), None);
        let legal = uci("", "g1f3");
        let mixed = book(&[&illegal[..], &[legal]].concat());
        for _ in 0..100 {
            let picked = mixed.pick(&start).expect("one legal move");
            assert_eq!((picked.mv, picked.lines, picked.of_lines), (legal, 1, 1), "{selection:?}");
        }
    }
}
