//! What the server knows: the account, its challenges, its games and who is listening.

use super::audit::{Violation, ViolationKind};
use super::challenge::{Challenge, ChallengeEnd};
use super::game::Game;
use super::opponent::Opponent;
use super::reply::Refusal;
use super::server::PracticeOptions;
use super::setup::{ChallengeRequest, PlayerInfo, Start};
use super::stream::Feed;
use super::terms::{MoveRefusal, Room, Setup};
use super::wire;
use crate::engine::{Color, FenError, Position};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokio::time::Instant;

/// Something said in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatRecord {
    pub room: Room,
    pub username: String,
    pub text: String,
}

/// A game as it stands, for whoever looks on.
#[derive(Clone, Debug)]
pub struct GameRecord {
    pub id: String,
    /// The server's word: `started`, `mate`, `aborted`, …
    pub status: &'static str,
    pub winner: Option<Color>,
    /// The side of the bot.
    pub bot: Color,
    pub initial_fen: String,
    /// In UCI notation.
    pub moves: Vec<String>,
    pub position: Position,
    pub chat: Vec<ChatRecord>,
}

impl GameRecord {
    pub fn bot_won(&self) -> bool {
        self.winner == Some(self.bot)
    }
}

/// A game with those who listen to it.
pub struct Table {
    pub game: Game,
    pub listeners: Vec<Listener>,
    pub end_is_told: bool,
}

pub struct Listener {
    pub user_agent: String,
    pub feed: Feed,
}

/// All state of the server. One lock guards it, and no lock is held across a wait.
pub struct Lobby {
    pub options: PracticeOptions,
    /// Address of the server, without a path.
    pub url: String,
    pub account: PlayerInfo,
    pub token_is_revoked: bool,
    rng: fastrand::Rng,
    pub(super) challenges: BTreeMap<String, Challenge>,
    pub(super) tables: BTreeMap<String, Table>,
    pub(super) account_feed: Option<Feed>,
    violations: Vec<Violation>,
}

impl Lobby {
    pub fn new(options: PracticeOptions, url: String) -> Lobby {
        let seed = if options.seed == 0 { fastrand::u64(..) } else { options.seed };
        Lobby {
            account: options.account.clone(),
            options,
            url,
            token_is_revoked: false,
            rng: fastrand::Rng::with_seed(seed),
            challenges: BTreeMap::new(),
            tables: BTreeMap::new(),
            account_feed: None,
            violations: Vec::new(),
        }
    }

    pub fn note(&mut self, violation: Violation) {
        self.violations.push(violation);
    }

    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    fn new_id(&mut self) -> String {
        loop {
            let id: String = (0..8).map(|_| self.rng.alphanumeric()).collect();
            if !self.challenges.contains_key(&id) && !self.tables.contains_key(&id) {
                return id;
            }
        }
    }
}

// Challenges.
impl Lobby {
    pub fn challenge(&mut self, request: ChallengeRequest) -> Result<String, FenError> {
        let challenge = self.prepare(request)?;
        let (id, event) = (challenge.id.clone(), self.challenge_event("challenge", &challenge, true));
        self.challenges.insert(id.clone(), challenge);
        self.tell_account(event);
        Ok(id)
    }

    fn prepare(&mut self, request: ChallengeRequest) -> Result<Challenge, FenError> {
        let start = Start::of(request.variant, request.fen.as_deref(), &mut self.rng)?;
        let lot = if self.rng.bool() { Color::White } else { Color::Black };
        let challenger_color = request.color.unwrap_or(lot);
        Ok(Challenge { id: self.new_id(), request, start, challenger_color, end: None })
    }

    pub(super) fn challenge_event(&self, kind: &str, challenge: &Challenge, with_compat: bool) -> Value {
        challenge.event(kind, &self.url, &self.account, with_compat)
    }

    /// The bot takes a challenge. What comes back is the opponent, who now needs a driver.
    pub fn accept(&mut self, id: &str, now: Instant) -> Result<Box<dyn Opponent>, Refusal> {
        let challenge = self.open_challenge(id)?;
        if challenge.request.time_control.speed() == "ultraBullet" {
            return Err(Refusal::bad_request("Game incompatible with a BOT account"));
        }
        challenge.end = Some(ChallengeEnd::Accepted);
        let play = std::mem::replace(&mut challenge.request.play, Box::new(super::Scripted::silent()));
        let challenge = self.challenges.remove(id).expect("the challenge was found above");
        self.seat(&challenge, now);
        self.challenges.insert(id.to_string(), challenge);
        Ok(play)
    }

    pub fn decline(&mut self, id: &str, reason: &str) -> Result<(), Refusal> {
        if !self.open_challenge(id)?.decline(reason) {
            self.violations.push(Violation::new(ViolationKind::UnknownDeclineReason, id, reason));
        }
        self.tell_of_challenge("challengeDeclined", id);
        Ok(())
    }

    /// The challenger takes it back.
    pub fn cancel(&mut self, id: &str) -> Result<(), Refusal> {
        self.open_challenge(id)?.end = Some(ChallengeEnd::Canceled);
        self.tell_of_challenge("challengeCanceled", id);
        Ok(())
    }

    pub fn challenge_end(&self, id: &str) -> Option<ChallengeEnd> {
        self.challenges.get(id)?.end.clone()
    }

    pub fn challenge_json(&self, id: &str) -> Option<Value> {
        let challenge = self.challenges.get(id)?;
        let mut json = challenge.json(&self.url, &self.account);
        json["direction"] = json!("in");
        Some(json)
    }

