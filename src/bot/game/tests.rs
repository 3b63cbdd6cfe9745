//! A game's task, event by event.

use super::*;
use crate::lichess::{LichessOptions, Line, Token};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// Nobody listens there.
const NOWHERE: &str = "http://127.0.0.1:1";

/// A game of ours, always with White, whose server is at `url`.
fn game(url: &str) -> Game {
    let lichess = LichessOptions { url: url.to_string(), token: Token::new("lip_test") };
    let mut options = BotOptions { lichess, ..BotOptions::default() };
    options.engine.hash_mb = 1;
    options.game.greeting.clear();
    let seat = Seat {
        client: Client::new(&options.lichess).expect("a client"),
        account: "tabiya".parse().expect("a user id"),
        username: "Tabiya".to_string(),
        options: Arc::new(options),
        book: Arc::new(Book::empty()),
        reports: None,
    };
    Game::new(seat, "q7ZkTfLb".parse().expect("a game id"))
}

fn read(line: &str) -> GameEvent {
    GameEvent::read(line.as_bytes()).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn state_json(moves: &str, more: &str) -> String {
    format!(
        r#"{{"type":"gameState","moves":"{moves}","wtime":60000,"btime":60000,"status":"started"{more}}}"#
    )
}

fn state(moves: &str, more: &str) -> GameEvent {
    read(&state_json(moves, more))
}

fn full_from(fen: &str, moves: &str, more: &str) -> GameEvent {
    let state = state_json(moves, more);
    read(&format!(
        r#"{{"type":"gameFull","id":"q7ZkTfLb","variant":{{"key":"standard"}},"speed":"blitz",
        "white":{{"id":"tabiya","name":"Tabiya"}},"black":{{"id":"ada","name":"Ada"}},
        "initialFen":"{fen}","clock":{{"initial":60000,"increment":0}},"state":{state}}}"#
    ))
}

fn full(moves: &str, more: &str) -> GameEvent {
    full_from("startpos", moves, more)
}

/// We have answered the game as far as `moves`, and the server has taken it.
fn answer(game: &mut Game, moves: &str) {
    let position = Position::after("startpos", moves).expect("legal moves");
    game.answered = Some(Answer::fallback(&position, moves));
    game.turn = Turn::Idle;
}

#[tokio::test(start_paused = true)]
async fn an_answered_position_that_comes_back_is_looked_at_again() {
    let mut game = game(NOWHERE);
    game.on_event(full("e2e4 e7e5", ""));
    answer(&mut game, "e2e4 e7e5");
    game.on_event(state("e2e4 e7e5 g1f3 b8c6", ""));
    game.on_event(state("e2e4 e7e5", ""));
    assert!(game.turn.is_idle(), "never another move for one position without looking");
    assert_eq!(game.recheck_at, Some(Instant::now() + RECHECK));
    game.recheck_at = None;
    game.on_event(full("e2e4 e7e5", ""));
    assert!(game.turn.is_sending(), "the server does not have our move");
}

#[tokio::test(start_paused = true)]
async fn a_state_before_the_first_line_opens_the_stream_again_but_not_at_once() {
    let mut game = game(NOWHERE);
    for _ in 0..3 {
        game.on_event(state("", ""));
    }
    assert_eq!(game.recheck_at, Some(Instant::now() + RECHECK));
}

#[tokio::test(start_paused = true)]
async fn an_unsound_start_whose_first_move_never_comes_is_aborted() {
    let mut game = game(NOWHERE);
    let fen = "7k/8/8/8/8/8/8/K6R b - - 0 1";
    game.on_event(full_from(fen, "", ""));
    assert!(game.abort_at.is_some(), "a start that can be set up");
    let unsound = "7K/8/8/8/8/8/8/k6r b - - 0 1";
    let mut game = self::game(NOWHERE);
    game.on_event(full_from(unsound, "", ""));
    assert!(game.abort_at.is_some(), "a start that cannot");
}

#[tokio::test(start_paused = true)]
async fn an_opponent_who_is_gone_for_ever_is_not_too_long() {
    let mut game = game(NOWHERE);
    game.on_event(full("e2e4", ""));
    game.on_event(read(r#"{"type":"opponentGone","gone":true,"claimWinInSeconds":1e300}"#));
    assert_eq!(game.claim_at, None);
}

/// A server that reads one request per connection and hangs up; tells the first line of each.
async fn hangs_up() -> (String, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (requests, seen) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            let (mut connection, _) = listener.accept().await.expect("a connection");
            let mut bytes = [0; 4_096];
            let length = connection.read(&mut bytes).await.expect("a request");
            let line = String::from_utf8_lossy(&bytes[..length]).lines().next().unwrap_or("").to_string();
            let _ = connection.shutdown().await;
            if requests.send(line).is_err() {
                break;
            }
        }
    });
    (url, seen)
}

#[tokio::test]
async fn yes_to_an_offer_is_said_once_and_again_only_while_the_offer_stands() {
    for (offer, path) in [(r#","bdraw":true"#, "draw/yes"), (r#","btakeback":true"#, "takeback/yes")] {
        let (url, mut seen) = hangs_up().await;
        let mut game = game(&url);
        game.scores.push(Score(-500));
        let moves = format!("{}e2e4 e7e5", "g1f3 g8f6 f3g1 f6g8 ".repeat(15));
        game.on_event(full(&moves, ""));
        game.on_event(state(&moves, offer));
        while game.errands.join_next().await.is_some() {}
        let request = seen.recv().await.expect("an answer");
        assert!(request.contains(path), "{request}");
        assert!(seen.try_recv().is_err(), "{path} without looking first: {offer}");
        assert!(game.recheck_at.is_some(), "{path}: look whether it came through");
        game.recheck_at = None;
        game.on_event(full(&moves, offer));
        while game.errands.join_next().await.is_some() {}
        let request = seen.recv().await.expect("an answer again");
        assert!(request.contains(path), "{request}");
    }
}
