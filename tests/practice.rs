//! The practice Lichess, by its answers on the wire.

#[path = "common/api.rs"]
mod api;

use api::Api;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use tabiya::engine::{Color, Position};
use tabiya::practice::{
    ChallengeEnd, ChallengeRequest, Cut, OpponentAction, PlayerInfo, PracticeOptions, PracticeServer,
    RandomMover, Room, Scripted, TimeControl, Variant, ViolationKind,
};

async fn start(options: PracticeOptions) -> (PracticeServer, Api) {
    let server = PracticeServer::start(options).await.expect("a free port");
    let api = Api::of(&server);
    (server, api)
}

async fn start_default() -> (PracticeServer, Api) {
    start(PracticeOptions::default()).await
}

/// Ada plays White by a script.
fn ada(script: Scripted) -> ChallengeRequest {
    let mut request = ChallengeRequest::new(PlayerInfo::human("Ada", 1712), script);
    request.color = Some(Color::White);
    request
}

fn ada_silent() -> ChallengeRequest {
    ada(Scripted::silent())
}

fn game(server: &PracticeServer, request: ChallengeRequest) -> String {
    server.start_game(request).expect("a legal start")
}

fn path(id: &str, call: &str) -> String {
    format!("/api/bot/game/{id}/{call}")
}

// Tokens and the account.

#[tokio::test]
async fn requests_without_the_right_to_it_are_refused_in_the_servers_words() {
    let (server, api) = start_default().await;
    let id = game(&server, ada_silent());
    let stream = format!("/api/bot/game/stream/{id}");
    for (api, path, status, text) in [
        (api.with_token(""), "/api/account", 401, "Missing authorization header"),
        (api.with_token("lip_wrong"), "/api/account", 401, "No such token"),
        (api.with_token("lip_wrong"), "/api/stream/event", 401, "No such token"),
        (api.with_token("lip_wrong"), &stream, 401, "No such token"),
        (
            Api::named(&server, "some/1 user:somebody"),
            "/api/account",
            401,
            "The user in the user-agent doesn't match the token bearer",
        ),
    ] {
        let (found, body) = api.get(path).await;
        assert_eq!((found, &body["error"]), (status, &json!(text)), "{path}");
    }
    let named = Api::named(&server, "some/1 user:Tabiya");
    assert_eq!(named.get("/api/account").await.0, 200);
}

#[tokio::test]
async fn a_token_without_bot_play_reaches_the_account_alone() {
    let (_server, api) = start(PracticeOptions { scopes: vec![], ..Default::default() }).await;
    assert_eq!(api.get("/api/account").await.0, 200);
    assert_eq!(api.get("/api/account/playing").await.0, 200);
    let (status, body) = api.get("/api/stream/event").await;
    assert_eq!((status, body), (403, json!({"error": "Missing scope: bot:play"})));
}

#[tokio::test]
async fn the_account_is_told_with_the_scopes_of_the_token() {
    let scopes = vec!["bot:play".to_string(), "challenge:read".to_string()];
    let (_server, api) = start(PracticeOptions { scopes, ..Default::default() }).await;
    let answer = api.request(Method::GET, "/api/account").send().await.expect("an answer");
    assert_eq!(answer.headers()["x-oauth-scopes"], "bot:play, challenge:read");
    let account: Value = answer.json().await.expect("JSON");
    assert_eq!(account["id"], "tabiya");
    assert_eq!(account["username"], "Tabiya");
    assert_eq!(account["title"], "BOT");
}

#[tokio::test]
async fn a_revoked_token_is_unknown_from_then_on() {
    let (server, api) = start_default().await;
    assert_eq!(api.get("/api/account").await.0, 200);
    server.revoke_token();
    assert_eq!(api.get("/api/account").await, (401, json!({"error": "No such token"})));
}

