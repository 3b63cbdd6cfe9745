//! Moves as people write them: SAN or UCI, with or without numbers, marks and comments.
//!
//! shakmaty reads the grammar of SAN; which legal move is meant is decided by our own position.

use crate::engine::castling::CastlingSide;
use crate::engine::position::ALL_SQUARES;
use crate::engine::{Color, Move, MoveError, Piece, Position};
use shakmaty::san::San;
use shakmaty::{CastlingSide as SanSide, Role};
use thiserror::Error;

/// Longest line that is read. No opening is near it, and move counters stay far from their end.
const MAX_PLIES: usize = 512;

/// Why a line of moves was refused. Moves are told by number and as they were written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MovetextError {
    #[error("there are no moves")]
    Empty,
    #[error("{0} is not a move in SAN or UCI")]
    Unreadable(String),
    #[error("{0} is not legal there")]
    Illegal(String),
    #[error("{0} fits more than one legal move")]
    Ambiguous(String),
    #[error("a comment or variation is never closed")]
    Unclosed,
    #[error("the line is longer than {MAX_PLIES} plies")]
    TooLong,
}

/// One move of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// Of the position before the move.
    pub key: u64,
    pub mv: Move,
    /// Where the word of the move ends in the text, in bytes.
    pub end: usize,
}

/// A line that has been played.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// At least one.
    pub plies: &'a [Ply],
    /// Key of the position at the end.
    pub end_key: u64,
}

/// Plays lines from the start position, one after the other.
///
/// Neighbours in an opening table mostly begin alike. What a line has in common with the one before
/// is neither read nor played again: that is two thirds of the moves of our own table.
#[derive(Default)]
pub struct Replay {
    position: Position,
    text: String,
    plies: Vec<Ply>,
}

impl Replay {
    /// The moves of one line. After an error the next line starts afresh.
    pub fn play(&mut self, text: &str) -> Result<Line<'_>, MovetextError> {
        self.rewind(text);
        let mut words = Words { text, at: self.plies.last().map_or(0, |ply| ply.end) };
        while let Some(word) = words.next()? {
            if self.plies.len() == MAX_PLIES {
                return Err(MovetextError::TooLong);
            }
            let mv = find_move(&self.position, word)?;
            self.plies.push(Ply { key: self.position.key(), mv, end: words.at });
            self.position.play(mv);
        }
        if self.plies.is_empty() {
            return Err(MovetextError::Empty);
        }
        Ok(Line { plies: &self.plies, end_key: self.position.key() })
    }

    /// Goes back to where `text` departs from the line before.
    fn rewind(&mut self, text: &str) {
        let common = self.text.bytes().zip(text.bytes()).take_while(|(old, new)| old == new).count();
        let is_shared =
            |ply: &Ply| ply.end <= common && text.as_bytes().get(ply.end).is_none_or(u8::is_ascii_whitespace);
        while self.plies.pop_if(|ply| !is_shared(ply)).is_some() {
            self.position.undo();
        }
        self.text.clear();
        self.text.push_str(text);
    }
}

/// Plays the moves of a text from any position, the first `most_plies` of them.
///
/// After an error the position is the one that the move at fault was to be played in.
pub fn play_line(position: &mut Position, text: &str, most_plies: usize) -> Result<(), MovetextError> {
    let mut words = Words { text, at: 0 };
    for _ in 0..most_plies {
        let Some(word) = words.next()? else { break };
        let mv = find_move(position, word)?;
        position.play(mv);
    }
    Ok(())
}

/// The words of a text that stand for moves of its main line.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Result<Option<&'a str>, MovetextError> {
        let text = self.text;
        while let Some(first) = text[self.at..].chars().next() {
            let rest = &text[self.at..];
            let length = match first {
                '{' => rest.find('}').ok_or(MovetextError::Unclosed)? + 1,
                '(' => variation_length(rest).ok_or(MovetextError::Unclosed)?,
                ';' => rest.find('\n').unwrap_or(rest.len()),
                c if c.is_whitespace() => c.len_utf8(),
                _ => rest
                    .find(|c: char| c.is_whitespace() || matches!(c, '{' | '(' | ';'))
                    .unwrap_or(rest.len()),
            };
            self.at += length;
            let word = bare_move(&rest[..length]);
            if !matches!(first, '{' | '(' | ';') && !word.is_empty() {
                return Ok(Some(word));
            }
        }
        Ok(None)
    }
}

