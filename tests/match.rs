//! `tabiya match` from outside: whole matches, with all that can happen in them.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "shared with tests that need more of it")]
#[path = "common/fake.rs"]
mod fake;

use fake::Fake;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Plays a legal first move with either colour, and nothing after it.
const SHORT_LIVED: &str = "case $plies in
                0) echo bestmove e2e4 ;;
                1) echo bestmove a7a6 ;;
                *) exit 1 ;;
            esac";

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.arg("match").args(arguments).env_clear().env("PATH", "/bin:/usr/bin").current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn play(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("the program runs")
}

/// The end result of a match that came to its end.
fn result(folder: &Path, arguments: &[&str]) -> Value {
    let output = play(folder, &[arguments, &["--json"]].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

/// A player that runs in its own folder.
fn player(fake: &Fake, name: &str) -> String {
    format!("{}:Directory={},Name={name}", fake.path().display(), fake.folder().display())
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(120), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

const OPENINGS: &str = "moves\n1. e4 e5\n1. d4 d5\n1. c4 c5\n1. Nf3 Nf6\n1. f4 f5\n1. b3 b6\n";

#[test]
fn a_match_at_fixed_nodes_repeats_itself_however_many_games_run_at_once() {
    let folder = folder();
    fs::write(folder.path().join("book.csv"), OPENINGS).expect("a file");
    let arguments =
        ["builtin:Nodes=400,Hash=1", "builtin:Nodes=60,Hash=1", "--games", "8", "--openings", "book.csv"];
    let once = result(folder.path(), &arguments);
    assert_eq!(once["opponents"][0]["games"], json!(8));
    let points = |key: &str| once["opponents"][0][key].as_u64().expect("a number");
    assert_eq!(points("wins") + points("draws") + points("losses"), 8);
    assert!(points("wins") > points("losses"), "more nodes, more wins: {once}");
    assert_eq!(once["players"][0], json!({"name": "builtin Nodes=400 Hash=1", "faults": {}}));
    let twice = result(folder.path(), &[&arguments[..], &["--concurrency", "3"]].concat());
    assert_eq!(once, twice);
}

/// The moves with which the first game of each pair begins.
fn openings_played(seed: &str) -> Vec<String> {
    let folder = folder();
    fs::write(folder.path().join("book.csv"), OPENINGS).expect("a file");
    let settings = ["--nodes", "20", "--games", "12", "--openings", "book.csv", "--pgn", "games.pgn"];
    let arguments = [&["builtin:Hash=1", "builtin:Hash=1"][..], &settings, &["--seed", seed]].concat();
    result(folder.path(), &arguments);
    let pgn = fs::read_to_string(folder.path().join("games.pgn")).expect("a file");
    let games = pgn.split("[Event ").skip(1).step_by(2);
    games.map(|game| game.split_once("\n\n1. ").expect("moves").1[..5].trim().to_string()).collect()
}

#[test]
fn the_seed_is_the_order_of_the_openings() {
    let in_the_file = ["e4 e5", "d4 d5", "c4 c5", "Nf3 N", "f4 f5", "b3 b6"];
    assert_eq!(openings_played("0"), in_the_file);
    let (one, two) = (openings_played("1"), openings_played("2"));
    assert!(one != two && one != in_the_file, "{one:?} {two:?}");
    for mut order in [one, two] {
        order.sort();
        assert_eq!(order, ["Nf3 N", "b3 b6", "c4 c5", "d4 d5", "e4 e5", "f4 f5"]);
    }
}

#[test]
fn more_pairs_than_openings_without_clocks_are_warned_of() {
    let folder = folder();
    fs::write(folder.path().join("book.csv"), OPENINGS).expect("a file");
    for (games, player, limit, warns) in [
        ("12", "builtin:Hash=1", ["--nodes", "20"], false),
        ("14", "builtin:Hash=1", ["--nodes", "20"], true),
        ("14", "builtin:Hash=1,Elo=1000", ["--nodes", "20"], false),
    ] {
        let settings = ["--games", games, "--openings", "book.csv"];
        let output = play(folder.path(), &[&[player, "builtin:Hash=1"][..], &settings, &limit].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert_eq!(said.contains("more pairs of games (7) than openings (6)"), warns, "{games}: {said}");
    }
}

#[test]
fn each_opening_is_played_with_both_colours_and_games_are_kept_with_their_scores() {
    let folder = folder();
    fs::write(folder.path().join("book.csv"), OPENINGS).expect("a file");
    let players = ["builtin:Hash=1,Name=A", "builtin:Hash=1,Name=B"];
    let settings = ["--nodes", "1000", "--games", "6", "--seed", "0", "--openings", "book.csv"];
    result(folder.path(), &[&players[..], &settings, &["--pgn", "games.pgn"]].concat());
    let pgn = fs::read_to_string(folder.path().join("games.pgn")).expect("a file");
    let games: Vec<&str> = pgn.split("[Event ").skip(1).collect();
    assert_eq!(games.len(), 6);
    for (index, begin) in ["1. e4 e5", "1. d4 d5", "1. c4 c5"].into_iter().enumerate() {
        for (game, colours) in [(0, ["A", "B"]), (1, ["B", "A"])] {
            let text = games[2 * index + game];
            assert!(text.contains(&format!("[Round \"{}.{}\"]", index + 1, game + 1)), "{text}");
            assert!(
                text.contains(&format!("[White \"{}\"]\n[Black \"{}\"]", colours[0], colours[1])),
                "{text}"
            );
            let moves = text.split_once("\n\n").expect("tags and moves").1;
            assert!(moves.starts_with(begin), "{moves}");
            let scored =
                moves.split('{').skip(1).all(|comment| comment.contains('/') && comment.contains('s'));
            assert!(scored, "score, depth and time of each move: {moves}");
        }
    }
}

#[test]
fn games_are_ended_by_those_who_watch_when_both_players_agree() {
    let folder = folder();
    for (name, fen) in [
        ("won", "4k3/8/8/8/8/8/8/QQ2K3 b - - 0 1"),
        ("drawn", "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1"),
        ("even", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ] {
        fs::write(folder.path().join(name), format!("{fen}\n")).expect("a file");
    }
    for (opening, rule, reason) in [
        ("won", ["--resign", "moves=1,score=500"], "both call it won for White"),
        ("drawn", ["--draw", "from=1,moves=2,score=100"], "both call it drawn"),
        ("even", ["--max-moves", "3"], "too many moves"),
    ] {
        let pgn = format!("{opening}.pgn");
        let players = ["builtin:Hash=1,Name=A", "builtin:Hash=1,Name=B"];
        let settings = ["--nodes", "300", "--games", "2", "--openings", opening, "--pgn", &pgn];
        let json = result(folder.path(), &[&players[..], &settings, &rule].concat());
        // Each has White once: whatever the result, it is shared.
        assert_eq!(json["all"]["pentanomial"], json!([0, 0, 1, 0, 0]), "{opening}: {json}");
        let games = fs::read_to_string(folder.path().join(pgn)).expect("a file");
        assert_eq!(games.matches("[Termination \"adjudication\"]").count(), 2, "{opening}: {games}");
        let words = games.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words.matches(reason).count(), 2, "{opening}: {games}");
    }
}

#[test]
fn limited_strength_is_a_player_that_repeats_itself() {
    let folder = folder();
    fs::write(folder.path().join("book.csv"), OPENINGS).expect("a file");
    let players = ["builtin:Elo=1600,Hash=1", "builtin:Elo=1000,Hash=1"];
    let arguments = [&players[..], &["--games", "6", "--openings", "book.csv"]].concat();
    let once = result(folder.path(), &arguments);
    assert!(once["opponents"][0]["wins"].as_u64() > once["opponents"][0]["losses"].as_u64(), "{once}");
    assert_eq!(once, result(folder.path(), &[&arguments[..], &["--concurrency", "2"]].concat()));

    // The same opening again, and the other colour of it, are other games.
    let settings = ["--games", "4", "--pgn", "games.pgn", "--max-moves", "10"];
    result(folder.path(), &[&["builtin:Elo=1000,Hash=1", "builtin:Elo=1000,Hash=1"][..], &settings].concat());
    let pgn = fs::read_to_string(folder.path().join("games.pgn")).expect("a file");
    let games = pgn.split("[Event ").skip(1).map(|game| game.split_once("\n\n").expect("moves").1);
    let moves = |game: &str| -> Vec<String> {
        let words = game.split(['{', '}']).step_by(2).flat_map(str::split_whitespace);
        words.map(str::to_string).collect()
    };
    let games: HashSet<Vec<String>> = games.map(moves).collect();
    assert_eq!(games.len(), 4, "{games:?}");
}

#[test]
fn faults_lose_the_game_are_named_and_the_engine_comes_again() {
    for (go, fault) in [
        ("exit 1", "crash"),
        ("kill -9 $$", "crash"),
        ("echo bestmove e2e5", "illegal move"),
        ("echo bestmove", "illegal move"),
        (":", "hang"),
    ] {
        let fake = Fake::at_go(go);
        let folder = folder();
        let opponent = player(&fake, "fake");
        let patience = if fault == "hang" { "1" } else { "60" };
        let settings = ["--nodes", "50", "--games", "4", "--move-timeout", patience];
        let output = play(folder.path(), &[&["builtin:Hash=1", &opponent][..], &settings].concat());
        let table = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{go}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(table.contains(&format!("lost by its own fault, fake: 4 {fault}")), "{go}: {table}");
        let row = table.lines().nth(1).expect("a row").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(row.starts_with("fake 4 4 0 0 100.0 % all won"), "{go}: {table}");
        assert!(fake.pids().len() >= 4, "{go}: started anew after each fault");
        until("the end of all processes", || fake.running().is_empty());
    }
}

#[test]
fn an_overstepped_clock_loses_and_the_process_lives() {
    // Its time is up before it is stopped; then it answers, and is asked again in the next game.
    let fake = Fake::new(fake::GREETING, ":", "[ $plies = 0 ] && echo bestmove e2e4 || echo bestmove a7a6");
    let folder = folder();
    let opponent = player(&fake, "slow");
    let settings = ["--tc", "2+0", "--margin", "0", "--games", "2"];
    let json = result(folder.path(), &[&["builtin:Hash=1", &opponent][..], &settings].concat());
    assert_eq!(json["players"][1]["faults"], json!({"on time": 2}), "{json}");
    assert!(fake.log().iter().any(|line| line.starts_with("go wtime ")), "{:?}", fake.log());
    assert_eq!(fake.pids().len(), 2, "one to try it, one to play");
}

#[test]
fn a_gauntlet_counts_each_opponent_for_itself() {
    let (crashing, cheating) = (Fake::at_go(SHORT_LIVED), Fake::at_go("echo bestmove a1a1"));
    let folder = folder();
    let players = ["builtin:Hash=1", &player(&crashing, "c"), &player(&cheating, "x")];
    let json = result(folder.path(), &[&players[..], &["--nodes", "50", "--games", "4"]].concat());
    let rows: Vec<Value> = json["opponents"].as_array().expect("rows").clone();
    assert_eq!(rows.iter().map(|row| row["wins"].clone()).collect::<Vec<_>>(), [json!(4), json!(4)]);
    assert_eq!(json["all"]["pentanomial"], json!([0, 0, 0, 0, 4]));
    assert_eq!(json["players"][1]["faults"], json!({"crash": 4}));
    assert_eq!(json["players"][2]["faults"], json!({"illegal move": 4}));
}

#[test]
fn a_sequential_test_stops_when_it_is_sure() {
    let fake = Fake::at_go("echo bestmove a1a1");
    let folder = folder();
    let settings = ["--nodes", "20", "--games", "2000", "--sprt", "0,400"];
    let json = result(folder.path(), &[&["builtin:Hash=1", &player(&fake, "x")][..], &settings].concat());
    assert_eq!(json["sprt"]["accepted"], json!("H1"));
    assert!(json["sprt"]["llr"].as_f64().expect("a number") > 2.94, "{json}");
    assert!(json["all"]["games"].as_u64().expect("a number") < 200, "{json}");
}

/// Rounds in a PGN file, in order.
fn rounds(path: &Path) -> Vec<String> {
    let pgn = fs::read_to_string(path).unwrap_or_default();
    pgn.lines().filter(|line| line.starts_with("[Round ")).map(str::to_string).collect()
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // It has ended already, or it ends now.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_match_that_was_killed_goes_on_and_ends_as_if_it_had_not_been() {
    let folder = folder();
    fs::write(folder.path().join("book.csv"), OPENINGS).expect("a file");
    let arguments = [
        "builtin:Nodes=400,Hash=1",
        "builtin:Nodes=300,Hash=1",
        "--games",
        "12",
        "--openings",
        "book.csv",
        "--json",
    ];
    let whole = result(folder.path(), &arguments[..6]);
    let kept = [&arguments[..], &["--resume", "match", "--pgn", "games.pgn"]].concat();
    let lines = || fs::read_to_string(folder.path().join("match")).unwrap_or_default().lines().count();
    for pairs in [1, 3] {
        let mut child = Killed(command(folder.path(), &kept).spawn().expect("the program runs"));
        until("some pairs", || lines() > pairs || child.0.try_wait().is_ok_and(|end| end.is_some()));
    }
    let output = play(folder.path(), &kept);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).expect("JSON"), whole);
    assert_eq!(lines(), 7);
    let expected: Vec<String> =
        (1..=6).flat_map(|pair| [1, 2].map(|game| format!("[Round \"{pair}.{game}\"]"))).collect();
    assert_eq!(rounds(&folder.path().join("games.pgn")), expected);
    // A finished match is told again without playing.
    assert_eq!(serde_json::from_slice::<Value>(&play(folder.path(), &kept).stdout).expect("JSON"), whole);
    let other = play(folder.path(), &[&kept[..], &["--nodes", "9"]].concat());
    let said = String::from_utf8_lossy(&other.stderr).into_owned();
    assert_eq!(other.status.code(), Some(2));
    assert_eq!(
        said.lines().last(),
        Some("tabiya match: match is of another match: its nodes is null, here it is 9")
    );
}

#[test]
fn a_stopped_or_killed_match_leaves_no_process() {
    for signal in ["-TERM", "-INT", "-KILL"] {
        let fake = Fake::at_go(":");
        let folder = folder();
        let opponent = player(&fake, "deaf");
        let settings = ["--nodes", "50", "--games", "4", "--concurrency", "2"];
        let child = command(folder.path(), &[&["builtin:Hash=1", &opponent][..], &settings].concat())
            .spawn()
            .expect("the program runs");
        let child = Killed(child);
        until("two games", || fake.log().iter().filter(|line| line.starts_with("go")).count() >= 2);
        let pid = child.0.id().to_string();
        let kill = Command::new("sh").args(["-c", &format!("kill {signal} {pid}")]).status();
        assert!(kill.expect("a shell").success());
        until("the end of all processes", || fake.running().is_empty());
    }
}

#[test]
fn what_cannot_be_played_is_one_line_and_exit_code_2() {
    let folder = folder();
    fs::write(folder.path().join("book.zip"), "PK\x03\x04").expect("a file");
    let broken = Fake::new("exit 3", "", "");
    let broken = broken.path().display().to_string();
    let cases: [(&[&str], &str); 7] = [
        (
            &["builtin", "builtin:Nodes=5"],
            "tabiya match: builtin has no limit: give --tc, --nodes or --depth, or Nodes= or Depth= to it",
        ),
        (
            &["builtin", "/nowhere/engine", "--nodes", "9"],
            "tabiya match: engine cannot play: the engine has ended: No such file or directory (os error 2)",
        ),
        (
            &["builtin", &broken, "--nodes", "9"],
            "tabiya match: fake cannot play: the engine has ended: exit status: 3",
        ),
        (
            &["builtin", "builtin", "--nodes", "9", "--openings", "book.zip"],
            "tabiya match: cannot read book.zip: it is packed, give <(unzip -p book.zip) instead",
        ),
        (
            &["builtin", "builtin", "builtin", "--nodes", "9", "--sprt", "0,5"],
            "tabiya match: --sprt is about two players",
        ),
        (
            &["builtin", "builtin", "--nodes", "9", "--resume", "book.zip"],
            "tabiya match: book.zip, line 1: not the file of a match: its first line tells of no match",
        ),
        (
            &["builtin", "builtin", "--nodes", "9", "--pgn", "/nowhere/games.pgn"],
            "tabiya match: /nowhere/games.pgn: No such file or directory (os error 2)",
        ),
    ];
    for (arguments, expected) in cases {
        let output = play(folder.path(), arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), said.lines().last()), (Some(2), Some(expected)), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    for arguments in
        [&["builtin"][..], &["builtin", "builtin", "--games", "3"], &["builtin:Hash=0", "builtin"]]
    {
        assert_eq!(play(folder.path(), arguments).status.code(), Some(2), "{arguments:?}");
    }
}
