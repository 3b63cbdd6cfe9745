//! Pieces: squares, mobility, outposts, files, pairs and threats.

use super::bits::{
    LIGHT_SQUARES, bit, count, files_of, fill_north, fill_south, forward, index_seen_by, pawn_attacks, rank,
    seen_by, squares,
};
use super::board::{Attacks, BISHOP, KNIGHT, Men, PAWN, QUEEN, ROOK};
use super::tally::Tally;
use super::terms::*;
use crate::engine::position::{BitBoard, Color, Square, bishop_attacks, knight_attacks, rook_attacks};

/// Adds the terms of each piece of `color` by itself, and its attacks to `attacks`.
#[inline(always)]
pub fn pieces(men: &Men, attacks: &mut Attacks, color: Color, tally: &mut impl Tally) {
    let us = color.to_index();
    let places = Places::of(men, attacks, color);
    tally.add(color, KING_SQUARES.at(index_seen_by(color, men.king[us])), 1);

    for square in squares(men.by[us][KNIGHT]) {
        let attacked = knight_attacks(square).0;
        attacks.add(color, KNIGHT, attacked);
        tally.add(color, MATERIAL.at(KNIGHT), 1);
        tally.add(color, KNIGHT_SQUARES.at(index_seen_by(color, square)), 1);
        tally.add(color, KNIGHT_MOBILITY.at(places.mobility(attacked)), 1);
        tally.add(color, OUTPOST.at(0), places.is_outpost(square));
    }
    for square in squares(men.by[us][BISHOP]) {
        // It sees through queens, which mostly move out of its way with gain.
        let attacked = bishop_attacks(square, BitBoard(men.occupied & !places.queens)).0;
        attacks.add(color, BISHOP, attacked);
        tally.add(color, MATERIAL.at(BISHOP), 1);
        tally.add(color, BISHOP_SQUARES.at(index_seen_by(color, square)), 1);
        tally.add(color, BISHOP_MOBILITY.at(places.mobility(attacked)), 1);
        tally.add(color, OUTPOST.at(1), places.is_outpost(square));
        let same_color = if bit(square) & LIGHT_SQUARES != 0 { LIGHT_SQUARES } else { !LIGHT_SQUARES };
        tally.add(color, BISHOP_PAWNS.at(0), count(men.by[us][PAWN] & same_color));
    }
    let bishops = men.by[us][BISHOP];
    if bishops & LIGHT_SQUARES != 0 && bishops & !LIGHT_SQUARES != 0 {
        tally.add(color, BISHOP_PAIR.at(0), 1);
    }
    for square in squares(men.by[us][ROOK]) {
        let attacked = rook_attacks(square, BitBoard(men.occupied & !places.queens & !men.by[us][ROOK])).0;
        attacks.add(color, ROOK, attacked);
        tally.add(color, MATERIAL.at(ROOK), 1);
        tally.add(color, ROOK_SQUARES.at(index_seen_by(color, square)), 1);
        tally.add(color, ROOK_MOBILITY.at(places.mobility(attacked)), 1);
        if bit(square) & places.own_pawn_files == 0 {
            let is_half_open = usize::from(bit(square) & places.other_pawn_files != 0);
            tally.add(color, ROOK_FILE.at(is_half_open), 1);
        }
        if bit(square) & places.seventh != 0 {
            tally.add(color, ROOK_SEVENTH.at(0), 1);
        }
    }
    for square in squares(men.by[us][QUEEN]) {
        let occupied = BitBoard(men.occupied);
        let attacked = bishop_attacks(square, occupied).0 | rook_attacks(square, occupied).0;
        attacks.add(color, QUEEN, attacked);
        tally.add(color, MATERIAL.at(QUEEN), 1);
        tally.add(color, QUEEN_SQUARES.at(index_seen_by(color, square)), 1);
        tally.add(color, QUEEN_MOBILITY.at(places.mobility(attacked)), 1);
    }
}

/// Sets of squares that several pieces of one side ask about.
struct Places {
    /// Squares that count for mobility: not held by the own king or a pawn that cannot move, and not
    /// attacked by a pawn.
    safe: u64,
    outposts: u64,
    own_pawn_files: u64,
    other_pawn_files: u64,
    /// The seventh rank, if there are pawns to attack or a king to cut off.
    seventh: u64,
    queens: u64,
}

impl Places {
    #[inline(always)]
    fn of(men: &Men, attacks: &Attacks, color: Color) -> Places {
        let (us, them) = (color.to_index(), (!color).to_index());
        let (own, other) = (men.by[us][PAWN], men.by[them][PAWN]);
        let stuck = own & forward(!color, men.occupied);
        let seventh = seen_by(color, rank(6));
        let is_worth_it = other & seventh | bit(men.king[them]) & seen_by(color, rank(7)) != 0;
        let other_spans = match color {
            Color::White => fill_south(attacks.by[them][PAWN]),
            Color::Black => fill_north(attacks.by[them][PAWN]),
        };
        let advanced = seen_by(color, rank(3) | rank(4) | rank(5));
        Places {
            safe: !(stuck | bit(men.king[us]) | attacks.by[them][PAWN]),
            outposts: advanced & attacks.by[us][PAWN] & !other_spans,
            own_pawn_files: files_of(own),
            other_pawn_files: files_of(other),
            seventh: if is_worth_it { seventh } else { 0 },
            queens: men.by[0][QUEEN] | men.by[1][QUEEN],
        }
    }

    fn mobility(&self, attacked: u64) -> usize {
        count(attacked & self.safe) as usize
    }

    fn is_outpost(&self, square: Square) -> i32 {
        i32::from(bit(square) & self.outposts != 0)
    }
}

/// Adds what `color` threatens, once all attacks are known.
#[inline(always)]
pub fn threats(men: &Men, attacks: &Attacks, color: Color, tally: &mut impl Tally) {
    let (us, them) = (color.to_index(), (!color).to_index());
    let theirs = &men.by[them];
    let by_pawns = attacks.by[us][PAWN];
    // A pawn defends well enough against whatever is worth no less than what it defends.
    let not_held = !attacks.by[them][PAWN];
    let by_minors =
        (attacks.by[us][KNIGHT] | attacks.by[us][BISHOP]) & (not_held | theirs[ROOK] | theirs[QUEEN]);
    let by_rooks = attacks.by[us][ROOK] & (not_held | theirs[QUEEN]);
    let mut add = |term: Term, first: usize, attacked: u64| {
        // Mostly nothing is attacked so, and counting bits is slow on machines of every kind.
        if attacked & men.colored[them] != 0 {
            for (index, men) in theirs[first..=QUEEN].iter().enumerate() {
                tally.add(color, term.at(index), count(men & attacked));
            }
        }
    };
    add(THREAT_BY_PAWN, KNIGHT, by_pawns);
    add(THREAT_BY_MINOR, PAWN, by_minors);
    add(THREAT_BY_ROOK, PAWN, by_rooks);
    tally.add(color, HANGING.at(0), count(men.colored[them] & attacks.all[us] & !attacks.all[them]));

    let defended_or_free = attacks.all[us] | !attacks.all[them];
    let empty = !men.occupied;
    let one_step = forward(color, men.by[us][PAWN]) & empty;
    let two_steps = forward(color, one_step & seen_by(color, rank(2))) & empty;
    let steps = (one_step | two_steps) & not_held & defended_or_free;
    let attacked = pawn_attacks(color, steps) & men.colored[them] & !theirs[PAWN] & !by_pawns;
    tally.add(color, PUSH_THREAT.at(0), count(attacked));
}
