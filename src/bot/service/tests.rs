//! The service, event by event.

use super::*;
use crate::bot::StoreOptions;
use crate::bot::pauses::About;
use crate::lichess::{LichessOptions, Line, Token};
use jiff::Timestamp;

/// A service whose server is nowhere.
fn service() -> Service {
    service_with(&StoreOptions::in_memory())
}

fn service_with(store: &StoreOptions) -> Service {
    let (url, token) = ("http://127.0.0.1:1".to_string(), Token::new("lip_test"));
    let lichess = LichessOptions { url, token, moves_per_minute: 0 };
    let options = BotOptions { lichess, store: store.clone(), ..BotOptions::default() };
    let seat = Seat {
        client: Client::new(&options.lichess).expect("a client"),
        account: "tabiya".parse().expect("a user id"),
        username: "Tabiya".to_string(),
        options: Arc::new(options),
        book: Arc::new(Book::empty()),
        reports: None,
        slow_thinking: Arc::new(Semaphore::new(1)),
    };
    Service::new(seat, watch::channel(Stop::Running).1)
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
        Reply::Accepted(id(), Acceptance::Refused(refused())),
        Reply::Declined(id(), Err(refused())),
        Reply::Playing(Err(refused())),
        Reply::Online(Err(refused())),
        Reply::Offered(user("ada"), Err(refused())),
        Reply::Cancelled(id(), Err(refused())),
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

fn challenge(id: &str) -> AccountEvent {
    let line = format!(
        r#"{{"type":"challenge","challenge":{{"id":"{id}","challenger":{{"id":"{id}"}},"speed":"blitz",
        "timeControl":{{"type":"clock","limit":180,"increment":2}}}}}}"#
    );
    AccountEvent::read(line.as_bytes()).expect("a known event")
}

impl Service {
    /// What has become of our acceptance of the challenge `id`.
    fn hears(&mut self, acceptance: Acceptance) {
        self.on_reply(Ok(Reply::Accepted(id(), acceptance))).expect("no reason to stop");
    }

    fn has_place(&self) -> bool {
        !self.slots.has_no_clock_running()
    }
}

