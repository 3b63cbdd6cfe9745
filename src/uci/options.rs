//! The options a GUI may set: their declaration, their bounds, their values.

use super::command::Excerpt;
use crate::engine::{EngineOptions, Strength};
use std::mem;
use std::ops::RangeInclusive;
use std::time::Duration;
use thiserror::Error;

/// Values of all options.
#[derive(Clone, Debug)]
pub struct Options {
    pub engine: EngineOptions,
    /// How many of the best lines are shown (MultiPV).
    pub lines: usize,
    /// What a move costs beyond thinking.
    pub overhead: Duration,
    pub style: Style,
    limits_strength: bool,
    /// What it is limited to, if it is.
    elo: usize,
}

/// How moves and scores are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Castling is the king taking its rook, not the king's two steps.
    pub chess960: bool,
    /// Scores come with the chances to win, draw and lose.
    pub shows_chances: bool,
}

impl Default for Options {
    fn default() -> Self {
        let engine =
            EngineOptions { hash_mb: HASH.default, threads: THREADS.default, ..EngineOptions::default() };
        let overhead = Duration::from_millis(OVERHEAD.default as u64);
        Options {
            engine,
            lines: LINES.default,
            overhead,
            style: Style::default(),
            limits_strength: false,
            elo: ELO.default,
        }
    }
}

