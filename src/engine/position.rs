//! Position: the one door to the board crate, with everything that crate lacks.
//!
//! The crate's board holds pieces, checks and pins and generates moves. It is given no castling
//! rights, in any variant: rights, castling moves, clocks, keys and the history for repetition
//! are kept here. Its parser, printer, hash and SAN are never used (they are known to be wrong in
//! corners), and moves are made into a copy, because its one-call form writes to uninitialised
//! memory.

use super::castling::{CastlingRights, CastlingSide};
use super::fen::{Setup, excerpt, piece_letter};
use super::moves::{Move, MoveKind};
use super::zobrist;
use chess::{Board, BoardBuilder, ChessMove, MoveGen};
use std::fmt;
use thiserror::Error;

pub use super::fen::FenError;
pub use chess::{ALL_SQUARES, BitBoard, Color, File, Piece, Rank, Square};
pub use chess::{between, get_file as file_mask, get_rank as rank_mask, line};
pub use chess::{get_bishop_moves as bishop_attacks, get_rook_moves as rook_attacks};
pub use chess::{get_king_moves as king_attacks, get_knight_moves as knight_attacks};

/// The FEN of the start position of standard chess.
pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// No squares.
pub const EMPTY: BitBoard = BitBoard(0);

/// Squares that a pawn of `color` on `square` attacks.
pub fn pawn_attacks(color: Color, square: Square) -> BitBoard {
    chess::get_pawn_attacks(square, color, !EMPTY)
}

/// Squares that a pawn of `color` on `square` may step to.
pub fn pawn_steps(color: Color, square: Square, occupied: BitBoard) -> BitBoard {
    chess::get_pawn_quiets(square, color, occupied)
}

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

/// How a game has ended by the rules of chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Checkmate {
        winner: Color,
    },
    Stalemate,
    InsufficientMaterial,
    /// A hundred plies without capture or pawn move. Mate takes precedence.
    FiftyMoves,
    /// The position has occurred for the third time.
    Threefold,
}

/// Everything about one moment of a game that cannot be recomputed cheaply.
#[derive(Clone, Copy)]
struct State {
    board: Board,
    castling: CastlingRights,
    /// The move that led here; none at the start and after a null move.
    last_move: Option<Move>,
    /// Square behind a pawn that may legally be captured en passant, never merely in theory.
    en_passant: Option<Square>,
    halfmove_clock: u16,
    move_number: u16,
    /// Plies since the start or the last null move: repetition is not sought beyond it.
    reversible_plies: u16,
    pawn_key: u64,
    non_pawn_key: [u64; 2],
    key: u64,
}

/// A position with the game that led to it.
///
/// Moves are made with [`Position::play`] and taken back with [`Position::undo`]; each ply is one
/// entry of a stack, so that a search allocates nothing once the stack has grown.
#[derive(Clone)]
pub struct Position {
    states: Vec<State>,
}

impl Default for Position {
    fn default() -> Self {
        Position::from_fen(START_FEN).expect("the start position is legal")
    }
}

// Reading and writing.
impl Position {
    /// Reads standard FEN, X-FEN and Shredder-FEN, strictly.
    pub fn from_fen(fen: &str) -> Result<Position, FenError> {
        Position::from_setup(&Setup::parse(fen)?)
    }

