//! The program from outside: exit codes, last lines, signals, and the token in nothing it says.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use tabiya::bot::FinishedGame;
use tabiya::bot::store::{Archive, KeptGame};
use tempfile::TempDir;

const TOKEN: &str = "lip_FromTheTests012";
const TOKEN_FORM: &str = "/account/oauth/token/create?scopes[]=bot:play&description=Tabiya";

/// The program in an empty folder, with nothing of our environment.
struct Program {
    command: Command,
    folder: TempDir,
}

impl Program {
    fn new(arguments: &[&str]) -> Program {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
        command.args(arguments).env_clear().current_dir(folder.path()).stdin(Stdio::null());
        Program { command, folder }
    }

    fn with(mut self, name: &str, value: &str) -> Program {
        self.command.env(name, value);
        self
    }

    /// With a token, and `server` for Lichess.
    fn at(self, server: &str) -> Program {
        self.with("LICHESS_BOT_TOKEN", TOKEN).with("TABIYA_LICHESS__URL", server)
    }

    fn output(mut self) -> Output {
        self.command.output().expect("the program runs")
    }
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Answers each route with the same line for ever and keeps the routes that were asked for.
struct Server {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new(answers: &[(&str, u16, &str)]) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let answers: HashMap<String, (u16, String)> = answers
            .iter()
            .map(|(route, status, body)| (route.to_string(), (*status, body.to_string())))
            .collect();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = asked.clone();
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                answer(connection, &answers, &seen);
            }
        });
        Server { url, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic in the server").clone()
    }
}

/// One request, one answer, and the connection is closed.
fn answer(mut connection: TcpStream, answers: &HashMap<String, (u16, String)>, asked: &Mutex<Vec<String>>) {
    let head = read_head(&mut connection);
    let route: Vec<&str> = head.split(' ').take(2).collect();
    let route = route.join(" ");
    let (status, body) = answers.get(&route).cloned().unwrap_or((404, "{}".to_string()));
    asked.lock().expect("no panic in the server").push(route);
    let length = body.len();
    // A client that hangs up early is none of our business.
    let _ = write!(
        connection,
        "HTTP/1.1 {status} Answer\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         X-OAuth-Scopes: bot:play\r\nConnection: close\r\n\r\n{body}"
    );
}

/// A request's first line and headers.
fn read_head(connection: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && connection.read(&mut byte).is_ok_and(|count| count > 0) {
        head.push(byte[0]);
    }
    String::from_utf8_lossy(&head).into_owned()
}

const ACCOUNT: &str = "GET /api/account";
const UPGRADE: &str = "POST /api/bot/account/upgrade";
const HUMAN: &str = r#"{"id":"mybot","username":"MyBot"}"#;
const BOT: &str = r#"{"id":"mybot","username":"MyBot","title":"BOT"}"#;

#[test]
fn a_wrong_command_line_is_exit_code_2() {
    let output = Program::new(&["--confg", "a.toml"]).output();
    assert_eq!(code(&output), Some(2));
    assert!(stderr(&output).contains("--config"), "{}", stderr(&output));
}

#[test]
fn a_missing_token_is_exit_code_2_and_a_link() {
    for arguments in [&[][..], &["run"], &["upgrade", "--yes"]] {
        let output = Program::new(arguments).output();
        assert_eq!(code(&output), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(&format!("https://lichess.org{TOKEN_FORM}")), "{arguments:?}");
        assert_eq!(stderr(&output).lines().count(), 2, "{arguments:?}");
    }
}

#[test]
fn a_file_in_the_working_directory_is_read_by_itself() {
    let program = Program::new(&[]).with("LICHESS_BOT_TOKEN", TOKEN);
    std::fs::write(program.folder.path().join("config.toml"), "[engine]\nhashmb = 1\n").expect("a file");
    let output = program.output();
    assert_eq!(code(&output), Some(2));
    assert_eq!(stderr(&output), "config.toml: engine.hashmb: unknown key, did you mean engine.hash_mb?\n");
}

#[test]
fn a_file_that_is_named_has_to_be_there() {
    let output = Program::new(&["--config", "nowhere.toml"]).with("LICHESS_BOT_TOKEN", TOKEN).output();
    assert_eq!(code(&output), Some(2));
    assert_eq!(stderr(&output), "nowhere.toml: cannot be read: No such file or directory (os error 2)\n");
}