#[tokio::test]
async fn an_account_without_games_becomes_a_bot() {
    let account = PlayerInfo::human("Fresh", 1500);
    let (server, api) = start(PracticeOptions { account, ..Default::default() }).await;
    assert_eq!(api.get("/api/account").await.1["title"], Value::Null);
    let refused = api.refused(&path("nosuchid", "abort")).await;
    assert_eq!(refused, (400, "This endpoint can only be used with a Bot account.".to_string()));
    api.done("/api/bot/account/upgrade").await;
    assert_eq!(server.account_title().as_deref(), Some("BOT"));
    assert_eq!(api.get("/api/account").await.1["title"], "BOT");
}

#[tokio::test]
async fn an_account_with_games_cannot_become_a_bot() {
    let account = PlayerInfo::human("Veteran", 1500);
    let (_server, api) = start(PracticeOptions { account, games_played: 3, ..Default::default() }).await;
    let text = "You already have games played. Make a new account.";
    assert_eq!(api.refused("/api/bot/account/upgrade").await, (400, text.to_string()));
}

#[tokio::test]
async fn tokens_can_be_tested_without_authorization() {
    let (server, api) = start_default().await;
    let tokens = format!("{},lip_wrong", server.token());
    let request = api.with_token("").request(Method::POST, "/api/token/test").body(tokens);
    let answer: Value = request.send().await.expect("an answer").json().await.expect("JSON");
    assert_eq!(answer[server.token()], json!({"userId": "tabiya", "scopes": "bot:play", "expires": null}));
    assert_eq!(answer["lip_wrong"], Value::Null);
}

// The event stream.

#[tokio::test]
async fn the_event_stream_begins_with_running_games_then_challenges() {
    let (server, api) = start_default().await;
    let mut waiting = ada_silent();
    waiting.opponent = PlayerInfo::human("Slow", 1500);
    let theirs = game(&server, waiting);
    let ours = game(&server, ChallengeRequest { color: Some(Color::Black), ..ada_silent() });
    let challenge = server.challenge(ada_silent()).expect("a legal start");
    let mut events = api.account_events().await;

    let first = events.next().await;
    assert_eq!(first["type"], "gameStart");
    assert_eq!(first["game"]["gameId"], ours.as_str(), "the game with the bot to move comes first");
    assert_eq!(first["game"]["isMyTurn"], true);
    assert_eq!(events.next().await["game"]["gameId"], theirs.as_str());
    let told = events.next().await;
    assert_eq!(told["challenge"]["id"], challenge.as_str());
    assert_eq!(told["compat"], Value::Null, "the burst has no compat");

    server.challenge(ada_silent()).expect("a legal start");
    let told = events.next().await;
    assert_eq!(told["compat"], json!({"bot": true, "board": true}));
}

#[tokio::test]
async fn a_game_start_has_exactly_the_fields_of_the_server() {
    let (server, api) = start_default().await;
    let mut request = ada(Scripted::moves("e2e4"));
    request.opponent.title = Some("NM".to_string());
    let id = game(&server, request);
    server.plies(&id, 1).await;
    let start = api.account_events().await.next().await;
    let expected = json!({"type": "gameStart", "game": {
        "fullId": format!("{id}blac"), "gameId": id, "id": id,
        "fen": "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "color": "black",
        "lastMove": "e2e4", "source": "friend", "status": {"id": 20, "name": "started"},
        "variant": {"key": "standard", "name": "Standard"}, "speed": "blitz", "perf": "blitz",
        "rated": false, "hasMoved": false,
        "opponent": {"id": "ada", "username": "NM Ada", "rating": 1712},
        "isMyTurn": true, "secondsLeft": 180, "rating": 2000, "compat": {"bot": true, "board": true},
    }});
    assert_eq!(start, expected);

    let playing = api.get("/api/account/playing").await.1;
    let mut info = expected["game"].clone();
    for key in ["compat", "id"] {
        info.as_object_mut().expect("an object").remove(key);
    }
    assert_eq!(playing, json!({"nowPlaying": [info], "nbMyTurn": 1}));
}

#[tokio::test]
async fn a_second_event_stream_ends_the_first() {
    let (server, api) = start_default().await;
    let mut first = api.account_events().await;
    let mut second = api.account_events().await;
    first.ends().await;
    game(&server, ada_silent());
    assert_eq!(second.next().await["type"], "gameStart");
}

