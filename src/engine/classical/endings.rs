//! Endings that are known better than the sum of their terms: what cannot be won, and how to win
//! against a bare king.

use super::bits::{FILE_A, FILE_H, LIGHT_SQUARES, bit, count, distance, index_seen_by, squares};
use super::board::{BISHOP, KING, KNIGHT, Men, PAWN};
use super::tally::Tally;
use super::terms::*;
use crate::engine::position::Color;

/// The whole of the endgame's part.
pub const FULL_SCALE: i32 = 64;

/// How much of the endgame's part the stronger side can make count, of [`FULL_SCALE`].
///
/// Source of the idea: the Chess Programming Wiki, "Draw Evaluation" and "Bishops of Opposite Colors".
pub fn scale(men: &Men, strong: Color) -> i32 {
    let (us, them) = (strong.to_index(), (!strong).to_index());
    let (own, other) = (&men.by[us], &men.by[them]);
    if own[PAWN] == 0 {
        let pieces = piece_value(own);
        // A minor piece alone mates nobody, two knights cannot force it, and less than a rook's
        // lead seldom does.
        let is_hopeless = pieces <= 3 || own[BISHOP] == 0 && pieces == 6 && count(own[KNIGHT]) == 2;
        return match pieces - piece_value(other) {
            _ if is_hopeless => 0,
            lead if lead <= 3 => LEAD_WITHOUT_PAWNS,
            _ => FULL_SCALE,
        };
    }
    if has_wrong_rook_pawn(men, strong) {
        return 0;
    }
    let few_pawns = FULL_SCALE.min(FEW_PAWNS_BASE + FEW_PAWNS_EACH * count(own[PAWN]));
    if !are_opposite_bishops(own[BISHOP], other[BISHOP]) {
        return few_pawns;
    }
    match (piece_value(own), piece_value(other)) {
        (3, 3) => OPPOSITE_BISHOPS_ALONE,
        (pieces, other_pieces) if pieces == other_pieces => few_pawns.min(OPPOSITE_BISHOPS),
        _ => few_pawns,
    }
}

/// One bishop each, on squares of different colours.
fn are_opposite_bishops(own: u64, other: u64) -> bool {
    let is_light = |bishops: u64| bishops & LIGHT_SQUARES != 0;
    count(own) == 1 && count(other) == 1 && is_light(own) != is_light(other)
}

const LEAD_WITHOUT_PAWNS: i32 = 12;
const FEW_PAWNS_BASE: i32 = 40;
const FEW_PAWNS_EACH: i32 = 8;
const OPPOSITE_BISHOPS_ALONE: i32 = 32;
const OPPOSITE_BISHOPS: i32 = 52;

/// The usual count of pieces without pawns: minor piece 3, rook 5, queen 9.
fn piece_value(men: &[u64; 6]) -> i32 {
    let [_, knights, bishops, rooks, queens, _] = men.map(count);
    3 * (knights + bishops) + 5 * rooks + 9 * queens
}

/// Rook pawns with a bishop that does not command their last square, or with none, and the other king
/// there first.
fn has_wrong_rook_pawn(men: &Men, strong: Color) -> bool {
    let (us, them) = (strong.to_index(), (!strong).to_index());
    let (pawns, bishops) = (men.by[us][PAWN], men.by[us][BISHOP]);
    if men.colored[us] != pawns | bishops | bit(men.king[us]) || men.by[them][PAWN] != 0 {
        return false;
    }
    let file = match pawns {
        pawns if pawns & !FILE_A == 0 => 0,
        pawns if pawns & !FILE_H == 0 => 7,
        _ => return false,
    };
    let last = 56 + file;
    let last_is_light = (file + 7) % 2 == 1;
    // Black's h1 is light as White's h8 is dark: the board turned over swaps the colours.
    let last_is_light = last_is_light == (strong == Color::White);
    let commands_last = bishops & if last_is_light { LIGHT_SQUARES } else { !LIGHT_SQUARES } != 0;
    let king_distance = |king| distance(index_seen_by(strong, king), last);
    !commands_last && king_distance(men.king[them]) <= 1
}

/// Who has pieces, and no pawns, against nothing but a king.
pub fn against_bare_king(men: &Men) -> Option<Color> {
    let is_bare = |us: usize| men.colored[us] == bit(men.king[us]);
    match (is_bare(0), is_bare(1)) {
        _ if men.by[0][PAWN] | men.by[1][PAWN] != 0 => None,
        (false, true) => Some(Color::White),
        (true, false) => Some(Color::Black),
        _ => None,
    }
}

/// Adds what `color` has against a bare king: its men on their squares, and what it gains by driving
/// that king to the edge and coming near with its own. With bishop and knight only the corners of the
/// bishop's colour will do. Nothing else, lest small gains lure the pieces away.
pub fn bare_king(men: &Men, color: Color, tally: &mut impl Tally) {
    let (us, them) = (color.to_index(), (!color).to_index());
    let (king, bare) = (men.king[us].to_index(), men.king[them].to_index());
    for (kind, table) in SQUARES.iter().enumerate() {
        for square in squares(men.by[us][kind]) {
            tally.add(color, table.at(index_seen_by(color, square)), 1);
        }
        if kind != KING {
            tally.add(color, MATERIAL.at(kind), count(men.by[us][kind]));
        }
    }
    tally.add(!color, KING_SQUARES.at(index_seen_by(!color, men.king[them])), 1);
    tally.add(color, BARE_KING.at(0), 7 - distance(king, bare) as i32);
    let (knights, bishops) = (men.by[us][KNIGHT], men.by[us][BISHOP]);
    let others = men.colored[us] & !bit(men.king[us]);
    if others == bishops | knights && count(bishops) == 1 && count(knights) == 1 {
        let is_light = bishops & LIGHT_SQUARES != 0;
        tally.add(color, BARE_KING.at(2), 7 - corner_distance(bare, is_light));
    } else {
        tally.add(color, BARE_KING.at(1), edge_push(bare));
    }
}

const SQUARES: [Term; 6] =
    [PAWN_SQUARES, KNIGHT_SQUARES, BISHOP_SQUARES, ROOK_SQUARES, QUEEN_SQUARES, KING_SQUARES];

/// Steps from the four central squares, along files and ranks: 0 in the centre, 6 in a corner.
fn edge_push(square: usize) -> i32 {
    let (file, rank) = (square as i32 % 8, square as i32 / 8);
    (3 - file).max(file - 4) + (3 - rank).max(rank - 4)
}

/// King moves to the nearer of the two corners of the colour.
fn corner_distance(square: usize, is_light: bool) -> i32 {
    let corners = if is_light { [7, 56] } else { [0, 63] };
    corners.map(|corner| distance(square, corner)).into_iter().min().unwrap_or(0) as i32
}
