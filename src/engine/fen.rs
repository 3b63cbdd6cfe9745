//! Strict FEN: what is not a position of chess is refused with a reason.
//!
//! Reads standard FEN, X-FEN and Shredder-FEN, with both counters or (as in EPD) without them.

use super::castling::{CastlingRights, CastlingSide};
use super::moves::Move;
use super::position::{Color, File, Piece, Rank, Square};
use thiserror::Error;

/// Why a FEN was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FenError {
    #[error("a FEN has 4 or 6 fields separated by single spaces, found {0}")]
    Fields(usize),
    #[error("the board needs 8 ranks, found {0}")]
    Ranks(usize),
    #[error("rank {0} does not have exactly 8 squares")]
    RankLength(usize),
    #[error("rank {0} has two numbers in a row")]
    AdjacentDigits(usize),
    #[error("{0:?} is neither a piece nor a number of empty squares")]
    Piece(char),
    #[error("{0} must have exactly one king")]
    Kings(&'static str),
    #[error("{0} has more than 16 men or more promoted pieces than missing pawns")]
    TooManyMen(&'static str),
    #[error("a pawn stands on the first or last rank")]
    PawnOnBackRank,
    #[error("the side to move is 'w' or 'b', found {0:?}")]
    SideToMove(String),
    #[error("castling rights {0:?} do not fit the board")]
    Castling(String),
    #[error("en-passant square {0:?} does not fit the board")]
    EnPassant(String),
    #[error("{0:?} is not a move counter")]
    Counter(String),
    #[error("the side that is not to move stands in check")]
    OpponentInCheck,
    #[error("the side to move is in check from {0} pieces, more than two are impossible")]
    TooManyCheckers(u32),
}

/// A line of EPD: the fields of a FEN, with the two counters if they are there (EPD has none, but many
/// files do), and the operations after them.
pub fn split_epd(line: &str) -> (String, &str) {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let is_counter = |index: usize| words.get(index).is_some_and(|word| word.parse::<u16>().is_ok());
    let count = words.len().min(if is_counter(4) && is_counter(5) { 6 } else { 4 });
    let after = |rest: &'_ str| -> usize {
        let word = rest.find(|c: char| !c.is_ascii_whitespace()).unwrap_or(rest.len());
        rest[word..].find(|c: char| c.is_ascii_whitespace()).map_or(rest.len(), |end| word + end)
    };
    let operations = (0..count).fold(line, |rest, _| &rest[after(rest)..]);
    (words[..count].join(" "), operations.trim())
}

/// The fields of a FEN, checked one by one; whole-board rules are [`super::Position`]'s.
pub struct Setup {
    pub board: [Option<(Color, Piece)>; 64],
    pub side_to_move: Color,
    pub castling: CastlingRights,
    /// The square behind the pawn that has just made a double step.
    pub en_passant: Option<Square>,
    pub halfmove_clock: u16,
    pub move_number: u16,
}

impl Setup {
    pub fn parse(fen: &str) -> Result<Setup, FenError> {
        let fields: Vec<&str> = fen.split(' ').collect();
        let (halfmove_clock, move_number) = match fields.len() {
            4 => (0, 1),
            6 => (parse_counter(fields[4])?, parse_counter(fields[5])?.max(1)),
            found => return Err(FenError::Fields(found)),
        };
        let board = parse_board(fields[0])?;
        check_men(&board)?;
        let side_to_move = match fields[1] {
            "w" => Color::White,
            "b" => Color::Black,
            other => return Err(FenError::SideToMove(excerpt(other))),
        };
        let castling = parse_castling(fields[2], &board)?;
        let en_passant = parse_en_passant(fields[3], &board, side_to_move)?;
        Ok(Setup { board, side_to_move, castling, en_passant, halfmove_clock, move_number })
    }