#[tokio::test(start_paused = true)]
async fn only_a_clear_refusal_frees_a_place_at_once() {
    let not_found = Error::Rejected { status: 404, text: "Not found".to_string() };
    let cancelled = Error::Rejected { status: 400, text: "The challenge has been canceled.".to_string() };
    let in_a_minute = Instant::now() + Duration::from_secs(60);
    for (acceptance, keeps) in [
        (Acceptance::Taken, true),
        (Acceptance::Uncertain(not_found), true),
        (Acceptance::Uncertain(Error::Offline("reset".to_string())), true),
        (Acceptance::Refused(cancelled), false),
        (Acceptance::Limited(in_a_minute), false),
        (Acceptance::CalledOff, false),
    ] {
        let mut service = service();
        service.on_event(challenge("q7ZkTfLb"));
        service.hears(acceptance.clone());
        assert_eq!(service.has_place(), keeps, "{acceptance:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_place_kept_in_doubt_is_free_once_the_server_does_not_list_its_game() {
    let mut service = service();
    service.on_event(challenge("q7ZkTfLb"));
    service.hears(Acceptance::Uncertain(Error::Offline("reset".to_string())));
    tokio::time::advance(crate::bot::slots::START_DEADLINE).await;
    service.expire();
    assert!(service.has_place(), "the list is asked for first");
    service.on_reply(Ok(Reply::Playing(Err(Error::Offline("reset".to_string()))))).expect("weather");
    assert!(service.has_place(), "no list is no answer");
    let listed = |is_complete| Ok(Reply::Playing(Ok(Playing { games: Vec::new(), is_complete })));
    service.on_reply(listed(false)).expect("no reason to stop");
    assert!(service.has_place(), "nor is half of one");
    service.on_reply(listed(true)).expect("no reason to stop");
    assert!(!service.has_place());
}

#[tokio::test(start_paused = true)]
async fn a_limit_on_acceptances_is_waited_out_without_a_place() {
    let mut service = service();
    service.on_event(challenge("q7ZkTfLb"));
    service.hears(Acceptance::Limited(Instant::now() + Duration::from_secs(60)));
    service.serve_queue();
    assert!(!service.has_place(), "not yet");
    tokio::time::advance(Duration::from_secs(60)).await;
    service.serve_queue();
    assert!(service.has_place() && service.accepting.contains_key(&id()));
}

/// A challenge of the bot `user`.
fn bot_challenge(id: &str, user: &str) -> AccountEvent {
    let AccountEvent::Challenge(mut challenge) = challenge(id) else { unreachable!() };
    let player = challenge.challenger.as_mut().expect("a challenger");
    (player.id, player.title) = (user.parse().ok(), Some("BOT".to_string()));
    AccountEvent::Challenge(challenge)
}

#[tokio::test]
async fn limits_on_games_between_bots_are_kept_over_a_restart_and_humans_stay_welcome() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let until = Instant::now() + Duration::from_secs(41_234);
    let reason = String::new;
    let limited = |key: &str| Error::RateLimited { until, reason: reason(), quota: Some(key.to_string()) };
    let theirs = Error::OpponentLimited { until, reason: reason() };
    for (file, error, same_is_welcome, other_is_welcome) in [
        ("theirs.sqlite", theirs, false, true),
        ("ours.sqlite", limited("bot.vsBot.day"), false, false),
        ("neither.sqlite", limited("challenge.day"), true, true),
    ] {
        let store = StoreOptions { path: folder.path().join(file).display().to_string() };
        let mut before = service_with(&store);
        before.on_event(bot_challenge("q7ZkTfLb", "ada"));
        before.hears(Acceptance::Refused(error.clone()));
        assert!(!before.has_place());
        drop(before);
        let mut after = service_with(&store);
        after.on_event(bot_challenge("aaaaaaa1", "ada"));
        assert_eq!(after.has_place(), same_is_welcome, "{file}");
        after.on_event(bot_challenge("aaaaaaa2", "bob"));
        assert_eq!(after.has_place(), other_is_welcome, "{file}");
        after.on_event(challenge("aaaaaaa3"));
        assert!(after.has_place(), "a human, {file}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_challenge_is_not_accepted_again() {
    let mut service = service();
    service.on_event(challenge("q7ZkTfLb"));
    let AccountEvent::Challenge(cancelled) = challenge("q7ZkTfLb") else { unreachable!() };
    service.on_event(AccountEvent::ChallengeCanceled(cancelled));
    assert!(!service.has_place() && service.accepting.is_empty());
    let called_off = service.replies.join_next().await.expect("a task");
    assert!(called_off.as_ref().is_err_and(JoinError::is_cancelled));
    service.on_reply(called_off).expect("no reason to stop");
}

#[tokio::test(start_paused = true)]
async fn a_challenge_that_waited_in_vain_is_declined() {
    let mut service = service();
    for number in 0..=service.seat.options.challenge.concurrency {
        service.on_event(challenge(&format!("aaaaaaa{number}")));
    }
    let accepting = service.replies.len();
    service.expire();
    assert_eq!(service.replies.len(), accepting, "it may still wait");
    tokio::time::advance(crate::bot::slots::QUEUE_DEADLINE).await;
    service.expire();
    assert_eq!(
        service.replies.len(),
        accepting + 2,
        "a decline, and a look for the games that never started"
    );
}

// Challenges of ours.

/// A service that challenges bots, and nothing of it has reached the server yet.
fn matchmaker() -> Service {
    let mut service = service();
    let options = Arc::make_mut(&mut service.seat.options);
    options.matchmaking.enabled = true;
    options.challenge.concurrency = 1;
    service.slots = Slots::new(options.challenge.clone());
    service.is_listening = true;
    service.outgoing.schedule(&service.seat.options.matchmaking);
    service
}

fn online(names: &[&str]) -> Vec<OnlineBot> {
    let bot = |name: &&str| OnlineBot { id: user(name), ratings: vec![("blitz".to_string(), 2_000)] };
    names.iter().map(bot).collect()
}

fn user(name: &str) -> UserId {
    name.parse().expect("a user id")
}

impl Service {
    /// Challenges ada, and the server calls it `q7ZkTfLb`.
    fn challenges_ada(&mut self) {
        self.ask_one_of(&online(&["ada"]));
        self.on_offered(user("ada"), Ok(id()));
        assert!(self.has_place() && self.slots.standing_offer() == Some(&id()));
    }

    fn may_ask_ada(&self) -> bool {
        self.pauses.may_ask(&user("ada"), Timestamp::now())
    }
}

fn declined(reason: &str) -> AccountEvent {
    let line = format!(
        r#"{{"type":"challengeDeclined","challenge":{{"id":"q7ZkTfLb","challenger":{{"id":"tabiya"}},
        "destUser":{{"id":"ada"}},"declineReasonKey":"{reason}"}}}}"#
    );
    AccountEvent::read(line.as_bytes()).expect("a known event")
}

