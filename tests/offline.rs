//! The commands for work at home, from outside: suites, puzzles, the evaluation and its fit.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.args(arguments).env_clear().current_dir(folder).stdin(Stdio::null());
    command.output().expect("the program runs")
}

/// What a command prints that succeeds.
fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The one line of a command that refuses its input.
fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{arguments:?}: {said}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    said.trim_end().to_string()
}

/// The line that begins with `name`, its words single-spaced.
fn line<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let found = text.lines().map(str::trim_start).find(|line| line.starts_with(name));
    found.unwrap_or_else(|| panic!("no {name:?} in\n{text}")).split_whitespace().collect()
}

const GRADED: &str = "\
7k/8/8/3q4/8/2N5/8/6K1 w - - bm Nxd5; id \"Toy(v1.0) Taking.001\"; c7 \"Nxd5 Nb1\"; c8 \"10 3\";
7k/8/8/3q4/8/2N5/8/6K1 w - - bm Nb1; id \"Toy(v1.0) Taking.002\"; c7 \"Nxd5 Nb1\"; c8 \"4 10\";
6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#; id \"Toy(v2.0) Mating.001\"; c0 \"Ra8#=10, Ra7=1\";
6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#; id \"Toy(v2.0) Mating.002\"; c0 \"Ra8#=10, Ra7=1\";
";

#[test]
fn a_graded_suite_is_counted_by_theme_and_in_points() {
    let folder = folder();
    fs::write(folder.path().join("toy.epd"), GRADED).expect("a file");
    let text = printed(folder.path(), &["epd", "toy.epd", "--nodes", "2000"]);
    assert!(text.contains("By theme, in points\n"), "{text}");
    assert_eq!(line(&text, "Toy(v1.0) Taking ")[3..], ["70.0", "%", "14", "of", "20"], "{text}");
    assert_eq!(line(&text, "Toy(v2.0) Mating ")[3..], ["100.0", "%", "20", "of", "20"], "{text}");
    assert!(text.ends_with("toy.epd: 3 of 4 solved, 75.0 %; 34 of 40 points, 85.0 %\n"), "{text}");
    assert!(text.contains("Toy(v1.0) Taking.002: Nxd5 ") && text.contains(" for bm Nb1\n"), "{text}");

    let text = printed(folder.path(), &["epd", "toy.epd", "--nodes", "2000", "--json", "--threads", "2"]);
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let marks =
        |solved, of, points, most| json!({"solved": solved, "of": of, "points": points, "most_points": most});
    assert_eq!(json["theme"]["Toy(v1.0) Taking"], marks(1, 2, 14, 20));
    assert_eq!(json["theme"]["Toy(v2.0) Mating"], marks(2, 2, 20, 20));
    assert_eq!((&json["solved"], &json["points"], &json["file"]), (&json!(3), &json!(34), &json!("toy.epd")));
    assert_eq!(json["failed"][0]["id"], json!("Toy(v1.0) Taking.002"));
}

#[test]
fn a_suite_of_one_theme_has_no_table() {
    let folder = folder();
    let suite: String = GRADED.lines().take(2).map(|line| format!("{line}\r\n")).collect();
    fs::write(folder.path().join("toy.epd"), suite).expect("a file");
    let text = printed(folder.path(), &["epd", "toy.epd", "--depth", "3"]);
    assert!(!text.contains("By theme") && text.contains("1 of 2 solved"), "{text}");
}

