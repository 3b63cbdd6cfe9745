//! One short method per endpoint; one place for authorization, route and status.
//!
//! Every call is one attempt with a time-out of its own; the caller repeats it. Any of them may fail
//! with `Offline`, `RateLimited` (also without a request, while the gate of its kind is closed) and
//! `Unauthorized`; what else to expect stands at the method.

use super::error::Error;
use super::event::{AccountEvent, GameEvent, GameId, GameInfo, UserId};
use super::read::text;
use super::retry::{Gates, Kind};
use super::stream::{EventStream, Line, SILENCE};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Method, RequestBuilder, Response, Url};
use serde::Deserialize;
use serde_json::Value;
use std::fmt;
use std::time::Duration;

/// A move has to be known to be in long before the clock runs out.
const MOVE_TIMEOUT: Duration = Duration::from_secs(4);
/// Any other single call.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Until a stream's headers are here.
const OPEN_TIMEOUT: Duration = Duration::from_secs(10);
/// Idle connections are kept for less time than servers usually keep them.
const POOL_IDLE: Duration = Duration::from_secs(50);
/// Longest chat line that the server takes, in characters.
const CHAT_LENGTH: usize = 140;

/// Section `[lichess]` of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LichessOptions {
    /// Address of the server, without a path.
    pub url: String,
    /// The bot account's API token.
    pub token: Token,
}

impl Default for LichessOptions {
    fn default() -> Self {
        Self { url: "https://lichess.org".to_string(), token: Token::default() }
    }
}

/// A Lichess API token. Never printed.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Token(String);

impl Token {
    pub fn new(token: impl Into<String>) -> Token {
        Token(token.into())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Letters, digits and underscores, at most 512 of them: the server's own rule.
    pub fn is_well_formed(&self) -> bool {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        (1..=512).contains(&self.0.len()) && self.0.bytes().all(is_allowed)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// The account that a token belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub id: UserId,
    /// The name as the site shows it.
    pub username: String,
    pub title: Option<String>,
    /// What the token may do; empty if the server did not say.
    pub scopes: Vec<String>,
}

impl Account {
    pub fn is_bot(&self) -> bool {
        self.title.as_deref() == Some("BOT")
    }
}

/// The two rooms of a game's chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    Player,
    Spectator,
}

/// Why a challenge is declined: each reason but the first two says what we would take instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclineReason {
    Generic,
    Later,
    TooFast,
    TooSlow,
    TimeControl,
    Rated,
    Casual,
    Standard,
    Variant,
    NoBot,
    OnlyBot,
}

impl DeclineReason {
    /// The server's word for it.
    pub fn key(self) -> &'static str {
        match self {
            DeclineReason::Generic => "generic",
            DeclineReason::Later => "later",
            DeclineReason::TooFast => "tooFast",
            DeclineReason::TooSlow => "tooSlow",
            DeclineReason::TimeControl => "timeControl",
            DeclineReason::Rated => "rated",
            DeclineReason::Casual => "casual",
            DeclineReason::Standard => "standard",
            DeclineReason::Variant => "variant",
            DeclineReason::NoBot => "noBot",
            DeclineReason::OnlyBot => "onlyBot",
        }
    }
}

/// The door to the server. Cloning is cheap; clones share connections and gates.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    gates: Gates,
    silence: Duration,
}

