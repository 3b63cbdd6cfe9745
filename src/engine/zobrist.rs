//! Zobrist keys: one fixed random number for each fact about a position.
//!
//! The numbers are computed at build time from a fixed seed, so node counts repeat across builds.
//! Source of the idea: A. Zobrist, "A New Hashing Method with Application for Game Playing", 1970.

use super::position::{Color, Piece, Square};

static PIECES: [[[u64; 64]; 6]; 2] = piece_keys();
static CASTLING: [u64; 64] = numbers(0x7461_6269_7961_0002);
static EN_PASSANT: [u64; 64] = numbers(0x7461_6269_7961_0003);
const SIDE: u64 = numbers::<1>(0x7461_6269_7961_0004)[0];

/// Key of `piece` of `color` on `square`.
pub fn piece(color: Color, piece: Piece, square: Square) -> u64 {
    PIECES[color.to_index()][piece.to_index()][square.to_index()]
}

/// Key of the right to castle with the rook on `rook`.
pub fn castling(rook: Square) -> u64 {
    CASTLING[rook.to_index()]
}

/// Key of a legal en-passant capture on `target`.
pub fn en_passant(target: Square) -> u64 {
    EN_PASSANT[target.to_index() & 7]
}

/// Key of Black to move.
pub fn side() -> u64 {
    SIDE
}

const fn piece_keys() -> [[[u64; 64]; 6]; 2] {
    let flat = numbers::<768>(0x7461_6269_7961_0001);
    let mut keys = [[[0; 64]; 6]; 2];
    let mut i = 0;
    while i < 768 {
        keys[i / 384][i / 64 % 6][i % 64] = flat[i];
        i += 1;
    }
    keys
}

/// SplitMix64 (S. Vigna, public domain algorithm).
const fn numbers<const N: usize>(seed: u64) -> [u64; N] {
    let mut state = seed;
    let mut out = [0; N];
    let mut i = 0;
    while i < N {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        out[i] = z ^ (z >> 31);
        i += 1;
    }
    out
}