/// Length in bytes of the variation at the start of `text`, with all that is nested in it.
fn variation_length(text: &str) -> Option<usize> {
    let (mut depth, mut in_comment) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            '{' => in_comment = true,
            '}' => in_comment = false,
            '(' if !in_comment => depth += 1,
            ')' if !in_comment && depth == 1 => return Some(at + 1),
            ')' if !in_comment => depth -= 1,
            _ => {}
        }
    }
    None
}

/// A word without move number, marks, annotation glyphs and `e.p.`; empty for a mere number, mark
/// or result.
fn bare_move(word: &str) -> &str {
    let word = word.trim();
    if matches!(word, "1-0" | "0-1" | "1/2-1/2" | "*") {
        return "";
    }
    let after_digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = after_digits.is_empty() || after_digits.starts_with(['.', '…']);
    let word = if is_number { after_digits.trim_start_matches(['.', '…']) } else { word };
    let word = word.split_once('$').map_or(word, |(mv, _)| mv);
    let marks = ['!', '?', '+', '#'];
    let word = word.trim_end_matches(marks);
    word.strip_suffix("e.p.").unwrap_or(word).trim_end_matches(marks)
}

/// The one legal move that a word stands for: SAN or UCI, with or without marks.
pub fn read_move(position: &Position, word: &str) -> Result<Move, MovetextError> {
    find_move(position, bare_move(word))
}

fn find_move(position: &Position, word: &str) -> Result<Move, MovetextError> {
    match position.parse_uci(word) {
        Ok(mv) => return Ok(mv),
        Err(MoveError::Illegal { .. }) => return Err(MovetextError::Illegal(numbered(position, word))),
        Err(MoveError::Malformed(_)) => {}
    }
    let san = parse_san(word).ok_or_else(|| MovetextError::Unreadable(numbered(position, word)))?;
    let legal = position.legal_moves();
    let mut fitting = legal.iter().filter(|mv| fits(position, san, **mv));
    match (fitting.next(), fitting.next()) {
        (Some(mv), None) => Ok(*mv),
        (None, _) => Err(MovetextError::Illegal(numbered(position, word))),
        (Some(_), Some(_)) => Err(MovetextError::Ambiguous(numbered(position, word))),
    }
}

/// SAN, also with zeros in castling and without the `=` of a promotion.
fn parse_san(word: &str) -> Option<San> {
    if let Ok(san) = word.parse() {
        return Some(san);
    }
    match word {
        "0-0" | "o-o" => return Some(San::Castle(SanSide::KingSide)),
        "0-0-0" | "o-o-o" => return Some(San::Castle(SanSide::QueenSide)),
        _ => {}
    }
    let (step, piece) = word.split_at_checked(word.len().checked_sub(1)?)?;
    format!("{step}={piece}").parse().ok()
}

fn fits(position: &Position, san: San, mv: Move) -> bool {
    match san {
        San::Castle(side) => {
            let king_side = CastlingSide::of(mv.from(), mv.to()) == CastlingSide::King;
            mv.is_castling() && king_side == (side == SanSide::KingSide)
        }
        San::Normal { role, file, rank, capture, to, promotion } => {
            let from = mv.from();
            !mv.is_castling()
                && mv.to() == ALL_SQUARES[usize::from(to)]
                && position.piece_on(from).is_some_and(|(_, piece)| piece == piece_of(role))
                && file.is_none_or(|file| usize::from(file) == from.get_file().to_index())
                && rank.is_none_or(|rank| usize::from(rank) == from.get_rank().to_index())
                && capture == position.is_capture(mv)
                && promotion.map(piece_of) == mv.promoted()
        }
        San::Put { .. } | San::Null => false,
    }
}

