//! What a GUI says: one line, one command, read strictly.

use std::fmt;
use std::str::{FromStr, SplitAsciiWhitespace};
use std::time::Duration;
use thiserror::Error;

/// A command, as far as it can be read without knowing the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    Uci,
    IsReady,
    NewGame,
    SetOption {
        name: String,
        value: Option<String>,
    },
    Position {
        fen: String,
        moves: String,
    },
    Go(Box<Go>),
    Perft {
        depth: u32,
    },
    Stop,
    PonderHit,
    Quit,
    Bench,
    Eval,
    Display,
    GenFens(GenFens),
    /// Understood, and nothing to do: there is no more to tell in debug mode, and nothing to register.
    Nothing,
}

/// What `go` asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// White's and Black's clock and increment.
    pub time: [Option<Duration>; 2],
    pub increment: [Duration; 2],
    pub moves_to_go: Option<u32>,
    pub move_time: Option<Duration>,
    pub depth: Option<u8>,
    pub nodes: Option<u64>,
    pub mate: Option<u8>,
    pub infinite: bool,
    pub ponder: bool,
    /// In UCI notation, not looked at yet.
    pub search_moves: Vec<String>,
}

/// OpenBench's order for openings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenFens {
    pub count: u64,
    pub seed: u64,
    /// A file of positions to begin from, the start position if none.
    pub book: Option<String>,
}

/// Why a line was not obeyed. All of it fits on one line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadLine {
    #[error("unknown command {0}")]
    Unknown(Excerpt),
    #[error("{0} needs a value")]
    Missing(&'static str),
    #[error("{what} must be {wanted}, not {found}")]
    Value { what: &'static str, wanted: &'static str, found: Excerpt },
    #[error("{found} is no part of {of}")]
    Unexpected { of: &'static str, found: Excerpt },
    #[error("{0} stands twice")]
    Twice(&'static str),
}

/// The beginning of what was said, quoted, with everything unprintable escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt(String);

/// Characters of a bad line that are shown.
const SHOWN: usize = 60;

impl From<&str> for Excerpt {
    fn from(text: &str) -> Excerpt {
        Excerpt(text.chars().take(SHOWN).collect())
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

const WHOLE: &str = "a whole number";

/// Reads a line; an empty one is no command.
///
/// # Errors
/// What is wrong with it.
pub fn parse(line: &str) -> Result<Option<Command>, BadLine> {
    let mut words = Words(line.split_ascii_whitespace());
    let Some(first) = words.next() else { return Ok(None) };
    let command = match first {
        "setoption" => return set_option(&mut words).map(Some),
        "register" => return Ok(Some(Command::Nothing)),
        "debug" => debug(&mut words)?,
        "position" => return position(&mut words).map(Some),
        "go" => go(&mut words)?,
        "perft" => Command::Perft { depth: words.depth("perft")? },
        "genfens" => return gen_fens(&mut words).map(Some),
        "uci" => Command::Uci,
        "isready" => Command::IsReady,
        "ucinewgame" => Command::NewGame,
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" => Command::Quit,
        "bench" => Command::Bench,
        "eval" => Command::Eval,
        "d" => Command::Display,
        other => return Err(BadLine::Unknown(other.into())),
    };
    match words.next() {
        Some(found) => Err(BadLine::Unexpected { of: "this command", found: found.into() }),
        None => Ok(Some(command)),
    }
}

/// The words of a line that have not been read yet.
struct Words<'a>(SplitAsciiWhitespace<'a>);

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.0.next()
    }

    fn peek(&self) -> Option<&'a str> {
        self.0.clone().next()
    }

    fn word(&mut self, what: &'static str) -> Result<&'a str, BadLine> {
        self.next().ok_or(BadLine::Missing(what))
    }

    fn number<T: FromStr>(&mut self, what: &'static str) -> Result<T, BadLine> {
        let found = self.word(what)?;
        found.parse().map_err(|_| BadLine::Value { what, wanted: WHOLE, found: found.into() })
    }

    /// A number of milliseconds; a clock that has run out may be shown below zero.
    fn milliseconds(&mut self, what: &'static str) -> Result<Duration, BadLine> {
        let milliseconds: i64 = self.number(what)?;
        Ok(Duration::from_millis(milliseconds.try_into().unwrap_or(0)))
    }

    /// A number that is as good as the most that fits, if it is greater.
    fn at_most<T: TryFrom<u64>>(&mut self, what: &'static str, most: T) -> Result<T, BadLine> {
        let number: u64 = self.number(what)?;
        Ok(number.try_into().unwrap_or(most))
    }

    /// A depth of perft.
    fn depth(&mut self, what: &'static str) -> Result<u32, BadLine> {
        let depth = self.number(what)?;
        match depth {
            1..=32 => Ok(depth),
            _ => Err(BadLine::Value { what, wanted: "1 to 32", found: depth.to_string().as_str().into() }),
        }
    }

    /// All words up to one of `ends`, which is left standing.
    fn until(&mut self, ends: &[&str]) -> Vec<&'a str> {
        let mut found = Vec::new();
        while let Some(word) = self.peek().filter(|word| !ends.contains(word)) {
            found.push(word);
            self.next();
        }
        found
    }

    fn rest(&mut self) -> Vec<&'a str> {
        self.until(&[])
    }
}

