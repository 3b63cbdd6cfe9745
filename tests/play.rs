//! A game in the terminal, by script.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Plays what the script says and returns what is shown.
fn play(arguments: &[&str], script: &str) -> String {
    let output = start(arguments, script.as_bytes());
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn start(arguments: &[&str], script: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.arg("play").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    let mut input = child.stdin.take().expect("an input");
    // It may leave before it has read all.
    let _ = input.write_all(script);
    drop(input);
    child.wait_with_output().expect("an end")
}

const QUICK: [&str; 2] = ["--nodes", "200"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [QUICK.as_slice(), more].concat()
}

#[test]
fn moves_are_taken_in_san_and_in_uci_and_answered() {
    for script in ["e4\n", "e2e4\n", "e4!?\n"] {
        let shown = play(&QUICK, script);
        assert!(shown.contains("\n4 . . . . ♙ . . .\n"), "{script}: {shown}");
        assert_eq!(shown.matches("Tabiya plays ").count(), 1, "{shown}");
        assert!(shown.contains("[White \"You\"]") && shown.contains("1. e4 "), "{shown}");
        assert!(shown.contains("The game is not finished.") && shown.trim_end().ends_with('*'), "{shown}");
    }
}

#[test]
fn black_sees_the_board_from_the_other_side_and_moves_second() {
    let shown = play(&with(&["--color", "black"]), "quit\n");
    assert!(shown.contains("  h g f e d c b a\n") && shown.contains("1 ♖ ♘ ♗ ♔ ♕ ♗ ♘ ♖\n"), "{shown}");
    assert!(shown.contains("Tabiya plays ") && shown.contains("[Black \"You\"]"), "{shown}");
}

#[test]
fn castling_and_promotion_are_understood() {
    let fen = "4k3/P7/8/8/8/8/8/4K2R w K - 0 1";
    for (script, wanted) in [
        ("O-O\n", "1. O-O"),
        ("0-0\n", "1. O-O"),
        ("e1g1\n", "1. O-O"),
        ("e1h1\n", "1. O-O"),
        ("a8=Q\n", "1. a8=Q+"),
        ("a8N\n", "1. a8=N"),
    ] {
        let shown = play(&with(&["--fen", fen]), script);
        assert!(shown.contains(wanted) && shown.contains(fen), "{script}: {shown}");
    }
}

#[test]
fn a_mate_ends_the_game() {
    let fen = "6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1";
    let shown = play(&with(&["--fen", fen]), "Re8#\nnot read\n");
    assert!(shown.contains("Checkmate: White wins.") && shown.contains("1. Re8# 1-0"), "{shown}");
    let shown = play(&with(&["--fen", "k7/8/1K6/8/8/8/7R/8 w - - 0 1", "--color", "black"]), "");
    assert!(shown.contains("Tabiya plays Rh8#") && shown.contains("[Result \"1-0\"]"), "{shown}");
}

#[test]
fn draws_end_the_game() {
    for (fen, mv, wanted) in [
        ("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "Qf7", "Stalemate: a draw."),
        ("7k/8/8/8/8/8/1r6/K7 w - - 0 1", "Kxb2", "Neither side can mate any more: a draw."),
        ("7k/8/8/8/8/8/1R6/K7 w - - 99 80", "Rb3", "Fifty moves without capture or pawn move: a draw."),
    ] {
        let shown = play(&with(&["--fen", fen]), &format!("{mv}\n"));
        assert!(shown.contains(wanted) && shown.contains("1/2-1/2"), "{fen}: {shown}");
    }
}

#[test]
fn resigning_and_the_end_of_input_leave_the_game_written() {
    let shown = play(&QUICK, "e4\nresign\n");
    assert!(shown.contains("You resign.") && shown.trim_end().ends_with("0-1"), "{shown}");
    let shown = play(&with(&["--color", "black"]), "resign\n");
    assert!(shown.trim_end().ends_with("1-0"), "{shown}");
    assert!(play(&QUICK, "e4").trim_end().ends_with('*'), "a last line without an end counts");
}

#[test]
fn a_move_can_be_taken_back() {
    let shown = play(&QUICK, "back\ne4\nback\nd4\nfen\n");
    assert!(shown.contains("There is no move of yours to take back."), "{shown}");
    assert!(shown.contains("1. d4 ") && !shown.contains("1. e4 "), "{shown}");
    let shown = play(&with(&["--color", "black"]), "back\n");
    assert!(shown.contains("There is no move of yours to take back."), "{shown}");
}

#[test]
fn hint_and_evaluation_are_given_on_demand() {
    let fen = "6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1";
    let shown = play(&with(&["--fen", fen]), "hint\neval\n");
    assert!(shown.contains("Tabiya would play Re8#"), "{shown}");
    assert!(shown.contains("#1 for White at depth ") && shown.contains(": Re8#"), "{shown}");
    let lost = "6k1/8/8/8/8/8/8/QQ4K1 b - - 0 1";
    let shown = play(&with(&["--fen", lost, "--color", "black"]), "eval\n");
    assert!(shown.contains("#") && !shown.contains("#-"), "good for White: {shown}");
}

#[test]
fn the_level_can_be_changed() {
    let shown = play(&["--level", "1"], "level 3\nlevel 11\nlevel high\ne4\n");
    assert!(shown.contains("Level 3: about 1250 Elo."), "{shown}");
    for wrong in ["\"11\"", "\"high\""] {
        assert!(shown.contains(&format!("A level is a number from 1 to 10, not {wrong}.")), "{shown}");
    }
    assert!(shown.contains("Tabiya plays "), "{shown}");
    for arguments in [["--depth", "2"], ["--elo", "1450"]] {
        assert!(play(&arguments, "e4\n").contains("Tabiya plays "), "{arguments:?}");
    }
    assert!(play(&QUICK, "level 10\n").contains("Level 10: full strength."));
}

#[test]
fn what_is_not_understood_gets_one_line() {
    for (line, wanted) in [
        ("e5", "is not legal there; help tells what else there is."),
        ("castle", "is not a move in SAN or UCI; help tells what else there is."),
        ("e4 e5", "One move at a time, please; help tells what else there is."),
        ("\u{265e}", "is not a move in SAN or UCI; help tells what else there is."),
    ] {
        let shown = play(&QUICK, &format!("{line}\n\nquit\n"));
        assert_eq!(shown.matches(wanted).count(), 1, "{line}: {shown}");
    }
    let shown = play(&with(&["--fen", "4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1"]), "Nd2\n");
    assert!(shown.contains("fits more than one legal move; help"), "{shown}");
    assert!(start(&QUICK, b"\xff\xfe\x00\nquit\n").status.success());
    assert!(play(&QUICK, "help\n").contains("take your last move back"));
}

#[test]
fn a_position_that_is_none_is_a_mistake_on_the_command_line() {
    let output = start(&["--fen", "8/8 w"], b"");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.starts_with("tabiya play: --fen \"8/8 w\": ") && said.lines().count() == 1, "{said}");
    for arguments in
        [["--level", "0"], ["--level", "11"], ["--elo", "999"], ["--nodes", "0"], ["--color", "red"]]
    {
        assert_eq!(start(&arguments, b"").status.code(), Some(2), "{arguments:?}");
    }
}
