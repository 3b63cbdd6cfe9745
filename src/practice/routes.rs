//! The paths of the Bot API: each handler reads the request and asks the lobby.

use super::audit::{Violation, ViolationKind};
use super::auth;
use super::game::{CallRefused, Game, Room};
use super::lobby::Lobby;
use super::reply::{Refusal, Reply, ok};
use super::shared::Shared;
use super::stream::Feed;
use super::wire;
use axum::extract::{FromRequest, Path, Query, Request, State};
use axum::http::{HeaderMap, Method, Uri, header};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Form, Json, Router, middleware};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// A claim is looked into for this long.
const CLAIM_TAKES: Duration = Duration::from_millis(500);

type Server = State<Arc<Shared>>;

pub fn router(shared: Arc<Shared>) -> Router {
    let with_token = Router::new()
        .route("/api/account", get(account))
        .route("/api/account/playing", get(playing))
        .route("/api/bot/account/upgrade", post(upgrade))
        .route("/api/stream/event", get(account_events))
        .route("/api/challenge", get(challenges))
        .route("/api/challenge/{id}", post(make_challenge))
        .route("/api/challenge/{id}/show", get(show_challenge))
        .route("/api/challenge/{id}/accept", post(accept))
        .route("/api/challenge/{id}/decline", post(decline))
        .route("/api/challenge/{id}/cancel", post(cancel))
        .route("/api/bot/game/stream/{id}", get(game_events))
        .route("/api/bot/game/{id}/move/{uci}", post(play))
        .route("/api/bot/game/{id}/chat", get(read_chat).post(say))
        .route("/api/bot/game/{id}/abort", post(abort))
        .route("/api/bot/game/{id}/resign", post(resign))
        .route("/api/bot/game/{id}/draw/{answer}", post(draw))
        .route("/api/bot/game/{id}/takeback/{answer}", post(takeback))
        .route("/api/bot/game/{id}/claim-victory", post(claim_victory))
        .route("/api/bot/game/{id}/claim-draw", post(claim_draw))
        .route("/api/bot/game/{id}/berserk", post(berserk))
        .layer(middleware::from_fn_with_state(shared.clone(), auth::check));
    Router::new()
        .merge(with_token)
        .route("/api/token/test", post(test_tokens))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .with_state(shared)
}

// The account.

async fn account(State(shared): Server) -> Json<Value> {
    let account = shared.look(|lobby| lobby.account.clone());
    let perf = json!({"games": 0, "rating": account.rating, "rd": 60, "prog": 0});
    let mut profile = json!({
        "id": account.id(),
        "username": account.name,
        "perfs": {"bullet": perf, "blitz": perf, "rapid": perf, "classical": perf, "correspondence": perf},
        "createdAt": 1_700_000_000_000_u64,
        "count": {"all": 0},
    });
    if let Some(title) = &account.title {
        profile["title"] = json!(title);
    }
    Json(profile)
}

async fn playing(State(shared): Server, Query(query): Query<HashMap<String, String>>) -> Json<Value> {
    let most = query.get("nb").and_then(|nb| nb.parse().ok()).unwrap_or(9_usize).clamp(1, 50);
    let now = Instant::now();
    Json(shared.look(|lobby| {
        let games = lobby.running_games();
        let my_turn = games.iter().filter(|game| game.is_turn_of(game.setup.bot)).count();
        let infos: Vec<Value> = games.iter().take(most).map(|game| wire::info(game, now)).collect();
        json!({"nowPlaying": infos, "nbMyTurn": my_turn})
    }))
}

async fn upgrade(State(shared): Server) -> Reply {
    shared.change(|lobby| {
        if lobby.options.games_played > 0 || lobby.has_games() {
            return Err(Refusal::bad_request("You already have games played. Make a new account."));
        }
        lobby.account.title = Some("BOT".to_string());
        ok()
    })
}

