//! Static exchange evaluation: what a capture wins once all captures on its square are made.
//!
//! Both sides capture with their least valuable man and may stop whenever it pays. Pins are not
//! looked at, so the answer is an estimate: good for ordering and pruning, not a proof. Source of the
//! idea: the swap algorithm of the Chess Programming Wiki, "Static Exchange Evaluation".

use super::position::{BitBoard, Color, EMPTY, Piece, Position, Square, bishop_attacks, rook_attacks};
use super::{Move, MoveKind};

/// From the least valuable to the most.
const PIECES: [Piece; 6] =
    [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];

/// Value of a man in exchanges, in centipawns. The king's makes it the last to capture.
pub fn value(piece: Piece) -> i32 {
    match piece {
        Piece::Pawn => 100,
        Piece::Knight => 320,
        Piece::Bishop => 330,
        Piece::Rook => 500,
        Piece::Queen => 950,
        Piece::King => 10_000,
    }
}

/// What `mv` takes and gains by promoting, in centipawns, before anyone answers.
pub fn immediate_gain(position: &Position, mv: Move) -> i32 {
    match mv.kind() {
        MoveKind::Castling => 0,
        MoveKind::EnPassant => value(Piece::Pawn),
        MoveKind::Normal | MoveKind::Promotion => {
            let captured = position.kind_on(mv.to()).map_or(0, value);
            captured + mv.promoted().map_or(0, |piece| value(piece) - value(Piece::Pawn))
        }
    }
}

/// Whether `mv` wins at least `threshold` centipawns by exchanges on its target square.
pub fn wins_at_least(position: &Position, mv: Move, threshold: i32) -> bool {
    if mv.is_castling() {
        return threshold <= 0;
    }
    let (from, to) = (mv.from(), mv.to());
    let us = position.side_to_move();
    let moved = position.kind_on(from).expect("a move starts from a piece");

    // `balance` is what the side that has just captured is ahead of its threshold, if the exchange
    // ended here. First if nothing is taken back, then if the man itself is lost.
    let mut balance = immediate_gain(position, mv) - threshold;
    if balance < 0 {
        return false;
    }
    balance -= value(mv.promoted().unwrap_or(moved));
    if balance >= 0 {
        return true;
    }

    let mut occupied = position.occupied() & !BitBoard::from_square(from) | BitBoard::from_square(to);
    if mv.is_en_passant() {
        occupied &= !BitBoard::from_square(Square::make_square(from.get_rank(), to.get_file()));
    }
    let mut attackers = position.attackers_to(to, occupied) & occupied;
    let mut side = !us;
    while let Some((square, piece)) = least_valuable(position, attackers, side) {
        occupied &= !BitBoard::from_square(square);
        attackers = (attackers | uncovered(position, to, piece, occupied)) & occupied;
        side = !side;
        // Negamax with a null window: the capturer wins if losing its man still leaves it ahead.
        balance = -balance - 1 - value(piece);
        if balance >= 0 {
            // A king may not capture what is still defended.
            if piece == Piece::King && attackers & position.colored(side) != EMPTY {
                side = !side;
            }
            break;
        }
    }
    side != us
}

fn least_valuable(position: &Position, attackers: BitBoard, side: Color) -> Option<(Square, Piece)> {
    PIECES.into_iter().find_map(|piece| {
        let men = attackers & position.pieces(side, piece);
        (men != EMPTY).then(|| (men.to_square(), piece))
    })
}

/// Sliders that see `to` now that a `piece` has left its line.
fn uncovered(position: &Position, to: Square, piece: Piece, occupied: BitBoard) -> BitBoard {
    let queens = position.of_kind(Piece::Queen);
    let mut found = EMPTY;
    if matches!(piece, Piece::Pawn | Piece::Bishop | Piece::Queen) {
        found |= bishop_attacks(to, occupied) & (position.of_kind(Piece::Bishop) | queens);
    }
    if matches!(piece, Piece::Rook | Piece::Queen) {
        found |= rook_attacks(to, occupied) & (position.of_kind(Piece::Rook) | queens);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_are_worth_what_a_player_would_count() {
        const PAWN: i32 = 100;
        const KNIGHT: i32 = 320;
        const BISHOP: i32 = 330;
        const ROOK: i32 = 500;
        const QUEEN: i32 = 950;
        for (fen, uci, worth) in [
            ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - -", "e1e5", PAWN),
            ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - -", "d3e5", PAWN - KNIGHT),
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - -", "e4d5", PAWN),
            ("4k3/8/4p3/3p4/4P3/8/8/4K3 w - -", "e4d5", 0),
            ("4k3/8/4p3/3p4/8/8/3Q4/4K3 w - -", "d2d5", PAWN - QUEEN),
            // The second rook behind the first takes part.
            ("3rk3/3p4/8/8/8/8/3R4/3RK3 w - -", "d2d7", PAWN - ROOK + ROOK - ROOK),
            ("4k3/3p4/8/8/8/8/3R4/3RK3 w - -", "d2d7", PAWN),
            // The bishop behind the pawn takes part after it.
            ("4k3/8/2b5/3p4/4P3/5B2/8/4K3 w - -", "e4d5", PAWN),
            // En passant: the pawn taken stands elsewhere.
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6", PAWN),
            ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6", "e5d6", 0),
            // Promotions.
            ("8/4P3/8/8/8/k7/8/4K3 w - -", "e7e8q", QUEEN - PAWN),
            ("3r4/4P3/8/8/8/k7/8/4K3 w - -", "e7e8q", -PAWN),
            ("3r4/4P3/8/8/8/k7/8/4K3 w - -", "e7d8q", ROOK + QUEEN - PAWN),
            // The king does not take what is defended.
            ("8/8/8/3pk3/8/8/6B1/3RK3 w - -", "g2d5", PAWN),
            ("8/8/8/3pk3/8/8/6B1/4K3 w - -", "g2d5", PAWN - BISHOP),
            // Quiet moves and castling.
            ("4k3/8/8/8/2p5/8/1N6/4K3 w - -", "b2d3", -KNIGHT),
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "e1h1", 0),
        ] {
            let position = Position::from_fen(fen).expect(fen);
            let mv = position.parse_uci(uci).expect(uci);
            assert!(wins_at_least(&position, mv, worth), "{fen} {uci} is worth {worth}");
            assert!(!wins_at_least(&position, mv, worth + 1), "{fen} {uci} is not worth more than {worth}");
        }
    }
}