    /// Makes a move from a setup that is no position, on the word of whoever says that it was made.
    ///
    /// None if it cannot have been made: the wrong man, an own man or a king taken, no promotion where
    /// one is due. How a man moves is not asked.
    pub fn play_on_trust(&mut self, from: Square, to: Square, promoted: Option<Piece>) -> Option<Move> {
        let us = self.side_to_move;
        let mv = self.move_between(from, to, promoted)?;
        let (_, piece) = self.board[from.to_index()].take()?;
        let mut captured = None;
        if mv.is_castling() {
            let side = CastlingSide::of(from, mv.to());
            self.board[mv.to().to_index()] = None;
            self.board[side.king_target(from.get_rank()).to_index()] = Some((us, Piece::King));
            self.board[side.rook_target(from.get_rank()).to_index()] = Some((us, Piece::Rook));
        } else {
            let behind = Square::make_square(from.get_rank(), to.get_file());
            captured = self.board[if mv.is_en_passant() { behind } else { to }.to_index()].take();
            self.board[to.to_index()] = Some((us, promoted.unwrap_or(piece)));
        }
        self.castling.revoke_by_move(us, piece, from, to);
        let passed = from.uforward(us);
        let is_first_step = piece == Piece::Pawn && from.get_rank() == us.to_second_rank();
        self.en_passant = (is_first_step && passed.uforward(us) == to).then_some(passed);
        let is_quiet = captured.is_none() && piece != Piece::Pawn;
        self.halfmove_clock = if is_quiet { self.halfmove_clock + 1 } else { 0 };
        self.move_number += u16::from(us == Color::Black);
        self.side_to_move = !us;
        check_men(&self.board).is_ok().then_some(mv)
    }

    fn move_between(&self, from: Square, to: Square, promoted: Option<Piece>) -> Option<Move> {
        let us = self.side_to_move;
        let (_, piece) = self.board[from.to_index()].filter(|man| man.0 == us)?;
        let promotes = piece == Piece::Pawn && to.get_rank() == us.to_their_backrank();
        if promotes != promoted.is_some() {
            return None;
        }
        let castlings = CastlingSide::BOTH
            .into_iter()
            .filter_map(|side| Some(Move::castling(from, self.castling.rook(us, side)?)))
            .filter(|_| piece == Piece::King);
        for castling in castlings {
            if castling.to() == to || castling.two_square_castling() == Some(to) {
                return Some(castling);
            }
        }
        match (self.board[to.to_index()], promoted) {
            (Some((color, _)), _) if color == us => None,
            (_, Some(promoted)) => Some(Move::promotion(from, to, promoted)),
            _ if piece == Piece::Pawn && self.en_passant == Some(to) => Some(Move::en_passant(from, to)),
            _ => Some(Move::normal(from, to)),
        }
    }
}

