//! Which quiet moves give check, known without playing them.

use super::position::{BitBoard, Color, EMPTY, Piece, Position, Square};
use super::position::{between, bishop_attacks, contains, knight_attacks, pawn_attacks, rook_attacks};
use super::{Move, MoveKind};

/// From where the side to move gives check in one position.
pub struct CheckSquares {
    king: Square,
    /// Squares from which a pawn, knight, bishop, rook, queen would attack the king.
    by_piece: [BitBoard; 5],
    /// Our men behind which one of our sliders looks at the king.
    screens: BitBoard,
}

impl CheckSquares {
    pub fn of(position: &Position) -> CheckSquares {
        let us = position.side_to_move();
        let king = position.king(!us);
        let diagonal = bishop_attacks(king, position.occupied());
        let straight = rook_attacks(king, position.occupied());
        let by_piece =
            [pawn_attacks(!us, king), knight_attacks(king), diagonal, straight, diagonal | straight];
        CheckSquares { king, by_piece, screens: screens(position, us, king) }
    }

    /// Whether the quiet move `mv` gives check. The rare castling check is not seen.
    pub fn is_check(&self, position: &Position, mv: Move) -> bool {
        let Some(piece) = position.kind_on(mv.from()) else { return false };
        if mv.kind() == MoveKind::Castling {
            return false;
        }
        let is_direct = self.by_piece.get(piece.to_index()).is_some_and(|&from| contains(from, mv.to()));
        is_direct || contains(self.screens, mv.from()) && !self.stays_on_line(mv)
    }

    fn stays_on_line(&self, mv: Move) -> bool {
        contains(between(self.king, mv.from()), mv.to()) || contains(between(self.king, mv.to()), mv.from())
    }
}

fn screens(position: &Position, us: Color, king: Square) -> BitBoard {
    let queens = position.pieces(us, Piece::Queen);
    let sliders = bishop_attacks(king, EMPTY) & (position.pieces(us, Piece::Bishop) | queens)
        | rook_attacks(king, EMPTY) & (position.pieces(us, Piece::Rook) | queens);
    sliders
        .map(|slider| between(slider, king) & position.occupied())
        .filter(|men| men.popcnt() == 1)
        .fold(EMPTY, |found, man| found | man & position.colored(us))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_checks_are_known_before_they_are_played() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut checks = 0;
        for _ in 0..150 {
            let mut position = Position::chess960_start(random.u16(..960));
            for _ in 0..100 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let known = CheckSquares::of(&position);
                for mv in &moves {
                    if position.is_tactical(mv) || mv.is_castling() {
                        continue;
                    }
                    let said = known.is_check(&position, mv);
                    position.play(mv);
                    let is_check = position.is_check();
                    position.undo();
                    assert_eq!(said, is_check, "{mv} in {}", position.fen());
                    checks += u32::from(is_check);
                }
                position.play(moves[random.usize(..moves.len())]);
            }
        }
        assert!(checks > 1000, "{checks} checks");
    }
}
