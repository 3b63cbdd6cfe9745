//! Generating moves: all that are legal, or captures and promotions apart from the rest.
//!
//! Nothing is tried out but the steps of the king and en passant. In check, the other men go only where
//! they take the checker or step between; a pinned man stays on the line to its king. Source of the
//! idea: the Chess Programming Wiki, "Move Generation" and "Checks and Pinned Pieces (Bitboards)".

use super::position::{BitBoard, Color, EMPTY, Piece, Position, Square};
use super::position::{between, bishop_attacks, king_attacks, knight_attacks, line, rook_attacks};
use super::position::{pawn_attacks, pawn_steps, rank_mask};
use super::{Move, MoveList};

/// What a pawn may become, the likeliest first.
const PROMOTIONS: [Piece; 4] = [Piece::Queen, Piece::Knight, Piece::Rook, Piece::Bishop];

impl Position {
    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        let mut generator = Generator::new(self, &mut list);
        generator.moves_to(!EMPTY, !EMPTY);
        generator.en_passant();
        generator.castling();
        list
    }

    /// Number of legal moves.
    pub fn count_legal_moves(&self) -> usize {
        self.legal_moves().len()
    }

    /// Adds the legal captures (en passant among them) and promotions.
    pub fn add_tactical_moves(&self, list: &mut MoveList) {
        let mut generator = Generator::new(self, list);
        let last_rank = rank_mask(self.side_to_move().to_their_backrank());
        generator.moves_to(generator.them, generator.them | last_rank);
        generator.en_passant();
    }

    /// Adds all other legal moves.
    pub fn add_quiet_moves(&self, list: &mut MoveList) {
        let mut generator = Generator::new(self, list);
        let (empty, last_rank) = (!generator.occupied, rank_mask(self.side_to_move().to_their_backrank()));
        generator.moves_to(empty, empty & !last_rank);
        generator.castling();
    }

    /// Where a man other than the king meets the check there is: anywhere if there is none, nowhere if
    /// there are two.
    pub(super) fn check_answers(&self) -> BitBoard {
        let checkers = self.checkers();
        match checkers.popcnt() {
            0 => !EMPTY,
            1 => checkers | between(checkers.to_square(), self.king(self.side_to_move())),
            _ => EMPTY,
        }
    }

    /// Whether the king of the side to move would stand unattacked on `square`; it does not hide behind
    /// itself from a slider.
    pub(super) fn is_safe_for_king(&self, square: Square) -> bool {
        let us = self.side_to_move();
        let without_king = self.occupied() & !BitBoard::from_square(self.king(us));
        self.attackers_to(square, without_king) & self.colored(!us) == EMPTY
    }
}

/// The moves of one position found so far, and what is asked again and again to find them.
struct Generator<'a> {
    position: &'a Position,
    us: Color,
    them: BitBoard,
    occupied: BitBoard,
    king: Square,
    pinned: BitBoard,
    /// Where men other than the king may go without leaving their king in check.
    answers: BitBoard,
    list: &'a mut MoveList,
}

impl Generator<'_> {
    fn new<'a>(position: &'a Position, list: &'a mut MoveList) -> Generator<'a> {
        let us = position.side_to_move();
        Generator {
            position,
            us,
            them: position.colored(!us),
            occupied: position.occupied(),
            king: position.king(us),
            pinned: position.pinned(),
            answers: position.check_answers(),
            list,
        }
    }

    /// Every move but castling and en passant that ends on one of these squares.
    fn moves_to(&mut self, targets: BitBoard, pawn_targets: BitBoard) {
        let not_own = !self.occupied | self.them;
        // Of two checkers no move of another man rids the king.
        if self.answers != EMPTY {
            let answers = self.answers & not_own;
            self.men_moves(targets & answers, pawn_targets & answers);
        }
        self.king_moves(targets & not_own);
    }

    /// Moves of all men but the king.
    fn men_moves(&mut self, targets: BitBoard, pawn_targets: BitBoard) {
        let (us, them, occupied) = (self.us, self.them, self.occupied);
        self.pawn_moves(|from| {
            (pawn_attacks(us, from) & them | pawn_steps(us, from, occupied)) & pawn_targets
        });
        self.piece_moves(Piece::Knight, |from| knight_attacks(from) & targets);
        self.piece_moves(Piece::Bishop, |from| bishop_attacks(from, occupied) & targets);
        self.piece_moves(Piece::Rook, |from| rook_attacks(from, occupied) & targets);
        self.piece_moves(Piece::Queen, |from| {
            (bishop_attacks(from, occupied) | rook_attacks(from, occupied)) & targets
        });
    }

    fn pawn_moves(&mut self, reach: impl Fn(Square) -> BitBoard) {
        let before_last = self.us.to_seventh_rank();
        let pawns = self.position.pieces(self.us, Piece::Pawn);
        self.each_reach(pawns, reach, |list, from, to| {
            if from.get_rank() != before_last {
                return list.push(Move::normal(from, to));
            }
            for piece in PROMOTIONS {
                list.push(Move::promotion(from, to, piece));
            }
        });
    }

    fn piece_moves(&mut self, piece: Piece, reach: impl Fn(Square) -> BitBoard) {
        let men = self.position.pieces(self.us, piece);
        self.each_reach(men, reach, |list, from, to| list.push(Move::normal(from, to)));
    }

    /// Calls `push` for each square that one of `men` reaches; pinned men come last.
    #[inline(always)]
    fn each_reach(
        &mut self,
        men: BitBoard,
        reach: impl Fn(Square) -> BitBoard,
        push: impl Fn(&mut MoveList, Square, Square),
    ) {
        for from in men & !self.pinned {
            reach(from).into_iter().for_each(|to| push(self.list, from, to));
        }
        for from in men & self.pinned {
            let on_line = reach(from) & line(self.king, from);
            on_line.into_iter().for_each(|to| push(self.list, from, to));
        }
    }

    fn en_passant(&mut self) {
        let Some(target) = self.position.en_passant() else { return };
        for from in self.position.en_passant_captors(target) {
            self.list.push(Move::en_passant(from, target));
        }
    }

    fn castling(&mut self) {
        for mv in self.position.castling_moves() {
            self.list.push(mv);
        }
    }

    fn king_moves(&mut self, targets: BitBoard) {
        for to in king_attacks(self.king) & targets {
            if self.position.is_safe_for_king(to) {
                self.list.push(Move::normal(self.king, to));
            }
        }
    }
}