fn debug(words: &mut Words) -> Result<Command, BadLine> {
    match words.word("debug")? {
        "on" | "off" => Ok(Command::Nothing),
        other => Err(BadLine::Value { what: "debug", wanted: "on or off", found: other.into() }),
    }
}

/// `setoption name <several words> [value <several words>]`
fn set_option(words: &mut Words) -> Result<Command, BadLine> {
    match words.word("setoption")? {
        "name" => (),
        other => return Err(BadLine::Unexpected { of: "setoption", found: other.into() }),
    }
    let name = words.until(&["value"]).join(" ");
    if name.is_empty() {
        return Err(BadLine::Missing("name"));
    }
    let value = words.next().map(|_| words.rest().join(" "));
    Ok(Command::SetOption { name, value })
}

/// `position startpos|fen <FEN> [moves …]`
fn position(words: &mut Words) -> Result<Command, BadLine> {
    let fen = match words.word("position")? {
        "startpos" => "startpos".to_string(),
        "fen" => words.until(&["moves"]).join(" "),
        other => return Err(BadLine::Unexpected { of: "position", found: other.into() }),
    };
    match words.next() {
        None | Some("moves") if fen.is_empty() => Err(BadLine::Missing("fen")),
        None => Ok(Command::Position { fen, moves: String::new() }),
        Some("moves") => Ok(Command::Position { fen, moves: words.rest().join(" ") }),
        Some(other) => Err(BadLine::Unexpected { of: "position", found: other.into() }),
    }
}

const GO_WORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

fn go(words: &mut Words) -> Result<Command, BadLine> {
    let mut go = Go::default();
    let mut seen = Vec::new();
    while let Some(word) = words.next() {
        let Some(word) = GO_WORDS.into_iter().find(|known| *known == word) else {
            return Err(BadLine::Unexpected { of: "go", found: word.into() });
        };
        if seen.contains(&word) {
            return Err(BadLine::Twice(word));
        }
        seen.push(word);
        match word {
            "perft" => return Ok(Command::Perft { depth: words.depth("perft")? }),
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "wtime" => go.time[0] = Some(words.milliseconds(word)?),
            "btime" => go.time[1] = Some(words.milliseconds(word)?),
            "winc" => go.increment[0] = words.milliseconds(word)?,
            "binc" => go.increment[1] = words.milliseconds(word)?,
            "movestogo" => go.moves_to_go = Some(words.at_most(word, u32::MAX)?),
            "movetime" => go.move_time = Some(words.milliseconds(word)?),
            "depth" => go.depth = Some(words.at_most(word, u8::MAX)?),
            "nodes" => go.nodes = Some(words.number(word)?),
            "mate" => go.mate = Some(words.at_most(word, u8::MAX)?),
            _ => {
                go.search_moves = words.until(&GO_WORDS).into_iter().map(str::to_string).collect();
                if go.search_moves.is_empty() {
                    return Err(BadLine::Missing("searchmoves"));
                }
            }
        }
    }
    Ok(Command::Go(Box::new(go)))
}

