//! Positions, games and moves in text: FEN, the server's words for a game, UCI, and the numbers of
//! Chess960's start positions.

use super::castling::CastlingSide;
use super::fen::{FenError, Setup, excerpt, piece_letter};
use super::moves::Move;
use super::position::Position;
use super::state::{ALL_SQUARES, Color, Piece, Square, State, rank_mask};
use std::fmt;
use thiserror::Error;

/// The FEN of the start position of standard chess.
pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Why a move in text was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MoveError {
    #[error("{0:?} is not a move in UCI notation")]
    Malformed(String),
    #[error("{uci} is not legal in {fen}")]
    Illegal { uci: String, fen: String },
}

/// Why a game in text was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GameError {
    #[error("start position {fen:?}: {reason}")]
    Start { fen: String, reason: FenError },
    #[error("ply {ply}: {reason}")]
    Move { ply: usize, reason: MoveError },
}

impl Default for Position {
    fn default() -> Self {
        Position::from_fen(START_FEN).expect("the start position is legal")
    }
}

impl Position {
    /// Reads standard FEN, X-FEN and Shredder-FEN, strictly.
    pub fn from_fen(fen: &str) -> Result<Position, FenError> {
        Ok(Position::beginning(State::new(&Setup::parse(fen)?)?))
    }

    /// The position after a game in the server's words: a FEN or `startpos`, and moves separated by
    /// spaces.
    pub fn after(initial_fen: &str, moves: &str) -> Result<Position, GameError> {
        let fen = if initial_fen == "startpos" { START_FEN } else { initial_fen };
        let mut moves = moves.split_ascii_whitespace().enumerate();
        let started = match Position::from_fen(fen) {
            Err(FenError::OpponentInCheck) => {
                Position::after_unsound_start(fen, moves.next().map(|(_, uci)| uci))
            }
            started => started,
        };
        let mut position = started.map_err(|reason| GameError::Start { fen: excerpt(fen), reason })?;
        for (ply, uci) in moves {
            position.play_uci(uci).map_err(|reason| GameError::Move { ply, reason })?;
        }
        Ok(position)
    }

    /// The position after the first move of a game whose start is unsound: the king of the side that
    /// is not to move stands in check.
    ///
    /// Only the server decides what is a game. Such a start cannot be set up, but what comes after its
    /// first move can.
    fn after_unsound_start(fen: &str, first: Option<&str>) -> Result<Position, FenError> {
        let mut setup = Setup::parse(fen)?;
        let (from, to, promoted) = first.and_then(read_uci).ok_or(FenError::OpponentInCheck)?;
        let mv = setup.play_on_trust(from, to, promoted).ok_or(FenError::OpponentInCheck)?;
        Ok(Position::after_first(mv, State::new(&setup)?))
    }