#[tokio::test]
async fn streams_are_kept_alive_by_bare_newlines() {
    let keep_alive = Duration::from_millis(5);
    let (server, api) = start(PracticeOptions { keep_alive, ..Default::default() }).await;
    let id = game(&server, ada_silent());
    for mut lines in [api.account_events().await, api.game_events(&id).await] {
        let first = lines.next_raw().await.expect("open").expect("a line");
        assert!(first.starts_with('{'), "{first}");
        for _ in 0..3 {
            assert_eq!(lines.next_raw().await.expect("open"), Some(String::new()));
        }
    }
}

// Challenges.

#[tokio::test]
async fn an_accepted_challenge_becomes_a_game_with_its_id() {
    let (server, api) = start_default().await;
    let mut events = api.account_events().await;
    let id = server.challenge(ada(Scripted::moves("d2d4"))).expect("a legal start");
    assert_eq!(events.next().await["challenge"]["id"], id.as_str());
    api.done(&format!("/api/challenge/{id}/accept")).await;
    assert_eq!(events.next().await["game"]["gameId"], id.as_str());
    assert_eq!(server.answered(&id).await, ChallengeEnd::Accepted);
    let again = api.refused(&format!("/api/challenge/{id}/accept")).await;
    assert_eq!(again, (404, "Not found".to_string()));
    assert_eq!(server.plies(&id, 1).await.moves, ["d2d4"]);
}

#[tokio::test]
async fn a_declined_challenge_comes_back_with_its_reason() {
    let (server, api) = start_default().await;
    let mut events = api.account_events().await;
    let id = server.challenge(ada_silent()).expect("a legal start");
    let (status, _) = api.post_form(&format!("/api/challenge/{id}/decline"), &[("reason", "tooFast")]).await;
    assert_eq!(status, 200);
    assert_eq!(server.answered(&id).await, ChallengeEnd::Declined("toofast".to_string()));
    let told = events.next_of("challengeDeclined").await;
    assert_eq!(told["challenge"]["declineReasonKey"], "toofast");
    assert_eq!(told["challenge"]["status"], "declined");
    let late = api.refused(&format!("/api/challenge/{id}/accept")).await;
    assert_eq!(late, (400, "The challenge has been declined.".to_string()));
    assert_eq!(server.violations(), []);
    let id = server.challenge(ada_silent()).expect("a legal start");
    api.post_form(&format!("/api/challenge/{id}/decline"), &[("reason", "whim")]).await;
    assert_eq!(server.answered(&id).await, ChallengeEnd::Declined("generic".to_string()));
    let kinds: Vec<ViolationKind> = server.violations().iter().map(|violation| violation.kind).collect();
    assert_eq!(kinds, [ViolationKind::UnknownDeclineReason]);
}

#[tokio::test]
async fn a_cancelled_challenge_is_told_and_cannot_be_taken() {
    let (server, api) = start_default().await;
    let mut events = api.account_events().await;
    let id = server.challenge(ada_silent()).expect("a legal start");
    server.cancel_challenge(&id);
    let told = events.next_of("challengeCanceled").await;
    assert_eq!((&told["challenge"]["id"], &told["challenge"]["status"]), (&json!(id), &json!("canceled")));
    let late = api.refused(&format!("/api/challenge/{id}/accept")).await;
    assert_eq!(late, (400, "The challenge has been canceled.".to_string()));
    assert_eq!(api.get("/api/challenge").await.1, json!({"in": [], "out": []}));
}

#[tokio::test]
async fn unknown_challenges_are_not_found() {
    let (_server, api) = start_default().await;
    for call in ["accept", "decline", "cancel"] {
        let refused = api.refused(&format!("/api/challenge/nosuchid/{call}")).await;
        assert_eq!(refused, (404, "Not found".to_string()), "{call}");
    }
}

