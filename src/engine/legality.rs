//! Whether one move is legal, known without generating all of them.
//!
//! The transposition table may hold any sixteen bits: a move of another position with the same slot, or
//! a torn entry. To look at its move first, before any are generated, the search must know that it is
//! legal.

use super::moves::{Move, MoveKind};
use super::position::{BitBoard, Color, EMPTY, Piece, Position, Square};
use super::position::{bishop_attacks, contains, king_attacks, knight_attacks, line};
use super::position::{pawn_attacks, pawn_steps, rook_attacks};

impl Position {
    /// Whether `mv`, which may come from anywhere, is legal here.
    pub fn is_legal(&self, mv: Move) -> bool {
        let us = self.side_to_move();
        let (from, to) = (mv.from(), mv.to());
        let Some((color, piece)) = self.piece_on(from) else { return false };
        if color != us {
            return false;
        }
        match mv.kind() {
            MoveKind::Castling => self.castling_moves().any(|castling| castling == mv),
            MoveKind::EnPassant => {
                mv == Move::en_passant(from, to)
                    && self.en_passant() == Some(to)
                    && self.en_passant_captors(to).any(|captor| captor == from)
            }
            // Bits that mean nothing for the kind of a move must not be set.
            MoveKind::Normal if mv != Move::normal(from, to) => false,
            MoveKind::Normal if piece == Piece::King => self.may_king_go(from, to),
            MoveKind::Normal | MoveKind::Promotion => {
                let promotes = piece == Piece::Pawn && to.get_rank() == us.to_their_backrank();
                promotes == (mv.kind() == MoveKind::Promotion)
                    && contains(self.targets(us, piece, from), to)
                    && self.keeps_king_safe(from, to)
            }
        }
    }

    /// Where a man other than the king could go if checks and pins did not matter.
    fn targets(&self, us: Color, piece: Piece, from: Square) -> BitBoard {
        let occupied = self.occupied();
        let free = !self.colored(us);
        match piece {
            Piece::Pawn => {
                let captures = pawn_attacks(us, from) & self.colored(!us);
                captures | pawn_steps(us, from, occupied)
            }
            Piece::Knight => knight_attacks(from) & free,
            Piece::Bishop => bishop_attacks(from, occupied) & free,
            Piece::Rook => rook_attacks(from, occupied) & free,
            Piece::Queen => (bishop_attacks(from, occupied) | rook_attacks(from, occupied)) & free,
            Piece::King => EMPTY,
        }
    }

    fn may_king_go(&self, from: Square, to: Square) -> bool {
        contains(king_attacks(from) & !self.colored(self.side_to_move()), to) && self.is_safe_for_king(to)
    }

    /// Whether our king is not attacked after the man on `from` went to `to`: it meets the check there
    /// is, and stays between king and attacker if it is pinned.
    fn keeps_king_safe(&self, from: Square, to: Square) -> bool {
        let king = self.king(self.side_to_move());
        contains(self.check_answers(), to)
            && (!contains(self.pinned(), from) || contains(line(king, from), to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All sixteen-bit patterns, in positions of random games of both kinds.
    #[test]
    fn exactly_the_generated_moves_are_legal() {
        let mut random = fastrand::Rng::with_seed(11);
        let mut seen = 0;
        for game in 0..6 {
            let number = if game % 2 == 0 { 518 } else { random.u16(..960) };
            let mut position = Position::chess960_start(number);
            for _ in 0..120 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                for mv in (1..=u16::MAX).filter_map(Move::from_bits) {
                    let is_generated = moves.contains(&mv);
                    assert_eq!(
                        position.is_legal(mv),
                        is_generated,
                        "{mv} {:?} in {}",
                        mv.kind(),
                        position.fen()
                    );
                }
                seen += 1;
                position.play(moves[random.usize(..moves.len())]);
            }
        }
        assert!(seen > 300, "{seen} positions");
    }

    #[test]
    fn checks_pins_and_special_moves_are_judged_rightly() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            // En passant: open to the king along the rank, the only answer to a check, and both ways.
            "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
            "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
            "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1",
            // Double check, and a pinned pawn that may take its pinner.
            "4k3/8/5N2/8/8/8/4R3/4K3 b - - 0 1",
            "4k3/8/8/8/7b/6P1/5P2/4K3 w - - 0 1",
            "4k3/3r4/2P5/8/8/8/8/3K4 w - - 0 1",
        ] {
            let position = Position::from_fen(fen).expect(fen);
            let moves = position.legal_moves();
            for mv in (1..=u16::MAX).filter_map(Move::from_bits) {
                assert_eq!(position.is_legal(mv), moves.contains(&mv), "{mv} {:?} in {fen}", mv.kind());
            }
        }
    }
}