/// What has to be done after an option was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The next search looks at it.
    Noted,
    /// The engine must be made anew.
    Rebuild,
    /// The engine must forget what it learned.
    Clear,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    #[error("unknown option {0}")]
    Unknown(Excerpt),
    #[error("option {name} needs a value")]
    Missing { name: &'static str },
    #[error("option {name} must be {least} to {most}, not {found}")]
    OutOfRange { name: &'static str, least: usize, most: usize, found: Excerpt },
    #[error("option {name} must be true or false, not {found}")]
    NotBoolean { name: &'static str, found: Excerpt },
}

/// An option that holds a whole number.
struct Spin {
    name: &'static str,
    default: usize,
    range: RangeInclusive<usize>,
}

/// Mebibytes.
const HASH: Spin = Spin { name: "Hash", default: 16, range: 1..=65536 };
const THREADS: Spin = Spin { name: "Threads", default: 1, range: 1..=256 };
const LINES: Spin = Spin { name: "MultiPV", default: 1, range: 1..=256 };
/// Milliseconds.
const OVERHEAD: Spin = Spin { name: "Move Overhead", default: 10, range: 0..=5000 };

const ELO: Spin =
    Spin { name: "UCI_Elo", default: 1500, range: Strength::WEAKEST as usize..=Strength::STRONGEST as usize };

const CLEAR_HASH: &str = "Clear Hash";
const PONDER: &str = "Ponder";
const CHESS960: &str = "UCI_Chess960";
const SHOW_WDL: &str = "UCI_ShowWDL";
const LIMIT_STRENGTH: &str = "UCI_LimitStrength";

impl Spin {
    fn declare(&self) -> String {
        let (name, default, least, most) = (self.name, self.default, self.range.start(), self.range.end());
        format!("option name {name} type spin default {default} min {least} max {most}\n")
    }

    fn read(&self, value: Option<&str>) -> Result<usize, OptionError> {
        let found = value.ok_or(OptionError::Missing { name: self.name })?;
        let number = found.parse().ok().filter(|number| self.range.contains(number));
        number.ok_or_else(|| OptionError::OutOfRange {
            name: self.name,
            least: *self.range.start(),
            most: *self.range.end(),
            found: found.into(),
        })
    }
}

fn read_check(name: &'static str, value: Option<&str>) -> Result<bool, OptionError> {
    match value.ok_or(OptionError::Missing { name })? {
        "true" => Ok(true),
        "false" => Ok(false),
        other => Err(OptionError::NotBoolean { name, found: other.into() }),
    }
}

/// One line for each option, with its default.
pub fn declarations() -> String {
    let spins: String = [HASH, THREADS, LINES, OVERHEAD, ELO].iter().map(Spin::declare).collect();
    let checks: String = [PONDER, CHESS960, SHOW_WDL, LIMIT_STRENGTH]
        .iter()
        .map(|name| format!("option name {name} type check default false\n"))
        .collect();
    format!("{spins}{checks}option name {CLEAR_HASH} type button\n")
}

impl Options {
    /// Sets an option; upper and lower case are the same in its name.
    ///
    /// # Errors
    /// There is no such option, or it cannot have this value; nothing has changed.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Effect, OptionError> {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        if is(HASH.name) {
            self.engine.hash_mb = HASH.read(value)?;
            return Ok(Effect::Rebuild);
        } else if is(THREADS.name) {
            self.engine.threads = THREADS.read(value)?;
            return Ok(Effect::Rebuild);
        } else if is(LINES.name) {
            self.lines = LINES.read(value)?;
        } else if is(OVERHEAD.name) {
            self.overhead = Duration::from_millis(OVERHEAD.read(value)? as u64);
        } else if is(PONDER) {
            // It tells the GUI that we can; a search on the opponent's time begins with `go ponder`.
            read_check(PONDER, value)?;
        } else if is(CHESS960) {
            self.style.chess960 = read_check(CHESS960, value)?;
        } else if is(SHOW_WDL) {
            self.style.shows_chances = read_check(SHOW_WDL, value)?;
        } else if is(LIMIT_STRENGTH) {
            self.limits_strength = read_check(LIMIT_STRENGTH, value)?;
            return Ok(self.set_strength());
        } else if is(ELO.name) {
            self.elo = ELO.read(value)?;
            return Ok(self.set_strength());
        } else if is(CLEAR_HASH) {
            return Ok(Effect::Clear);
        } else {
            return Err(OptionError::Unknown(name.into()));
        }
        Ok(Effect::Noted)
    }

    fn set_strength(&mut self) -> Effect {
        let elo = if self.limits_strength { self.elo as u16 } else { 0 };
        let is_new = mem::replace(&mut self.engine.elo, elo) != elo;
        if is_new { Effect::Rebuild } else { Effect::Noted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declared_option_can_be_set_to_its_default() {
        for line in declarations().lines() {
            let (name, kind) = line["option name ".len()..].split_once(" type ").expect(line);
            let value = kind.split(' ').nth(2);
            let mut options = Options::default();
            let before = format!("{options:?}");
            options.set(&name.to_uppercase(), value).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(format!("{options:?}"), before, "{line}");
        }
    }

    #[test]
    fn a_rating_counts_only_while_strength_is_limited() {
        let mut options = Options::default();
        for (name, value, effect, elo) in [
            ("UCI_Elo", "1800", Effect::Noted, 0),
            ("UCI_LimitStrength", "true", Effect::Rebuild, 1800),
            ("UCI_LimitStrength", "true", Effect::Noted, 1800),
            ("UCI_Elo", "1234", Effect::Rebuild, 1234),
            ("UCI_LimitStrength", "false", Effect::Rebuild, 0),
        ] {
            assert_eq!(options.set(name, Some(value)), Ok(effect), "{name} {value}");
            assert_eq!(options.engine.elo, elo, "{name} {value}");
        }
    }

    #[test]
    fn values_out_of_bounds_change_nothing() {
        for (name, value, wanted) in [
            ("Hash", Some("0"), "option Hash must be 1 to 65536, not \"0\""),
            ("Hash", Some("65537"), "option Hash must be 1 to 65536, not \"65537\""),
            ("hash", Some("1e3"), "option Hash must be 1 to 65536, not \"1e3\""),
            ("Threads", Some("-1"), "option Threads must be 1 to 256, not \"-1\""),
            ("MultiPV", None, "option MultiPV needs a value"),
            ("UCI_Chess960", Some("yes"), "option UCI_Chess960 must be true or false, not \"yes\""),
            ("UCI_LimitStrength", None, "option UCI_LimitStrength needs a value"),
            ("UCI_Elo", Some("100"), "option UCI_Elo must be 1000 to 2000, not \"100\""),
            ("Contempt", Some("1"), "unknown option \"Contempt\""),
        ] {
            let mut options = Options::default();
            let before = format!("{options:?}");
            assert_eq!(options.set(name, value).expect_err(name).to_string(), wanted);
            assert_eq!(format!("{options:?}"), before, "{name}");
        }
    }
}
