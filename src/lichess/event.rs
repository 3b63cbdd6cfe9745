//! What the two streams say, parsed loosely: unknown fields and types never end a stream.

use std::time::Duration;

/// Id of a game, a challenge or a rematch: eight letters and digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GameId(String);

impl GameId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Id of a user: the name in lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UserId(String);

impl UserId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The side a player has in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    White,
    Black,
}

/// One line of the account's event stream.
#[derive(Clone, Debug, PartialEq)]
pub enum AccountEvent {
    GameStart(GameInfo),
    GameFinish(GameInfo),
    Challenge(Challenge),
    ChallengeCanceled(Challenge),
    ChallengeDeclined(Challenge),
    /// A type that is not known yet.
    Unknown(String),
}

/// A game as the event stream and the list of running games tell of it.
#[derive(Clone, Debug, PartialEq)]
pub struct GameInfo {
    pub id: GameId,
    pub side: Option<Side>,
    pub opponent: Player,
    pub variant: String,
    /// `bullet`, `blitz`, `rapid`, `classical`, `correspondence`; empty if not told.
    pub speed: String,
    pub rated: bool,
    pub is_my_turn: bool,
    /// Whether the Bot API can play it.
    pub bot_compatible: bool,
    pub status: Status,
    pub winner: Option<Side>,
    /// `friend`, `arena`, …; empty if not told.
    pub source: String,
}

/// A player of a game or challenge. The built-in engine has no id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Player {
    pub id: Option<UserId>,
    /// Display name without title; for the built-in engine "Stockfish level N".
    pub name: String,
    pub title: Option<String>,
    pub rating: Option<u32>,
    /// Level of the built-in engine.
    pub ai_level: Option<u32>,
}

impl Player {
    pub fn is_bot(&self) -> bool {
        self.title.as_deref() == Some("BOT")
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Challenge {
    pub id: GameId,
    /// `None` for an open or anonymous challenge.
    pub challenger: Option<Player>,
    pub destination: Option<Player>,
    pub variant: String,
    pub rated: bool,
    /// `ultraBullet`, `bullet`, `blitz`, `rapid`, `classical`, `correspondence`.
    pub speed: String,
    pub time_control: TimeControl,
    /// A custom start position.
    pub initial_fen: Option<String>,
    /// `noAbort`, `noRematch`, …
    pub rules: Vec<String>,
    pub rematch_of: Option<GameId>,
    /// `Some(false)` when the server says the Bot API cannot play it.
    pub bot_compatible: Option<bool>,
    pub decline_reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeControl {
    Clock {
        initial: Duration,
        increment: Duration,
    },
    Correspondence {
        days_per_turn: u32,
    },
    Unlimited,
    /// A type that is not known yet.
    Unknown(String),
}

/// How far a game is. Everything but `Created` and `Started` is over, unknown names included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    Created,
    Started,
    /// The server's name for it: `mate`, `resign`, `aborted`, …
    Over(String),
}

impl Status {
    pub fn is_over(&self) -> bool {
        matches!(self, Status::Over(_))
    }
}

/// One line of a game's stream.
#[derive(Clone, Debug, PartialEq)]
pub enum GameEvent {
    Full(Box<GameFull>),
    State(GameState),
    Chat(ChatLine),
    OpponentGone {
        gone: bool,
        claim_win_in: Option<Duration>,
    },
    /// A type that is not known yet.
    Unknown(String),
}

/// The first line of a game's stream.
#[derive(Clone, Debug, PartialEq)]
pub struct GameFull {
    pub id: GameId,
    pub variant: String,
    pub speed: String,
    pub rated: bool,
    /// Unix time in milliseconds.
    pub created_at: i64,
    pub white: Player,
    pub black: Player,
    /// `startpos` or a FEN.
    pub initial_fen: String,
    /// Absent in correspondence and unlimited games.
    pub clock: Option<GameClock>,
    pub days_per_turn: Option<u32>,
    pub tournament_id: Option<String>,
    pub state: GameState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameClock {
    pub initial: Duration,
    pub increment: Duration,
}

/// The complete state of a game; never a difference to the one before.
#[derive(Clone, Debug, PartialEq)]
pub struct GameState {
    /// All moves in UCI, separated by spaces.
    pub moves: String,
    /// Left when the line was made. `None` in an unlimited game (2 147 483 647 on the wire).
    pub white_time: Option<Duration>,
    pub black_time: Option<Duration>,
    pub white_increment: Duration,
    pub black_increment: Duration,
    pub status: Status,
    pub winner: Option<Side>,
    pub white_offers_draw: bool,
    pub black_offers_draw: bool,
    pub white_proposes_takeback: bool,
    pub black_proposes_takeback: bool,
    /// Left until the server ends the game if the first move is not made.
    pub first_move_expires_in: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatLine {
    /// `player` or `spectator`.
    pub room: String,
    pub username: String,
    pub text: String,
}
