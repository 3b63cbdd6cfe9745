//! What a game's own stream says.

use super::parts::{GameId, Player, Side, Status, id, parse, standard};
use crate::lichess::read::{flag, milliseconds, number, object, seconds, small, text};
use crate::lichess::stream::Line;
use serde_json::Value;
use std::time::Duration;

/// What an unlimited game shows as its clocks, in milliseconds.
const UNLIMITED: Duration = Duration::from_millis(2_147_483_647);

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

#[cfg(test)]
mod tests {
    use super::*;

    fn game(line: &str) -> GameEvent {
        GameEvent::read(line.as_bytes()).unwrap_or_else(|error| panic!("{line}: {error}"))
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
        assert!(GameEvent::read(br#"{"type":"gameState","status":"started"}"#).is_err(), "no moves");
        assert!(GameEvent::read(b"\xff\xfe").is_err(), "not even text");
    }
}
