//! The parts that events share: ids, sides, players, how far a game is.

use crate::lichess::read::{small, text};
use serde_json::Value;
use std::fmt;
use std::str::FromStr;

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
    pub(super) fn read(value: &Value, key: &str) -> Option<Side> {
        match value.get(key)?.as_str()? {
            "white" => Some(Side::White),
            "black" => Some(Side::Black),
            _ => None,
        }
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

    /// Reads `name` or `username`; the latter carries the title in front ("BOT Other").
    pub(super) fn read(value: &Value) -> Player {
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

    /// An object here and a string there. A missing status is one of a game that goes on.
    pub(super) fn read(value: &Value) -> Status {
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

pub(super) fn parse(line: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(line).map_err(|error| format!("not JSON: {error}"))
}

pub(super) fn id(value: &Value, keys: &[&str]) -> Result<GameId, String> {
    let found = keys.iter().find_map(|key| value.get(key).and_then(Value::as_str));
    found.ok_or("no id in it")?.parse()
}

pub(super) fn standard() -> String {
    "standard".to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
            let value = json!({ "status": name });
            assert_eq!(Status::read(&value), Status::Over(name.to_string()));
            let value = json!({ "status": { "id": 1, "name": name } });
            assert_eq!(Status::read(&value), Status::Over(name.to_string()), "as an object");
        }
    }

    #[test]
    fn ids_are_eight_characters_and_the_long_form_is_cut() {
        for (text, expected) in [
            ("q7ZkTfLb", Some("q7ZkTfLb")),
            ("q7ZkTfLbW2xA", Some("q7ZkTfLb")),
            ("", None),
            ("q7ZkTfL", None),
            ("q7ZkTfLbW", None),
            ("../q7ZkT", None),
            ("q7ZkTfLé", None),
        ] {
            let id = text.parse::<GameId>();
            assert_eq!(id.as_ref().ok().map(GameId::as_str), expected, "{text:?}");
            assert!(id.is_ok_and(|id| id.to_string() == id.as_str()) == expected.is_some(), "{text:?}");
        }
    }

    #[test]
    fn users_are_compared_by_the_name_in_lower_case() {
        for (text, expected) in [
            ("MyBot_2-x", Some("mybot_2-x")),
            ("ada", Some("ada")),
            ("", None),
            ("BOT Ada", None),
            ("é", None),
        ] {
            let id = text.parse::<UserId>();
            assert_eq!(id.as_ref().ok().map(UserId::as_str), expected, "{text:?}");
        }
    }

    #[test]
    fn players_come_in_many_shapes() {
        for (value, id, shown, ai_level) in [
            (json!({"id":"ada","username":"GM Ada","rating":1712}), Some("ada"), "GM Ada", None),
            (json!({"id":"ada","name":"Ada","title":null}), Some("ada"), "Ada", None),
            (json!({"id":"ada","name":"Ada","title":"BOT"}), Some("ada"), "BOT Ada", None),
            (json!({"id":null,"username":"Stockfish level 3","ai":3}), None, "Stockfish level 3", Some(3)),
            (json!({"aiLevel":5}), None, "Stockfish level 5", Some(5)),
            (json!({"name":"Anonymous"}), None, "Anonymous", None),
            (json!({}), None, "Anonymous", None),
            (json!({"id":7,"name":["x"],"rating":"1500?"}), Some("7"), "Anonymous", None),
        ] {
            let player = Player::read(&value);
            let found = (player.id.as_ref().map(UserId::as_str), player.to_string(), player.ai_level);
            assert_eq!(found, (id, shown.to_string(), ai_level), "{value}");
        }
    }
}