    /// Start position `number` (0..960) of Chess960 in Scharnagl's numbering; 518 is classical chess.
    pub fn chess960_start(number: u16) -> Position {
        assert!(number < 960, "there are 960 start positions");
        let mut files = [None; 8];
        let mut n = usize::from(number);
        let free = |files: &[Option<char>; 8], index: usize| -> usize {
            (0..8).filter(|&file| files[file].is_none()).nth(index).expect("a free file")
        };
        files[n % 4 * 2 + 1] = Some('b');
        n /= 4;
        files[n % 4 * 2] = Some('b');
        n /= 4;
        files[free(&files, n % 6)] = Some('q');
        n /= 6;
        // The two knights on five free files, in lexicographic order.
        let (first, second) =
            (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b))).nth(n).expect("ten pairs of files");
        let (first, second) = (free(&files, first), free(&files, second));
        files[first] = Some('n');
        files[second] = Some('n');
        for piece in ['r', 'k', 'r'] {
            files[free(&files, 0)] = Some(piece);
        }
        let black: String = files.into_iter().flatten().collect();
        let white = black.to_ascii_uppercase();
        Position::from_fen(&format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1"))
            .expect("every Chess960 start is legal")
    }

    /// X-FEN with both counters; the en-passant square only where the capture is legal.
    pub fn fen(&self) -> String {
        let mut text = String::with_capacity(90);
        for row in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                match self.piece_on(ALL_SQUARES[row * 8 + file]) {
                    None => empty += 1,
                    Some((color, piece)) => {
                        if empty > 0 {
                            text.push_str(&empty.to_string());
                        }
                        empty = 0;
                        text.push(piece_letter(color, piece));
                    }
                }
            }
            if empty > 0 {
                text.push_str(&empty.to_string());
            }
            if row > 0 {
                text.push('/');
            }
        }
        let side = if self.side_to_move() == Color::White { 'w' } else { 'b' };
        let en_passant = self.en_passant().map_or("-".to_string(), |square| square.to_string());
        text + &format!(
            " {side} {} {en_passant} {} {}",
            self.castling_field(),
            self.halfmove_clock(),
            self.move_number()
        )
    }

    /// `KQkq` where the rook is the outermost on its side, else the rook's file (X-FEN).
    fn castling_field(&self) -> String {
        let mut text = String::new();
        for color in [Color::White, Color::Black] {
            for side in CastlingSide::BOTH {
                let Some(rook) = self.castling().rook(color, side) else { continue };
                let mut rooks = self.pieces(color, Piece::Rook) & rank_mask(rook.get_rank());
                let (letter, outermost) = match side {
                    CastlingSide::King => ('K', rooks.by_ref().last()),
                    CastlingSide::Queen => ('Q', rooks.next()),
                };
                let letter = match outermost == Some(rook) {
                    true => letter,
                    false => (b'A' + rook.get_file().to_index() as u8) as char,
                };
                text.push(if color == Color::White { letter } else { letter.to_ascii_lowercase() });
            }
        }
        if text.is_empty() { "-".to_string() } else { text }
    }

    /// Reads a legal move in UCI notation.
    ///
    /// Castling may be king takes rook (`e1h1`) or, with the king on the e-file and the rook in the
    /// corner, the king's two-square step (`e1g1`).
    pub fn parse_uci(&self, uci: &str) -> Result<Move, MoveError> {
        let (from, to, promoted) = read_uci(uci).ok_or_else(|| MoveError::Malformed(excerpt(uci)))?;
        self.legal_moves()
            .into_iter()
            .find(|mv| {
                mv.from() == from
                    && mv.promoted() == promoted
                    && (mv.to() == to || mv.two_square_castling() == Some(to))
            })
            .ok_or_else(|| MoveError::Illegal { uci: uci.to_string(), fen: self.fen() })
    }

    /// Reads and plays a move in UCI notation.
    pub fn play_uci(&mut self, uci: &str) -> Result<Move, MoveError> {
        let mv = self.parse_uci(uci)?;
        self.play(mv);
        Ok(mv)
    }
}

/// Origin, target and promotion of a move in UCI notation.
fn read_uci(text: &str) -> Option<(Square, Square, Option<Piece>)> {
    let (from, to, promoted) = match *text.as_bytes() {
        [a, b, c, d] => ([a, b], [c, d], None),
        [a, b, c, d, b'n'] => ([a, b], [c, d], Some(Piece::Knight)),
        [a, b, c, d, b'b'] => ([a, b], [c, d], Some(Piece::Bishop)),
        [a, b, c, d, b'r'] => ([a, b], [c, d], Some(Piece::Rook)),
        [a, b, c, d, b'q'] => ([a, b], [c, d], Some(Piece::Queen)),
        _ => return None,
    };
    Some((read_square(from)?, read_square(to)?, promoted))
}

fn read_square(text: [u8; 2]) -> Option<Square> {
    let [file @ b'a'..=b'h', rank @ b'1'..=b'8'] = text else { return None };
    Some(ALL_SQUARES[usize::from(rank - b'1') * 8 + usize::from(file - b'a')])
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({})", self.fen())
    }
}
