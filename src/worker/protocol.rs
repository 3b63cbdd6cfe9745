//! UCI as engines speak it: one line in, what it says out.
//!
//! After the description of the Universal Chess Interface of April 2006 (Stefan Meyer-Kahlen): words that
//! are not known are passed over, names of options are the same in capitals.

use crate::engine::castling::CastlingSide;
use crate::engine::{Move, Position, Score};

/// What a line of an engine says.
#[derive(Debug, PartialEq)]
pub enum Line<'a> {
    UciOk,
    ReadyOk,
    Option(Offer),
    Info(Info<'a>),
    /// The move, still in text.
    BestMove(&'a str),
    /// Something else, or nothing that we use.
    Other,
}

/// An option that the engine has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    pub name: String,
    pub kind: OfferKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OfferKind {
    Check,
    /// A whole number between these.
    Spin(i64, i64),
    /// One of these words.
    Combo(Vec<String>),
    Button,
    Text,
}

/// The state of a search of the best line, as far as it was told and was sound.
#[derive(Debug, PartialEq)]
pub struct Info<'a> {
    pub depth: u8,
    pub selective_depth: u8,
    pub nodes: u64,
    pub score: Score,
    /// At least one move, still in text.
    pub pv: Vec<&'a str>,
}

/// Reads one line.
pub fn read(line: &str) -> Line<'_> {
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        Some("uciok") => Line::UciOk,
        Some("readyok") => Line::ReadyOk,
        Some("bestmove") => Line::BestMove(words.next().unwrap_or_default()),
        Some("option") => read_option(line).map_or(Line::Other, Line::Option),
        Some("info") => read_info(&words.collect::<Vec<_>>()).map_or(Line::Other, Line::Info),
        _ => Line::Other,
    }
}

/// `option name Move Overhead type spin default 10 min 0 max 5000`; names may have blanks.
fn read_option(line: &str) -> Option<Offer> {
    let (_, rest) = line.split_once("name ")?;
    let (name, rest) = rest.split_once(" type ")?;
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    let after = |key: &str| {
        let at = words.iter().position(|word| *word == key)?;
        words.get(at + 1)?.parse::<i64>().ok()
    };
    let kind = match *words.first()? {
        "check" => OfferKind::Check,
        "spin" => OfferKind::Spin(after("min").unwrap_or(i64::MIN), after("max").unwrap_or(i64::MAX)),
        "combo" => {
            OfferKind::Combo(rest.split(" var ").skip(1).map(|word| word.trim().to_string()).collect())
        }
        "button" => OfferKind::Button,
        _ => OfferKind::Text,
    };
    Some(Offer { name: name.trim().to_string(), kind })
}

/// Nothing for lines other than the best, for bounds, and where a value does not read.
fn read_info<'a>(words: &[&'a str]) -> Option<Info<'a>> {
    let (mut depth, mut selective_depth, mut nodes) = (0, 0, 0);
    let (mut score, mut pv) = (None, Vec::new());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let value = words.get(at + 1).copied();
        match *word {
            "depth" => depth = read_depth(value?)?,
            "seldepth" => selective_depth = read_depth(value?)?,
            "nodes" => nodes = value?.parse().ok()?,
            "multipv" if value? != "1" => return None,
            "score" => score = Some(read_score(value?, words.get(at + 2)?)?),
            "lowerbound" | "upperbound" | "string" => return None,
            "pv" => {
                pv = words[at + 1..].iter().copied().take_while(|word| is_move(word)).collect();
                at += pv.len();
            }
            _ => {}
        }
        at += 1;
    }
    let score = score.filter(|_| !pv.is_empty())?;
    Some(Info { depth, selective_depth, nodes, score, pv })
}

/// Deeper than we can write down is as deep as we can.
fn read_depth(word: &str) -> Option<u8> {
    word.parse::<u32>().ok().map(|depth| u8::try_from(depth).unwrap_or(u8::MAX))
}

/// `cp 31` or `mate -2`; what no score of ours can hold becomes the nearest that can.
fn read_score(unit: &str, value: &str) -> Option<Score> {
    let value: i32 = value.parse().ok()?;
    let furthest = Score::MAX_PLY as i32;
    match unit {
        "cp" => Some(Score(value.clamp(1 - Score::MATE_IN_MAX, Score::MATE_IN_MAX - 1))),
        "mate" if value > 0 => {
            Some(Score::mate_in(value.saturating_mul(2).saturating_sub(1).min(furthest) as usize))
        }
        "mate" => Some(Score::mated_in(value.saturating_neg().saturating_mul(2).min(furthest) as usize)),
        _ => None,
    }
}