#[tokio::test]
async fn cancelling_what_was_accepted_aborts_the_game_while_that_is_possible() {
    let (server, api) = start_default().await;
    let id = server.challenge(ada(Scripted::moves("e2e4"))).expect("a legal start");
    api.done(&format!("/api/challenge/{id}/accept")).await;
    api.done(&format!("/api/challenge/{id}/cancel")).await;
    assert_eq!(server.finished(&id).await.status, "aborted");
    let late = api.refused(&format!("/api/challenge/{id}/cancel")).await;
    assert_eq!(late, (400, "Missing opponentToken".to_string()));
}

#[tokio::test]
async fn ultra_bullet_is_nothing_for_bots() {
    let (server, api) = start_default().await;
    let mut events = api.account_events().await;
    let mut request = ada_silent();
    request.time_control = TimeControl::clock(15, 0);
    let id = server.challenge(request).expect("a legal start");
    assert_eq!(events.next().await["compat"]["bot"], false);
    let refused = api.refused(&format!("/api/challenge/{id}/accept")).await;
    assert_eq!(refused, (400, "Game incompatible with a BOT account".to_string()));
}

// Game streams.

#[tokio::test]
async fn a_game_stream_begins_with_exactly_the_fields_of_the_server() {
    let (server, api) = start_default().await;
    let id = game(&server, ada(Scripted::moves("e2e4")));
    server.plies(&id, 1).await;
    let mut full = api.game_events(&id).await.next().await;
    let created = full.as_object_mut().expect("an object").remove("createdAt");
    assert!(created.and_then(|at| at.as_u64()).is_some_and(|at| at > 1_700_000_000_000));
    let expected = json!({
        "id": id, "variant": {"key": "standard", "name": "Standard", "short": "Std"}, "speed": "blitz",
        "perf": {"name": "Blitz"}, "rated": false,
        "white": {"id": "ada", "name": "Ada", "title": null, "rating": 1712},
        "black": {"id": "tabiya", "name": "Tabiya", "title": "BOT", "rating": 2000},
        "initialFen": "startpos", "clock": {"initial": 180_000, "increment": 2_000}, "type": "gameFull",
        "state": {"type": "gameState", "moves": "e2e4", "wtime": 180_000, "btime": 180_000,
                  "winc": 2_000, "binc": 2_000, "status": "started"},
    });
    assert_eq!(full, expected);
}

#[tokio::test]
async fn games_without_a_clock_say_so() {
    let (server, api) = start_default().await;
    for (time_control, days, time) in [
        (TimeControl::Correspondence { days: 3 }, json!(3), 3 * 86_400_000_u64),
        (TimeControl::Unlimited, Value::Null, 2_147_483_647),
    ] {
        let id = game(&server, ChallengeRequest { time_control, ..ada_silent() });
        let full = api.game_events(&id).await.next().await;
        assert_eq!(full["clock"], Value::Null, "{time_control:?}");
        assert_eq!(full["daysPerTurn"], days, "{time_control:?}");
        assert_eq!(full["speed"], "correspondence", "{time_control:?}");
        assert_eq!(full["state"]["btime"], time, "{time_control:?}: the side that waits");
        let white = full["state"]["wtime"].as_u64().expect("a time");
        assert!(white <= time && white + 60_000 > time, "{time_control:?}: {white}");
        assert_eq!(full["state"]["winc"], 0, "{time_control:?}");
    }
}

#[tokio::test]
async fn a_game_of_another_start_position_tells_it() {
    let (server, api) = start_default().await;
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    for (variant, fen, key) in [
        (Variant::FromPosition, Some(fen.to_string()), "fromPosition"),
        (Variant::Chess960, Some(Position::default().fen()), "chess960"),
        (Variant::Chess960, None, "chess960"),
    ] {
        let id = game(&server, ChallengeRequest { variant, fen: fen.clone(), ..ada_silent() });
        let full = api.game_events(&id).await.next().await;
        assert_eq!(full["variant"]["key"], key, "{fen:?}");
        let told = full["initialFen"].as_str().expect("a FEN");
        assert!(Position::from_fen(told).is_ok(), "{told}");
        assert!(fen.is_none_or(|fen| fen == told), "{told}");
    }
}