#[test]
fn a_suite_that_cannot_be_used_is_refused_in_one_line() {
    let folder = folder();
    for (name, bytes, wanted) in [
        (
            "perft",
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66\n".as_bytes(),
            "line 1 asks for nothing: no bm, am, dm or graded moves",
        ),
        (
            "move",
            b"# notes\n\n4k3/8/8/8/8/8/8/4K2R w K - bm Ra1;\n",
            "line 3: \"Ra1\" is not a legal move here",
        ),
        ("over", b"7k/6Q1/6K1/8/8/8/8/8 b - - dm 1;\n", "line 1: the game is over here"),
        ("empty", b"# nothing\n", "no positions in this file"),
    ] {
        fs::write(folder.path().join(name), bytes).expect("a file");
        assert_eq!(refusal(folder.path(), &["epd", name]), format!("tabiya epd: {name}: {wanted}"));
    }
    for (name, bytes, wanted) in [
        ("packed.gz", b"\x1f\x8b\x08\x00rest".as_slice(), "it is packed, give <(zcat packed.gz) instead"),
        (
            "latin",
            b"4k3/8/8/8/8/8/8/4K2R w K - bm Rh8; id \"Z\xfcrich\";\n",
            "stream did not contain valid UTF-8",
        ),
    ] {
        fs::write(folder.path().join(name), bytes).expect("a file");
        assert_eq!(
            refusal(folder.path(), &["epd", name]),
            format!("tabiya epd: cannot read {name}: {wanted}")
        );
    }
    let missing = "tabiya epd: cannot read none: No such file or directory (os error 2)";
    assert_eq!(refusal(folder.path(), &["epd", "none"]), missing);
}

const PUZZLES: &str = "\
PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags
mate1,5k2/5ppp/8/8/8/8/5PPP/R2R2K1 b - - 0 1,f8g8 d1d8,601,80,90,7,mate mateIn1,,
take1,7k/8/8/3q4/8/2N5/8/6K1 b - - 0 1,h8h7 c3d5,1399,80,90,7,crushing short,,
wrong,7k/8/8/3q4/8/2N5/8/6K1 b - - 0 1,h8h7 c3b1,1400,80,90,7,crushing short,,
";

