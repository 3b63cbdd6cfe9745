//! What a value must be besides its type, and how a line about a wrong one reads.

use super::mistake::{nearest, quoted};
use super::schema::{Key, Kind};
use crate::bot::policy;
use crate::engine::Strength;
use crate::lichess::Token;
use crate::logging;
use ::config::ValueKind;

/// What a key allows beyond its kind.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// A whole number between these, both included.
    Between(i64, i64),
    /// A list of at least one of these words.
    SomeOf(&'static [&'static str]),
    /// A list of names of Lichess accounts, perhaps empty.
    Accounts,
    /// A list of settings for another program, each `Name=value`.
    Settings,
    /// A text of at most so many characters.
    Characters(usize),
    /// A server, by http or https, without a path.
    ServerAddress,
    /// A Lichess API token, or nothing.
    Token,
    /// A level, or a filter of the tracing kind.
    LogLevel,
}

/// The bounds of each key that has some. A key without a rule allows whatever its type holds.
const RULES: &[(&str, Rule)] = &[
    ("lichess.url", Rule::ServerAddress),
    ("lichess.token", Rule::Token),
    ("lichess.moves_per_minute", Rule::Between(0, 100_000)),
    ("challenge.variants", Rule::SomeOf(&policy::VARIANTS)),
    ("challenge.speeds", Rule::SomeOf(&policy::SPEEDS)),
    ("challenge.min_initial", Rule::Between(0, 10_800)),
    ("challenge.max_initial", Rule::Between(0, 10_800)),
    ("challenge.min_increment", Rule::Between(0, 180)),
    ("challenge.max_increment", Rule::Between(0, 180)),
    ("challenge.min_days", Rule::Between(1, 14)),
    ("challenge.max_days", Rule::Between(1, 14)),
    ("challenge.min_rating", Rule::Between(0, 4_000)),
    ("challenge.max_rating", Rule::Between(0, 4_000)),
    ("challenge.concurrency", Rule::Between(1, 200)),
    ("challenge.slow_games", Rule::Between(0, 200)),
    ("challenge.games_per_user", Rule::Between(1, 200)),
    ("challenge.reserved_for_humans", Rule::Between(0, 199)),
    ("challenge.queue", Rule::Between(0, 1_000)),
    ("challenge.allow", Rule::Accounts),
    ("challenge.block", Rule::Accounts),
    ("matchmaking.interval_seconds", Rule::Between(5, 86_400)),
    ("matchmaking.initial", Rule::Between(0, 10_800)),
    ("matchmaking.increment", Rule::Between(0, 60)),
    ("matchmaking.min_rating", Rule::Between(0, 4_000)),
    ("matchmaking.max_rating", Rule::Between(0, 4_000)),
    ("game.greeting", Rule::Characters(140)),
    ("game.goodbye", Rule::Characters(140)),
    ("game.abort_seconds", Rule::Between(0, 3_600)),
    ("game.takebacks", Rule::Between(0, 1_000)),
    ("game.draw_score", Rule::Between(-1_000, 1_000)),
    ("game.draw_min_move", Rule::Between(0, 600)),
    ("game.resign_score", Rule::Between(-32_000, -1)),
    ("game.resign_moves", Rule::Between(1, 100)),
    ("game.shutdown_seconds", Rule::Between(0, 86_400)),
    ("engine.hash_mb", Rule::Between(1, 65_536)),
    ("engine.threads", Rule::Between(1, 256)),
    ("engine.nodes", Rule::Between(0, i64::MAX)),
    ("engine.depth", Rule::Between(0, 127)),
    ("engine.elo", Rule::Between(0, Strength::STRONGEST as i64)),
    ("engine.move_overhead_ms", Rule::Between(0, 9_999)),
    ("engine.options", Rule::Settings),
    ("book.depth", Rule::Between(0, 600)),
    ("book.seed", Rule::Between(0, i64::MAX)),
    ("log.level", Rule::LogLevel),
];

impl Rule {
    fn of(path: &str) -> Option<Rule> {
        RULES.iter().find(|(of, _)| *of == path).map(|(_, rule)| *rule)
    }
}

/// Whether a value may stand at a key.
///
/// # Errors
/// What was found, what is allowed and what was perhaps meant, for the end of a line.
pub fn check(key: &Key, value: &ValueKind) -> Result<(), String> {
    let Some(offender) = offender(key, value) else { return Ok(()) };
    let meant = match offender {
        ValueKind::String(text) => nearest(text, &words(key)),
        _ => None,
    };
    let meant = meant.map(|word| format!("; did you mean \"{word}\"?")).unwrap_or_default();
    Err(format!("found {}, allowed {}{meant}", found(key, offender), allowed(key)))
}