#[test]
fn a_refused_token_is_exit_code_3_and_a_link() {
    let server = Server::new(&[(ACCOUNT, 401, r#"{"error":"No such token"}"#)]);
    for arguments in [&[][..], &["upgrade", "--yes"]] {
        let output = Program::new(arguments).at(&server.url).output();
        let last = stderr(&output).lines().last().unwrap_or_default().to_string();
        assert_eq!(code(&output), Some(3), "{arguments:?}: {last}");
        assert!(last.contains(&format!("{}{TOKEN_FORM}", server.url)), "{arguments:?}: {last}");
    }
}

#[test]
fn an_account_that_is_no_bot_is_exit_code_4_and_the_way_out() {
    let server = Server::new(&[(ACCOUNT, 200, HUMAN)]);
    let output = Program::new(&[]).at(&server.url).output();
    let last = stderr(&output).lines().last().unwrap_or_default().to_string();
    assert_eq!(code(&output), Some(4), "{last}");
    assert!(last.contains("MyBot") && last.contains("tabiya upgrade"), "{last}");
    assert!(!server.asked().contains(&UPGRADE.to_string()));
}

#[test]
fn a_bot_account_is_not_upgraded_again() {
    let server = Server::new(&[(ACCOUNT, 200, BOT)]);
    let output = Program::new(&["upgrade"]).at(&server.url).output();
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output), "MyBot is a bot account already. Nothing was changed.\n");
    assert_eq!(server.asked(), [ACCOUNT]);
}

#[test]
fn an_upgrade_needs_the_accounts_name_or_yes() {
    let server = Server::new(&[(ACCOUNT, 200, HUMAN), (UPGRADE, 200, r#"{"ok":true}"#)]);
    let output = Program::new(&["upgrade"]).at(&server.url).output();
    assert_eq!(code(&output), Some(1), "nothing typed: {}", stderr(&output));
    assert!(stdout(&output).contains("cannot be undone"), "{}", stdout(&output));
    assert_eq!(server.asked(), [ACCOUNT]);

    let output = Program::new(&["upgrade", "--yes"]).at(&server.url).output();
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output), "MyBot is a bot account now. Start tabiya to play.\n");
    assert_eq!(server.asked(), [ACCOUNT, ACCOUNT, UPGRADE]);
}

#[test]
fn an_upgrade_goes_on_once_the_name_is_typed() {
    let server = Server::new(&[(ACCOUNT, 200, HUMAN), (UPGRADE, 200, r#"{"ok":true}"#)]);
    let mut program = Program::new(&["upgrade"]).at(&server.url);
    let mut child = program
        .command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    child.stdin.take().expect("an input").write_all(b"mybot\n").expect("a reader");
    let output = child.wait_with_output().expect("an end");
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    assert_eq!(server.asked(), [ACCOUNT, UPGRADE]);
}

#[test]
fn an_account_that_has_played_cannot_be_upgraded() {
    let refusal = r#"{"error":"You already have games played. Make a new account."}"#;
    let server = Server::new(&[(ACCOUNT, 200, HUMAN), (UPGRADE, 400, refusal)]);
    let output = Program::new(&["upgrade", "--yes"]).at(&server.url).output();
    assert_eq!(code(&output), Some(4), "{}", stderr(&output));
    assert!(stderr(&output).contains("has played games already"), "{}", stderr(&output));
}

/// The server holds its answer back, so that the program is still asking who it is when the signal
/// comes; its handlers are in place before its first request.
#[cfg(unix)]
#[test]
fn a_signal_ends_it_with_exit_code_0_and_no_line_holds_the_token() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let mut program = Program::new(&[]).at(&url).with("TABIYA_LOG__LEVEL", "trace,tabiya=trace");
    let mut child = program.command.stderr(Stdio::piped()).spawn().expect("the program runs");
    let (sender, lines) = mpsc::channel();
    let pipe = child.stderr.take().expect("a pipe");
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            // The test may be over.
            let _ = sender.send(line);
        }
    });

    let (mut connection, _) = listener.accept().expect("a request");
    assert!(read_head(&mut connection).contains(TOKEN), "the token is sent");
    let kill =
        Command::new("sh").args(["-c", &format!("kill -TERM {}", child.id())]).status().expect("a shell");
    assert!(kill.success());
    assert_eq!(child.wait().expect("an end").code(), Some(0));

    let said = lines.iter().collect::<Vec<_>>().join("\n");
    assert!(said.contains("SIGTERM: no new games"), "{said}");
    assert!(!said.contains("FromTheTests"), "the token is in the log");
}

#[test]
fn a_check_says_what_is_missing_and_ends_as_the_service_would() {
    for (status, account, expected_code, wanted) in [
        (
            200,
            BOT,
            0,
            vec![
                "ok      account        MyBot, a bot",
                "ok      engine         builtin: takes the queen with Nxd5",
            ],
        ),
        (200, HUMAN, 4, vec!["FAILED  account        MyBot is not a bot account yet", "`tabiya upgrade`"]),
        (
            401,
            "{}",
            3,
            vec!["ok      server", "FAILED  token          the server refuses the token", TOKEN_FORM],
        ),
        (502, "{}", 1, vec!["FAILED  server", "the server answered 502"]),
    ] {
        let server = Server::new(&[(ACCOUNT, status, account)]);
        let program = Program::new(&["check"]).at(&server.url).with("TABIYA_STORE__PATH", "state.sqlite");
        let output = program.output();
        let said = stdout(&output);
        assert_eq!(code(&output), Some(expected_code), "{said}");
        for text in wanted
            .into_iter()
            .chain(["ok      configuration", "ok      state file     state.sqlite: will be made"])
        {
            assert!(said.contains(text), "{status} {text:?} in\n{said}");
        }
        assert!(said.contains("ok      book           built-in: "), "{said}");
        assert!(
            !said.contains("FromTheTests") && !stderr(&output).contains("FromTheTests"),
            "the token:\n{said}"
        );
    }
}

#[test]
fn a_check_goes_on_without_a_token_and_stops_at_a_configuration_that_is_none() {
    let output = Program::new(&["check"]).with("TABIYA_STORE__PATH", "/dev/null/state.sqlite").output();
    let said = stdout(&output);
    assert_eq!(code(&output), Some(2), "{said}");
    assert!(
        said.contains("FAILED  token          No Lichess token.") && said.contains("ok      engine"),
        "{said}"
    );
    assert!(
        said.contains("warning state file     /dev/null/state.sqlite: its directory cannot be made: /dev/null is not a directory"),
        "{said}"
    );

    let output = Program::new(&["check", "--json"]).with("TABIYA_ENGINE__HASH_MB", "much").output();
    assert_eq!(code(&output), Some(2));
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(
        (&json["ready"], &json["findings"][0]["verdict"]),
        (&false.into(), &"failed".into()),
        "{json}"
    );
    assert!(json["findings"][0]["text"].as_str().is_some_and(|text| text.contains("much")), "{json}");
}

#[test]
fn the_kept_games_are_listed_and_exported() {
    let program = Program::new(&["games"]).with("TABIYA_STORE__PATH", "state.sqlite");
    let output = program.output();
    assert_eq!((code(&output), stdout(&output).as_str()), (Some(1), ""));
    assert!(stderr(&output).starts_with("state.sqlite: no such file"), "{}", stderr(&output));

    for (arguments, expected) in [
        (
            vec!["games"],
            "2026-11-30 18:05  q7ZkTfLb  1-0      resign        rated  blitz           Tabiya - Ada, 1 plies\n",
        ),
        (vec!["games", "--pgn", "--opponent", "Ada"], "[White \"Tabiya\"]\n"),
        (vec!["games", "--since", "2026-12-01"], ""),
        (vec!["games", "--opponent", "bob"], ""),
    ] {
        let program = Program::new(&arguments).with("TABIYA_STORE__PATH", "state.sqlite");
        let archive = Archive::open(&program.folder.path().join("state.sqlite")).expect("a new file");
        archive.keep(&kept_game()).expect("room");
        let output = program.output();
        assert_eq!(code(&output), Some(0), "{arguments:?}: {}", stderr(&output));
        let text = stdout(&output);
        assert!(
            text.starts_with(expected) && text.is_empty() == expected.is_empty(),
            "{arguments:?}: {text}"
        );
    }
}

fn kept_game() -> KeptGame {
    let game = FinishedGame {
        id: "q7ZkTfLb".parse().expect("a game id"),
        white: "Tabiya".to_string(),
        black: "Ada".to_string(),
        we_were_white: true,
        opponent: "ada".parse().ok(),
        opponent_is_bot: false,
        variant: "standard".to_string(),
        speed: "blitz".to_string(),
        rated: true,
        status: "resign".to_string(),
        result: "1-0".to_string(),
        plies: 1,
        pgn: "[White \"Tabiya\"]\n\n1. e4 1-0\n\n".to_string(),
    };
    KeptGame { ended_at: "2026-11-30T18:05:09Z".parse().expect("a moment"), game }
}