#[tokio::test]
async fn a_whole_game_is_told_to_its_end() {
    let (server, api) = start_default().await;
    let mut events = api.account_events().await;
    let id = game(&server, ada(Scripted::moves("f2f3 g2g4")));
    let mut lines = api.game_events(&id).await;
    assert_eq!(lines.next().await["type"], "gameFull");
    server.plies(&id, 1).await;
    api.play(&id, "e7e5").await;
    server.plies(&id, 3).await;
    api.play(&id, "d8h4").await;

    let mut states = Vec::new();
    while let Some(line) = lines.next_or_end().await {
        states.push((line["moves"].clone(), line["status"].clone(), line["winner"].clone()));
    }
    let last = states.last().expect("a last state");
    assert_eq!(*last, (json!("f2f3 e7e5 g2g4 d8h4"), json!("mate"), json!("black")));
    assert!(states[..states.len() - 1].iter().all(|(_, status, _)| status == "started"), "{states:?}");

    let finish = events.next_of("gameFinish").await;
    assert_eq!(finish["game"]["status"], json!({"id": 30, "name": "mate"}));
    assert_eq!(finish["game"]["winner"], "black");
    let mut after = api.game_events(&id).await;
    assert_eq!(after.next().await["state"]["status"], "mate");
    assert_eq!(after.next_or_end().await, None, "a finished game's stream ends at once");
    assert!(server.record(&id).expect("a game").bot_won());
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn a_second_stream_of_one_program_ends_its_first() {
    let (server, api) = start_default().await;
    let id = game(&server, ada_silent());
    let mut first = api.game_events(&id).await;
    let mut other = Api::named(&server, "other/1").game_events(&id).await;
    let mut second = api.game_events(&id).await;
    first.ends().await;
    server.act(&id, OpponentAction::Say("hi".to_string())).expect("a word");
    for lines in [&mut other, &mut second] {
        assert_eq!(lines.next_of("chatLine").await["text"], "hi");
    }
}

#[tokio::test]
async fn unknown_games_are_not_found() {
    let (_server, api) = start_default().await;
    assert_eq!(api.get("/api/bot/game/stream/nosuchid").await, (404, json!({"error": "No such game"})));
    for call in ["move/e2e4", "abort", "resign", "draw/yes", "takeback/no"] {
        let refused = api.refused(&path("nosuchid", call)).await;
        assert_eq!(refused, (404, "No such game".to_string()), "{call}");
    }
}

#[tokio::test]
async fn a_reader_that_sleeps_loses_the_oldest_lines() {
    let (server, api) = start_default().await;
    let mut events = api.account_events().await;
    for number in 0..40 {
        server.inject_account_line(&json!({ "number": number }).to_string());
    }
    assert_eq!(events.next().await["number"], 8);
}

#[tokio::test]
async fn streams_can_be_cut_in_three_ways() {
    let (server, api) = start_default().await;
    let id = game(&server, ada_silent());

    let mut lines = api.game_events(&id).await;
    lines.next().await;
    server.cut_game_stream(&id, Cut::Clean);
    lines.ends().await;

    let mut lines = api.game_events(&id).await;
    lines.next().await;
    server.cut_game_stream(&id, Cut::Broken);
    assert!(lines.next_raw().await.is_err(), "the body must not end properly");

    let mut events = api.account_events().await;
    events.next().await;
    server.cut_account_stream(Cut::Silent);
    server.inject_account_line("{}");
    let silence = tokio::time::timeout(Duration::from_millis(100), events.next_raw()).await;
    assert!(silence.is_err(), "{silence:?}");
}

#[tokio::test]
async fn pieces_and_unknown_fields_change_nothing_that_is_known() {
    let options = PracticeOptions { piece_bytes: 3, unknown_fields: true, ..Default::default() };
    let (server, api) = start(options).await;
    let mut request = ada(Scripted::moves("e2e4"));
    request.opponent = PlayerInfo::human("Ängström", 1500);
    let id = game(&server, request);
    let full = api.game_events(&id).await.next().await;
    assert_eq!(full["white"]["name"], "Ängström");
    assert_eq!(full["state"]["novelty"]["since"], 2031);
    assert_eq!(full["initialFen"], "startpos");
}

#[tokio::test]
async fn a_stopped_server_breaks_its_streams() {
    let (server, api) = start_default().await;
    let mut events = api.account_events().await;
    drop(server);
    assert!(events.next_raw().await.is_err());
}

// Calls during a game.

#[tokio::test]
async fn what_is_said_comes_back_and_has_its_limits() {
    let (server, api) = start_default().await;
    let id = game(&server, ada_silent());
    let mut lines = api.game_events(&id).await;
    lines.next().await;
    let chat = path(&id, "chat");
    let just_right = "ü".repeat(140);
    assert_eq!(api.post_form(&chat, &[("room", "player"), ("text", &just_right)]).await.0, 200);
    let expected = json!({"type": "chatLine", "room": "player", "username": "Tabiya", "text": just_right});
    assert_eq!(lines.next().await, expected);
    assert_eq!(api.post_json(&chat, json!({"room": "spectator", "text": "hello"})).await.0, 200);
    assert_eq!(lines.next().await["room"], "spectator");

    let link = [("room", "player"), ("text", "see https://example.org")];
    assert_eq!(api.post_form(&chat, &link).await.0, 200, "a link is dropped without a word");
    for text in ["", "  ", &"x".repeat(141)] {
        let (status, body) = api.post_form(&chat, &[("room", "player"), ("text", text)]).await;
        assert_eq!(status, 400, "{text:?}");
        assert!(body["error"]["text"].is_array() && body["text"].is_array(), "{text:?}: {body}");
    }
    assert_eq!(api.post_form(&chat, &[("room", "cellar"), ("text", "hello")]).await.0, 400);

    let said = server.record(&id).expect("a game").chat;
    let rooms: Vec<Room> = said.iter().map(|line| line.room).collect();
    assert_eq!(rooms, [Room::Player, Room::Spectator]);
    assert_eq!(api.get(&chat).await.1, json!([{"text": just_right, "user": "Tabiya"}]));
    let kinds: Vec<ViolationKind> = server.violations().iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [ViolationKind::ChatTooLong]);
}