/// What a key allows, as a line says it.
pub fn allowed(key: &Key) -> String {
    match (key.kind, Rule::of(&key.path)) {
        (Kind::Flag, _) => "true or false".to_string(),
        (Kind::Whole { .. }, _) => match bounds(key) {
            (least, i64::MAX) => format!("a whole number of {least} or more"),
            (least, most) => format!("a whole number from {least} to {most}"),
        },
        (Kind::Word(words), _) => list_of(words, "or"),
        (Kind::List, Some(Rule::SomeOf(words))) => format!("a list of {}", list_of(words, "and")),
        (Kind::List, Some(Rule::Accounts)) => {
            "a list of account names (letters, digits, _ and -, at most 30)".to_string()
        }
        (Kind::List, Some(Rule::Settings)) => "a list of Name=value, each on one line".to_string(),
        (Kind::List, _) => "a list of texts".to_string(),
        (Kind::Text, Some(Rule::Characters(most))) => format!("a text of at most {most} characters"),
        (Kind::Text, Some(Rule::ServerAddress)) => {
            "an http or https address without path, as in https://lichess.org".to_string()
        }
        (Kind::Text, Some(Rule::Token)) => "a Lichess token: letters, digits and _, at most 512".to_string(),
        (Kind::Text, Some(Rule::LogLevel)) => {
            format!("{} or a filter as in warn,tabiya=debug", logging::LEVELS.join(", "))
        }
        (Kind::Text, _) => "a text".to_string(),
    }
}

/// The words that a key allows, if words are what it allows.
pub fn words(key: &Key) -> Vec<&'static str> {
    match (key.kind, Rule::of(&key.path)) {
        (Kind::Word(words), _) | (Kind::List, Some(Rule::SomeOf(words))) => words.to_vec(),
        (Kind::Text, Some(Rule::LogLevel)) => logging::LEVELS.to_vec(),
        _ => Vec::new(),
    }
}

/// The least and the greatest number that a key allows.
pub fn bounds(key: &Key) -> (i64, i64) {
    match (key.kind, Rule::of(&key.path)) {
        (Kind::Whole { least, most }, Some(Rule::Between(from, to))) => (from.max(least), to.min(most)),
        (Kind::Whole { least, most }, _) => (least, most),
        _ => (0, 0),
    }
}

/// The value itself or the one of its list that is not allowed.
fn offender<'v>(key: &Key, value: &'v ValueKind) -> Option<&'v ValueKind> {
    let rule = Rule::of(&key.path);
    match (key.kind, value) {
        (Kind::Flag, ValueKind::Boolean(_)) => None,
        (Kind::Whole { .. }, ValueKind::I64(number)) => {
            let (least, most) = bounds(key);
            (!(least..=most).contains(number)).then_some(value)
        }
        (Kind::Text, ValueKind::String(text)) => (!allows(rule, text)).then_some(value),
        (Kind::Word(words), ValueKind::String(text)) => (!words.contains(&text.as_str())).then_some(value),
        (Kind::List, ValueKind::Array(items)) if items.is_empty() => {
            matches!(rule, Some(Rule::SomeOf(_))).then_some(value)
        }
        (Kind::List, ValueKind::Array(items)) => {
            let fits = |item: &ValueKind| matches!(item, ValueKind::String(text) if allows(rule, text));
            items.iter().map(|item| &item.kind).find(|item| !fits(item))
        }
        _ => Some(value),
    }
}

fn allows(rule: Option<Rule>, text: &str) -> bool {
    let is_name = || text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    match rule {
        Some(Rule::SomeOf(words)) => words.contains(&text),
        Some(Rule::Accounts) => (1..=30).contains(&text.len()) && is_name(),
        Some(Rule::Settings) => is_setting(text),
        Some(Rule::Characters(most)) => text.chars().count() <= most,
        Some(Rule::ServerAddress) => is_server_address(text),
        Some(Rule::Token) => text.is_empty() || Token::new(text).is_well_formed(),
        Some(Rule::LogLevel) => logging::is_level_or_filter(text),
        Some(Rule::Between(..)) | None => true,
    }
}

/// A line break would let one setting say a second thing to the program.
fn is_setting(text: &str) -> bool {
    let has_name = text.split_once('=').is_some_and(|(name, _)| !name.trim().is_empty());
    has_name && !text.contains(char::is_control)
}

fn is_server_address(text: &str) -> bool {
    reqwest::Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    })
}

fn found(key: &Key, value: &ValueKind) -> String {
    if matches!(Rule::of(&key.path), Some(Rule::Token)) {
        return "something that is no token (not shown)".to_string();
    }
    match value {
        ValueKind::String(text) => quoted(text),
        ValueKind::Array(items) if items.is_empty() => "an empty list".to_string(),
        ValueKind::Array(_) => "a list".to_string(),
        ValueKind::Table(_) => "a table".to_string(),
        plain => plain.to_string(),
    }
}

/// `a, b and c`.
fn list_of(words: &[&str], last: &str) -> String {
    match words {
        [] => String::new(),
        [only] => only.to_string(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, schema::Schema};

    #[test]
    fn every_rule_names_a_key_and_every_whole_number_has_one() {
        let schema = Schema::of::<Config>();
        for (path, _) in RULES {
            assert!(schema.key(path).is_some(), "{path} is no key");
        }
        for key in &schema.keys {
            let bounded = matches!(Rule::of(&key.path), Some(Rule::Between(..)));
            assert_eq!(bounded, matches!(key.kind, Kind::Whole { .. }), "{}", key.path);
        }
    }

    #[test]
    fn servers_are_addresses_without_anything_behind_the_host() {
        let cases = [
            ("https://lichess.org", true),
            ("https://lichess.org/", true),
            ("http://127.0.0.1:9663", true),
            ("http://[::1]:9663", true),
            ("lichess.org", false),
            ("localhost:9663", false),
            ("ftp://lichess.org", false),
            ("https://", false),
            ("https://lichess.org/api", false),
            ("https://lichess.org?query", false),
            ("https://lichess.org#part", false),
            ("https://ada@lichess.org", false),
            ("", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_server_address(text), expected, "{text}");
        }
    }
}