fn piece_of(role: Role) -> Piece {
    match role {
        Role::Pawn => Piece::Pawn,
        Role::Knight => Piece::Knight,
        Role::Bishop => Piece::Bishop,
        Role::Rook => Piece::Rook,
        Role::Queen => Piece::Queen,
        Role::King => Piece::King,
    }
}

/// `2... "Nf6"`: the word with the number of its move, cut short and escaped for the log.
fn numbered(position: &Position, word: &str) -> String {
    const SHOWN: usize = 20;
    let dots = if position.side_to_move() == Color::White { "." } else { "..." };
    let short: String = word.chars().take(SHOWN).collect();
    let more = if word.chars().count() > SHOWN { "…" } else { "" };
    format!("{}{dots} {short:?}{more}", position.move_number())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uci(text: &str) -> Result<String, MovetextError> {
        let mut replay = Replay::default();
        let line = replay.play(text)?;
        Ok(line.plies.iter().map(|ply| ply.mv.to_string()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn moves_are_read_in_every_common_spelling() {
        const SICILIAN: &str = "e2e4 c7c5 g1f3";
        const CASTLED: &str = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1";
        const PROMOTED: &str = "b2b4 a7a5 b4a5 b7b6 a5a6 b6b5 a6a7 b5b4 a7b8q";
        let cases = [
            ("1. e4 c5 2. Nf3", SICILIAN),
            ("1.e4 c5 2.Nf3", SICILIAN),
            ("e4 c5 Nf3", SICILIAN),
            ("1. e4 1... c5 2. Nf3", SICILIAN),
            ("1.e4 1...c5 2.Nf3", SICILIAN),
            ("1. e4 … c5 2. Nf3", SICILIAN),
            ("1 e4 c5 2 Nf3", SICILIAN),
            ("e2e4 c7c5 g1f3", SICILIAN),
            ("1. e2e4 c5 2. g1f3", SICILIAN),
            ("  1. e4\t c5\n2. Nf3  ", SICILIAN),
            ("1. e4! c5?! 2. Nf3!!", SICILIAN),
            ("1. e4 $1 c5$6 2. Nf3 $14", SICILIAN),
            ("1. e4 ! c5 2. Ng1f3 *", SICILIAN),
            ("1. e4 c5 2. Nf3 1/2-1/2", SICILIAN),
            ("1. e4 {best by test} c5{!} 2. Nf3 (2. Nc3 (2. c3 {a) sharp}) Nc6) 1-0", SICILIAN),
            ("1. e4 ; the rest of the line\nc5 2. Nf3", SICILIAN),
            ("e4 e5 Nf3 Nc6 Bc4 Bc5 O-O", CASTLED),
            ("e4 e5 Nf3 Nc6 Bc4 Bc5 4.0-0", CASTLED),
            ("e4 e5 Nf3 Nc6 Bc4 Bc5 o-o", CASTLED),
            ("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1", CASTLED),
            ("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1", CASTLED),
            ("d4 d5 Bf4 Bf5 Nc3 Nc6 Qd2 Qd7 0-0-0", "d2d4 d7d5 c1f4 c8f5 b1c3 b8c6 d1d2 d8d7 e1a1"),
            ("b4 a5 bxa5 b6 a6 b5 a7 b4 axb8=Q", PROMOTED),
            ("b4 a5 bxa5 b6 a6 b5 a7 b4 axb8Q!", PROMOTED),
            ("b2b4 a7a5 b4a5 b7b6 a5a6 b6b5 a6a7 b5b4 a7b8q", PROMOTED),
            ("e4 Nf6 e5 d5 exd6", "e2e4 g8f6 e4e5 d7d5 e5d6"),
            ("e4 Nf6 e5 d5 exd6 e.p.", "e2e4 g8f6 e4e5 d7d5 e5d6"),
            ("e4 Nf6 e5 d5 exd6e.p.!", "e2e4 g8f6 e4e5 d7d5 e5d6"),
            ("f3 e5 g4 Qh4#", "f2f3 e7e5 g2g4 d8h4"),
            ("f3 e5 g4 Qh4++", "f2f3 e7e5 g2g4 d8h4"),
            ("f3 e5 g4 Qh4", "f2f3 e7e5 g2g4 d8h4"),
            ("d4 d5 Nf3 Nf6 Nbd2", "d2d4 d7d5 g1f3 g8f6 b1d2"),
        ];
        for (text, expected) in cases {
            assert_eq!(uci(text).as_deref(), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn a_line_is_played_from_any_position_as_far_as_wanted() {
        let text = "30... Kd7 {so} 31. Kf2 (31. Kd2) Kd6 1/2-1/2";
        for (most, expected) in [(0, ""), (1, "e8d7"), (2, "e8d7 e1f2"), (9, "e8d7 e1f2 d7d6")] {
            let mut position = Position::from_fen("4k3/8/8/8/8/8/8/R3K3 b - - 0 30").expect("legal");
            play_line(&mut position, text, most).expect("legal");
            let moves: Vec<String> = position.moves().map(|(_, mv)| mv.to_string()).collect();
            assert_eq!(moves.join(" "), expected, "{most}");
        }
    }

    #[test]
    fn refusals_name_the_move_and_the_reason() {
        let cases = [
            ("", "there are no moves"),
            (" 1. * ", "there are no moves"),
            ("1. e4 e5 2. Nf4", "2. \"Nf4\" is not legal there"),
            ("1. e4 e5 2. g1f4", "2. \"g1f4\" is not legal there"),
            ("1... c5", "1. \"c5\" is not legal there"),
            ("1. e4 e5 2. Nxf3", "2. \"Nxf3\" is not legal there"),
            ("1. e4 e5 2. O-O", "2. \"O-O\" is not legal there"),
            ("1. d4 d5 2. Nf3 Nf6 3. Nd2", "3. \"Nd2\" fits more than one legal move"),
            ("1. e4 zzz", "1... \"zzz\" is not a move in SAN or UCI"),
            ("1. e4 --", "1... \"--\" is not legal there"),
            ("1. e4 Ж", "1... \"Ж\" is not a move in SAN or UCI"),
            ("1. e4 \u{1b}[31m", "1... \"\\u{1b}[31m\" is not a move in SAN or UCI"),
            (
                "1. e4 abcdefghijklmnopqrstuvwxyz",
                "1... \"abcdefghijklmnopqrst\"… is not a move in SAN or UCI",
            ),
            ("1. e4 {never", "a comment or variation is never closed"),
            ("1. e4 (1. d4 {)}", "a comment or variation is never closed"),
            ("1. e4 e5)", "1... \"e5)\" is not a move in SAN or UCI"),
        ];
        for (text, expected) in cases {
            assert_eq!(uci(text).map_err(|error| error.to_string()), Err(expected.to_string()), "{text:?}");
        }
        assert_eq!(uci(&"Nf3 Nf6 Ng1 Ng8 ".repeat(129)), Err(MovetextError::TooLong));
    }

    #[test]
    fn sharing_the_beginning_gives_the_same_moves_as_reading_alone() {
        let lines = [
            "1. e4",
            "1. e4 c5",
            "1. e4 c5 2. Nf3 d6",
            "1. e4 c5 2. Nf3",
            "1. e4 c5 2. Nf4",
            "1. e4 c5 2. Nf3!",
            "1. e4 c5 2. Nf3{good} d6",
            "1. e4 c5 2. N",
            "1. e4 c5 2. Nc3 {a} a6",
            "1. e4 c5 2. Nc3 {b} a6",
            "1. e4 c5 2. Nc3 {b} a6 (2... b6",
            "1. e4 c5 2. Nc3 {b} a6 (2... b6) 3. f4",
            "",
            "1. e4 c5",
            "e2e4",
            "e2e4q",
        ];
        let mut replay = Replay::default();
        for line in lines {
            let mut alone = Replay::default();
            assert_eq!(replay.play(line), alone.play(line), "{line:?}");
        }
    }
}