#[tokio::test]
async fn games_are_aborted_early_and_resigned_late() {
    let (server, api) = start_default().await;
    let early = game(&server, ada_silent());
    api.done(&path(&early, "resign")).await;
    assert_eq!(server.finished(&early).await.status, "aborted");

    let late = game(&server, ada(Scripted::moves("e2e4")));
    server.plies(&late, 1).await;
    api.play(&late, "e7e5").await;
    let refused = api.refused(&path(&late, "abort")).await;
    assert_eq!(refused, (400, "This game can no longer be aborted".to_string()));
    api.done(&path(&late, "resign")).await;
    let record = server.finished(&late).await;
    assert_eq!((record.status, record.winner), ("resign", Some(Color::White)));
    let refused = api.refused(&path(&late, "resign")).await;
    assert_eq!(refused, (400, "This game cannot be resigned".to_string()));
    assert_eq!(api.refused(&path(&late, "berserk")).await, (400, "Cannot berserk".to_string()));
}

#[tokio::test]
async fn an_opponents_draw_offer_can_be_taken() {
    let (server, api) = start_default().await;
    let id = game(&server, ada(Scripted::moves("e2e4").then_move_offering_draw("g1f3")));
    let mut lines = api.game_events(&id).await;
    server.plies(&id, 1).await;
    api.play(&id, "e7e5").await;
    while lines.next_of("gameState").await["wdraw"] != true {}
    api.done(&path(&id, "draw/yes")).await;
    let record = server.finished(&id).await;
    assert_eq!((record.status, record.winner), ("draw", None));
}

