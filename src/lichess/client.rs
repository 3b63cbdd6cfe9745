//! One short method per endpoint; one place for authorization, route and status.
//!
//! Every call is one attempt with a time-out of its own; the caller repeats it. Any of them may fail
//! with `Offline`, `RateLimited` (also without a request, while the gate of its kind is closed) and
//! `Unauthorized`; what else to expect stands at the method.

use super::error::{Error, chain, http_date, retry_after};
use super::event::{AccountEvent, GameEvent, GameId, GameInfo, UserId};
use super::offer::{Offer, OnlineBot};
use super::options::{LichessOptions, Token, authorization, base_url, is_this_machine};
use super::pace::Pace;
use super::read::text;
use super::retry::{Gates, Kind};
use super::stream::{EventStream, Line};
use jiff::Timestamp;
use reqwest::header::{DATE, HeaderName, LOCATION, RETRY_AFTER};
use reqwest::{Method, RequestBuilder, Response, Url};
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// A move has to be known to be in long before the clock runs out: its caller may want less than this.
const MOVE_TIMEOUT: Duration = Duration::from_secs(4);
/// Any other single call.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Until a stream's headers are here.
const OPEN_TIMEOUT: Duration = Duration::from_secs(10);
/// Idle connections are kept for less time than servers usually keep them.
const POOL_IDLE: Duration = Duration::from_secs(50);
/// The explanation of a refusal is not worth a longer wait …
const REASON_TIMEOUT: Duration = Duration::from_secs(2);
/// … nor more bytes than these.
const REASON_LENGTH: usize = 16 << 10;
/// Longest chat line that the server takes, in characters as it counts them: units of UTF-16.
const CHAT_LENGTH: usize = 140;

/// The account that a token belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub id: UserId,
    /// The name as the site shows it.
    pub username: String,
    pub title: Option<String>,
    /// What the token may do; empty if the server did not say.
    pub scopes: Vec<String>,
    /// The server's clock when it answered, in whole seconds.
    pub server_time: Option<Timestamp>,
}

impl Account {
    pub fn is_bot(&self) -> bool {
        self.title.as_deref() == Some("BOT")
    }

    /// Whether the token is good for playing, as far as the server said.
    pub fn may_play(&self) -> bool {
        self.scopes.is_empty() || self.scopes.iter().any(|scope| scope == "bot:play")
    }
}

const SCOPES: HeaderName = HeaderName::from_static("x-oauth-scopes");

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

/// The games that run at one moment, the most urgent first.
#[derive(Clone, Debug, PartialEq)]
pub struct Playing {
    pub games: Vec<GameInfo>,
    /// There is no other: the server lists so many at most, and all of them could be read.
    pub is_complete: bool,
}

/// Games that the server lists at most.
const MOST_PLAYING: usize = 50;

/// The door to the server. Cloning is cheap; clones share connections and gates.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    /// Kept to strike it out of what the server says.
    token: Token,
    gates: Gates,
    pace: Pace,
}

