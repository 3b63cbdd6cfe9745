//! Passed pawns in the company of the other men: what blocks them, who is near, whether they run through.

use super::bits::{bit, count, distance, files_of, fill_north, fill_south, forward, index_seen_by, squares};
use super::board::{Attacks, Men, PAWN, ROOK};
use super::tally::Tally;
use super::terms::*;
use crate::engine::position::{Color, Square};

/// Adds the terms of the passed pawns of `color`.
#[inline(always)]
pub fn passed(men: &Men, attacks: &Attacks, passed: u64, color: Color, mover: Color, tally: &mut impl Tally) {
    let (us, them) = (color.to_index(), (!color).to_index());
    let own_king = index_seen_by(color, men.king[us]);
    let other_king = index_seen_by(color, men.king[them]);
    let other_has_pieces = men.colored[them] != men.by[them][PAWN] | bit(men.king[them]);
    for square in squares(passed & men.by[us][PAWN]) {
        let pawn = index_seen_by(color, square);
        let (rank, ahead) = (pawn / 8, pawn + 8);
        let way = way(color, square);
        if forward(color, bit(square)) & men.occupied != 0 {
            tally.add(color, PASSED_BLOCKED.at(rank), 1);
        }
        if way & (men.occupied | attacks.all[them]) == 0 {
            tally.add(color, PASSED_FREE.at(rank), 1);
        }
        if rank >= FIRST_BEYOND_THE_MIDDLE {
            tally.add(color, PASSED_OWN_KING.at(distance(own_king, ahead)), 1);
            tally.add(color, PASSED_OTHER_KING.at(distance(other_king, ahead)), 1);
        }
        let behind = files_of(bit(square)) & !way;
        tally.add(color, PASSED_ROOK.at(0), count(men.by[us][ROOK] & behind).min(1));
        if !other_has_pieces && way & men.occupied == 0 {
            // The rule of the square; a pawn at home may step twice.
            let steps = (7 - rank).min(5);
            let king_steps = distance(other_king, 56 + pawn % 8).saturating_sub(usize::from(mover != color));
            if steps < king_steps {
                tally.add(color, UNSTOPPABLE.at(0), 1);
            }
        }
    }
}

/// The fourth rank of eight, counted from 0: from here on the kings' distances matter.
const FIRST_BEYOND_THE_MIDDLE: usize = 3;

/// All squares ahead of a pawn on its file.
fn way(color: Color, square: Square) -> u64 {
    match color {
        Color::White => fill_north(bit(square) << 8),
        Color::Black => fill_south(bit(square) >> 8),
    }
}
