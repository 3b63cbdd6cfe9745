//! The door: starts the server on 127.0.0.1, and does and asks what a test or `demo` needs.

use super::audit::Violation;
use super::challenge::ChallengeEnd;
use super::driver;
use super::game::MoveRefusal;
use super::lobby::{GameRecord, Lobby};
use super::opponent::OpponentAction;
use super::routes;
use super::setup::{ChallengeRequest, PlayerInfo};
use super::shared::Shared;
use super::stream::{Cut, StreamManners};
use crate::engine::FenError;
use axum::serve::ListenerExt;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::Instant;

/// How the server and the account on it are.
#[derive(Clone)]
pub struct PracticeOptions {
    /// 0 for any free one.
    pub port: u16,
    /// The account that plays through the API; without the title BOT it is not upgraded yet.
    pub account: PlayerInfo,
    /// The account's API token, made up anew at each start by default.
    pub token: String,
    /// What the token is good for.
    pub scopes: Vec<String>,
    /// Games that the account had played before; with any it cannot become a bot.
    pub games_played: u32,
    /// Whether the account's settings allow takebacks. On the site new bots do not.
    pub allows_takebacks: bool,
    /// Time between two keep-alives of a stream.
    pub keep_alive: Duration,
    /// How long an opponent has to be away before its game can be claimed; `None` for the site's
    /// rule, from half a minute to five.
    pub claim_after: Option<Duration>,
    /// Writes castling in standard games as the king's two-square step, as older servers did.
    pub king_step_castling: bool,
    /// Adds fields that no client knows to everything on the streams.
    pub unknown_fields: bool,
    /// Cuts the streams into pieces of this many bytes; 0 leaves lines whole.
    pub piece_bytes: usize,
    /// Seed of ids, colours and Chess960 positions; 0 for different ones at each start.
    pub seed: u64,
}

impl Default for PracticeOptions {
    fn default() -> Self {
        let random: String = (0..16).map(|_| fastrand::alphanumeric()).collect();
        Self {
            port: 0,
            account: PlayerInfo::bot("Tabiya", 2000),
            token: format!("lip_{random}"),
            scopes: vec!["bot:play".to_string()],
            games_played: 0,
            allows_takebacks: true,
            keep_alive: Duration::from_secs(7),
            claim_after: None,
            king_step_castling: false,
            unknown_fields: false,
            piece_bytes: 0,
            seed: 0,
        }
    }
}

impl PracticeOptions {
    pub(super) fn stream_manners(&self) -> StreamManners {
        StreamManners {
            keep_alive: self.keep_alive,
            unknown_fields: self.unknown_fields,
            piece_bytes: self.piece_bytes,
        }
    }
}

/// A running server; dropping it stops it.
pub struct PracticeServer {
    shared: Arc<Shared>,
    url: String,
    token: String,
    stop: watch::Sender<bool>,
}

impl PracticeServer {
    /// Opens the port. An error is the operating system's.
    pub async fn start(options: PracticeOptions) -> io::Result<PracticeServer> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let token = options.token.clone();
        let shared = Shared::new(Lobby::new(options, url.clone()));
        shared.spawn(shared.clone().keep_time());
        let (stop, mut stopped) = watch::channel(false);
        let without_delay = listener.tap_io(|stream| {
            // A socket that cannot be told so is only slower.
            let _ = stream.set_nodelay(true);
        });
        let serving = axum::serve(without_delay, routes::router(shared.clone()))
            .with_graceful_shutdown(async move { drop(stopped.wait_for(|&stopped| stopped).await) });
        tokio::spawn(serving.into_future());
        Ok(PracticeServer { shared, url, token, stop })
    }

    /// Address of the server, without a path.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The token of the account that plays.
    pub fn token(&self) -> &str {
        &self.token
    }
}

impl Drop for PracticeServer {
    fn drop(&mut self) {
        self.shared.stop_tasks();
        self.shared.change(|lobby| lobby.end_all_streams(Cut::Broken));
        self.stop.send_replace(true);
    }
}

// Doing.
impl PracticeServer {
    /// Challenges the bot; the id is the challenge's and later the game's.
    pub fn challenge(&self, request: ChallengeRequest) -> Result<String, FenError> {
        self.shared.change(|lobby| lobby.challenge(request))
    }