#[tokio::test(start_paused = true)]
async fn a_bot_is_challenged_only_while_nobody_plays_or_waits() {
    let mut idle = matchmaker();
    idle.look_for_a_game();
    assert_eq!(idle.replies.len(), 1, "it asks who is online");
    assert_eq!(idle.outgoing.next_at, Some(Instant::now() + Duration::from_secs(450)));
    idle.ask_one_of(&[]);
    idle.ask_one_of(&online(&["tabiya"]));
    assert!(!idle.has_place(), "nobody but us");

    let mut busy = matchmaker();
    busy.on_event(game_start());
    busy.look_for_a_game();
    busy.ask_one_of(&online(&["ada"]));
    assert!(busy.replies.is_empty());

    let mut limited = matchmaker();
    limited.pause(About::AllBots, Instant::now() + Duration::from_secs(60));
    limited.look_for_a_game();
    assert!(limited.replies.is_empty());
}

#[tokio::test(start_paused = true)]
async fn nobody_is_challenged_who_is_blocked_or_while_the_event_stream_is_away() {
    let mut deaf = matchmaker();
    deaf.on_signal(Signal::Lost { reason: "reset".to_string(), retry_in: Duration::ZERO });
    deaf.look_for_a_game();
    deaf.ask_one_of(&online(&["ada"]));
    assert!(deaf.replies.is_empty());
    let mut choosy = matchmaker();
    Arc::make_mut(&mut choosy.seat.options).challenge.block = vec!["Ada".to_string()];
    choosy.ask_one_of(&online(&["ada"]));
    assert!(!choosy.has_place());
}