#[tokio::test]
async fn the_opponent_answers_draw_offers() {
    let (server, api) = start_default().await;
    for (answer, status) in [(Some(true), "draw"), (Some(false), "started")] {
        let id = game(&server, ada(Scripted::moves("e2e4 g1f3").answering_draws(answer)));
        server.plies(&id, 1).await;
        api.done(&path(&id, "move/e7e5?offeringDraw=true")).await;
        server.plies(&id, 2).await;
        api.done(&path(&id, "draw/yes")).await;
        let record = server
            .when(&id, |game| {
                game.status == "draw" || game.chat.iter().any(|line| line.text.contains("declines"))
            })
            .await;
        assert_eq!(record.status, status, "{answer:?}");
    }
}

#[tokio::test]
async fn an_opponents_takeback_can_be_granted_or_not() {
    let (server, api) = start_default().await;
    let script = || Scripted::moves("e2e4").then_move_and_propose_takeback("d2d4").then_moves("g1f3");
    for (answer, moves) in [("yes", "e2e4 e7e5 g1f3"), ("no", "e2e4 e7e5 d2d4")] {
        let id = game(&server, ada(script()));
        let mut lines = api.game_events(&id).await;
        server.plies(&id, 1).await;
        api.play(&id, "e7e5").await;
        while lines.next_of("gameState").await["wtakeback"] != true {}
        api.done(&path(&id, &format!("takeback/{answer}"))).await;
        while lines.next_of("gameState").await["moves"] != moves {}
    }
}

#[tokio::test(start_paused = true)]
async fn a_flag_falls_by_itself() {
    let (server, api) = start_default().await;
    let time_control = TimeControl::clock(60, 0);
    let id = game(&server, ChallengeRequest { time_control, ..ada(Scripted::moves("e2e4")) });
    let mut lines = api.game_events(&id).await;
    server.plies(&id, 1).await;
    api.play(&id, "e7e5").await;
    let record = server.finished(&id).await;
    assert_eq!((record.status, record.winner), ("outoftime", Some(Color::Black)));
    let mut last = Value::Null;
    while let Some(line) = lines.next_or_end().await {
        last = line;
    }
    assert_eq!((&last["status"], &last["wtime"]), (&json!("outoftime"), &json!(0)));
}

#[tokio::test(start_paused = true)]
async fn an_absent_opponents_game_can_be_claimed() {
    let claim_after = Some(Duration::from_secs(60));
    let (server, api) = start(PracticeOptions { claim_after, ..Default::default() }).await;
    let script = Scripted::moves("e2e4").then(OpponentAction::Leave);
    let time_control = TimeControl::clock(10_800, 0);
    let id = game(&server, ChallengeRequest { time_control, ..ada(script) });
    let mut lines = api.game_events(&id).await;
    server.plies(&id, 1).await;
    api.play(&id, "e7e5").await;
    while lines.next_of("opponentGone").await["claimWinInSeconds"] != 0 {}
    api.done(&path(&id, "claim-victory")).await;
    let record = server.finished(&id).await;
    assert_eq!((record.status, record.winner), ("timeout", Some(Color::Black)));
}

#[tokio::test]
async fn a_claim_against_somebody_present_is_refused() {
    let (server, api) = start_default().await;
    let id = game(&server, ada(Scripted::moves("e2e4")));
    server.plies(&id, 1).await;
    api.play(&id, "e7e5").await;
    for call in ["claim-victory", "claim-draw"] {
        let refused = api.refused(&path(&id, call)).await;
        assert_eq!(refused, (400, "You cannot claim the win on this game".to_string()), "{call}");
    }
}

// What the protocol forbids.