/// The beginning of a text, short enough for one line of an error.
pub fn excerpt(text: &str) -> String {
    const LONGEST: usize = 90;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

fn parse_board(text: &str) -> Result<[Option<(Color, Piece)>; 64], FenError> {
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 8 {
        return Err(FenError::Ranks(ranks.len()));
    }
    let mut board = [None; 64];
    for (row, rank) in ranks.iter().enumerate() {
        let number = 8 - row;
        let mut file = 0;
        let mut after_digit = false;
        for c in rank.chars() {
            match c {
                '1'..='8' if after_digit => return Err(FenError::AdjacentDigits(number)),
                '1'..='8' => file += c as usize - '0' as usize,
                _ if file < 8 => {
                    board[(number - 1) * 8 + file] = Some(parse_piece(c)?);
                    file += 1;
                }
                _ => return Err(FenError::RankLength(number)),
            }
            after_digit = c.is_ascii_digit();
        }
        if file != 8 {
            return Err(FenError::RankLength(number));
        }
    }
    Ok(board)
}

fn parse_piece(c: char) -> Result<(Color, Piece), FenError> {
    let piece = match c.to_ascii_lowercase() {
        'p' => Piece::Pawn,
        'n' => Piece::Knight,
        'b' => Piece::Bishop,
        'r' => Piece::Rook,
        'q' => Piece::Queen,
        'k' => Piece::King,
        _ => return Err(FenError::Piece(c)),
    };
    Ok((if c.is_ascii_uppercase() { Color::White } else { Color::Black }, piece))
}

fn check_men(board: &[Option<(Color, Piece)>; 64]) -> Result<(), FenError> {
    for color in [Color::White, Color::Black] {
        let name = if color == Color::White { "White" } else { "Black" };
        let mut count = [0_usize; 6];
        for &(_, piece) in board.iter().flatten().filter(|man| man.0 == color) {
            count[piece.to_index()] += 1;
        }
        let [pawns, knights, bishops, rooks, queens, kings] = count;
        if kings != 1 {
            return Err(FenError::Kings(name));
        }
        let promoted = knights.saturating_sub(2)
            + bishops.saturating_sub(2)
            + rooks.saturating_sub(2)
            + queens.saturating_sub(1);
        if pawns + promoted > 8 {
            return Err(FenError::TooManyMen(name));
        }
    }
    let is_pawn = |man: &Option<(Color, Piece)>| man.is_some_and(|(_, piece)| piece == Piece::Pawn);
    if board[..8].iter().chain(&board[56..]).any(is_pawn) {
        return Err(FenError::PawnOnBackRank);
    }
    Ok(())
}

fn parse_castling(text: &str, board: &[Option<(Color, Piece)>; 64]) -> Result<CastlingRights, FenError> {
    let mut rights = CastlingRights::default();
    if text == "-" {
        return Ok(rights);
    }
    let refused = || FenError::Castling(excerpt(text));
    if text.is_empty() {
        return Err(refused());
    }
    for c in text.chars() {
        let (color, rank) =
            if c.is_ascii_uppercase() { (Color::White, Rank::First) } else { (Color::Black, Rank::Eighth) };
        let files_with = |piece: Piece| {
            (0..8).filter(move |&file| board[rank.to_index() * 8 + file] == Some((color, piece)))
        };
        let king = files_with(Piece::King).next().ok_or_else(refused)?;
        let rook = match c.to_ascii_lowercase() {
            'k' => files_with(Piece::Rook).rfind(|&file| file > king),
            'q' => files_with(Piece::Rook).find(|&file| file < king),
            letter @ 'a'..='h' => {
                let file = letter as usize - 'a' as usize;
                files_with(Piece::Rook).find(|&rook| rook == file)
            }
            _ => None,
        };
        let rook = Square::make_square(rank, File::from_index(rook.ok_or_else(refused)?));
        let side = CastlingSide::of(Square::make_square(rank, File::from_index(king)), rook);
        if rights.rook(color, side).is_some() {
            return Err(refused());
        }
        rights.grant(color, side, rook);
    }
    Ok(rights)
}

fn parse_en_passant(
    text: &str,
    board: &[Option<(Color, Piece)>; 64],
    side_to_move: Color,
) -> Result<Option<Square>, FenError> {
    if text == "-" {
        return Ok(None);
    }
    let refused = || FenError::EnPassant(excerpt(text));
    let &[file @ b'a'..=b'h', rank] = text.as_bytes() else {
        return Err(refused());
    };
    let (expected, target_row, pawn_row, start_row) = match side_to_move {
        Color::White => (b'6', 5, 4, 6),
        Color::Black => (b'3', 2, 3, 1),
    };
    let at = |row: usize| board[row * 8 + (file - b'a') as usize];
    let fits = rank == expected
        && at(target_row).is_none()
        && at(start_row).is_none()
        && at(pawn_row) == Some((!side_to_move, Piece::Pawn));
    let target = Square::make_square(Rank::from_index(target_row), File::from_index((file - b'a') as usize));
    if fits { Ok(Some(target)) } else { Err(refused()) }
}

fn parse_counter(text: &str) -> Result<u16, FenError> {
    let digits = (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().ok_or_else(|| FenError::Counter(excerpt(text)))
}

/// The inverse of [`parse_piece`].
pub fn piece_letter(color: Color, piece: Piece) -> char {
    let letter = match piece {
        Piece::Pawn => 'p',
        Piece::Knight => 'n',
        Piece::Bishop => 'b',
        Piece::Rook => 'r',
        Piece::Queen => 'q',
        Piece::King => 'k',
    };
    if color == Color::White { letter.to_ascii_uppercase() } else { letter }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_epd_is_a_position_and_what_is_said_of_it() {
        const BARE: &str = "4k3/8/8/8/8/8/8/R3K3 w Q -";
        for (line, fen, operations) in [
            (BARE.to_string(), BARE.to_string(), ""),
            (format!("{BARE} 3 12"), format!("{BARE} 3 12"), ""),
            (format!("  {BARE}   bm Ra8+; id \"a b\"; "), BARE.to_string(), "bm Ra8+; id \"a b\";"),
            (format!("{BARE} 3 12 dm 2;"), format!("{BARE} 3 12"), "dm 2;"),
            (format!("{BARE} 3 bm Ra8;"), BARE.to_string(), "3 bm Ra8;"),
            ("4k3/8 w".to_string(), "4k3/8 w".to_string(), ""),
            (String::new(), String::new(), ""),
        ] {
            assert_eq!(split_epd(&line), (fen, operations), "{line:?}");
        }
    }
}
