//! Who may call what: the token, its scopes, the User-Agent, the kind of account.

use super::lobby::Lobby;
use super::reply::Refusal;
use super::shared::Shared;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Lets a request through only with the right token, and tells what the token is good for.
pub async fn check(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_string();
    let refusal = shared.look(|lobby| may_call(lobby, &path, request.headers()).err());
    let mut response = match refusal {
        Some(refusal) => refusal.into_response(),
        None => next.run(request).await,
    };
    if response.status() != StatusCode::UNAUTHORIZED {
        let scopes = shared.look(|lobby| lobby.options.scopes.join(", "));
        let scopes = HeaderValue::from_str(&scopes).expect("scopes are plain words");
        response.headers_mut().insert("x-oauth-scopes", scopes);
        if needs_bot_play(&path) {
            response.headers_mut().insert("x-accepted-oauth-scopes", HeaderValue::from_static("bot:play"));
        }
    }
    response
}

fn may_call(lobby: &Lobby, path: &str, headers: &HeaderMap) -> Result<(), Refusal> {
    let unauthorized = |text: &str| Refusal::new(StatusCode::UNAUTHORIZED, text);
    let token = text_of(headers, header::AUTHORIZATION).strip_prefix("Bearer ");
    let token = token.ok_or_else(|| unauthorized("Missing authorization header"))?;
    if lobby.token_is_revoked || token.trim() != lobby.options.token {
        return Err(unauthorized("No such token"));
    }
    let claimed = claimed_user(text_of(headers, header::USER_AGENT));
    if claimed.is_some_and(|name| name.to_lowercase() != lobby.account.id()) {
        return Err(unauthorized("The user in the user-agent doesn't match the token bearer"));
    }
    let has_scope = lobby.options.scopes.iter().any(|scope| scope == "bot:play");
    if needs_bot_play(path) && !has_scope {
        return Err(Refusal::new(StatusCode::FORBIDDEN, "Missing scope: bot:play"));
    }
    let is_bot = lobby.account.title.as_deref() == Some("BOT");
    if path.starts_with("/api/bot/game/") && !is_bot {
        return Err(Refusal::bad_request("This endpoint can only be used with a Bot account."));
    }
    Ok(())
}

/// The account's own pages take any token.
fn needs_bot_play(path: &str) -> bool {
    !path.starts_with("/api/account")
}

/// The name after `user:` or `as:`, which has to be the token's own.
fn claimed_user(user_agent: &str) -> Option<&str> {
    let words = user_agent.split_ascii_whitespace();
    words.filter_map(|word| word.strip_prefix("user:").or_else(|| word.strip_prefix("as:"))).next()
}

pub fn text_of(headers: &HeaderMap, name: header::HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