/// `genfens <N> seed <S> book <None|path> …`; what comes after is for other engines.
fn gen_fens(words: &mut Words) -> Result<Command, BadLine> {
    let count = words.number("genfens")?;
    let mut order = GenFens { count, seed: 0, book: None };
    while let Some(word) = words.next() {
        match word {
            "seed" => order.seed = words.number("seed")?,
            "book" => order.book = Some(words.word("book")?.to_string()).filter(|book| book != "None"),
            _ => break,
        }
    }
    Ok(Command::GenFens(order))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(line: &str) -> Go {
        match parse(line) {
            Ok(Some(Command::Go(go))) => *go,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn lines_are_read_however_they_are_spaced() {
        let set = |name: &str, value: Option<&str>| {
            Some(Command::SetOption { name: name.to_string(), value: value.map(str::to_string) })
        };
        let position = |fen: &str, moves: &str| {
            Some(Command::Position { fen: fen.to_string(), moves: moves.to_string() })
        };
        for (line, wanted) in [
            ("", None),
            (" \t ", None),
            ("\t uci  ", Some(Command::Uci)),
            ("setoption name Move   Overhead value  30 ", set("Move Overhead", Some("30"))),
            ("setoption name Clear Hash", set("Clear Hash", None)),
            ("setoption name Hash value", set("Hash", Some(""))),
            ("position startpos", position("startpos", "")),
            ("position startpos moves  e2e4   e7e5", position("startpos", "e2e4 e7e5")),
            ("position startpos moves", position("startpos", "")),
            (
                "position fen 8/8/8/8/8/8/8/8  w - - 0 1 moves a1a2",
                position("8/8/8/8/8/8/8/8 w - - 0 1", "a1a2"),
            ),
            ("perft 3", Some(Command::Perft { depth: 3 })),
            ("go perft 3", Some(Command::Perft { depth: 3 })),
            ("debug on", Some(Command::Nothing)),
            ("register later", Some(Command::Nothing)),
        ] {
            assert_eq!(parse(line), Ok(wanted), "{line:?}");
        }
    }

    #[test]
    fn go_takes_every_limit() {
        let ms = Duration::from_millis;
        let all =
            go("go searchmoves e2e4 d2d4 wtime 1000 btime -20 winc 30 binc 40 movestogo 5 depth 6 nodes 7 \
                      mate 8 movetime 9 ponder infinite");
        let wanted = Go {
            time: [Some(ms(1000)), Some(ms(0))],
            increment: [ms(30), ms(40)],
            moves_to_go: Some(5),
            move_time: Some(ms(9)),
            depth: Some(6),
            nodes: Some(7),
            mate: Some(8),
            infinite: true,
            ponder: true,
            search_moves: vec!["e2e4".to_string(), "d2d4".to_string()],
        };
        assert_eq!(all, wanted);
        assert_eq!(go("go"), Go::default());
        assert_eq!(go("go depth 999").depth, Some(u8::MAX), "as deep as there is");
    }

    #[test]
    fn what_is_wrong_is_said_on_one_line() {
        for (line, wanted) in [
            ("go depht 5", "\"depht\" is no part of go"),
            ("go depth", "depth needs a value"),
            ("go depth -1", "depth must be a whole number, not \"-1\""),
            ("go nodes 99999999999999999999", "nodes must be a whole number, not \"99999999999999999999\""),
            ("go wtime soon", "wtime must be a whole number, not \"soon\""),
            ("go depth 3 depth 4", "depth stands twice"),
            ("go searchmoves depth 3", "searchmoves needs a value"),
            ("go perft 0", "perft must be 1 to 32, not \"0\""),
            ("position", "position needs a value"),
            ("position e2e4", "\"e2e4\" is no part of position"),
            ("position startpos e2e4", "\"e2e4\" is no part of position"),
            ("position fen", "fen needs a value"),
            ("position fen moves e2e4", "fen needs a value"),
            ("setoption Hash 5", "\"Hash\" is no part of setoption"),
            ("setoption name value 5", "name needs a value"),
            ("stop now", "\"now\" is no part of this command"),
            ("debug maybe", "debug must be on or off, not \"maybe\""),
            ("genfens many", "genfens must be a whole number, not \"many\""),
            ("genfens 3 seed", "seed needs a value"),
            ("\u{1b}[2J", "unknown command \"\\u{1b}[2J\""),
        ] {
            let error = parse(line).expect_err(line).to_string();
            assert_eq!(error, wanted, "{line:?}");
        }
        let long = parse(&"x".repeat(9_000)).expect_err("no command").to_string();
        assert!(long.len() < 100, "{long}");
    }

    #[test]
    fn genfens_is_read_as_openbench_says_it() {
        for (line, book) in [
            ("genfens 5 seed 7 book None", None),
            ("genfens 5 seed 7 book books/a.epd", Some("books/a.epd".to_string())),
            ("genfens 5 seed 7 book None threads 9", None),
        ] {
            let wanted = GenFens { count: 5, seed: 7, book };
            assert_eq!(parse(line), Ok(Some(Command::GenFens(wanted))), "{line}");
        }
    }
}