    fn from_setup(setup: &Setup) -> Result<Position, FenError> {
        let mut builder = BoardBuilder::new();
        builder.side_to_move(setup.side_to_move);
        for square in ALL_SQUARES {
            if let Some((color, piece)) = setup.board[square.to_index()] {
                builder.piece(square, piece, color);
            }
        }
        // Of such a board the crate refuses nothing but a king that could be taken.
        let board = Board::try_from(&builder).map_err(|_| FenError::OpponentInCheck)?;
        if board.checkers().popcnt() > 2 {
            return Err(FenError::TooManyCheckers(board.checkers().popcnt()));
        }
        let mut state = State {
            board,
            castling: setup.castling,
            last_move: None,
            en_passant: None,
            halfmove_clock: setup.halfmove_clock,
            move_number: setup.move_number,
            reversible_plies: 0,
            pawn_key: 0,
            non_pawn_key: [0; 2],
            key: 0,
        };
        state.en_passant = setup.en_passant.filter(|&target| state.can_capture_en_passant(target));
        if let Some(target) = state.en_passant {
            // Told of an illegal capture, the crate would generate it while a knight gives check.
            builder.en_passant(Some(target.get_file()));
            state.board = Board::try_from(&builder).expect("a sane board with a legal capture");
        }
        state.compute_keys();
        Ok(Position { states: vec![state] })
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
    /// first move can. The entry below it in the stack is there to be counted, not to be returned to.
    fn after_unsound_start(fen: &str, first: Option<&str>) -> Result<Position, FenError> {
        let mut setup = Setup::parse(fen)?;
        let (from, to, promoted) = first.and_then(read_uci).ok_or(FenError::OpponentInCheck)?;
        let mv = setup.play_on_trust(from, to, promoted).ok_or(FenError::OpponentInCheck)?;
        let mut position = Position::from_setup(&setup)?;
        let mut after = *position.now();
        after.last_move = Some(mv);
        after.reversible_plies = 1;
        position.states[0].key = 0;
        position.states.push(after);
        Ok(position)
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
        let state = self.now();
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
        let en_passant = state.en_passant.map_or("-".to_string(), |square| square.to_string());
        text + &format!(
            " {side} {} {en_passant} {} {}",
            self.castling_field(),
            state.halfmove_clock,
            state.move_number
        )
    }

    /// `KQkq` where the rook is the outermost on its side, else the rook's file (X-FEN).
    fn castling_field(&self) -> String {
        let mut text = String::new();
        for color in [Color::White, Color::Black] {
            for side in CastlingSide::BOTH {
                let Some(rook) = self.now().castling.rook(color, side) else { continue };
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

// Making moves.
impl Position {
    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        let (before, next) = self.push();
        let us = before.side_to_move();
        let (from, to) = (mv.from(), mv.to());
        let moved = before.board.piece_on(from).expect("a move starts from a piece");
        next.last_move = Some(mv);
        next.reversible_plies = before.reversible_plies.saturating_add(1);

        if mv.is_castling() {
            next.castle(us, from, to);
        } else {
            let capture_square = match mv.kind() {
                MoveKind::EnPassant => Square::make_square(from.get_rank(), to.get_file()),
                _ => to,
            };
            if let Some(captured) = before.board.piece_on(capture_square) {
                next.toggle(!us, captured, capture_square);
                next.halfmove_clock = 0;
            }
            next.toggle(us, moved, from);
            next.toggle(us, mv.promoted().unwrap_or(moved), to);
            before.board.make_move(ChessMove::new(from, to, mv.promoted()), &mut next.board);
            if moved == Piece::Pawn {
                next.halfmove_clock = 0;
            }
        }
        next.update_castling(before, us, moved, from, to);
        // The crate sets its own mark after a double step with an enemy pawn beside it.
        if moved == Piece::Pawn && next.board.en_passant().is_some() {
            let target = to.ubackward(us);
            if next.can_capture_en_passant(target) {
                next.en_passant = Some(target);
                next.key ^= zobrist::en_passant(target);
            }
        }
    }

    /// Reads and plays a move in UCI notation.
    pub fn play_uci(&mut self, uci: &str) -> Result<Move, MoveError> {
        let mv = self.parse_uci(uci)?;
        self.play(mv);
        Ok(mv)
    }

    /// Passes the turn. The side to move must not be in check.
    pub fn play_null(&mut self) {
        let (before, next) = self.push();
        next.board = before.board.null_move().expect("no null move while in check");
        next.reversible_plies = 0;
    }

    /// Begins a ply with what all plies share; the board is still the one before.
    fn push(&mut self) -> (&State, &mut State) {
        self.states.extend_from_within(self.states.len() - 1..);
        let [.., before, next] = self.states.as_mut_slice() else {
            unreachable!("the ply just pushed follows another")
        };
        next.last_move = None;
        next.halfmove_clock = next.halfmove_clock.saturating_add(1);
        next.move_number = next.move_number.saturating_add(u16::from(next.side_to_move() == Color::Black));
        next.key ^= zobrist::side();
        if let Some(target) = next.en_passant.take() {
            next.key ^= zobrist::en_passant(target);
        }
        (before, next)
    }

    /// Makes room for `plies` more moves, so that playing them allocates nothing.
    pub fn reserve(&mut self, plies: usize) {
        self.states.reserve(plies);
    }

    /// Takes the last move or null move back.
    pub fn undo(&mut self) {
        assert!(self.states.len() > 1, "nothing to take back");
        self.states.pop();
    }
}

// Asking.
impl Position {
    fn now(&self) -> &State {
        self.states.last().expect("a position has at least its start")
    }

    pub fn side_to_move(&self) -> Color {
        self.now().side_to_move()
    }

    pub fn piece_on(&self, square: Square) -> Option<(Color, Piece)> {
        let board = &self.now().board;
        board.piece_on(square).zip(board.color_on(square)).map(|(piece, color)| (color, piece))
    }

    /// The kind of man on `square`, when its colour is known or does not matter.
    pub fn kind_on(&self, square: Square) -> Option<Piece> {
        self.now().board.piece_on(square)
    }

    pub fn occupied(&self) -> BitBoard {
        self.now().occupied()
    }

    pub fn colored(&self, color: Color) -> BitBoard {
        *self.now().board.color_combined(color)
    }

    pub fn pieces(&self, color: Color, piece: Piece) -> BitBoard {
        let board = &self.now().board;
        board.pieces(piece) & board.color_combined(color)
    }

    /// Pieces of this kind of both sides.
    pub fn of_kind(&self, piece: Piece) -> BitBoard {
        *self.now().board.pieces(piece)
    }

    pub fn king(&self, color: Color) -> Square {
        self.now().king(color)
    }

    /// Pieces that give check to the side to move.
    pub fn checkers(&self) -> BitBoard {
        *self.now().board.checkers()
    }

    pub fn is_check(&self) -> bool {
        self.checkers() != EMPTY
    }

    /// Men of both sides that attack `square` when the board is occupied as given.
    pub fn attackers_to(&self, square: Square, occupied: BitBoard) -> BitBoard {
        self.now().attackers_to(square, occupied)
    }

    /// The move that led to this position, if it was a move.
    pub fn last_move(&self) -> Option<Move> {
        self.now().last_move
    }

    /// Square behind a pawn that may legally be captured en passant.
    pub fn en_passant(&self) -> Option<Square> {
        self.now().en_passant
    }

    pub fn castling(&self) -> CastlingRights {
        self.now().castling
    }

    /// Whether a castling right is other than those of standard chess.
    pub fn needs_chess960(&self) -> bool {
        [Color::White, Color::Black].into_iter().any(|color| {
            let is_usual = self.king(color).get_file() == File::E;
            let mut rooks =
                CastlingSide::BOTH.into_iter().filter_map(|side| self.castling().rook(color, side));
            rooks.any(|rook| !is_usual || !matches!(rook.get_file(), File::A | File::H))
        })
    }

    /// Plies since the last capture or pawn move.
    pub fn halfmove_clock(&self) -> u16 {
        self.now().halfmove_clock
    }

    /// Number of the move to be made, from the FEN's counter on.
    pub fn move_number(&self) -> u16 {
        self.now().move_number
    }

    /// Plies played since the position was set up.
    pub fn plies_played(&self) -> usize {
        self.states.len() - 1
    }

    /// The moves played since the position was set up, with their plies counted from 0. Null moves
    /// are left out.
    pub fn moves(&self) -> impl Iterator<Item = (usize, Move)> {
        let played = self.states[1..].iter().enumerate();
        played.filter_map(|(ply, state)| state.last_move.map(|mv| (ply, mv)))
    }

    /// Identifies the position: men, side to move, castling rights, legal en passant.
    pub fn key(&self) -> u64 {
        self.now().key
    }

    /// Identifies the pawns of both sides.
    pub fn pawn_key(&self) -> u64 {
        self.now().pawn_key
    }

    /// Identifies the men of `color` other than pawns.
    pub fn non_pawn_key(&self, color: Color) -> u64 {
        self.now().non_pawn_key[color.to_index()]
    }

    /// Whether `mv` takes a man.
    pub fn is_capture(&self, mv: Move) -> bool {
        mv.is_en_passant() || !mv.is_castling() && self.now().board.piece_on(mv.to()).is_some()
    }

    /// Whether `mv` takes a man or promotes.
    pub fn is_tactical(&self, mv: Move) -> bool {
        mv.kind() == MoveKind::Promotion || self.is_capture(mv)
    }

    /// How often this position has occurred before in the game.
    pub fn repetitions(&self) -> usize {
        self.earlier_occurrences().count()
    }

    /// Plies back to the latest earlier occurrence of this position.
    pub fn plies_since_repeated(&self) -> Option<usize> {
        self.earlier_occurrences().next()
    }

    /// Distances in plies at which this position has occurred before, nearest first.
    fn earlier_occurrences(&self) -> impl Iterator<Item = usize> {
        let now = self.now();
        let window = usize::from(now.halfmove_clock.min(now.reversible_plies));
        let last = self.states.len() - 1;
        (4..=window).step_by(2).filter(move |back| self.states[last - back].key == now.key)
    }

    /// Neither side can ever mate: bare kings, one minor piece, or bishops of one colour of squares.
    pub fn has_insufficient_material(&self) -> bool {
        const LIGHT_SQUARES: BitBoard = BitBoard(0x55aa_55aa_55aa_55aa);
        let major = self.of_kind(Piece::Pawn) | self.of_kind(Piece::Rook) | self.of_kind(Piece::Queen);
        let (knights, bishops) = (self.of_kind(Piece::Knight), self.of_kind(Piece::Bishop));
        if major != EMPTY {
            return false;
        }
        match (knights.popcnt(), bishops.popcnt()) {
            (0, _) => bishops & LIGHT_SQUARES == EMPTY || bishops & !LIGHT_SQUARES == EMPTY,
            (knights, bishops) => knights == 1 && bishops == 0,
        }
    }

    /// How the game has ended by the rules, if it has.
    pub fn outcome(&self) -> Option<Outcome> {
        if self.count_legal_moves() == 0 {
            return Some(match self.is_check() {
                true => Outcome::Checkmate { winner: !self.side_to_move() },
                false => Outcome::Stalemate,
            });
        }
        if self.has_insufficient_material() {
            Some(Outcome::InsufficientMaterial)
        } else if self.halfmove_clock() >= 100 {
            Some(Outcome::FiftyMoves)
        } else if self.repetitions() >= 2 {
            Some(Outcome::Threefold)
        } else {
            None
        }
    }
}

// Legal moves, as far as they need more than the board; see `generate` for the moves themselves.
impl Position {
    /// Number of legal moves, counted without listing them.
    pub fn count_legal_moves(&self) -> usize {
        let state = self.now();
        MoveGen::new_legal(&state.board).len() + state.castling_moves().count()
    }

    /// The castling moves that are legal.
    pub(super) fn castling_moves(&self) -> impl Iterator<Item = Move> {
        self.now().castling_moves()
    }

    /// Pawns of the side to move that may legally capture en passant on `target`.
    pub(super) fn en_passant_captors(&self, target: Square) -> impl Iterator<Item = Square> {
        self.now().en_passant_captors(target)
    }

    /// Men of the side to move that stand between its king and a slider.
    pub(super) fn pinned(&self) -> BitBoard {
        *self.now().board.pinned()
    }
}

impl State {
    fn side_to_move(&self) -> Color {
        self.board.side_to_move()
    }

    fn occupied(&self) -> BitBoard {
        *self.board.combined()
    }

    fn us(&self) -> BitBoard {
        *self.board.color_combined(self.board.side_to_move())
    }

    fn them(&self) -> BitBoard {
        *self.board.color_combined(!self.board.side_to_move())
    }

    fn king(&self, color: Color) -> Square {
        self.board.king_square(color)
    }

    fn attackers_to(&self, square: Square, occupied: BitBoard) -> BitBoard {
        let of = |piece: Piece| *self.board.pieces(piece);
        let queens = of(Piece::Queen);
        let pawns = of(Piece::Pawn);
        let white_pawns = pawns & self.board.color_combined(Color::White);
        let black_pawns = pawns & self.board.color_combined(Color::Black);
        (pawn_attacks(Color::Black, square) & white_pawns)
            | (pawn_attacks(Color::White, square) & black_pawns)
            | (knight_attacks(square) & of(Piece::Knight))
            | (king_attacks(square) & of(Piece::King))
            | (bishop_attacks(square, occupied) & (of(Piece::Bishop) | queens))
            | (rook_attacks(square, occupied) & (of(Piece::Rook) | queens))
    }

    fn castling_moves(&self) -> impl Iterator<Item = Move> {
        let us = self.side_to_move();
        CastlingSide::BOTH.into_iter().filter_map(move |side| {
            let rook = self.castling.rook(us, side)?;
            self.may_castle(side, rook).then(|| Move::castling(self.king(us), rook))
        })
    }

    /// Whether the side to move has a legal en-passant capture on `target`.
    fn can_capture_en_passant(&self, target: Square) -> bool {
        self.en_passant_captors(target).next().is_some()
    }

    /// Pawns of the side to move that may legally capture en passant on `target`.
    fn en_passant_captors(&self, target: Square) -> impl Iterator<Item = Square> {
        let us = self.side_to_move();
        let captured = BitBoard::from_square(target.ubackward(us));
        let king = self.king(us);
        let pawns = pawn_attacks(!us, target) & self.board.pieces(Piece::Pawn) & self.us();
        pawns.filter(move |&pawn| {
            let after =
                self.occupied() ^ BitBoard::from_square(pawn) ^ captured | BitBoard::from_square(target);
            self.attackers_to(king, after) & self.them() & !captured == EMPTY
        })
    }

    /// Path empty, king's path not attacked, king not attacked where it lands.
    fn may_castle(&self, side: CastlingSide, rook: Square) -> bool {
        if *self.board.checkers() != EMPTY {
            return false;
        }
        let king = self.king(self.side_to_move());
        let king_target = side.king_target(king.get_rank());
        let rook_target = side.rook_target(king.get_rank());
        let (king_bit, rook_bit) = (BitBoard::from_square(king), BitBoard::from_square(rook));
        let king_path = between(king, king_target) | BitBoard::from_square(king_target);
        let rook_path = between(rook, rook_target) | BitBoard::from_square(rook_target);
        let others = self.occupied() & !king_bit & !rook_bit;
        if (king_path | rook_path) & others != EMPTY {
            return false;
        }
        let is_attacked =
            |square: Square, occupied: BitBoard| self.attackers_to(square, occupied) & self.them() != EMPTY;
        let landed = others | BitBoard::from_square(king_target) | BitBoard::from_square(rook_target);
        !king_path.into_iter().any(|square| is_attacked(square, self.occupied() & !king_bit))
            && !is_attacked(king_target, landed)
    }

    /// Puts king and rook on their castled squares. The board is built anew: castling is rare.
    fn castle(&mut self, us: Color, king: Square, rook: Square) {
        let side = CastlingSide::of(king, rook);
        let king_target = side.king_target(king.get_rank());
        let rook_target = side.rook_target(king.get_rank());
        let mut builder = BoardBuilder::new();
        builder.side_to_move(!us);
        for square in self.occupied() {
            let man = self.board.piece_on(square).zip(self.board.color_on(square));
            let (piece, color) = man.expect("an occupied square has a man");
            builder.piece(square, piece, color);
        }
        builder.clear_square(king);
        builder.clear_square(rook);
        builder.piece(king_target, Piece::King, us);
        builder.piece(rook_target, Piece::Rook, us);
        self.board = Board::try_from(&builder).expect("legal castling leaves a sane board");
        for (piece, square) in
            [(Piece::King, king), (Piece::King, king_target), (Piece::Rook, rook), (Piece::Rook, rook_target)]
        {
            self.toggle(us, piece, square);
        }
    }

    /// Takes away the rights that a move from `from` to `to` ends.
    fn update_castling(&mut self, before: &State, us: Color, moved: Piece, from: Square, to: Square) {
        self.castling.revoke_by_move(us, moved, from, to);
        if self.castling != before.castling {
            let key =
                |rights: &CastlingRights| rights.rooks().fold(0, |key, rook| key ^ zobrist::castling(rook));
            self.key ^= key(&before.castling) ^ key(&self.castling);
        }
    }

    /// Puts a man on a square or takes it off, in the keys.
    fn toggle(&mut self, color: Color, piece: Piece, square: Square) {
        let key = zobrist::piece(color, piece, square);
        self.key ^= key;
        match piece {
            Piece::Pawn => self.pawn_key ^= key,
            _ => self.non_pawn_key[color.to_index()] ^= key,
        }
    }

    fn compute_keys(&mut self) {
        (self.key, self.pawn_key, self.non_pawn_key) = (0, 0, [0; 2]);
        for square in self.occupied() {
            let man = self.board.piece_on(square).zip(self.board.color_on(square));
            let (piece, color) = man.expect("an occupied square has a man");
            self.toggle(color, piece, square);
        }
        for rook in self.castling.rooks() {
            self.key ^= zobrist::castling(rook);
        }
        if let Some(target) = self.en_passant {
            self.key ^= zobrist::en_passant(target);
        }
        if self.side_to_move() == Color::Black {
            self.key ^= zobrist::side();
        }
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({})", self.fen())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chess960_is_needed_only_for_unusual_castling() {
        let needing = (0..960).filter(|number| Position::chess960_start(*number).needs_chess960()).count();
        // King on e, rooks in the corners: three pieces and two bishops on five files, one light, one dark.
        assert_eq!(needing, 960 - 18);
        for (fen, expected) in [
            (START_FEN, false),
            ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", true),
            ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w - - 2 9", false),
            ("4k2r/8/8/8/8/8/8/1R2K3 b Bk - 0 1", true),
            ("4k2r/8/8/8/8/8/8/1R2K3 b k - 0 1", false),
        ] {
            assert_eq!(Position::from_fen(fen).expect(fen).needs_chess960(), expected, "{fen}");
        }
    }
}