impl Client {
    /// # Errors
    /// `Malformed` if the address or the token cannot be used; neither is sent anywhere.
    pub fn new(options: &LichessOptions) -> Result<Client, Error> {
        let base = base_url(&options.url)?;
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("tabiya/", env!("CARGO_PKG_VERSION")))
            .default_headers(authorization(&options.token)?)
            .http1_only()
            .redirect(reqwest::redirect::Policy::none())
            .tcp_nodelay(true)
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_idle_timeout(POOL_IDLE);
        // Fails if it was done before, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        if base.scheme() == "http" {
            // Nothing will be verified: do not spend time and memory on the system's roots.
            builder = builder.tls_certs_only([]);
        }
        let http = builder.build().map_err(|error| Error::Malformed(Error::from(error).to_string()))?;
        Ok(Client { http, base, gates: Gates::default(), silence: SILENCE })
    }

    /// Silence after which a stream counts as dead, for tests of exactly that.
    pub fn with_silence(mut self, silence: Duration) -> Client {
        self.silence = silence;
        self
    }

    /// Who we are, and what the token may do.
    pub async fn account(&self) -> Result<Account, Error> {
        let response = self.call(Kind::Account, CALL_TIMEOUT, self.get("api/account")).await?;
        let header = response.headers().get("x-oauth-scopes").and_then(|scopes| scopes.to_str().ok());
        let words = header.unwrap_or("").split([',', ' ']).filter(|word| !word.is_empty());
        let scopes = words.map(str::to_string).collect();
        let account: Value = response.json().await?;
        let name = |key| text(&account, key);
        let id = name("id").or_else(|| name("username")).unwrap_or_default();
        Ok(Account {
            id: id.parse().map_err(|error| Error::Malformed(format!("the server's account: {error}")))?,
            username: name("username").unwrap_or(id),
            title: name("title"),
            scopes,
        })
    }

    /// Makes the account a bot, for ever. `Rejected(400)` if it has played games before.
    pub async fn upgrade(&self) -> Result<(), Error> {
        self.act(Kind::Account, self.post("api/bot/account/upgrade")).await
    }

    /// The games that run at this moment, the most urgent first (at most 50).
    pub async fn playing(&self) -> Result<Vec<GameInfo>, Error> {
        let request = self.get("api/account/playing").query(&[("nb", "50")]);
        let list: Value = self.call(Kind::Account, CALL_TIMEOUT, request).await?.json().await?;
        let games = list.get("nowPlaying").and_then(Value::as_array);
        let games = games.ok_or_else(|| Error::Malformed("no list of running games".to_string()))?;
        // A game that cannot be read is not worth losing the others for.
        Ok(games.iter().filter_map(|game| GameInfo::read(game).ok()).collect())
    }

    /// Opens the account's event stream; the server closes an older one.
    pub async fn account_events(&self) -> Result<EventStream<AccountEvent>, Error> {
        self.open(Kind::EventStream, "api/stream/event").await
    }

    /// Opens a game's stream. `Rejected(404)` if there is no such game, `Rejected(400)` if it is not
    /// for bots.
    pub async fn game_events(&self, id: &GameId) -> Result<EventStream<GameEvent>, Error> {
        self.open(Kind::GameStream, &format!("api/bot/game/stream/{id}")).await
    }

    /// Plays a move. `Rejected(400)` if it is not our turn (the move may be in already) or illegal.
    /// `Ok` does not mean that it was in time: the stream tells.
    pub async fn play(&self, id: &GameId, uci: &str, offering_draw: bool) -> Result<(), Error> {
        let mut request = self.post(&format!("api/bot/game/{id}/move/{uci}"));
        if offering_draw {
            request = request.query(&[("offeringDraw", "true")]);
        }
        self.call(Kind::Move, MOVE_TIMEOUT, request).await.map(drop)
    }

    /// Says something, cut to the 140 characters that the server takes.
    pub async fn chat(&self, id: &GameId, room: Room, text: &str) -> Result<(), Error> {
        let room = if room == Room::Player { "player" } else { "spectator" };
        let text: String = text.chars().take(CHAT_LENGTH).collect();
        let request = self.post(&format!("api/bot/game/{id}/chat"));
        self.act(Kind::Chat, request.form(&[("room", room), ("text", &text)])).await
    }

    /// `Rejected(400)` once both sides have moved.
    pub async fn abort(&self, id: &GameId) -> Result<(), Error> {
        self.game_action(id, "abort").await
    }

    /// Before two plies this aborts instead. `Rejected(400)` once the game is over.
    pub async fn resign(&self, id: &GameId) -> Result<(), Error> {
        self.game_action(id, "resign").await
    }

    /// Accepts or declines a standing draw offer. Accepting one that has lapsed makes one of our own.
    pub async fn answer_draw(&self, id: &GameId, accept: bool) -> Result<(), Error> {
        self.game_action(id, if accept { "draw/yes" } else { "draw/no" }).await
    }

    /// Accepts or declines a proposed takeback. Accepting one that has lapsed proposes our own.
    pub async fn answer_takeback(&self, id: &GameId, accept: bool) -> Result<(), Error> {
        self.game_action(id, if accept { "takeback/yes" } else { "takeback/no" }).await
    }

    /// `Rejected(400)` if the opponent has not been gone for long enough.
    pub async fn claim_victory(&self, id: &GameId) -> Result<(), Error> {
        self.game_action(id, "claim-victory").await
    }

    /// `Rejected(400)` if the opponent has not been gone for long enough.
    pub async fn claim_draw(&self, id: &GameId) -> Result<(), Error> {
        self.game_action(id, "claim-draw").await
    }

    /// `Rejected(404)` if the challenge is gone, `Rejected(400)` if it was cancelled.
    pub async fn accept_challenge(&self, id: &GameId) -> Result<(), Error> {
        self.act(Kind::Challenge, self.post(&format!("api/challenge/{id}/accept"))).await
    }

    /// `Rejected(404)` if the challenge is gone.
    pub async fn decline_challenge(&self, id: &GameId, reason: DeclineReason) -> Result<(), Error> {
        let request = self.post(&format!("api/challenge/{id}/decline"));
        self.act(Kind::Challenge, request.form(&[("reason", reason.key())])).await
    }

    /// Withdraws a challenge of ours, or aborts the game if it has just become one.
    pub async fn cancel_challenge(&self, id: &GameId) -> Result<(), Error> {
        self.act(Kind::Challenge, self.post(&format!("api/challenge/{id}/cancel"))).await
    }

    async fn game_action(&self, id: &GameId, action: &str) -> Result<(), Error> {
        self.act(Kind::GameAction, self.post(&format!("api/bot/game/{id}/{action}"))).await
    }

    async fn act(&self, kind: Kind, request: RequestBuilder) -> Result<(), Error> {
        self.call(kind, CALL_TIMEOUT, request).await.map(drop)
    }

    async fn open<T: Line>(&self, kind: Kind, path: &str) -> Result<EventStream<T>, Error> {
        self.gates.pass(kind)?;
        let opening = tokio::time::timeout(OPEN_TIMEOUT, self.get(path).send());
        let response =
            opening.await.map_err(|_| Error::Offline("the stream did not open in time".into()))??;
        let response = self.check(kind, response).await?;
        Ok(EventStream::new(response, self.silence))
    }

    /// The one place through which every single call goes.
    async fn call(&self, kind: Kind, timeout: Duration, request: RequestBuilder) -> Result<Response, Error> {
        self.gates.pass(kind)?;
        let response = request.timeout(timeout).send().await?;
        self.check(kind, response).await
    }

    async fn check(&self, kind: Kind, response: Response) -> Result<Response, Error> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let retry_after =
            response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        // Without its body the status still counts.
        let body = tokio::time::timeout(CALL_TIMEOUT, response.text()).await;
        let body = body.ok().and_then(Result::ok).unwrap_or_default();
        let error = Error::from_response(status.as_u16(), retry_after, &body);
        self.gates.note(kind, &error);
        Err(error)
    }

    fn get(&self, path: &str) -> RequestBuilder {
        self.request(Method::GET, path)
    }

    fn post(&self, path: &str) -> RequestBuilder {
        self.request(Method::POST, path)
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let mut url = self.base.clone();
        url.set_path(path);
        self.http.request(method, url)
    }
}