    pub fn open_challenges(&self) -> Vec<Value> {
        let open = self.challenges.values().filter(|challenge| challenge.end.is_none());
        open.filter_map(|challenge| self.challenge_json(&challenge.id)).collect()
    }

    fn open_challenge(&mut self, id: &str) -> Result<&mut Challenge, Refusal> {
        let gone = || Refusal::not_found("Not found");
        let challenge = self.challenges.get_mut(id).ok_or_else(gone)?;
        match &challenge.end {
            None => Ok(challenge),
            Some(ChallengeEnd::Accepted) => Err(gone()),
            Some(ChallengeEnd::Canceled) => Err(Refusal::bad_request("The challenge has been canceled.")),
            Some(ChallengeEnd::Declined(_)) => Err(Refusal::bad_request("The challenge has been declined.")),
        }
    }

    fn tell_of_challenge(&self, kind: &str, id: &str) {
        if let Some(challenge) = self.challenges.get(id) {
            self.tell_account(self.challenge_event(kind, challenge, false));
        }
    }
}

// Games.
impl Lobby {
    /// A game that is simply there, without a challenge before it.
    pub fn start(
        &mut self,
        request: ChallengeRequest,
        now: Instant,
    ) -> Result<(String, Box<dyn Opponent>), FenError> {
        let mut challenge = self.prepare(request)?;
        let play = std::mem::replace(&mut challenge.request.play, Box::new(super::Scripted::silent()));
        self.seat(&challenge, now);
        Ok((challenge.id, play))
    }

    fn seat(&mut self, challenge: &Challenge, now: Instant) {
        let request = &challenge.request;
        let mut players = [request.opponent.clone(), self.account.clone()];
        if challenge.challenger_color == Color::Black {
            players.reverse();
        }
        let setup = Setup {
            id: challenge.id.clone(),
            players,
            bot: !challenge.challenger_color,
            start: challenge.start.clone(),
            time_control: request.time_control,
            rated: request.rated,
            rules: request.rules.clone(),
            first_move: request.first_move,
            allows_takebacks: self.options.allows_takebacks,
            claim_after: self.options.claim_after,
            king_step_castling: self.options.king_step_castling,
        };
        let game = Game::new(setup, now);
        self.tell_account(wire::event("gameStart", &game, now));
        let table = Table { game, listeners: Vec::new(), end_is_told: false };
        self.tables.insert(challenge.id.clone(), table);
    }

    pub fn game(&self, id: &str) -> Option<&Game> {
        self.tables.get(id).map(|table| &table.game)
    }

    pub fn has_games(&self) -> bool {
        !self.tables.is_empty()
    }

    pub fn has_running_games(&self) -> bool {
        self.tables.values().any(|table| !table.game.is_over())
    }

    pub fn record(&self, id: &str) -> Option<GameRecord> {
        let game = self.game(id)?;
        let chat = game.chat().iter().map(|(room, username, text)| ChatRecord {
            room: *room,
            username: username.clone(),
            text: text.clone(),
        });
        Some(GameRecord {
            id: id.to_string(),
            status: game.status().name(),
            winner: game.winner(),
            bot: game.setup.bot,
            initial_fen: game.setup.start.initial_fen.clone(),
            moves: game.uci_moves(),
            position: game.position().clone(),
            chat: chat.collect(),
        })
    }

    /// Changes a game and tells everybody what came of it.
    pub fn change<T>(&mut self, id: &str, change: impl FnOnce(&mut Game) -> T) -> Result<T, Refusal> {
        let table = self.tables.get_mut(id).ok_or_else(|| Refusal::not_found("No such game"))?;
        let outcome = change(&mut table.game);
        self.tell_of(id, Instant::now());
        Ok(outcome)
    }

    /// A move of the bot.
    pub fn play(
        &mut self,
        id: &str,
        uci: &str,
        offering_draw: Option<bool>,
        now: Instant,
    ) -> Result<(), Refusal> {
        let played = self.change(id, |game| game.play(game.setup.bot, uci, offering_draw, now))?;
        played.map_err(|refusal| {
            self.audit_move(id, uci, &refusal, now);
            Refusal::from(refusal)
        })
    }

    fn audit_move(&mut self, id: &str, uci: &str, refusal: &MoveRefusal, now: Instant) {
        let violation = self.game(id).and_then(|game| Violation::of_move(game, uci, refusal, now));
        self.violations.extend(violation);
    }

    /// Says something as the bot.
    pub fn say(&mut self, id: &str, room: Room, text: &str) -> Result<(), Refusal> {
        if text.chars().count() > 140 {
            self.note(Violation::new(ViolationKind::ChatTooLong, id, text));
            return Err(Refusal::field("text", "Maximum length is 140"));
        }
        if text.trim().is_empty() {
            return Err(Refusal::field("text", "This field is required"));
        }
        // The server drops what bots say with a link in it, and says that it is fine.
        let has_link = ["http://", "https://", "www."].iter().any(|link| text.contains(link));
        let name = self.account.name.clone();
        self.change(id, |game| {
            if !has_link {
                game.say(&name, room, text)
            }
        })
    }

    pub fn next_deadline(&self) -> Option<Instant> {
        self.tables.values().filter_map(|table| table.game.next_deadline()).min()
    }

    /// Lets happen what is due in all games.
    pub fn tick(&mut self, now: Instant) {
        let ids: Vec<String> = self.tables.keys().cloned().collect();
        for id in ids {
            self.change(&id, |game| game.tick(now)).expect("games are never removed");
        }
    }
}