#[test]
fn puzzles_are_counted_by_rating_and_theme() {
    let folder = folder();
    fs::write(folder.path().join("puzzles.csv"), PUZZLES).expect("a file");
    let text = printed(folder.path(), &["puzzles", "puzzles.csv", "--nodes", "2000"]);
    for (name, share) in [
        ("600-799 ", ["100.0", "%", "1", "of", "1"]),
        ("1200-1399 ", ["100.0", "%", "1", "of", "1"]),
        ("mateIn1 ", ["100.0", "%", "1", "of", "1"]),
        ("crushing ", ["50.0", "%", "1", "of", "2"]),
        ("all ", ["66.7", "%", "2", "of", "3"]),
    ] {
        let words = line(&text, name);
        let bar = words[1].len();
        assert_eq!((words[2..].to_vec(), words[1]), (share.to_vec(), "#".repeat(bar).as_str()), "{text}");
    }
    assert_eq!(line(&text, "1400-1599 ")[1..], ["0.0", "%", "0", "of", "1"], "no bar for nothing: {text}");
    assert_eq!((line(&text, "all ")[1].len(), line(&text, "crushing ")[1].len()), (27, 20), "of 40");

    let json = printed(folder.path(), &["puzzles", "puzzles.csv", "--nodes", "2000", "--json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["all"], json!({"solved": 2, "of": 3}));
    assert_eq!(json["rating"]["1400"], json!({"solved": 0, "of": 1}));
    assert_eq!(json["theme"]["short"], json!({"solved": 1, "of": 2}));
    let failed = json!([{"id": "wrong", "rating": 1400, "move": 1, "played": "c3d5", "wanted": "c3b1"}]);
    assert_eq!(json["failed"], failed);
}

#[test]
fn puzzles_that_cannot_be_used_are_refused_in_one_line() {
    let folder = folder();
    for (name, text, wanted) in [
        ("columns", "PuzzleId,FEN\n1,2\n", "tabiya puzzles: columns: CSV deserialize error: "),
        ("rating", &PUZZLES.replace("601", "high"), "tabiya puzzles: rating: CSV deserialize error: "),
        ("move", &PUZZLES.replace("f8g8", "f8g9"), "tabiya puzzles: move: puzzle mate1: "),
        ("empty", "PuzzleId,FEN,Moves,Rating,Themes\n", "tabiya puzzles: empty: no puzzles in this file"),
    ] {
        fs::write(folder.path().join(name), text).expect("a file");
        let said = refusal(folder.path(), &["puzzles", name, "--nodes", "500"]);
        assert!(said.starts_with(wanted), "{said}");
    }
    fs::write(folder.path().join("packed.gz"), b"\x1f\x8b\x08\x00rest").expect("a file");
    assert_eq!(
        refusal(folder.path(), &["puzzles", "packed.gz"]),
        "tabiya puzzles: cannot read packed.gz: it is packed, give <(zcat packed.gz) instead"
    );
}

#[test]
fn own_games_become_positions_and_positions_become_weights() {
    let folder = folder();
    let play = ["tune", "--play", "3", "--nodes", "60", "--threads", "2", "--output"];
    printed(folder.path(), &[&play[..], &["own.epd"]].concat());
    printed(folder.path(), &[&play[..], &["again.epd"]].concat());
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect(name);
    assert!(read("own.epd").lines().count() > 20);
    assert_eq!(read("own.epd"), read("again.epd"), "the same seed, the same games");

    let fit = ["tune", "own.epd", "--epochs", "3", "--output"];
    let said = printed(folder.path(), &[&fit[..], &["a.rs", "--state", "fit", "--threads", "1"]].concat());
    let loss = |when: &str| -> f64 {
        let text = line(&said, &format!("loss {when}:"))[2].trim_end_matches(',').to_string();
        text.parse().expect("a number")
    };
    assert!(loss("after") < loss("before"), "{said}");
    printed(folder.path(), &[&fit[..], &["b.rs", "--threads", "2"]].concat());
    assert_eq!(read("a.rs"), read("b.rs"), "on any number of threads");
    assert!(read("a.rs").contains("`tabiya tune --epochs 3 "), "{}", read("a.rs"));
    // A fit that is kept is at its end, and goes no further.
    printed(folder.path(), &[&fit[..], &["c.rs", "--state", "fit"]].concat());
    assert_eq!(read("a.rs"), read("c.rs"));
}

#[test]
fn positions_that_cannot_be_used_are_refused_in_one_line() {
    let folder = folder();
    let good = "4k3/8/8/8/8/8/4P3/4K3 w - - c9 \"1-0\";\n";
    for (name, text, wanted) in [
        (
            "label",
            format!("{good}4k3/8/8/8/8/8/4P3/4K3 w - - c9 \"2-0\";\n"),
            "label: line 2 does not end with ",
        ),
        ("empty", String::new(), "no positions in these files"),
    ] {
        fs::write(folder.path().join(name), text).expect("a file");
        let said = refusal(folder.path(), &["tune", name]);
        assert!(said.starts_with(&format!("tabiya tune: {wanted}")), "{said}");
    }
    fs::write(folder.path().join("good"), good).expect("a file");
    fs::write(folder.path().join("state"), "nonsense\n").expect("a file");
    let output = run(folder.path(), &["tune", "good", "--state", "state"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(said, "tabiya tune: state: not the state of a fit; remove it to begin anew\n");
}

#[test]
fn an_evaluation_is_printed_term_by_term_or_refused_in_one_line() {
    let folder = folder();
    let start = printed(folder.path(), &["eval"]);
    assert!(start.contains("White - Black") && start.trim_end().ends_with("(White)"), "{start}");
    let black = ["eval", "4k3/8/8/8/8/8/4P3/4K3", "b", "-", "-", "0", "1"];
    assert!(printed(folder.path(), &black).trim_end().ends_with("(Black)"));
    assert_eq!(printed(folder.path(), &black), printed(folder.path(), &["eval", &black[1..].join(" ")]));
    assert!(refusal(folder.path(), &["eval", "8/8 w"]).starts_with("tabiya eval: \"8/8 w\": "));
}
