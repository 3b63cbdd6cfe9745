//! Position: a moment with the game that led to it, so that repetitions are known and moves can be
//! taken back.

use super::castling::{CastlingRights, CastlingSide};
use super::moves::{Move, MoveKind};
use super::state::State;

pub use super::fen::FenError;
pub use super::notation::{GameError, MoveError, START_FEN};
pub use super::state::{ALL_SQUARES, BitBoard, Color, EMPTY, File, Piece, Rank, Square};
pub use super::state::{between, contains, file_mask, line, rank_mask};
pub use super::state::{
    bishop_attacks, king_attacks, knight_attacks, pawn_attacks, pawn_steps, rook_attacks,
};

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

/// A position with the game that led to it.
///
/// Moves are made with [`Position::play`] and taken back with [`Position::undo`]; each ply is one
/// entry of a stack, so that a search allocates nothing once the stack has grown.
#[derive(Clone)]
pub struct Position {
    states: Vec<State>,
}

// Making moves.
impl Position {
    /// A game that begins with `start`.
    pub(super) fn beginning(start: State) -> Position {
        Position { states: vec![start] }
    }

    /// A game of which only the moment after its first move `mv` is known. The entry below it in the
    /// stack is there to be counted, not to be returned to.
    pub(super) fn after_first(mv: Move, mut after: State) -> Position {
        let mut unknown = after;
        unknown.key = 0;
        after.last_move = Some(mv);
        after.reversible_plies = 1;
        Position { states: vec![unknown, after] }
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        let (before, next) = self.push();
        next.play(before, mv);
    }

    /// Passes the turn. The side to move must not be in check.
    pub fn play_null(&mut self) {
        let (before, next) = self.push();
        next.pass(before);
    }

    /// The moment that was last, and the copy of it that becomes the next.
    fn push(&mut self) -> (&State, &mut State) {
        self.states.extend_from_within(self.states.len() - 1..);
        let [.., before, next] = self.states.as_mut_slice() else {
            unreachable!("the ply just pushed follows another")
        };
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
        self.now().piece_on(square)
    }

    /// The kind of man on `square`, when its colour is known or does not matter.
    pub fn kind_on(&self, square: Square) -> Option<Piece> {
        self.now().kind_on(square)
    }

    pub fn occupied(&self) -> BitBoard {
        self.now().occupied()
    }

    pub fn colored(&self, color: Color) -> BitBoard {
        self.now().colored(color)
    }

    pub fn pieces(&self, color: Color, piece: Piece) -> BitBoard {
        self.of_kind(piece) & self.colored(color)
    }

    /// Pieces of this kind of both sides.
    pub fn of_kind(&self, piece: Piece) -> BitBoard {
        self.now().of_kind(piece)
    }

    pub fn king(&self, color: Color) -> Square {
        self.now().king(color)
    }

    /// Pieces that give check to the side to move.
    pub fn checkers(&self) -> BitBoard {
        self.now().checkers()
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
        mv.is_en_passant() || !mv.is_castling() && self.kind_on(mv.to()).is_some()
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
        self.now().pinned()
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
