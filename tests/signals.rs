//! The program, a running game, and the signals to stop.
#![cfg(unix)]

use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;
use tabiya::practice::{
    ChallengeRequest, OpponentAction, PlayerInfo, PracticeOptions, PracticeServer, Scripted, TimeControl,
};

/// No test takes this long; one that hangs has to end.
const PATIENCE: Duration = Duration::from_secs(120);

async fn patiently<T>(what: &str, wait: impl Future<Output = T>) -> T {
    let outcome = tokio::time::timeout(PATIENCE, wait).await;
    outcome.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

/// The program at `server`; killed if a test fails.
struct Program(Child);

impl Program {
    fn start(server: &PracticeServer, folder: &std::path::Path, settings: &[(&str, &str)]) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
        command.env_clear().current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(std::fs::File::create(folder.join("log")).expect("a file for the log"));
        command.env("LICHESS_BOT_TOKEN", server.token()).env("TABIYA_LICHESS__URL", server.url());
        command.env("TABIYA_ENGINE__NODES", "2000").env("TABIYA_ENGINE__HASH_MB", "1");
        command.envs(settings.iter().copied());
        Program(command.spawn().expect("the program runs"))
    }

    fn signal(&self) {
        let killed = Command::new("sh").args(["-c", &format!("kill -TERM {}", self.0.id())]).status();
        assert!(killed.expect("a shell").success());
    }

    async fn end(&mut self) -> ExitStatus {
        let wait = async {
            loop {
                match self.0.try_wait().expect("a child of ours") {
                    Some(status) => return status,
                    None => tokio::time::sleep(Duration::from_millis(5)).await,
                }
            }
        };
        patiently("the program's end", wait).await
    }

    fn is_running(&mut self) -> bool {
        self.0.try_wait().expect("a child of ours").is_none()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It has ended already where all went well.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A game with hours on the clock, in which the opponent waits for orders; the bot has made its move.
async fn running_game(server: &PracticeServer, clock: TimeControl) -> String {
    let mut request = ChallengeRequest::new(PlayerInfo::human("Ada", 1712), Scripted::silent());
    request.time_control = clock;
    request.color = Some(tabiya::engine::Color::Black);
    let id = server.challenge(request).expect("a legal start");
    patiently("our first move", server.plies(&id, 1)).await;
    id
}

async fn log_says(folder: &std::path::Path, words: &str) {
    let wait = async {
        while !std::fs::read_to_string(folder.join("log")).is_ok_and(|log| log.contains(words)) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    patiently(words, wait).await;
}

#[tokio::test]
async fn the_first_signal_lets_the_game_end_and_the_second_leaves_at_once() {
    let server = PracticeServer::start(PracticeOptions::default()).await.expect("a free port");
    let folder = tempfile::tempdir().expect("a folder for the test");
    let mut program = Program::start(&server, folder.path(), &[]);
    let id = running_game(&server, TimeControl::clock(3_600, 10)).await;
    program.signal();
    log_says(folder.path(), "SIGTERM: no new games").await;
    let position = patiently("the position", server.plies(&id, 1)).await.position;
    server.act(&id, OpponentAction::Move(position.legal_moves()[0])).expect("legal");
    patiently("a move after the first signal", server.plies(&id, 3)).await;
    assert!(program.is_running());
    program.signal();
    assert_eq!(program.end().await.code(), Some(0));
    assert_eq!(server.violations(), []);

    // Nothing was resigned: the next start takes the game up again.
    let mut program = Program::start(&server, folder.path(), &[]);
    let position = patiently("the position", server.plies(&id, 3)).await.position;
    server.act(&id, OpponentAction::Move(position.legal_moves()[0])).expect("legal");
    patiently("a move after the restart", server.plies(&id, 5)).await;
    server.act(&id, OpponentAction::Resign).expect("never refused");
    program.signal();
    assert_eq!(program.end().await.code(), Some(0));
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn the_deadline_for_running_games_is_the_configured_one() {
    let server = PracticeServer::start(PracticeOptions::default()).await.expect("a free port");
    let folder = tempfile::tempdir().expect("a folder for the test");
    let mut program = Program::start(&server, folder.path(), &[("TABIYA_GAME__SHUTDOWN_SECONDS", "1")]);
    running_game(&server, TimeControl::clock(3_600, 10)).await;
    program.signal();
    assert_eq!(program.end().await.code(), Some(0));
    log_says(folder.path(), "running games took more than 1 s").await;
}

#[tokio::test]
async fn a_game_is_played_without_a_state_file_and_one_warning_says_so() {
    for (path, warning) in
        [("", "no usual place for the state file"), ("log/state.sqlite", "the state file cannot be used")]
    {
        let server = PracticeServer::start(PracticeOptions::default()).await.expect("a free port");
        let folder = tempfile::tempdir().expect("a folder for the test");
        let mut program = Program::start(&server, folder.path(), &[("TABIYA_STORE__PATH", path)]);
        let id = running_game(&server, TimeControl::clock(3_600, 10)).await;
        server.act(&id, OpponentAction::Resign).expect("never refused");
        log_says(folder.path(), "game over").await;
        program.signal();
        assert_eq!(program.end().await.code(), Some(0), "{path:?}");
        let log = std::fs::read_to_string(folder.path().join("log")).expect("a log");
        assert_eq!(log.matches(warning).count(), 1, "{path:?}: {log}");
        assert_eq!(log.matches("state file").count(), 1, "{path:?}: {log}");
    }
}

#[tokio::test]
async fn a_game_without_a_running_clock_is_left_for_the_next_start() {
    let server = PracticeServer::start(PracticeOptions::default()).await.expect("a free port");
    let folder = tempfile::tempdir().expect("a folder for the test");
    let settings = [("TABIYA_LOG__FORMAT", "json")];
    let mut program = Program::start(&server, folder.path(), &settings);
    let id = running_game(&server, TimeControl::Correspondence { days: 3 }).await;
    program.signal();
    assert_eq!(program.end().await.code(), Some(0));

    // Every line of the log is JSON, and those of the game bear its span.
    let log = std::fs::read_to_string(folder.path().join("log")).expect("a log");
    let lines: Vec<serde_json::Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}")))
        .collect();
    let of_the_game =
        lines.iter().find(|line| line["message"].as_str().is_some_and(|m| m.starts_with("book: ")));
    let line = of_the_game.expect("our first move, from the book").to_string();
    for part in [&format!("\"id\":\"{id}\""), "\"opponent\":\"Ada\"", "\"color\":\"white\""] {
        assert!(line.contains(part), "{part}: {line}");
    }
}
