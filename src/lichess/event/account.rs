//! What the account's event stream says.

use super::parts::{GameId, Player, Side, Status, id, parse, standard};
use crate::lichess::read::{flag, object, seconds, small, text};
use crate::lichess::stream::Line;
use serde_json::Value;
use std::time::Duration;

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
    pub(in crate::lichess) fn read(game: &Value) -> Result<GameInfo, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn account(line: &str) -> AccountEvent {
        AccountEvent::read(line.as_bytes()).unwrap_or_else(|error| panic!("{line}: {error}"))
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

    #[test]
    fn what_is_unknown_is_named_and_what_is_broken_is_refused() {
        assert_eq!(account(r#"{"type":"rain","x":1}"#), AccountEvent::Unknown("rain".into()));
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
    }
}