fn base_url(text: &str) -> Result<Url, Error> {
    let refused = |reason: &str| Error::Malformed(format!("lichess.url {text:?}: {reason}"));
    let url = Url::parse(text).map_err(|error| refused(&error.to_string()))?;
    let is_bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        Err(refused("an http or https address is needed, such as https://lichess.org"))
    } else if !is_bare || !url.username().is_empty() || url.password().is_some() {
        Err(refused("only scheme, host and port are allowed, such as https://lichess.org"))
    } else {
        Ok(url)
    }
}

fn authorization(token: &Token) -> Result<HeaderMap, Error> {
    let refused =
        || Error::Malformed("lichess.token: letters, digits and _ are allowed, up to 512".to_string());
    if !token.is_well_formed() {
        return Err(refused());
    }
    let mut value = HeaderValue::from_str(&format!("Bearer {}", token.0)).map_err(|_| refused())?;
    value.set_sensitive(true);
    Ok(HeaderMap::from_iter([(AUTHORIZATION, value)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bare_http_address_is_taken() {
        for url in ["https://lichess.org", "https://lichess.org/", "http://127.0.0.1:8080", "http://[::1]:9"]
        {
            assert!(base_url(url).is_ok(), "{url}");
        }
        for url in [
            "",
            "lichess.org",
            "ftp://lichess.org",
            "https://lichess.org/api",
            "https://a:b@lichess.org",
            "https://lichess.org/?x",
            "http://",
        ] {
            assert!(matches!(base_url(url), Err(Error::Malformed(_))), "{url}");
        }
    }

    #[test]
    fn tokens_are_checked_and_never_shown() {
        for (token, expected) in
            [("lip_abcDEF123", true), ("", false), ("lip abc", false), ("lip_é", false), ("lip_x\n", false)]
        {
            assert_eq!(Token::new(token).is_well_formed(), expected, "{token:?}");
        }
        assert!(
            Token::new("x".repeat(512)).is_well_formed() && !Token::new("x".repeat(513)).is_well_formed()
        );
        let options = LichessOptions { token: Token::new("lip_secret"), ..LichessOptions::default() };
        assert!(!format!("{options:?}").contains("secret"));
        let broken = LichessOptions { token: Token::new("lip_secret\n"), ..options };
        let error = Client::new(&broken).err().expect("a broken token");
        assert!(!format!("{error} {error:?}").contains("secret"), "{error}");
    }
}
