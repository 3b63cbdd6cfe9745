//! PGN: writes finished games.
//!
//! After the "Portable Game Notation Specification and Implementation Guide" of 1994, export
//! format.

#[cfg(test)]
mod tests;

use crate::engine::position::START_FEN;
use crate::engine::{Color, Move, Position, san};
use jiff::Timestamp;

/// The tags that every game has, in their order.
const SEVEN_TAG_ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// Most characters on a line of moves; a longer word stands alone.
const LINE_WIDTH: usize = 79;

/// A game to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnGame {
    /// Names and values. `Result`, and with an initial FEN also `SetUp` and `FEN`, are filled in.
    /// `Variant` is the caller's.
    pub tags: Vec<(String, String)>,
    /// `None` or `startpos` for the start position of standard chess.
    pub initial_fen: Option<String>,
    /// Moves, legal one after the other, each with a comment if there is one.
    pub moves: Vec<(Move, Option<String>)>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`. Anything else is written as `*`, which means unknown.
    pub result: String,
}

impl PgnGame {
    fn result(&self) -> &str {
        let is_known = matches!(self.result.as_str(), "1-0" | "0-1" | "1/2-1/2");
        if is_known { &self.result } else { "*" }
    }

    fn set_up(&self) -> Option<&str> {
        self.initial_fen.as_deref().filter(|fen| *fen != "startpos")
    }

    fn tag(&self, name: &str) -> Option<&str> {
        let tag = self.tags.iter().find(|tag| tag.0 == name);
        tag.map(|tag| tag.1.as_str()).filter(|value| !value.is_empty())
    }
}

/// The text of a game. It ends with a blank line, so that games can be put one after the other.
///
/// Where SAN does not reach (a start that only the server allows, or a move that is not legal) the
/// rest of the moves stand in a comment, so that none is lost.
pub fn write(game: &PgnGame) -> String {
    let mut words = movetext(game);
    words.push(game.result().to_string());
    format!("{}\n{}\n", tags(game), wrap(&words))
}

/// `2026.11.30`, for the tags `Date` and `UTCDate`, from Unix milliseconds.
pub fn utc_date(unix_milliseconds: i64) -> String {
    let moment = Timestamp::from_millisecond(unix_milliseconds);
    moment.map_or("????.??.??".to_string(), |moment| moment.strftime("%Y.%m.%d").to_string())
}

/// `23:40:05`, for the tag `UTCTime`, from Unix milliseconds.
pub fn utc_time(unix_milliseconds: i64) -> String {
    let moment = Timestamp::from_millisecond(unix_milliseconds);
    moment.map_or("??:??:??".to_string(), |moment| moment.strftime("%H:%M:%S").to_string())
}

/// The roster, then the start position, then the other tags as they come; each name once.
fn tags(game: &PgnGame) -> String {
    let mut text = String::new();
    let mut written: Vec<&str> = Vec::new();
    let mut push = |name, value: &str| {
        if is_tag_name(name) && !written.contains(&name) {
            text.push_str(&format!("[{name} \"{}\"]\n", escape(value)));
            written.push(name);
        }
    };
    for name in SEVEN_TAG_ROSTER {
        let unknown = if name == "Date" { "????.??.??" } else { "?" };
        let value = if name == "Result" { Some(game.result()) } else { game.tag(name) };
        push(name, value.unwrap_or(unknown));
    }
    if let Some(fen) = game.set_up() {
        push("SetUp", "1");
        push("FEN", fen);
    }
    for (name, value) in &game.tags {
        push(name, value);
    }
    text
}

fn is_tag_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn escape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => text.push(' '),
            c => text.push(c),
        }
    }
    text
}

/// Moves and comments in pieces between which a line may be broken.
fn movetext(game: &PgnGame) -> Vec<String> {
    let mut words = Vec::new();
    let mut position = match Position::from_fen(game.set_up().unwrap_or(START_FEN)) {
        Ok(position) => position,
        Err(reason) => return in_uci(&reason.to_string(), &game.moves),
    };
    let mut needs_number = true;
    for (ply, (mv, remark)) in game.moves.iter().enumerate() {
        if !position.is_legal(*mv) {
            words.extend(in_uci(&format!("{mv} is not legal here"), &game.moves[ply..]));
            break;
        }
        let text = san(&position, *mv);
        words.push(match position.side_to_move() {
            Color::White => format!("{}. {text}", position.move_number()),
            Color::Black if needs_number => format!("{}... {text}", position.move_number()),
            Color::Black => text,
        });
        let remark = comment(remark.as_deref().unwrap_or_default());
        needs_number = !remark.is_empty();
        words.extend(remark);
        position.play(*mv);
    }
    words
}

fn in_uci(reason: &str, moves: &[(Move, Option<String>)]) -> Vec<String> {
    let moves: Vec<String> = moves.iter().map(|(mv, _)| mv.to_string()).collect();
    comment(&format!("{reason}; the moves in UCI: {}", moves.join(" ")))
}

/// `{a comment}` in words; nothing for an empty one. Braces inside would end it and become
/// parentheses.
fn comment(text: &str) -> Vec<String> {
    let clean = |c: char| match c {
        '{' => '(',
        '}' => ')',
        c if c.is_control() => ' ',
        c => c,
    };
    let text: String = text.chars().map(clean).collect();
    let mut words: Vec<String> = text.split_whitespace().map(str::to_string).collect();
    if let Some(first) = words.first_mut() {
        first.insert(0, '{');
    }
    if let Some(last) = words.last_mut() {
        last.push('}');
    }
    words
}

/// Fills lines. A `%` must not begin a line, where it would hide the line from readers.
fn wrap(words: &[String]) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in words {
        let width = word.chars().count();
        if column == 0 {
            column = width;
        } else if column + 1 + width <= LINE_WIDTH || word.starts_with('%') {
            text.push(' ');
            column += 1 + width;
        } else {
            text.push('\n');
            column = width;
        }
        text.push_str(word);
    }
    text.push('\n');
    text
}
