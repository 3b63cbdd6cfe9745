//! Openings from a file: EPD or FEN lines, games in PGN, or a table of lines in CSV.

use crate::book::{self, BookError};
use crate::engine::position::START_FEN;
use crate::engine::{Position, split_epd};
use fastrand::Rng;
use std::io::{self, Read};
use thiserror::Error;

/// Openings to play, in the order of the match.
#[derive(Clone, Debug)]
pub struct Openings {
    /// Each is the position to play from, with the moves that led to it.
    pub positions: Vec<Position>,
    /// Entries that could not be used.
    pub skipped: usize,
    /// Why the first of them could not.
    pub first_reason: Option<String>,
    /// Tells whether it is the same file.
    pub fingerprint: u64,
}

/// Why there are no openings.
#[derive(Debug, Error)]
pub enum OpeningsError {
    #[error("{path}: cannot be read: {reason}")]
    Unreadable { path: String, reason: io::Error },
    #[error("{0}")]
    Table(#[from] BookError),
    #[error("{path}: no opening in it can be used{}", .reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default())]
    Empty { path: String, reason: Option<String> },
}

impl Openings {
    /// The start position alone.
    pub fn none() -> Openings {
        Openings { positions: vec![Position::default()], skipped: 0, first_reason: None, fingerprint: 0 }
    }

    /// Reads a file by what it holds, whatever its name. Of games and lines the first `most_plies` count.
    ///
    /// # Errors
    /// It cannot be read, or no opening in it can be used.
    pub fn read(mut input: impl Read, name: &str, most_plies: usize) -> Result<Openings, OpeningsError> {
        let mut bytes = Vec::new();
        let read = input.read_to_end(&mut bytes);
        read.map_err(|reason| OpeningsError::Unreadable { path: name.to_string(), reason })?;
        Openings::parse(&bytes, name, most_plies)
    }

    fn parse(bytes: &[u8], name: &str, most_plies: usize) -> Result<Openings, OpeningsError> {
        let text = String::from_utf8_lossy(bytes);
        let mut refused = Refused::default();
        let found = match kind_of(&text) {
            Kind::Pgn => of_games(&text, most_plies, &mut refused),
            Kind::Epd => of_lines(&text, &mut refused),
            Kind::Csv => book::lines_of_csv(bytes, name, most_plies, |reason| refused.add(reason))?,
        };
        let mut positions = Vec::with_capacity(found.len());
        for position in found {
            match position.outcome() {
                None => positions.push(position),
                Some(outcome) => refused.add(format!("{}: over already: {outcome:?}", position.fen())),
            }
        }
        if positions.is_empty() {
            return Err(OpeningsError::Empty { path: name.to_string(), reason: refused.first });
        }
        let fingerprint = fingerprint(bytes);
        Ok(Openings { positions, skipped: refused.count, first_reason: refused.first, fingerprint })
    }

    /// Another order, the same for the same seed.
    pub fn shuffle(&mut self, seed: u64) {
        Rng::with_seed(seed).shuffle(&mut self.positions);
    }
}

/// What could not be used.
#[derive(Default)]
struct Refused {
    count: usize,
    first: Option<String>,
}

impl Refused {
    fn add(&mut self, reason: String) {
        self.count += 1;
        self.first.get_or_insert(reason);
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Pgn,
    Epd,
    Csv,
}

/// By the first line that says something: a tag or a move number, a board, or a header.
fn kind_of(text: &str) -> Kind {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_comment(line));
    let first = lines.next().unwrap_or_default();
    if first.starts_with('[') || first.starts_with("1.") {
        Kind::Pgn
    } else if first.split(' ').next().is_some_and(|field| field.matches('/').count() == 7) {
        Kind::Epd
    } else {
        Kind::Csv
    }
}

fn is_comment(line: &str) -> bool {
    line.starts_with(['#', '%'])
}

fn of_lines(text: &str, refused: &mut Refused) -> Vec<Position> {
    let mut positions = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || is_comment(line) {
            continue;
        }
        match Position::from_fen(&fen_of(line)) {
            Ok(position) => positions.push(position),
            Err(reason) => refused.add(format!("line {}: {reason}", index + 1)),
        }
    }
    positions
}

/// The FEN in a line of EPD, whose counters are operations if they are there at all.
fn fen_of(line: &str) -> String {
    let (fen, operations) = split_epd(line);
    if fen.split(' ').count() != 4 {
        return fen;
    }
    let operation = |code: &str, default: &str| {
        let value = operations.split(';').find_map(|operation| {
            let mut words = operation.split_ascii_whitespace().rev();
            let (value, name) = (words.next()?, words.next()?);
            (name == code && value.parse::<u16>().is_ok()).then(|| value.to_string())
        });
        value.unwrap_or_else(|| default.to_string())
    };
    format!("{fen} {} {}", operation("hmvc", "0"), operation("fmvn", "1"))
}

fn of_games(text: &str, most_plies: usize, refused: &mut Refused) -> Vec<Position> {
    let mut positions = Vec::new();
    for (number, game) in games(text).into_iter().enumerate() {
        match play(&game, most_plies) {
            Ok(position) => positions.push(position),
            Err(reason) => refused.add(format!("game {}: {reason}", number + 1)),
        }
    }
    positions
}

/// One game of a PGN file.
#[derive(Debug, Default, PartialEq, Eq)]
struct PgnText<'a> {
    fen: Option<&'a str>,
    moves: String,
}

