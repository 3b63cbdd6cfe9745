//! What the two streams say, parsed loosely: unknown fields and types never end a stream.

use super::read::{flag, milliseconds, number, object, seconds, small, text};
use super::stream::Line;
use serde_json::Value;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// What an unlimited game shows as its clocks, in milliseconds.
const UNLIMITED: Duration = Duration::from_millis(2_147_483_647);

/// Id of a game, a challenge or a rematch: eight letters and digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GameId(String);

impl GameId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for GameId {
    type Err = String;

    /// Accepts the twelve characters of a player's own address too: the first eight are the game's.
    fn from_str(text: &str) -> Result<GameId, String> {
        let is_id = matches!(text.len(), 8 | 12) && text.bytes().all(|b| b.is_ascii_alphanumeric());
        match is_id {
            true => Ok(GameId(text[..8].to_string())),
            false => Err(format!("{text:?} is not the id of a game")),
        }
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
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

impl FromStr for UserId {
    type Err = String;

    /// Accepts a name in any case.
    fn from_str(text: &str) -> Result<UserId, String> {
        let is_name =
            !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        match is_name {
            true => Ok(UserId(text.to_ascii_lowercase())),
            false => Err(format!("{text:?} is not the name of a user")),
        }
    }
}

impl fmt::Display for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The side a player has in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    White,
    Black,
}

impl Side {
    fn read(value: &Value, key: &str) -> Option<Side> {
        match value.get(key)?.as_str()? {
            "white" => Some(Side::White),
            "black" => Some(Side::Black),
            _ => None,
        }
    }
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

impl Line for AccountEvent {
    fn read(line: &[u8]) -> Result<AccountEvent, String> {
        let value = parse(line)?;
        let kind = text(&value, "type").unwrap_or_default();
        let game = || GameInfo::read(value.get("game").unwrap_or(&Value::Null));
        let challenge = || Challenge::read(&value);
        Ok(match kind.as_str() {
            "gameStart" => AccountEvent::GameStart(game()?),
            "gameFinish" => AccountEvent::GameFinish(game()?),
            "challenge" => AccountEvent::Challenge(challenge()?),
            "challengeCanceled" => AccountEvent::ChallengeCanceled(challenge()?),
            "challengeDeclined" => AccountEvent::ChallengeDeclined(challenge()?),
            _ => AccountEvent::Unknown(kind),
        })
    }
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

impl GameInfo {
    pub(super) fn read(game: &Value) -> Result<GameInfo, String> {
        Ok(GameInfo {
            id: id(game, &["gameId", "id", "fullId"])?,
            side: Side::read(game, "color"),
            opponent: object(game, "opponent").map(Player::read).unwrap_or_default(),
            variant: text(game, "variant").unwrap_or_else(standard),
            speed: text(game, "speed").unwrap_or_default(),
            rated: flag(game, "rated"),
            is_my_turn: flag(game, "isMyTurn"),
            bot_compatible: game.pointer("/compat/bot").and_then(Value::as_bool).unwrap_or(true),
            status: Status::read(game),
            winner: Side::read(game, "winner"),
            source: text(game, "source").unwrap_or_default(),
        })
    }
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

impl Player {
    /// Reads `name` or `username`; the latter carries the title in front ("BOT Other").
    fn read(value: &Value) -> Player {
        let ai_level = small(value, "aiLevel").or_else(|| small(value, "ai"));
        let shown = text(value, "name").or_else(|| text(value, "username")).unwrap_or_default();
        let (title, name) = match shown.split_once(' ') {
            Some((title, name)) if ai_level.is_none() => (Some(title.to_string()), name.to_string()),
            _ => (None, shown),
        };
        Player {
            id: text(value, "id").and_then(|id| id.parse().ok()),
            name: match (name.is_empty(), ai_level) {
                (true, Some(level)) => format!("Stockfish level {level}"),
                _ => name,
            },
            title: text(value, "title").or(title),
            rating: small(value, "rating"),
            ai_level,
        }
    }
}

/// The name with its title in front, as the site shows it.
impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.name.is_empty() { "Anonymous" } else { &self.name };
        match &self.title {
            Some(title) => write!(f, "{title} {name}"),
            None => f.write_str(name),
        }
    }
}

/// A challenge, to us or from us.
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
    /// The side that the challenger gets, if it is settled.
    pub challenger_side: Option<Side>,
    /// A custom start position.
    pub initial_fen: Option<String>,
    /// `noAbort`, `noRematch`, …
    pub rules: Vec<String>,
    pub rematch_of: Option<GameId>,
    /// `Some(false)` when the server says the Bot API cannot play it.
    pub bot_compatible: Option<bool>,
    pub decline_reason: Option<String>,
}

impl Challenge {
    /// Reads the whole event: `compat` stands beside the challenge.
    fn read(event: &Value) -> Result<Challenge, String> {
        let challenge = event.get("challenge").unwrap_or(&Value::Null);
        let rules = challenge.get("rules").and_then(Value::as_array);
        let rule = |rule: &Value| rule.as_str().map(str::to_string);
        Ok(Challenge {
            id: id(challenge, &["id"])?,
            challenger: object(challenge, "challenger").map(Player::read),
            destination: object(challenge, "destUser").map(Player::read),
            variant: text(challenge, "variant").unwrap_or_else(standard),
            rated: flag(challenge, "rated"),
            speed: text(challenge, "speed").unwrap_or_default(),
            time_control: TimeControl::read(challenge.get("timeControl").unwrap_or(&Value::Null)),
            challenger_side: Side::read(challenge, "finalColor"),
            initial_fen: text(challenge, "initialFen"),
            rules: rules.map(|rules| rules.iter().filter_map(rule).collect()).unwrap_or_default(),
            rematch_of: text(challenge, "rematchOf").and_then(|id| id.parse().ok()),
            bot_compatible: event.pointer("/compat/bot").and_then(Value::as_bool),
            decline_reason: text(challenge, "declineReasonKey").or_else(|| text(challenge, "declineReason")),
        })
    }
}

/// How much time a game has.
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

impl TimeControl {
    fn read(value: &Value) -> TimeControl {
        let kind = text(value, "type").unwrap_or_default();
        let clock = seconds(value, "limit").zip(seconds(value, "increment"));
        match (kind.as_str(), clock, small(value, "daysPerTurn")) {
            ("clock", Some((initial, increment)), _) => TimeControl::Clock { initial, increment },
            ("correspondence", _, Some(days_per_turn)) => TimeControl::Correspondence { days_per_turn },
            ("unlimited", _, _) => TimeControl::Unlimited,
            _ => TimeControl::Unknown(kind),
        }
    }
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

impl Status {
    /// An object here and a string there. A missing status is one of a game that goes on.
    fn read(value: &Value) -> Status {
        match text(value, "status").as_deref() {
            Some("created") => Status::Created,
            Some("started") | None => Status::Started,
            Some(name) => Status::Over(name.to_string()),
        }
    }
}

/// The server's name of the status.
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Status::Created => f.write_str("created"),
            Status::Started => f.write_str("started"),
            Status::Over(name) => f.write_str(name),
        }
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

impl Line for GameEvent {
    fn read(line: &[u8]) -> Result<GameEvent, String> {
        let value = parse(line)?;
        let kind = text(&value, "type").unwrap_or_default();
        Ok(match kind.as_str() {
            "gameFull" => GameEvent::Full(Box::new(GameFull::read(&value)?)),
            "gameState" => GameEvent::State(GameState::read(&value)?),
            "chatLine" => GameEvent::Chat(ChatLine {
                room: text(&value, "room").unwrap_or_default(),
                username: text(&value, "username").unwrap_or_default(),
                text: text(&value, "text").unwrap_or_default(),
            }),
            "opponentGone" => GameEvent::OpponentGone {
                gone: flag(&value, "gone"),
                claim_win_in: seconds(&value, "claimWinInSeconds"),
            },
            _ => GameEvent::Unknown(kind),
        })
    }
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

impl GameFull {
    fn read(value: &Value) -> Result<GameFull, String> {
        let player = |key| object(value, key).map(Player::read).unwrap_or_default();
        let clock = object(value, "clock").map(|clock| GameClock {
            initial: milliseconds(clock, "initial").unwrap_or_default(),
            increment: milliseconds(clock, "increment").unwrap_or_default(),
        });
        Ok(GameFull {
            id: id(value, &["id", "gameId"])?,
            variant: text(value, "variant").unwrap_or_else(standard),
            speed: text(value, "speed").unwrap_or_default(),
            rated: flag(value, "rated"),
            created_at: number(value, "createdAt").and_then(|ms| ms.try_into().ok()).unwrap_or(0),
            white: player("white"),
            black: player("black"),
            initial_fen: text(value, "initialFen").unwrap_or_else(|| "startpos".to_string()),
            clock,
            days_per_turn: small(value, "daysPerTurn"),
            tournament_id: text(value, "tournamentId"),
            state: GameState::read(value.get("state").unwrap_or(&Value::Null))?,
        })
    }
}

/// What both clocks start with, and what a move adds.
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

impl GameState {
    fn read(value: &Value) -> Result<GameState, String> {
        let moves = value.get("moves").and_then(Value::as_str).ok_or("a game state without moves")?;
        let clock = |key| milliseconds(value, key).filter(|&left| left < UNLIMITED);
        let increment = |key| milliseconds(value, key).unwrap_or_default();
        Ok(GameState {
            moves: moves.to_string(),
            white_time: clock("wtime"),
            black_time: clock("btime"),
            white_increment: increment("winc"),
            black_increment: increment("binc"),
            status: Status::read(value),
            winner: Side::read(value, "winner"),
            white_offers_draw: flag(value, "wdraw"),
            black_offers_draw: flag(value, "bdraw"),
            white_proposes_takeback: flag(value, "wtakeback"),
            black_proposes_takeback: flag(value, "btakeback"),
            first_move_expires_in: value
                .get("expiration")
                .and_then(|expiration| milliseconds(expiration, "millisToMove")),
        })
    }
}

/// A line of chat; our own come back to us, and the server speaks as `lichess`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatLine {
    /// `player` or `spectator`.
    pub room: String,
    pub username: String,
    pub text: String,
}

fn parse(line: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(line).map_err(|error| format!("not JSON: {error}"))
}

fn id(value: &Value, keys: &[&str]) -> Result<GameId, String> {
    let found = keys.iter().find_map(|key| value.get(key).and_then(Value::as_str));
    found.ok_or("no id in it")?.parse()
}

fn standard() -> String {
    "standard".to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(line: &str) -> AccountEvent {
        AccountEvent::read(line.as_bytes()).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    fn game(line: &str) -> GameEvent {
        GameEvent::read(line.as_bytes()).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    const GAME_START: &str = r#"{"type":"gameStart","game":{"fullId":"q7ZkTfLbW2xA","gameId":"q7ZkTfLb",
        "fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","color":"black","lastMove":"",
        "source":"friend","status":{"id":20,"name":"started"},"variant":{"key":"standard","name":"Standard"},
        "speed":"blitz","perf":"blitz","rated":false,"hasMoved":false,
        "opponent":{"id":"ada","username":"BOT Ada","rating":1712},"isMyTurn":true,"secondsLeft":180,
        "rating":2010,"compat":{"bot":true,"board":true},"id":"q7ZkTfLb"}}"#;

    #[test]
    fn a_game_start_is_read_with_the_title_out_of_the_name() {
        let AccountEvent::GameStart(info) = account(GAME_START) else { panic!("a game start") };
        assert_eq!(info.id.as_str(), "q7ZkTfLb");
        assert_eq!(info.side, Some(Side::Black));
        assert_eq!((info.opponent.name.as_str(), info.opponent.is_bot()), ("Ada", true));
        assert_eq!(info.opponent.to_string(), "BOT Ada");
        assert_eq!((info.variant.as_str(), info.speed.as_str()), ("standard", "blitz"));
        assert!(info.is_my_turn && info.bot_compatible && !info.status.is_over());
    }

    #[test]
    fn the_built_in_engine_has_no_id() {
        let line = GAME_START.replace(
            r#"{"id":"ada","username":"BOT Ada","rating":1712}"#,
            r#"{"id":null,"username":"Stockfish level 3","ai":3}"#,
        );
        let AccountEvent::GameStart(info) = account(&line) else { panic!("a game start") };
        assert_eq!((info.opponent.id, info.opponent.ai_level), (None, Some(3)));
        assert_eq!(info.opponent.name, "Stockfish level 3");
        assert_eq!(Player::read(&serde_json::json!({"aiLevel": 5})).name, "Stockfish level 5");
    }

    #[test]
    fn a_finished_game_and_a_status_as_string_are_read() {
        let line = GAME_START
            .replace("gameStart", "gameFinish")
            .replace(r#"{"id":20,"name":"started"}"#, r#""outoftime""#);
        let AccountEvent::GameFinish(info) = account(&line) else { panic!("a game finish") };
        assert_eq!(info.status, Status::Over("outoftime".into()));
    }

    const CHALLENGE: &str = r#"{"type":"challenge","challenge":{"id":"Hb3vN0pe","url":"https://lichess.org/Hb3vN0pe",
        "status":"created","challenger":{"id":"ada","name":"Ada","rating":1712,"title":"NM","online":true,"lag":4},
        "destUser":{"id":"mybot","name":"MyBot","rating":2010,"title":"BOT","provisional":true,"online":true},
        "variant":{"key":"standard","name":"Standard","short":"Std"},"rated":true,"speed":"blitz",
        "timeControl":{"type":"clock","limit":180,"increment":2,"show":"3+2"},"color":"random",
        "finalColor":"white","perf":{"icon":"","name":"Blitz"}},"compat":{"bot":true,"board":true}}"#;