    pub fn cancel_challenge(&self, id: &str) {
        // Answered already, it cannot be taken back; that is the caller's to see.
        let _ = self.shared.change(|lobby| lobby.cancel(id));
    }

    /// Starts a game that the bot was not asked about: it is simply there.
    pub fn start_game(&self, request: ChallengeRequest) -> Result<String, FenError> {
        let (id, opponent) = self.shared.change(|lobby| lobby.start(request, Instant::now()))?;
        self.shared.drive(&id, opponent);
        Ok(id)
    }

    /// Does something as the opponent, whoever's turn it is.
    pub fn act(&self, id: &str, action: OpponentAction) -> Result<(), MoveRefusal> {
        let now = Instant::now();
        let outcome = self.shared.change(|lobby| lobby.change(id, |game| driver::act(game, action, now)));
        outcome.expect("the game exists")
    }

    /// Brings an opponent back who has left.
    pub fn opponent_returns(&self, id: &str) {
        let now = Instant::now();
        let outcome = self.shared.change(|lobby| lobby.change(id, |game| game.opponent_returns(now)));
        outcome.expect("the game exists");
    }

    /// Puts a line of any kind on the event stream.
    pub fn inject_account_line(&self, line: &str) {
        self.shared.look(|lobby| lobby.account_feed().into_iter().for_each(|feed| feed.push_raw(line)));
    }

    /// Puts a line of any kind on a game's stream.
    pub fn inject_game_line(&self, id: &str, line: &str) {
        self.shared.look(|lobby| lobby.game_feeds(id).for_each(|feed| feed.push_raw(line)));
    }

    pub fn cut_account_stream(&self, how: Cut) {
        self.shared.change(|lobby| lobby.account_feed().into_iter().for_each(|feed| feed.end(how)));
    }

    pub fn cut_game_stream(&self, id: &str, how: Cut) {
        self.shared.change(|lobby| lobby.game_feeds(id).for_each(|feed| feed.end(how)));
    }

    /// From now on the token is unknown; open streams go on.
    pub fn revoke_token(&self) {
        self.shared.change(|lobby| lobby.token_is_revoked = true);
    }
}

// Asking and waiting.
impl PracticeServer {
    pub fn record(&self, id: &str) -> Option<GameRecord> {
        self.shared.look(|lobby| lobby.record(id))
    }

    pub fn has_running_games(&self) -> bool {
        self.shared.look(Lobby::has_running_games)
    }

    pub fn account_title(&self) -> Option<String> {
        self.shared.look(|lobby| lobby.account.title.clone())
    }

    /// Everything the client did that the protocol forbids.
    pub fn violations(&self) -> Vec<Violation> {
        self.shared.look(|lobby| lobby.violations().to_vec())
    }

    /// Waits until there is something that the protocol forbids.
    pub async fn violated(&self) -> Vec<Violation> {
        let any = |lobby: &Lobby| Some(lobby.violations().to_vec()).filter(|list| !list.is_empty());
        self.shared.until(any).await
    }

    /// Waits until the event stream is open.
    pub async fn online(&self) {
        self.shared.until(|lobby| lobby.account_is_heard().then_some(())).await;
    }

    /// Waits until the event stream is closed.
    pub async fn offline(&self) {
        self.shared.until(|lobby| (!lobby.account_is_heard()).then_some(())).await;
    }

    /// Waits until a game's stream is open.
    pub async fn watched(&self, id: &str) {
        self.shared.until(|lobby| lobby.game_is_heard(id).then_some(())).await;
    }

    /// Waits until a challenge has been answered or taken back.
    pub async fn answered(&self, id: &str) -> ChallengeEnd {
        self.shared.until(|lobby| lobby.challenge_end(id)).await
    }

    /// Waits for a moment in a game.
    pub async fn when(&self, id: &str, is_so: impl Fn(&GameRecord) -> bool) -> GameRecord {
        self.shared.until(|lobby| lobby.record(id).filter(&is_so)).await
    }

    /// Waits until a game has this many plies, or more.
    pub async fn plies(&self, id: &str, plies: usize) -> GameRecord {
        self.when(id, |record| record.moves.len() >= plies).await
    }

    /// Waits for the end of a game.
    pub async fn finished(&self, id: &str) -> GameRecord {
        self.when(id, |record| record.status != "started").await
    }
}