/// Cuts at tags that follow moves; inside a comment there are none.
fn games(text: &str) -> Vec<PgnText<'_>> {
    let mut games = vec![PgnText::default()];
    let mut in_comment = false;
    for line in text.trim_start_matches('\u{feff}').lines() {
        let game = games.last_mut().expect("there is always one");
        if !in_comment && line.starts_with('[') {
            let fen = line.strip_prefix("[FEN \"").and_then(|rest| rest.split_once('"'));
            if game.moves.trim().is_empty() {
                game.fen = fen.map(|(fen, _)| fen).or(game.fen);
            } else {
                games.push(PgnText { fen: fen.map(|(fen, _)| fen), moves: String::new() });
            }
        } else if in_comment || !line.starts_with('%') {
            in_comment = line.chars().fold(in_comment, |inside, c| match c {
                '{' => true,
                '}' => false,
                _ => inside,
            });
            game.moves.push_str(line);
            game.moves.push('\n');
        }
    }
    games.retain(|game| game.fen.is_some() || !game.moves.trim().is_empty());
    games
}

fn play(game: &PgnText, most_plies: usize) -> Result<Position, String> {
    let fen = game.fen.unwrap_or(START_FEN);
    let mut position = Position::from_fen(fen).map_err(|reason| reason.to_string())?;
    book::play_line(&mut position, &game.moves, most_plies).map_err(|reason| reason.to_string())?;
    Ok(position)
}

/// FNV-1a. Source: Fowler, Noll and Vo.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openings(text: &str) -> Openings {
        Openings::parse(text.as_bytes(), "the file", 16).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// The start and the moves of each opening.
    fn told(openings: &Openings) -> Vec<String> {
        let moves = |position: &Position| {
            position.moves().map(|(_, mv)| mv.to_string()).collect::<Vec<_>>().join(" ")
        };
        openings.positions.iter().map(moves).collect()
    }

    #[test]
    fn epd_and_fen_are_read_with_their_counters() {
        let text = "# two kings and a rook\n\
                    4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8+; id \"one\";\n\n\
                    4k3/8/8/8/8/8/8/R3K3 b Q - 7 30\r\n\
                    4k3/8/8/8/8/8/8/R3K3 w Q - hmvc 3; fmvn 12;\n\
                    4k3/8/8/8/8/8/8/R3K3 w Q -\n\
                    not/a/board\n\
                    7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\n";
        let openings = openings(text);
        let fens: Vec<String> = openings.positions.iter().map(Position::fen).collect();
        assert_eq!(
            fens,
            [
                "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1",
                "4k3/8/8/8/8/8/8/R3K3 b Q - 7 30",
                "4k3/8/8/8/8/8/8/R3K3 w Q - 3 12",
                "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"
            ]
        );
        assert_eq!(openings.skipped, 2);
        assert!(openings.first_reason.is_some_and(|reason| reason.starts_with("line 7: ")));
    }

    #[test]
    fn games_are_cut_at_their_tags_and_after_enough_moves() {
        let text = "\u{feff}[Event \"a\"]\n[Result \"*\"]\n\n1. e4 {a comment\n[%clk 1]\n} e5\n2. Nf3 *\n\n\
                    [Event \"b\"]\n[FEN \"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\"]\n\n1. Ra8+ *\n\n\
                    [Event \"c\"]\n\n1. d4 d5 2. c5 *\n\n\
                    [Event \"d\"]\n\n1. c4 c5 2. Nc3 Nc6 3. g3 1/2-1/2\n";
        let openings = Openings::parse(text.as_bytes(), "the file", 4).expect("three of four");
        assert_eq!(told(&openings), ["e2e4 e7e5 g1f3", "a1a8", "c2c4 c7c5 b1c3 b8c6"]);
        assert_eq!(openings.skipped, 1);
        assert_eq!(openings.first_reason.as_deref(), Some("game 3: 2. \"c5\" is not legal there"));
        assert_eq!(told(&self::openings("1. e4 e5\n")), ["e2e4 e7e5"], "without tags");
    }

    #[test]
    fn our_own_table_is_a_file_of_openings() {
        let text = "eco,name,moves\nB20,Sicilian,1. e4 c5\nA00,Broken,1. e5\n";
        let openings = openings(text);
        assert_eq!(told(&openings), ["e2e4 c7c5"]);
        assert_eq!(
            openings.first_reason.as_deref(),
            Some("line 3, column moves: 1. \"e5\" is not legal there")
        );
    }

    #[test]
    fn a_file_without_openings_says_why() {
        let cases = [
            ("", "the file"),
            ("name,text\na,b\n", "moves, pgn or uci"),
            ("8/8/8/8/8/8/8/8 w - - 0 1\n", "no opening in it can be used: line 1: "),
            ("[Event \"a\"]\n\n1. e5 *\n", "no opening in it can be used: game 1: "),
        ];
        for (text, reason) in cases {
            let error = Openings::parse(text.as_bytes(), "the file", 16).expect_err(text).to_string();
            assert!(error.contains(reason), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_seed_gives_one_order() {
        let text = "moves\n1. e4\n1. d4\n1. c4\n1. Nf3\n1. g3\n1. b3\n";
        let order = |seed| {
            let mut openings = openings(text);
            openings.shuffle(seed);
            told(&openings)
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        let (mut sorted, mut all) = (order(1), told(&openings(text)));
        sorted.sort();
        all.sort();
        assert_eq!(sorted, all);
    }
}