    #[test]
    fn a_challenge_is_read_in_seconds() {
        let AccountEvent::Challenge(challenge) = account(CHALLENGE) else { panic!("a challenge") };
        let clock =
            TimeControl::Clock { initial: Duration::from_secs(180), increment: Duration::from_secs(2) };
        assert_eq!(challenge.time_control, clock);
        assert_eq!(challenge.challenger.map(|player| player.to_string()), Some("NM Ada".to_string()));
        assert_eq!((challenge.rated, challenge.bot_compatible), (true, Some(true)));
        assert_eq!(challenge.challenger_side, Some(Side::White));
    }

    #[test]
    fn odd_challenges_are_read_too() {
        type Check = fn(&Challenge) -> bool;
        let rows: [(&str, &str, Check); 8] = [
            (r#","compat":{"bot":true,"board":true}"#, "", |c| c.bot_compatible.is_none()),
            (
                r#"{"type":"clock","limit":180,"increment":2,"show":"3+2"}"#,
                r#"{"type":"correspondence","daysPerTurn":3}"#,
                |c| c.time_control == TimeControl::Correspondence { days_per_turn: 3 },
            ),
            (r#"{"type":"clock","limit":180,"increment":2,"show":"3+2"}"#, r#"{"type":"unlimited"}"#, |c| {
                c.time_control == TimeControl::Unlimited
            }),
            (r#"{"type":"clock","limit":180,"increment":2,"show":"3+2"}"#, r#"{"type":"hourglass"}"#, |c| {
                c.time_control == TimeControl::Unknown("hourglass".into())
            }),
            (r#"{"id":"ada","name":"Ada","rating":1712,"title":"NM","online":true,"lag":4}"#, "null", |c| {
                c.challenger.is_none()
            }),
            (r#"{"id":"ada","name":"Ada","rating":1712,"title":"NM","online":true,"lag":4}"#, "{}", |c| {
                c.challenger.is_none()
            }),
            (r#""color":"random""#, r#""rules":["noAbort","noRematch"],"rematchOf":"aaaaBBBB""#, |c| {
                c.rules == ["noAbort", "noRematch"]
                    && c.rematch_of.as_ref().is_some_and(|id| id.as_str() == "aaaaBBBB")
            }),
            (r#""color":"random""#, r#""initialFen":null,"rules":null,"brandNew":[1,{}]"#, |c| {
                c.initial_fen.is_none() && c.rules.is_empty()
            }),
        ];
        for (from, to, check) in rows {
            assert!(CHALLENGE.contains(from), "{from}");
            let line = CHALLENGE.replacen(from, to, 1);
            let AccountEvent::Challenge(challenge) = account(&line) else { panic!("{line}") };
            assert!(check(&challenge), "{line}: {challenge:?}");
        }
    }

    #[test]
    fn cancelled_and_declined_challenges_are_told_apart() {
        let canceled = CHALLENGE.replacen("challenge", "challengeCanceled", 1);
        assert!(matches!(account(&canceled), AccountEvent::ChallengeCanceled(_)));
        let declined = CHALLENGE
            .replacen("challenge", "challengeDeclined", 1)
            .replace(r#""color":"random""#, r#""declineReason":"Too fast","declineReasonKey":"toofast""#);
        let AccountEvent::ChallengeDeclined(challenge) = account(&declined) else { panic!("declined") };
        assert_eq!(challenge.decline_reason.as_deref(), Some("toofast"));
    }

    const GAME_FULL: &str = r#"{"id":"q7ZkTfLb","variant":{"key":"standard","name":"Standard","short":"Std"},
        "speed":"blitz","perf":{"name":"Blitz"},"rated":false,"createdAt":1790000000000,
        "white":{"id":"ada","name":"Ada","title":null,"rating":1712},
        "black":{"id":"mybot","name":"MyBot","title":"BOT","rating":2010,"provisional":true},
        "initialFen":"startpos","clock":{"initial":180000,"increment":2000},"type":"gameFull",
        "state":{"type":"gameState","moves":"e2e4","wtime":180000,"btime":179000,"winc":2000,"binc":2000,
        "status":"started"}}"#;

    #[test]
    fn a_full_game_is_read_in_milliseconds() {
        let GameEvent::Full(full) = game(GAME_FULL) else { panic!("a full game") };
        assert_eq!((full.white.to_string(), full.black.to_string()), ("Ada".into(), "BOT MyBot".into()));
        let clock = GameClock { initial: Duration::from_secs(180), increment: Duration::from_secs(2) };
        assert_eq!((full.clock, full.created_at), (Some(clock), 1_790_000_000_000));
        assert_eq!(full.state.black_time, Some(Duration::from_secs(179)));
        assert_eq!((full.initial_fen.as_str(), full.state.moves.as_str()), ("startpos", "e2e4"));
    }

    #[test]
    fn correspondence_has_days_and_no_clock() {
        let line = GAME_FULL
            .replace(r#""clock":{"initial":180000,"increment":2000}"#, r#""daysPerTurn":14,"clock":null"#);
        let GameEvent::Full(full) = game(&line) else { panic!("a full game") };
        assert_eq!((full.clock, full.days_per_turn), (None, Some(14)));
    }

    #[test]
    fn a_state_tells_offers_and_unlimited_clocks() {
        let line = r#"{"type":"gameState","moves":"","wtime":2147483647,"btime":2147483647,"winc":0,"binc":0,
            "status":"created","bdraw":true,"wdraw":false,"wtakeback":true,"btakeback":null,
            "expiration":{"idleMillis":1200,"millisToMove":25000}}"#;
        let GameEvent::State(state) = game(line) else { panic!("a state") };
        assert_eq!((state.white_time, state.black_time), (None, None));
        assert!(state.black_offers_draw && !state.white_offers_draw);
        assert!(state.white_proposes_takeback && !state.black_proposes_takeback);
        assert_eq!(state.first_move_expires_in, Some(Duration::from_secs(25)));
        assert_eq!(state.status, Status::Created);
    }

    #[test]
    fn a_clock_below_zero_is_an_empty_clock() {
        let line = r#"{"type":"gameState","moves":"e2e4","wtime":-120,"btime":10.5,"status":"started"}"#;
        let GameEvent::State(state) = game(line) else { panic!("a state") };
        assert_eq!(
            (state.white_time, state.black_time),
            (Some(Duration::ZERO), Some(Duration::from_millis(10)))
        );
    }

    #[test]
    fn every_status_but_two_is_over() {
        for name in [
            "aborted",
            "mate",
            "resign",
            "stalemate",
            "timeout",
            "draw",
            "outoftime",
            "cheat",
            "noStart",
            "unknownFinish",
            "insufficientMaterialClaim",
            "variantEnd",
            "somethingNew",
        ] {
            let value = serde_json::json!({ "status": name });
            assert_eq!(Status::read(&value), Status::Over(name.to_string()));
            let value = serde_json::json!({ "status": { "id": 1, "name": name } });
            assert_eq!(Status::read(&value), Status::Over(name.to_string()), "as an object");
        }
    }

    #[test]
    fn the_other_lines_of_a_game_are_read() {
        let gone = r#"{"type":"opponentGone","gone":true,"claimWinInSeconds":8}"#;
        assert_eq!(
            game(gone),
            GameEvent::OpponentGone { gone: true, claim_win_in: Some(Duration::from_secs(8)) }
        );
        let back = r#"{"type":"opponentGone","gone":false}"#;
        assert_eq!(game(back), GameEvent::OpponentGone { gone: false, claim_win_in: None });
        let chat = r#"{"type":"chatLine","room":"player","username":"Ada","text":"hi"}"#;
        assert!(matches!(game(chat), GameEvent::Chat(line) if line.text == "hi" && line.room == "player"));
    }

    #[test]
    fn what_is_unknown_is_named_and_what_is_broken_is_refused() {
        assert_eq!(game(r#"{"type":"rain","x":1}"#), GameEvent::Unknown("rain".into()));
        assert_eq!(game(r#"{"moves":"e2e4"}"#), GameEvent::Unknown(String::new()));
        assert_eq!(account(r#"{"type":null}"#), AccountEvent::Unknown(String::new()));
        assert_eq!(account("[1,2]"), AccountEvent::Unknown(String::new()));
        for line in [
            "",
            "{",
            "{\"type\":\"gameStart\"}",
            "\u{fffd}",
            "{\"type\":\"gameStart\",\"game\":{\"gameId\":\"../x\"}}",
        ] {
            assert!(AccountEvent::read(line.as_bytes()).is_err(), "{line}");
        }
        assert!(GameEvent::read(br#"{"type":"gameState","status":"started"}"#).is_err(), "no moves");
        assert!(GameEvent::read(b"\xff\xfe").is_err(), "not even text");
    }
}
