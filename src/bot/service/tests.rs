//! The service, event by event.

use super::*;
use crate::lichess::{LichessOptions, Line, Token};

/// A service whose server is nowhere.
fn service() -> Service {
    let (url, token) = ("http://127.0.0.1:1".to_string(), Token::new("lip_test"));
    let lichess = LichessOptions { url, token, moves_per_minute: 0 };
    let options = BotOptions { lichess, ..BotOptions::default() };
    Service {
        slots: Slots::new(options.challenge.clone()),
        seat: Seat {
            client: Client::new(&options.lichess).expect("a client"),
            account: "tabiya".parse().expect("a user id"),
            username: "Tabiya".to_string(),
            options: Arc::new(options),
            book: Arc::new(Book::empty()),
            reports: None,
            slow_thinking: Arc::new(Semaphore::new(1)),
        },
        games: JoinSet::new(),
        ids: HashMap::new(),
        finished: VecDeque::new(),
        replies: JoinSet::new(),
        stop: watch::channel(Stop::Running).1,
        is_online: true,
    }
}

fn id() -> GameId {
    "q7ZkTfLb".parse().expect("a game id")
}

fn game_start() -> AccountEvent {
    let line = r#"{"type":"gameStart","game":{"gameId":"q7ZkTfLb","opponent":{"id":"ada"}}}"#;
    AccountEvent::read(line.as_bytes()).expect("a known event")
}

#[tokio::test]
async fn a_refused_token_ends_the_service_whichever_reply_tells() {
    let refused = || Error::Unauthorized("No such token".to_string());
    for reply in [
        Reply::Accepted(id(), Err(refused())),
        Reply::Declined(id(), Err(refused())),
        Reply::Playing(Err(refused())),
    ] {
        let ended = service().on_reply(Ok(reply)).expect_err("the end");
        assert_eq!(ended.exit_code(), 3);
    }
}

#[tokio::test]
async fn a_game_that_was_refused_is_tried_again_when_the_server_says_that_it_runs() {
    let mut service = service();
    service.on_event(game_start());
    let task = *service.ids.keys().next().expect("a task");
    service.on_game_end(Ok((task, Ok(None)))).expect("no reason to stop");
    assert!(!service.slots.is_running(&id()), "its place is free");
    service.on_event(game_start());
    assert!(service.slots.is_running(&id()));
}

#[tokio::test(start_paused = true)]
async fn a_challenge_that_waited_in_vain_is_declined() {
    let mut service = service();
    let challenge = |id: &str| {
        let line = format!(
            r#"{{"type":"challenge","challenge":{{"id":"{id}","challenger":{{"id":"{id}"}},"speed":"blitz",
            "timeControl":{{"type":"clock","limit":180,"increment":2}}}}}}"#
        );
        AccountEvent::read(line.as_bytes()).expect("a known event")
    };
    for number in 0..=service.seat.options.challenge.concurrency {
        service.on_event(challenge(&format!("aaaaaaa{number}")));
    }
    let accepting = service.replies.len();
    service.expire();
    assert_eq!(service.replies.len(), accepting, "it may still wait");
    tokio::time::advance(crate::bot::slots::QUEUE_DEADLINE).await;
    service.expire();
    assert_eq!(service.replies.len(), accepting + 1);
}