fn is_move(word: &str) -> bool {
    let (squares, promotion) = word.split_at_checked(4).unwrap_or((word, ""));
    matches!(squares.as_bytes(), [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8'])
        && matches!(promotion, "" | "n" | "b" | "r" | "q")
}

/// Where a game begins and what was played, as engines are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// `position fen … moves …`.
    pub line: String,
    /// Castling here is not that of standard chess: the engine needs `UCI_Chess960`.
    pub is_chess960: bool,
}

impl Root {
    /// The whole game, because repetitions count; the bare position where the game cannot be told.
    pub fn of(position: &Position) -> Root {
        let mut start = position.clone();
        while start.plies_played() > 0 {
            start.undo();
        }
        let is_chess960 = start.needs_chess960();
        let mut line = format!("position fen {}", start.fen());
        let mut replayed = start;
        for (index, (_, mv)) in position.moves().enumerate() {
            // A start that only the server allows does not lead here by its moves, nor do null moves.
            if !replayed.is_legal(mv) {
                break;
            }
            line.push_str(if index == 0 { " moves " } else { " " });
            line.push_str(&in_uci(mv, is_chess960));
            replayed.play(mv);
        }
        if replayed.key() != position.key() || replayed.plies_played() != position.plies_played() {
            line = format!("position fen {}", position.fen());
        }
        Root { line, is_chess960 }
    }
}

/// Castling as the king's two steps in standard chess, as king takes rook in Chess960.
fn in_uci(mv: Move, is_chess960: bool) -> String {
    if !mv.is_castling() || is_chess960 {
        return mv.to_string();
    }
    format!("{}{}", mv.from(), CastlingSide::of(mv.from(), mv.to()).king_target(mv.from().get_rank()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::position::START_FEN;

    fn info(depth: u8, score: Score, nodes: u64, pv: &[&'static str]) -> Line<'static> {
        Line::Info(Info { depth, selective_depth: 0, nodes, score, pv: pv.to_vec() })
    }

    #[test]
    fn lines_are_read_as_the_protocol_says() {
        let cases = [
            ("uciok", Line::UciOk),
            (" readyok ", Line::ReadyOk),
            ("bestmove e2e4 ponder e7e5", Line::BestMove("e2e4")),
            ("bestmove", Line::BestMove("")),
            ("info depth 3 score cp 31 nodes 99 pv e2e4 e7e5", info(3, Score(31), 99, &["e2e4", "e7e5"])),
            ("info depth 9 score mate 3 pv a7a8q", info(9, Score::mate_in(5), 0, &["a7a8q"])),
            ("info depth 9 score mate -2 pv a7a8q", info(9, Score::mated_in(4), 0, &["a7a8q"])),
            ("info depth 1 score mate 0 pv a1a2", info(1, Score::mated_in(0), 0, &["a1a2"])),
            (
                "info score cp -99999 depth 300 pv a1a2",
                info(255, Score(1 - Score::MATE_IN_MAX), 0, &["a1a2"]),
            ),
            (
                "info depth 5 multipv 1 score cp 7 wdl 300 500 200 nps 4 hashfull 3 tbhits 0 time 1 pv g1f3 nodes 12",
                info(5, Score(7), 12, &["g1f3"]),
            ),
            ("info depth 5 multipv 2 score cp 7 pv g1f3", Line::Other),
            ("info depth 5 score cp 7 lowerbound pv g1f3", Line::Other),
            ("info depth x score cp 7 pv g1f3", Line::Other),
            ("info depth 5 score cp pv g1f3", Line::Other),
            ("info depth 5 score cp 7", Line::Other),
            ("info depth 5 score cp 7 pv", Line::Other),
            ("info depth", Line::Other),
            ("info string depth 5 score cp 7 pv g1f3", Line::Other),
            ("info currmove e2e4 currmovenumber 1", Line::Other),
            ("Stockfish by people", Line::Other),
            ("\u{fffd}\u{fffd}", Line::Other),
            ("", Line::Other),
        ];
        for (line, expected) in cases {
            assert_eq!(read(line), expected, "{line:?}");
        }
    }

    #[test]
    fn options_are_read_with_their_bounds() {
        let combo = OfferKind::Combo(vec!["Off".to_string(), "A b".to_string()]);
        let cases = [
            ("option name Hash type spin default 16 min 1 max 1024", "Hash", OfferKind::Spin(1, 1024)),
            (
                "option name Move Overhead type spin default 10",
                "Move Overhead",
                OfferKind::Spin(i64::MIN, i64::MAX),
            ),
            ("option name Clear Hash type button", "Clear Hash", OfferKind::Button),
            ("option name Style type combo default Off var Off var A b", "Style", combo),
            ("option name UCI_Chess960 type check default false", "UCI_Chess960", OfferKind::Check),
            ("option name SyzygyPath type string default <empty>", "SyzygyPath", OfferKind::Text),
        ];
        for (line, name, kind) in cases {
            assert_eq!(read(line), Line::Option(Offer { name: name.to_string(), kind }), "{line}");
        }
        assert_eq!(read("option type spin"), Line::Other);
    }

    #[test]
    fn a_game_is_told_from_its_start_with_castling_as_its_chess_has_it() {
        let cases = [
            ("startpos", "", format!("position fen {START_FEN}"), false),
            ("startpos", "e2e4 c7c5", format!("position fen {START_FEN} moves e2e4 c7c5"), false),
            (
                "4k3/8/8/8/8/8/8/R3K2R w KQ - 3 9",
                "e1a1 e8e7",
                "position fen 4k3/8/8/8/8/8/8/R3K2R w KQ - 3 9 moves e1c1 e8e7".to_string(),
                false,
            ),
            (
                "4k3/8/8/8/8/8/8/RK5R w KQ - 0 1",
                "b1h1",
                "position fen 4k3/8/8/8/8/8/8/RK5R w KQ - 0 1 moves b1h1".to_string(),
                true,
            ),
            // A start that only the server allows is told as what came of it.
            (
                "7k/8/8/8/8/8/8/K6R w - - 90 100",
                "h1h2 h8g8",
                "position fen 6k1/8/8/8/8/8/7R/K7 w - - 92 101".to_string(),
                false,
            ),
        ];
        for (fen, moves, line, is_chess960) in cases {
            let position = Position::after(fen, moves).expect(fen);
            assert_eq!(Root::of(&position), Root { line, is_chess960 }, "{fen} {moves}");
        }
    }
}