async fn test_tokens(State(shared): Server, body: String) -> Json<Value> {
    let answer = shared.look(|lobby| {
        let known = |token: &str| !lobby.token_is_revoked && token == lobby.options.token;
        let scopes = lobby.options.scopes.join(",");
        let about = json!({"userId": lobby.account.id(), "scopes": scopes, "expires": null});
        let tokens = body.split(',').map(str::trim);
        let facts =
            tokens.map(|token| (token.to_string(), if known(token) { about.clone() } else { Value::Null }));
        facts.collect::<serde_json::Map<String, Value>>()
    });
    Json(Value::Object(answer))
}

// The streams.

async fn account_events(State(shared): Server) -> Response {
    let (feed, response) = Feed::open(shared.look(|lobby| lobby.options.stream_manners()), shared.bell());
    shared.change(|lobby| lobby.listen_to_account(feed, Instant::now()));
    response
}

async fn game_events(
    State(shared): Server,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let game = shared.look(|lobby| lobby.game(&id).map(|game| game.setup.time_control.speed()));
    match game {
        None => return Err(Refusal::not_found("No such game")),
        Some("ultraBullet") => {
            return Err(Refusal::bad_request("This game cannot be played with the Bot API."));
        }
        Some(_) => (),
    }
    let (feed, response) = Feed::open(shared.look(|lobby| lobby.options.stream_manners()), shared.bell());
    let user_agent = auth::text_of(&headers, header::USER_AGENT);
    shared.change(|lobby| lobby.listen_to_game(&id, user_agent, feed, Instant::now()));
    Ok(response)
}

// Challenges.

async fn challenges(State(shared): Server) -> Json<Value> {
    Json(json!({"in": shared.look(Lobby::open_challenges), "out": []}))
}

async fn show_challenge(State(shared): Server, Path(id): Path<String>) -> Reply {
    let challenge = shared.look(|lobby| lobby.challenge_json(&id));
    challenge.map(Json).ok_or_else(|| Refusal::not_found("Not found"))
}

/// Nobody here can be challenged.
async fn make_challenge(Path(username): Path<String>) -> Reply {
    Err(Refusal::bad_request(format!("No such user: {username}")))
}

async fn accept(State(shared): Server, Path(id): Path<String>) -> Reply {
    let opponent = shared.change(|lobby| lobby.accept(&id, Instant::now()))?;
    shared.drive(&id, opponent);
    ok()
}

async fn decline(State(shared): Server, Path(id): Path<String>, Fields(fields): Fields) -> Reply {
    let reason = fields.get("reason").map_or("generic", String::as_str);
    shared.change(|lobby| lobby.decline(&id, reason))?;
    ok()
}

/// Takes back a challenge of one's own, declines one from somebody else, or aborts what came of it.
async fn cancel(State(shared): Server, Path(id): Path<String>) -> Reply {
    shared.change(|lobby| match lobby.game(&id) {
        None => lobby.decline(&id, "generic"),
        Some(_) => {
            let aborted = lobby.change(&id, |game| game.abort(Instant::now()))?;
            aborted.map_err(|_| Refusal::bad_request("Missing opponentToken"))
        }
    })?;
    ok()
}

// Games.

async fn play(
    State(shared): Server,
    Path((id, uci)): Path<(String, String)>,
    Query(query): Query<HashMap<String, String>>,
) -> Reply {
    let offering_draw = query.get("offeringDraw").map(|word| means_yes(word));
    shared.change(|lobby| lobby.play(&id, &uci, offering_draw, Instant::now()))?;
    ok()
}

async fn read_chat(State(shared): Server, Path(id): Path<String>) -> Reply {
    let record = shared.look(|lobby| lobby.record(&id));
    let record = record.ok_or_else(|| Refusal::not_found("No such game"))?;
    let lines = record.chat.iter().filter(|line| line.room == Room::Player);
    Ok(Json(lines.map(|line| json!({"text": line.text, "user": line.username})).collect()))
}

