//! One moment of a game, and the one door to the board crate.
//!
//! The crate's board holds pieces, checks and pins. It is given no castling rights, in any variant:
//! rights, castling, clocks and keys are kept here. Its parser, printer, hash and SAN are never used
//! (they are known to be wrong in corners), and moves are made into a copy, because its one-call form
//! writes to uninitialised memory.

use super::castling::{CastlingRights, CastlingSide};
use super::fen::{FenError, Setup};
use super::moves::{Move, MoveKind};
use super::zobrist;
use chess::{Board, BoardBuilder, ChessMove};

pub use chess::{ALL_SQUARES, BitBoard, Color, File, Piece, Rank, Square};
pub use chess::{between, get_file as file_mask, get_rank as rank_mask, line};
pub use chess::{get_bishop_moves as bishop_attacks, get_rook_moves as rook_attacks};
pub use chess::{get_king_moves as king_attacks, get_knight_moves as knight_attacks};

/// No squares.
pub const EMPTY: BitBoard = BitBoard(0);

/// Whether `square` is one of `squares`.
pub fn contains(squares: BitBoard, square: Square) -> bool {
    squares & BitBoard::from_square(square) != EMPTY
}

/// Squares that a pawn of `color` on `square` attacks.
pub fn pawn_attacks(color: Color, square: Square) -> BitBoard {
    chess::get_pawn_attacks(square, color, !EMPTY)
}

/// Squares that a pawn of `color` on `square` may step to.
pub fn pawn_steps(color: Color, square: Square, occupied: BitBoard) -> BitBoard {
    chess::get_pawn_quiets(square, color, occupied)
}

/// Everything about one moment of a game that cannot be recomputed cheaply.
#[derive(Clone, Copy)]
pub struct State {
    board: Board,
    pub castling: CastlingRights,
    /// The move that led here; none at the start and after a null move.
    pub last_move: Option<Move>,
    /// Square behind a pawn that may legally be captured en passant, never merely in theory.
    pub en_passant: Option<Square>,
    pub halfmove_clock: u16,
    pub move_number: u16,
    /// Plies since the start or the last null move: repetition is not sought beyond it.
    pub reversible_plies: u16,
    pub pawn_key: u64,
    pub non_pawn_key: [u64; 2],
    pub key: u64,
}

// Making.
impl State {
    /// The moment that a FEN tells of.
    ///
    /// # Errors
    /// A king could be taken, or is in check from more than two.
    pub fn new(setup: &Setup) -> Result<State, FenError> {
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
        Ok(state)
    }

    /// From a copy of `before` to the moment after the legal move `mv`.
    pub fn play(&mut self, before: &State, mv: Move) {
        self.begin_ply();
        let us = before.side_to_move();
        let (from, to) = (mv.from(), mv.to());
        let moved = before.board.piece_on(from).expect("a move starts from a piece");
        self.last_move = Some(mv);
        self.reversible_plies = before.reversible_plies.saturating_add(1);

        if mv.is_castling() {
            self.castle(us, from, to);
        } else {
            let capture_square = match mv.kind() {
                MoveKind::EnPassant => Square::make_square(from.get_rank(), to.get_file()),
                _ => to,
            };
            if let Some(captured) = before.board.piece_on(capture_square) {
                self.toggle(!us, captured, capture_square);
                self.halfmove_clock = 0;
            }
            self.toggle(us, moved, from);
            self.toggle(us, mv.promoted().unwrap_or(moved), to);
            before.board.make_move(ChessMove::new(from, to, mv.promoted()), &mut self.board);
            if moved == Piece::Pawn {
                self.halfmove_clock = 0;
            }
        }
        self.update_castling(before, us, moved, from, to);
        // The crate sets its own mark after a double step with an enemy pawn beside it.
        if moved == Piece::Pawn && self.board.en_passant().is_some() {
            let target = to.ubackward(us);
            if self.can_capture_en_passant(target) {
                self.en_passant = Some(target);
                self.key ^= zobrist::en_passant(target);
            }
        }
    }

    /// From a copy of `before` to the moment after a pass. The side to move must not be in check.
    pub fn pass(&mut self, before: &State) {
        self.begin_ply();
        self.board = before.board.null_move().expect("no null move while in check");
        self.reversible_plies = 0;
    }

    /// What every ply changes; the board is still the one before.
    fn begin_ply(&mut self) {
        self.last_move = None;
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.move_number = self.move_number.saturating_add(u16::from(self.side_to_move() == Color::Black));
        self.key ^= zobrist::side();
        if let Some(target) = self.en_passant.take() {
            self.key ^= zobrist::en_passant(target);
        }
    }

    /// Puts king and rook on their castled squares. The board is built anew: castling is rare.
    fn castle(&mut self, us: Color, king: Square, rook: Square) {
        let side = CastlingSide::of(king, rook);
        let king_target = side.king_target(king.get_rank());
        let rook_target = side.rook_target(king.get_rank());
        let mut builder = BoardBuilder::new();
        builder.side_to_move(!us);
        for square in self.occupied() {
            let (color, piece) = self.piece_on(square).expect("an occupied square has a man");
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
            let (color, piece) = self.piece_on(square).expect("an occupied square has a man");
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

// Asking.
impl State {
    pub fn piece_on(&self, square: Square) -> Option<(Color, Piece)> {
        self.board.piece_on(square).zip(self.board.color_on(square)).map(|(piece, color)| (color, piece))
    }

    pub fn kind_on(&self, square: Square) -> Option<Piece> {
        self.board.piece_on(square)
    }

    pub fn colored(&self, color: Color) -> BitBoard {
        *self.board.color_combined(color)
    }

    pub fn of_kind(&self, piece: Piece) -> BitBoard {
        *self.board.pieces(piece)
    }

    pub fn checkers(&self) -> BitBoard {
        *self.board.checkers()
    }

    /// Men of the side to move that stand between its king and a slider.
    pub fn pinned(&self) -> BitBoard {
        *self.board.pinned()
    }

    pub fn side_to_move(&self) -> Color {
        self.board.side_to_move()
    }

    pub fn occupied(&self) -> BitBoard {
        *self.board.combined()
    }

    fn us(&self) -> BitBoard {
        self.colored(self.side_to_move())
    }

    fn them(&self) -> BitBoard {
        self.colored(!self.side_to_move())
    }

    pub fn king(&self, color: Color) -> Square {
        self.board.king_square(color)
    }

    /// Men of both sides that attack `square` when the board is occupied as given.
    pub fn attackers_to(&self, square: Square, occupied: BitBoard) -> BitBoard {
        let of = |piece: Piece| self.of_kind(piece);
        let queens = of(Piece::Queen);
        let pawns = of(Piece::Pawn);
        let white_pawns = pawns & self.colored(Color::White);
        let black_pawns = pawns & self.colored(Color::Black);
        (pawn_attacks(Color::Black, square) & white_pawns)
            | (pawn_attacks(Color::White, square) & black_pawns)
            | (knight_attacks(square) & of(Piece::Knight))
            | (king_attacks(square) & of(Piece::King))
            | (bishop_attacks(square, occupied) & (of(Piece::Bishop) | queens))
            | (rook_attacks(square, occupied) & (of(Piece::Rook) | queens))
    }

    /// The castling moves that are legal.
    pub fn castling_moves(&self) -> impl Iterator<Item = Move> {
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
    pub fn en_passant_captors(&self, target: Square) -> impl Iterator<Item = Square> {
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
}
