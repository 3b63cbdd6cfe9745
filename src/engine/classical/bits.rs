//! Sets of squares as bits, a1 the lowest: shifts, fills and files.
//!
//! Source of the fills: the Chess Programming Wiki, "Kogge-Stone Algorithm" and "Pawn Spans".

use crate::engine::position::{BitBoard, Color, Square};

pub const FILE_A: u64 = 0x0101_0101_0101_0101;
pub const FILE_H: u64 = FILE_A << 7;
pub const LIGHT_SQUARES: u64 = 0x55aa_55aa_55aa_55aa;

pub fn bit(square: Square) -> u64 {
    1 << square.to_int()
}

pub const fn east(bits: u64) -> u64 {
    (bits & !FILE_H) << 1
}

pub const fn west(bits: u64) -> u64 {
    (bits & !FILE_A) >> 1
}

/// The squares to the left and right.
pub const fn beside(bits: u64) -> u64 {
    east(bits) | west(bits)
}

/// The squares themselves and all above them.
pub const fn fill_north(bits: u64) -> u64 {
    let bits = bits | bits << 8;
    let bits = bits | bits << 16;
    bits | bits << 32
}

/// The squares themselves and all below them.
pub const fn fill_south(bits: u64) -> u64 {
    let bits = bits | bits >> 8;
    let bits = bits | bits >> 16;
    bits | bits >> 32
}

/// All squares on the files of the given ones.
pub const fn files_of(bits: u64) -> u64 {
    fill_north(bits) | fill_south(bits)
}

/// All squares on a file, 0 for the a-file.
pub const fn file(index: usize) -> u64 {
    FILE_A << index
}

/// All squares on a rank, 0 for the first.
pub const fn rank(index: usize) -> u64 {
    0xff << (8 * index)
}

/// The board as `color` sees it, with its own first rank below. Its own inverse.
pub const fn seen_by(color: Color, bits: u64) -> u64 {
    match color {
        Color::White => bits,
        Color::Black => bits.swap_bytes(),
    }
}

/// The number of a square, 0 for a1, on the board as `color` sees it.
pub fn index_seen_by(color: Color, square: Square) -> usize {
    square.to_index() ^ (56 * color.to_index())
}

/// One step forward for `color`.
pub const fn forward(color: Color, bits: u64) -> u64 {
    match color {
        Color::White => bits << 8,
        Color::Black => bits >> 8,
    }
}

/// Squares that pawns of `color` attack.
pub const fn pawn_attacks(color: Color, pawns: u64) -> u64 {
    forward(color, beside(pawns))
}

pub const fn count(bits: u64) -> i32 {
    bits.count_ones() as i32
}

pub fn squares(bits: u64) -> impl Iterator<Item = Square> {
    BitBoard(bits)
}

/// Moves of a king from one square to the other, squares by number.
pub const fn distance(a: usize, b: usize) -> usize {
    let (files, ranks) = ((a & 7).abs_diff(b & 7), (a >> 3).abs_diff(b >> 3));
    if files > ranks { files } else { ranks }
}