#[tokio::test(start_paused = true)]
async fn everything_that_the_protocol_forbids_is_listed() {
    let (server, api) = start_default().await;
    let time_control = TimeControl::Unlimited;
    let id = game(&server, ChallengeRequest { time_control, ..ada(Scripted::moves("e2e4")) });
    server.plies(&id, 1).await;
    let not_now = "Not your turn, or game already over";
    let mut seen = Vec::new();
    for (uci, text, kind) in [
        ("e7e4", "Piece on e7 cannot move to e4", Some(ViolationKind::IllegalMove)),
        ("castles", "Invalid UCI: castles", Some(ViolationKind::IllegalMove)),
        ("e7e5", "", None),
        ("e7e5", not_now, Some(ViolationKind::DuplicateMove)),
        ("d7d5", not_now, Some(ViolationKind::OutOfTurn)),
    ] {
        assert_eq!(api.refused(&path(&id, &format!("move/{uci}"))).await.1, text, "{uci}");
        seen.extend(kind);
        let kinds: Vec<ViolationKind> = server.violations().iter().map(|one| one.kind).collect();
        assert_eq!(kinds, seen, "{uci}");
    }
    server.act(&id, OpponentAction::Resign).expect("always possible");
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(api.refused(&path(&id, "move/e7e6")).await.1, not_now);
    assert_eq!(api.get("/api/nothing/here").await.0, 404);
    assert_eq!(api.get("/api/bot/account/upgrade").await.0, 405);
    let kinds: Vec<ViolationKind> = server.violations().iter().map(|one| one.kind).collect();
    seen.extend([ViolationKind::MoveAfterEnd, ViolationKind::UnknownPath, ViolationKind::WrongMethod]);
    assert_eq!(kinds, seen);
}

#[tokio::test]
async fn a_script_that_does_not_fit_is_listed_as_such() {
    let misfit = Position::default().parse_uci("e2e4").expect("legal");
    let wrong_turn = Scripted::moves("e2e4").then(OpponentAction::Move(misfit));
    for (script, replies) in [(Scripted::moves("e2e5"), vec![]), (wrong_turn, vec!["e7e5"])] {
        let (server, api) = start_default().await;
        let id = game(&server, ada(script));
        for uci in replies {
            server.plies(&id, 1).await;
            api.play(&id, uci).await;
        }
        let violations = server.violated().await;
        assert_eq!((violations[0].kind, &violations[0].place), (ViolationKind::BrokenScript, &id));
    }
}

// Whole games of random moves.

#[tokio::test]
async fn random_games_of_all_variants_run_to_their_end() {
    let (server, api) = start_default().await;
    let seeds = 1..=4;
    for (variant, seed) in
        [Variant::Standard, Variant::Chess960].into_iter().flat_map(|v| seeds.clone().map(move |s| (v, s)))
    {
        let mut request = ChallengeRequest::new(PlayerInfo::bot("Dice", 800), RandomMover::new(seed));
        request.variant = variant;
        request.time_control = TimeControl::clock(10_800, 0);
        let id = game(&server, request);
        let ours = server.record(&id).expect("a game").bot;
        let plies = play_at_random(&api, &id, ours, seed).await;
        let record = server.finished(&id).await;
        assert_eq!(record.moves.len(), plies, "{variant:?}, seed {seed}");
        assert_ne!(record.status, "outoftime", "{variant:?}, seed {seed}");
    }
    assert_eq!(server.violations(), []);
}

/// Plays one side by lot, from what the stream says alone. Returns the plies of the whole game.
async fn play_at_random(api: &Api, id: &str, ours: Color, seed: u64) -> usize {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut lines = api.game_events(id).await;
    let full = lines.next().await;
    let initial_fen = full["initialFen"].as_str().expect("a FEN").to_string();
    let mut state = full["state"].clone();
    let mut answered = None;
    loop {
        let moves = state["moves"].as_str().expect("moves");
        let position = Position::after(&initial_fen, moves).expect("legal moves");
        if state["status"] != "started" {
            assert_eq!(lines.next_or_end().await, None, "nothing comes after the last state");
            return position.plies_played();
        }
        let plies = position.plies_played();
        if position.side_to_move() == ours && answered != Some(plies) && position.outcome().is_none() {
            let legal = position.legal_moves();
            api.play(id, &legal[rng.usize(0..legal.len())].to_string()).await;
            answered = Some(plies);
        }
        state = lines.next_of("gameState").await;
    }
}