impl Client {
    /// # Errors
    /// `Malformed` if the address or the token cannot be used (neither is sent anywhere), or if the
    /// system has no CA certificates for an https address.
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
        if is_this_machine(&base) {
            // The environment's proxy has no way back to us.
            builder = builder.no_proxy();
        }
        let http = builder.build().map_err(|error| Error::Malformed(no_tls(error)))?;
        let (token, pace) = (options.token.clone(), Pace::new(options.moves_per_minute));
        Ok(Client { http, base, token, gates: Gates::default(), pace })
    }

    /// Who we are, and what the token may do.
    pub async fn account(&self) -> Result<Account, Error> {
        let response = self.call(Kind::Account, CALL_TIMEOUT, self.get("api/account")).await?;
        let scopes = header(&response, SCOPES).unwrap_or_default();
        let words = scopes.split([',', ' ']).filter(|word| !word.is_empty());
        let scopes = words.map(str::to_string).collect();
        let server_time = header(&response, DATE).and_then(http_date);
        let account: Value = response.json().await?;
        let name = |key| text(&account, key);
        let id = name("id").or_else(|| name("username")).unwrap_or_default();
        Ok(Account {
            id: id.parse().map_err(|error| Error::Malformed(format!("the server's account: {error}")))?,
            username: name("username").unwrap_or(id),
            title: name("title"),
            scopes,
            server_time,
        })
    }

    /// Makes the account a bot, for ever. `Rejected(400)` if it has played games before.
    pub async fn upgrade(&self) -> Result<(), Error> {
        self.act(Kind::Account, self.post("api/bot/account/upgrade")).await
    }

    /// The games that run at this moment.
    pub async fn playing(&self) -> Result<Playing, Error> {
        let request = self.get("api/account/playing").query(&[("nb", MOST_PLAYING.to_string())]);
        let list: Value = self.call(Kind::Account, CALL_TIMEOUT, request).await?.json().await?;
        let listed = list.get("nowPlaying").and_then(Value::as_array);
        let listed = listed.ok_or_else(|| Error::Malformed("no list of running games".to_string()))?;
        // A game that cannot be read is not worth losing the others for.
        let games: Vec<GameInfo> = listed.iter().filter_map(|game| GameInfo::read(game).ok()).collect();
        let is_complete = listed.len() < MOST_PLAYING && games.len() == listed.len();
        Ok(Playing { games, is_complete })
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
    /// `Ok` does not mean that it was in time: the stream tells. Without an answer the attempt ends
    /// after `patience`, or after four seconds if that is sooner.
    pub async fn play(
        &self,
        id: &GameId,
        uci: &str,
        offering_draw: bool,
        patience: Duration,
    ) -> Result<(), Error> {
        let mut request = self.post(&format!("api/bot/game/{id}/move/{uci}"));
        if offering_draw {
            request = request.query(&[("offeringDraw", "true")]);
        }
        self.call(Kind::Move, patience.min(MOVE_TIMEOUT), request).await.map(drop)
    }

    /// Takes a place for one move among those of all games, and says how long to wait before it is sent,
    /// so that the server's limit on requests is kept.
    pub fn next_move_delay(&self) -> Duration {
        self.pace.next_delay()
    }

    /// Says something, cut to the 140 characters that the server takes.
    pub async fn chat(&self, id: &GameId, room: Room, text: &str) -> Result<(), Error> {
        let room = if room == Room::Player { "player" } else { "spectator" };
        let request = self.post(&format!("api/bot/game/{id}/chat"));
        self.act(Kind::Chat, request.form(&[("room", room), ("text", cut(text))])).await
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

    /// Bots that are online, up to `most` of them. Of a list that is cut off, the beginning.
    pub async fn online_bots(&self, most: usize) -> Result<Vec<OnlineBot>, Error> {
        let request = self.get("api/bot/online").query(&[("nb", most.to_string())]);
        let mut lines = EventStream::new(self.call(Kind::List, CALL_TIMEOUT, request).await?);
        let mut bots = Vec::new();
        loop {
            match lines.next().await {
                Ok(Some(bot)) => bots.push(bot),
                Err(error) if bots.is_empty() => return Err(error),
                Ok(None) | Err(_) => return Ok(bots),
            }
        }
    }

    /// Challenges somebody; the challenge stands for about 20 seconds. `OpponentLimited` if that bot has
    /// played enough for today, `Rejected(400)` if it cannot be challenged to this.
    pub async fn challenge(&self, user: &UserId, offer: &Offer) -> Result<GameId, Error> {
        let request = self.post(&format!("api/challenge/{user}")).form(&offer.fields());
        let answer: Value = self.call(Kind::Offer, CALL_TIMEOUT, request).await?.json().await?;
        // Older servers put it into an object.
        let id = answer.pointer("/challenge/id").or_else(|| answer.get("id")).and_then(Value::as_str);
        let id = id.ok_or_else(|| Error::Malformed("the server's challenge has no id".to_string()))?;
        id.parse().map_err(|error| Error::Malformed(format!("the server's challenge: {error}")))
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
        let opening = timeout(OPEN_TIMEOUT, self.get(path).send()).await;
        let response =
            opening.map_err(|_| Error::Offline("the stream did not open in time".to_string()))??;
        let response = self.check(kind, response).await?;
        Ok(EventStream::new(response))
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
        let pause = header(&response, RETRY_AFTER).and_then(retry_after);
        let error = match header(&response, LOCATION).and_then(elsewhere) {
            Some(text) if status.is_redirection() => Error::Rejected { status: status.as_u16(), text },
            _ => Error::from_response(status.as_u16(), pause, &self.reason(response).await),
        };
        self.gates.note(kind, &error);
        Err(error)
    }

    /// The body of a refusal, as far as it comes soon: without it the status still counts. A proxy may
    /// show the request in it, so the token is struck out.
    async fn reason(&self, mut response: Response) -> String {
        let deadline = Instant::now() + REASON_TIMEOUT;
        let mut body = Vec::new();
        while body.len() < REASON_LENGTH
            && let Ok(Ok(Some(bytes))) = timeout_at(deadline, response.chunk()).await
        {
            body.extend_from_slice(&bytes);
        }
        self.token.strike_out(&String::from_utf8_lossy(&body))
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

fn no_tls(error: reqwest::Error) -> String {
    format!("cannot set up TLS: {}; are the system's CA certificates installed?", chain(error))
}

fn header(response: &Response, name: HeaderName) -> Option<&str> {
    response.headers().get(name)?.to_str().ok()
}

/// Where a redirection leads. It is not followed: the token is for the configured server alone.
fn elsewhere(location: &str) -> Option<String> {
    let server = Url::parse(location).ok()?.origin().ascii_serialization();
    Some(format!("it sends us to {server}; is lichess.url right?"))
}

/// As much of a chat line as the server takes.
fn cut(text: &str) -> &str {
    let units_and_end = |units: &mut usize, (start, c): (usize, char)| {
        *units += c.len_utf16();
        Some((*units, start + c.len_utf8()))
    };
    let prefixes = text.char_indices().scan(0, units_and_end);
    let end = prefixes.take_while(|(units, _)| *units <= CHAT_LENGTH).last().map_or(0, |(_, end)| end);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chat_is_cut_where_the_server_counts() {
        for (text, expected) in [
            ("", 0),
            ("hello", 5),
            (&"ä".repeat(141), 140),
            (&"🐴".repeat(71), 70),
            (&format!("{}🐴x", "x".repeat(139)), 139),
        ] {
            assert_eq!(cut(text).chars().count(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_redirection_names_the_server_alone() {
        let text = elsewhere("https://lichess.org/api/account?x=y").expect("an address");
        assert!(text.contains("https://lichess.org;") && !text.contains("x=y"), "{text}");
        assert_eq!(elsewhere("/login"), None);
    }
}
