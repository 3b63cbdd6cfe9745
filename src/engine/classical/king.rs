//! Safety of the king: its shelter of pawns, and the attack on the squares around it.

use super::bits::{bit, count, file, forward, index_seen_by, seen_by};
use super::board::{Attacks, BISHOP, KING, KNIGHT, Men, QUEEN, ROOK};
use super::tally::Tally;
use super::terms::*;
use crate::engine::castling::CastlingSide;
use crate::engine::position::{
    BitBoard, Color, Piece, Position, bishop_attacks, king_attacks, knight_attacks, rook_attacks,
};

/// Adds the terms of the pawns before both kings, which depend on pawns and kings alone.
pub fn shelter(position: &Position, tally: &mut impl Tally) {
    for color in [Color::White, Color::Black] {
        let own = seen_by(color, position.pieces(color, Piece::Pawn).0);
        let other = seen_by(color, position.pieces(!color, Piece::Pawn).0);
        side_shelter(color, index_seen_by(color, position.king(color)), own, other, tally);
    }
}

/// The three files at the king, or the three nearest to the edge. All is seen from the king's side.
fn side_shelter(color: Color, king: usize, own: u64, other: u64, tally: &mut impl Tally) {
    let (king_file, king_rank) = (king % 8, king / 8);
    let ahead = !0 << (8 * king_rank);
    let middle = king_file.clamp(1, 6);
    for index in middle - 1..=middle + 1 {
        let (own, other) = (own & file(index) & ahead, other & file(index) & ahead);
        let (shield, storm) = (lowest_rank(own), lowest_rank(other));
        let is_beside = usize::from(index != king_file);
        let is_blocked = usize::from(shield != 0 && storm == shield + 1);
        tally.add(color, SHIELD.at(8 * is_beside + shield), 1);
        tally.add(color, STORM.at(8 * is_blocked + storm), 1);
        if own | other == 0 {
            tally.add(color, KING_OPEN_FILE.at(0), 1);
        }
    }
}

/// Rank of the lowest square, 0 if there is none: pawns never stand on the first.
fn lowest_rank(bits: u64) -> usize {
    match bits {
        0 => 0,
        bits => bits.trailing_zeros() as usize / 8,
    }
}

/// Adds what the right to castle is worth.
#[inline(always)]
pub fn castling(position: &Position, color: Color, tally: &mut impl Tally) {
    let rights = position.castling();
    match CastlingSide::BOTH.iter().filter(|&&side| rights.rook(color, side).is_some()).count() {
        0 => (),
        sides => tally.add(color, CAN_CASTLE.at(sides - 1), 1),
    }
}

/// The king's square, the squares around it, and those one step further ahead.
pub fn ring(color: Color, king: crate::engine::Square) -> u64 {
    let near = king_attacks(king).0 | bit(king);
    near | forward(color, near)
}

/// Adds the danger of the king of `color`, in units of attack.
///
/// Pieces that look at its ring count by their kind, attacked squares that only the king defends and
/// squares from which a safe check could be given count too; without the queen far less. The table of
/// the term turns units into centipawns, so that danger may grow faster than its parts. Source of the
/// idea: the Chess Programming Wiki, "King Safety", "Attack Units".
#[inline(always)]
pub fn danger(men: &Men, attacks: &Attacks, color: Color, tally: &mut impl Tally) {
    let (us, them) = (color.to_index(), (!color).to_index());
    let king = men.king[us];
    let looks = attacks.looks_at_ring[us];
    if looks.pieces == 0 {
        return;
    }
    let own_defence = attacks.by[us][KING] | attacks.by[us][QUEEN];
    let weak = attacks.all[them] & !attacks.twice[us] & (!attacks.all[us] | own_defence);
    let safe = !men.colored[them] & (!attacks.all[us] | weak & attacks.twice[them]);
    let near = king_attacks(king).0;

    let mut units = looks.units + looks.squares + WEAK_SQUARE * count(near & weak);
    let occupied = BitBoard(men.occupied & !men.by[us][QUEEN]);
    let (straight, diagonal) = (rook_attacks(king, occupied).0, bishop_attacks(king, occupied).0);
    let can_check = |kind: usize, from: u64| i32::from(from & safe & attacks.by[them][kind] != 0);
    units += KNIGHT_CHECK * can_check(KNIGHT, knight_attacks(king).0);
    units += BISHOP_CHECK * can_check(BISHOP, diagonal);
    units += ROOK_CHECK * can_check(ROOK, straight);
    units += QUEEN_CHECK * can_check(QUEEN, straight | diagonal);
    if men.by[them][QUEEN] == 0 {
        units -= WITHOUT_QUEEN;
    }
    tally.add(color, KING_DANGER.at(units.clamp(0, KING_DANGER.len as i32 - 1) as usize), 1);
}

/// Units of a knight, bishop, rook and queen that attack the ring.
pub const LOOK: [i32; 4] = [3, 2, 3, 4];
const WEAK_SQUARE: i32 = 2;
const KNIGHT_CHECK: i32 = 5;
const BISHOP_CHECK: i32 = 3;
const ROOK_CHECK: i32 = 6;
const QUEEN_CHECK: i32 = 5;
const WITHOUT_QUEEN: i32 = 12;