async fn say(State(shared): Server, Path(id): Path<String>, Fields(fields): Fields) -> Reply {
    let room = match fields.get("room").map(String::as_str) {
        Some("player") => Room::Player,
        Some("spectator") => Room::Spectator,
        _ => return Err(Refusal::field("room", "Invalid value")),
    };
    let text = fields.get("text").map_or("", String::as_str);
    shared.change(|lobby| lobby.say(&id, room, text))?;
    ok()
}

async fn abort(State(shared): Server, Path(id): Path<String>) -> Reply {
    call(&shared, &id, |game| game.abort(Instant::now()))
}

async fn resign(State(shared): Server, Path(id): Path<String>) -> Reply {
    call(&shared, &id, |game| game.resign(game.setup.bot, Instant::now()))
}

async fn draw(State(shared): Server, Path((id, answer)): Path<(String, String)>) -> Reply {
    call(&shared, &id, |game| {
        game.answer_draw(game.setup.bot, means_yes(&answer), Instant::now());
        Ok(())
    })
}

async fn takeback(State(shared): Server, Path((id, answer)): Path<(String, String)>) -> Reply {
    call(&shared, &id, |game| {
        game.answer_takeback(game.setup.bot, means_yes(&answer), Instant::now());
        Ok(())
    })
}

async fn claim_victory(State(shared): Server, Path(id): Path<String>) -> Reply {
    tokio::time::sleep(CLAIM_TAKES).await;
    call(&shared, &id, |game| game.claim(true, Instant::now()))
}

async fn claim_draw(State(shared): Server, Path(id): Path<String>) -> Reply {
    tokio::time::sleep(CLAIM_TAKES).await;
    call(&shared, &id, |game| game.claim(false, Instant::now()))
}

async fn berserk() -> Reply {
    Err(Refusal::bad_request("Cannot berserk"))
}

/// One call about a game.
fn call(shared: &Shared, id: &str, call: impl FnOnce(&mut Game) -> Result<(), CallRefused>) -> Reply {
    shared.change(|lobby| lobby.change(id, call))??;
    ok()
}

/// As the server reads yes and no in paths and queries.
fn means_yes(word: &str) -> bool {
    matches!(word, "yes" | "true" | "1" | "on" | "True")
}

// What nobody should call.

async fn unknown_path(State(shared): Server, method: Method, uri: Uri) -> Refusal {
    let violation = Violation::new(ViolationKind::UnknownPath, uri.path(), method.as_str());
    shared.change(|lobby| lobby.note(violation));
    Refusal::not_found("Resource not found")
}

async fn wrong_method(State(shared): Server, method: Method, uri: Uri) -> Refusal {
    let violation = Violation::new(ViolationKind::WrongMethod, uri.path(), method.as_str());
    shared.change(|lobby| lobby.note(violation));
    Refusal::new(axum::http::StatusCode::METHOD_NOT_ALLOWED, "Method not allowed")
}

/// The fields of a form, or of a JSON object, which the server takes as well.
struct Fields(HashMap<String, String>);

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Fields, Refusal> {
        let content_type = auth::text_of(request.headers(), header::CONTENT_TYPE).to_string();
        let unreadable = |error: String| Refusal::bad_request(error);
        if content_type.starts_with("application/json") {
            let json = Json::<HashMap<String, Value>>::from_request(request, state).await;
            let Json(fields) = json.map_err(|error| unreadable(error.body_text()))?;
            let text = |value: Value| value.as_str().map_or(value.to_string(), str::to_string);
            return Ok(Fields(fields.into_iter().map(|(key, value)| (key, text(value))).collect()));
        }
        if content_type.starts_with("application/x-www-form-urlencoded") {
            let form = Form::<HashMap<String, String>>::from_request(request, state).await;
            let Form(fields) = form.map_err(|error| unreadable(error.body_text()))?;
            return Ok(Fields(fields));
        }
        Ok(Fields(HashMap::new()))
    }
}