#[tokio::test(start_paused = true)]
async fn the_event_stream_may_name_our_challenge_before_the_answer_or_instead_of_it() {
    let ours = || {
        let line = r#"{"type":"challenge","challenge":{"id":"q7ZkTfLb","challenger":{"id":"tabiya"},
            "destUser":{"id":"ada"},"speed":"blitz"}}"#;
        AccountEvent::read(line.as_bytes()).expect("a known event")
    };
    for answer in
        [Ok(id()), Err(Error::Offline("reset".to_string())), Err(Error::Malformed("no id".to_string()))]
    {
        let mut service = matchmaker();
        service.ask_one_of(&online(&["ada"]));
        service.on_event(ours());
        assert!(service.slots.standing_offer().is_some());
        service.on_event(declined("nobot"));
        service.on_offered(user("ada"), answer.clone());
        assert!(!service.has_place() && service.slots.standing_offer().is_none(), "{answer:?}");
        let tomorrow = Timestamp::now() + Duration::from_secs(86_400);
        assert!(!service.pauses.may_ask(&user("ada"), tomorrow), "the reason counts: {answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn our_challenge_makes_room_for_a_human() {
    for queue in [0, 5] {
        let mut service = matchmaker();
        let options = Arc::make_mut(&mut service.seat.options);
        options.challenge.queue = queue;
        service.slots = Slots::new(options.challenge.clone());
        service.challenges_ada();
        service.on_event(challenge("aaaaaaa1"));
        service.serve_queue();
        assert!(service.accepting.contains_key(&"aaaaaaa1".parse().expect("an id")), "queue of {queue}");
        assert!(service.slots.standing_offer().is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn our_challenge_takes_a_place_from_its_request_to_its_end() {
    let mut service = matchmaker();
    service.ask_one_of(&online(&["ada"]));
    assert!(service.has_place(), "while the request is on its way");
    service.on_event(challenge("aaaaaaa1"));
    assert!(service.accepting.is_empty(), "there is one place, and it is taken");
    service.on_offered(user("ada"), Ok(id()));
    service.on_event(game_start());
    assert!(service.slots.is_running(&id()) && service.slots.standing_offer().is_none());
    assert!(service.may_ask_ada(), "who plays may be asked again");
}

#[tokio::test(start_paused = true)]
async fn a_game_that_starts_before_the_answer_to_our_challenge_takes_its_place_over() {
    let mut service = matchmaker();
    service.ask_one_of(&online(&["ada"]));
    service.on_event(game_start());
    service.on_offered(user("ada"), Ok(id()));
    assert!(service.slots.standing_offer().is_none());
    let task = *service.ids.keys().next().expect("a task");
    service.on_game_end(Ok((task, Ok(None)))).expect("no reason to stop");
    assert!(!service.has_place(), "one place for one game");
}

#[tokio::test(start_paused = true)]
async fn who_declines_or_does_not_answer_is_left_alone_for_a_while() {
    let mut service = matchmaker();
    service.challenges_ada();
    service.on_event(declined("toofast"));
    assert!(!service.has_place() && !service.may_ask_ada());
    service.on_event(bot_challenge("aaaaaaa1", "ada"));
    assert!(service.has_place(), "who declines may still challenge us");

    let mut service = matchmaker();
    service.challenges_ada();
    tokio::time::advance(crate::bot::slots::OFFER_DEADLINE).await;
    service.expire();
    assert!(service.has_place(), "the list is asked for first");
    let sent = service.replies.len();
    service
        .on_reply(Ok(Reply::Playing(Ok(Playing { games: Vec::new(), is_complete: true }))))
        .expect("no reason to stop");
    assert!(!service.has_place() && !service.may_ask_ada());
    assert_eq!(service.replies.len(), sent + 1, "it is taken back");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_frees_the_place_and_a_lost_answer_keeps_it_for_as_long_as_a_challenge_stands() {
    let until = Instant::now() + Duration::from_secs(41_234);
    let limited =
        |key: &str| Error::RateLimited { until, reason: String::new(), quota: Some(key.to_string()) };
    for (error, asks_ada, asks_bob) in [
        (Error::Rejected { status: 400, text: "ada does not accept challenges".to_string() }, false, true),
        (Error::OpponentLimited { until, reason: String::new() }, false, true),
        (limited("bot.vsBot.day"), false, false),
        (limited("challenge.day"), true, true),
    ] {
        let mut service = matchmaker();
        service.ask_one_of(&online(&["ada"]));
        service.on_offered(user("ada"), Err(error.clone()));
        assert!(!service.has_place(), "{error}");
        assert_eq!(service.may_ask_ada(), asks_ada, "{error}");
        assert_eq!(service.pauses.may_ask(&user("bob"), Timestamp::now()), asks_bob, "{error}");
        assert_eq!(service.outgoing.next_at == Some(until), error == limited("challenge.day"), "{error}");
    }
    let mut service = matchmaker();
    service.ask_one_of(&online(&["ada"]));
    service.on_offered(user("ada"), Err(Error::Offline("reset".to_string())));
    tokio::time::advance(crate::bot::slots::OFFER_DEADLINE).await;
    service.expire();
    assert!(service.has_place(), "perhaps it stands, and its game runs");
    service
        .on_reply(Ok(Reply::Playing(Ok(Playing { games: Vec::new(), is_complete: true }))))
        .expect("no reason to stop");
    assert!(!service.has_place());
}

#[tokio::test(start_paused = true)]
async fn a_service_that_stops_takes_its_challenge_back() {
    let (tell, stop) = watch::channel(Stop::Running);
    let mut service = matchmaker();
    service.stop = stop;
    service.challenges_ada();
    tell.send_replace(Stop::Draining);
    let sent = service.replies.len();
    service.on_stop();
    assert!(service.is_done() && service.replies.len() == sent + 1);
    service.look_for_a_game();
    assert_eq!(service.replies.len(), sent + 1, "and makes no other");

    let (tell, stop) = watch::channel(Stop::Running);
    let mut service = matchmaker();
    service.stop = stop;
    service.ask_one_of(&online(&["ada"]));
    tell.send_replace(Stop::Draining);
    service.on_stop();
    let sent = service.replies.len();
    service.on_offered(user("ada"), Ok(id()));
    assert!(service.is_done() && service.replies.len() == sent + 1, "as soon as it has a name");
}
