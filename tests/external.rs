//! A UCI program behind the engine's door: sound ones, all kinds of broken ones, and the bot with them.
#![cfg(target_os = "linux")]

#[path = "common/fake.rs"]
mod fake;
#[allow(dead_code, reason = "shared with tests that need more of it")]
#[path = "common/service.rs"]
mod service;

use fake::{Fake, GREETING};
use service::{Bot, options, patiently};
use std::process::Command;
use std::time::Duration;
use tabiya::book::Book;
use tabiya::engine::{Color, EngineOptions, Limits, Position, Score};
use tabiya::practice::{
    ChallengeRequest, Opponent, OpponentAction, PlayerInfo, PracticeOptions, PracticeServer, TimeControl,
};
use tabiya::worker::{Clocks, EngineGone, EngineHandle};

/// A sound answer in the start position.
const ANSWER: &str = "echo info depth 7 seldepth 9 score cp 31 nodes 812 pv e2e4 e7e5; \
                      echo bestmove e2e4 ponder e7e5";

fn spawn(options: &EngineOptions) -> EngineHandle {
    EngineHandle::spawn("test", options).expect("the program starts")
}

fn to_depth(depth: u8) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn timed(milliseconds: u64) -> Limits {
    let time = Some(Duration::from_millis(milliseconds));
    Limits { soft: time, hard: time, ..Limits::default() }
}

async fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    patiently(what, async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_sound_program_is_asked_and_heard() {
    let fake = Fake::at_go(ANSWER);
    let mut engine = spawn(&EngineOptions { nodes: 5_000, ..fake.options() });
    let mut search = engine.go(Position::default(), to_depth(7));
    let report = patiently("a report", search.finish()).await.expect("a report");
    let line: Vec<String> = report.pv.iter().map(|mv| mv.to_string()).collect();
    assert_eq!(line, ["e2e4", "e7e5"]);
    assert_eq!((report.score, report.depth, report.selective_depth, report.nodes), (Score(31), 7, 9, 812));
    assert_eq!(search.best_so_far(), Some(report));
    drop(engine);
    eventually("quit", || fake.log().last().is_some_and(|line| line == "quit")).await;
    assert_eq!(
        fake.log(),
        [
            "uci",
            "setoption name Hash value 1",
            "ucinewgame",
            "isready",
            "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "isready",
            "go nodes 5000 depth 7",
            "quit"
        ]
    );
}

#[tokio::test]
async fn clocks_are_told_as_they_are() {
    let fake = Fake::at_go("echo bestmove c7c5");
    let mut engine = spawn(&fake.options());
    patiently("ready", engine.new_game()).await.expect("ready");
    let second = Duration::from_secs(1);
    let clocks = Clocks { remaining: [second * 90, second * 3_600], increment: [second, second * 2] };
    let position = Position::after("startpos", "e2e4").expect("legal");
    // The bounds are for engines that do not share out their time themselves.
    let mut search = engine.go_on_clock(position, timed(1), clocks);
    let report = patiently("a report", search.finish()).await.expect("a report");
    assert_eq!((report.best_move().to_string().as_str(), report.depth), ("c7c5", 0), "no score, no depth");
    let go = fake.log().into_iter().find(|line| line.starts_with("go")).expect("a go");
    let words: Vec<&str> = go.split(' ').collect();
    assert_eq!((words[1], words[2], words[3]), ("wtime", "90000", "btime"));
    assert!(words[4].parse().is_ok_and(|left: u64| (3_500_000..=3_600_000).contains(&left)), "{go}");
    assert_eq!(words[5..], ["winc", "1000", "binc", "2000"]);
}

#[tokio::test]
async fn stop_is_told_and_brings_the_move() {
    let fake = Fake::new(GREETING, "echo info depth 1 score cp 5 pv d2d4", "echo bestmove d2d4");
    let mut engine = spawn(&fake.options());
    let mut search = engine.go(Position::default(), Limits::default());
    eventually("an info", || search.best_so_far().is_some()).await;
    search.stop();
    let report = patiently("a report", search.finish()).await.expect("a report");
    assert_eq!((report.best_move().to_string().as_str(), report.score), ("d2d4", Score(5)));
    // A dropped search is stopped as well, and the next one gets its own answer.
    drop(engine.go(Position::default(), Limits::default()));
    let mut search = engine.go(Position::default(), timed(50));
    patiently("a report", search.finish()).await.expect("stopped at its hard bound");
    assert_eq!(fake.log().iter().filter(|line| *line == "stop").count(), 3);
    assert!(fake.log().contains(&"go infinite".to_string()));
    assert_eq!(fake.pids().len(), 1);
}

#[tokio::test]
async fn every_kind_of_fault_is_told_with_its_reason_and_stays() {
    let ended = |reason: &str| EngineGone::Ended(reason.to_string());
    let garbled = |reason: &str| EngineGone::Garbled(reason.to_string());
    let cases = [
        ("echo no network file >&2; exit 3", ended("exit status: 3, last words: no network file")),
        ("kill -9 $$", ended("signal: 9 (SIGKILL)")),
        ("exec sleep 1000 >&-", ended("its output is closed")),
        ("echo bestmove", garbled("bestmove \"\"")),
        ("echo bestmove e2-e4", garbled("bestmove \"e2-e4\"")),
        ("echo 'bestmove (none)'", garbled("bestmove \"(none)\"")),
        ("echo bestmove 0000", garbled("bestmove \"0000\"")),
        ("echo bestmove e7e8Q", garbled("bestmove \"e7e8Q\"")),
        (
            "echo bestmove e2e5",
            EngineGone::IllegalMove(format!("e2e5 is not legal in {}", Position::default().fen())),
        ),
        (":", EngineGone::Hung("no move after stop within 1 s".to_string())),
    ];
    for (go, expected) in cases {
        let fake = Fake::at_go(go);
        let mut engine = spawn(&fake.options());
        let mut search = engine.go(Position::default(), timed(20));
        assert_eq!(patiently(go, search.finish()).await, Err(expected.clone()), "{go}");
        assert_eq!(patiently(go, engine.new_game()).await, Err(expected.clone()), "{go}");
        let mut again = engine.go(Position::default(), timed(20));
        assert_eq!(patiently(go, again.finish()).await, Err(expected), "{go}");
        eventually("the end of the process", || fake.running().is_empty()).await;
        assert_eq!(fake.pids().len(), 1, "{go}");
    }
}

#[tokio::test]
async fn a_line_without_end_is_a_fault() {
    let fake = Fake::at_go("cat /dev/zero");
    let mut engine = spawn(&fake.options());
    let gone = patiently("the fault", engine.go(Position::default(), Limits::default()).finish()).await;
    assert!(
        matches!(&gone, Err(EngineGone::Garbled(reason)) if reason.starts_with("a line without end")),
        "{gone:?}"
    );
}

#[tokio::test]
async fn noise_is_passed_over_and_a_flood_does_not_outlast_the_time() {
    let noise = "printf '\\377\\376\\n\\nbest move\\ninfo depth x\\ninfo depth 3 score cp 9 pv e2e5\\n'; ";
    let fake = Fake::at_go(&format!("{noise}{ANSWER}"));
    let mut engine = spawn(&fake.options());
    let mut search = engine.go(Position::default(), Limits::default());
    assert_eq!(patiently("a report", search.finish()).await.expect("a report").score, Score(31));

    let fake = Fake::at_go("exec yes info string still here");
    let mut engine = spawn(&fake.options());
    let mut search = engine.go(Position::default(), timed(20));
    let gone = patiently("the fault", search.finish()).await;
    assert!(matches!(gone, Err(EngineGone::Hung(_))), "{gone:?}");
    eventually("the end of the process", || fake.running().is_empty()).await;
}

#[tokio::test]
async fn what_was_known_before_a_fault_is_kept() {
    let fake = Fake::at_go("echo info depth 4 score cp 12 pv g1f3; exit 1");
    let mut engine = spawn(&fake.options());
    let mut search = engine.go(Position::default(), Limits::default());
    assert!(patiently("the fault", search.finish()).await.is_err());
    let known = search.best_so_far().expect("a line");
    assert_eq!((known.best_move().to_string().as_str(), known.depth), ("g1f3", 4));
}

#[tokio::test]
async fn a_second_answer_is_not_taken_for_the_next_one() {
    let fake =
        Fake::at_go("[ $plies = 0 ] && echo bestmove e2e4 && echo bestmove d7d6 || echo bestmove c7c5");
    let mut engine = spawn(&fake.options());
    patiently("a report", engine.go(Position::default(), to_depth(1)).finish()).await.expect("a report");
    let position = Position::after("startpos", "e2e4").expect("legal");
    let report = patiently("a report", engine.go(position, to_depth(1)).finish()).await.expect("a report");
    assert_eq!(report.best_move().to_string(), "c7c5");
}

// Time stands still but for waits, so the long patience of a greeting passes at once.
#[tokio::test(start_paused = true)]
async fn a_program_that_never_greets_hangs() {
    for greeting in [":", "echo id name Fake", "echo uciko"] {
        let fake = Fake::new(greeting, ANSWER, ":");
        let gone = spawn(&fake.options()).new_game().await;
        assert_eq!(gone, Err(EngineGone::Hung("no uciok within 10 s".to_string())), "{greeting}");
    }
}

#[tokio::test]
async fn what_cannot_be_started_or_set_is_told() {
    let nowhere = EngineOptions { path: "/nowhere/engine".to_string(), ..Fake::at_go(ANSWER).options() };
    assert!(
        EngineHandle::spawn("test", &nowhere)
            .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    );
    let fake = Fake::at_go(ANSWER);
    for (option, reason) in [
        ("Skill=3", "set Skill to \"3\": its options are Hash, UCI_Chess960"),
        ("Hash=65", "set Hash to \"65\": it takes a whole number from 1 to 64"),
    ] {
        let options = EngineOptions { options: vec![option.to_string()], ..fake.options() };
        let gone = patiently("the refusal", spawn(&options).new_game()).await;
        assert_eq!(gone, Err(EngineGone::Unable(reason.to_string())));
    }
}

#[tokio::test]
async fn chess960_is_switched_on_where_the_position_needs_it() {
    let start = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    let position = Position::from_fen(start).expect("legal");
    let fake = Fake::at_go("echo bestmove b1a1");
    let mut engine = spawn(&fake.options());
    // b1a1 takes our own bishop: whatever it answers, it was asked in the right way.
    assert!(patiently("a fault", engine.go(position.clone(), to_depth(1)).finish()).await.is_err());
    let log = fake.log();
    let at = |begin: &str| log.iter().position(|line| line.starts_with(begin));
    let option = at("setoption name UCI_Chess960 value true").expect("the option");
    assert!(at("position").is_some_and(|position| position > option), "{log:?}");

    let fake = Fake::new("echo uciok", ANSWER, ":");
    let mut engine = spawn(&fake.options());
    let gone = patiently("the refusal", engine.go(position, to_depth(1)).finish()).await;
    assert!(matches!(gone, Err(EngineGone::Unable(_))), "{gone:?}");
}

#[tokio::test]
async fn a_dropped_engine_leaves_no_process_however_deaf() {
    for go in [":", "trap '' TERM INT HUP; exec sleep 1000", "while :; do :; done"] {
        let fake = Fake::at_go(go);
        let mut engine = spawn(&fake.options());
        let search = engine.go(Position::default(), Limits::default());
        eventually("the go", || fake.log().iter().any(|line| line.starts_with("go"))).await;
        assert_eq!(fake.running().len(), 1);
        drop((engine, search));
        eventually("the end of the process", || fake.running().is_empty()).await;
    }
}

#[test]
fn the_end_of_the_runtime_leaves_no_process() {
    let fake = Fake::at_go("exec sleep 1000");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let engine = runtime.block_on(async {
        let mut engine = spawn(&fake.options());
        let search = engine.go(Position::default(), Limits::default());
        eventually("the go", || fake.log().iter().any(|line| line.starts_with("go"))).await;
        (engine, search)
    });
    drop(runtime);
    let begun = std::time::Instant::now();
    while !fake.running().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it still runs");
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(engine);
}

// The bot.

/// Plays so many moves, whatever the bot does, and resigns.
struct Patient(u32);

impl Opponent for Patient {
    fn next(&mut self, position: &Position) -> OpponentAction {
        match self.0.checked_sub(1) {
            Some(left) => {
                self.0 = left;
                OpponentAction::Move(position.legal_moves()[0])
            }
            None => OpponentAction::Resign,
        }
    }
}

#[tokio::test]
async fn a_game_goes_on_whatever_the_program_does() {
    let fake = Fake::at_go(
        "case $plies in
                0) echo bestmove e2e4 ;;
                2) exit 1 ;;
                4) echo bestmove e1e8 ;;
                6) ;;
                8) echo bestmove h2h5x ;;
                *) echo info depth 5 score cp 40 pv a1a1; echo bestmove a2a3 ;;
            esac",
    );
    let server = PracticeServer::start(PracticeOptions::default()).await.expect("a free port");
    let mut bot_options = options(&server);
    bot_options.engine = fake.options();
    let mut bot = Bot::with(bot_options, Book::empty());
    let mut request = ChallengeRequest::new(PlayerInfo::human("Ada", 1712), Patient(5));
    request.time_control = TimeControl::clock(30, 0);
    request.color = Some(Color::Black);
    let id = server.challenge(request).expect("a legal start");
    let record = patiently("the end of a game", server.finished(&id)).await;
    assert_eq!((record.status, record.bot_won()), ("resign", true), "{:?}", record.moves);
    let sources = bot.sources().await;
    let kinds: Vec<&str> = sources.iter().filter_map(|source| source.split(':').next()).collect();
    assert_eq!(kinds[..5], ["search", "fallback", "fallback", "fallback", "fallback"], "{sources:?}");
    assert!(fake.pids().len() >= 5, "started again after each fault");
    bot.drain().await;
    assert_eq!(server.violations(), []);
    eventually("the end of all processes", || fake.running().is_empty()).await;
}

#[test]
fn a_program_that_cannot_play_is_known_of_before_the_first_game() {
    let deaf = Fake::new("exit 7", "", "");
    for (path, reason) in [
        ("/nowhere/engine".to_string(), "No such file or directory (os error 2)"),
        (deaf.path().display().to_string(), "the engine has ended: exit status: 7"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .env_clear()
            .env("LICHESS_BOT_TOKEN", "lip_FromTheTests012")
            .envs([("TABIYA_ENGINE__KIND", "uci"), ("TABIYA_ENGINE__PATH", &path)])
            .current_dir(deaf.folder())
            .output()
            .expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{path}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.lines().last(), Some(format!("engine.path {path:?}: {reason}").as_str()));
    }
}
