//! Pawn structure, and the table that makes it nearly free.
//!
//! Pawns move seldom: what depends on them alone is kept by their key, and the shelters of the kings
//! beside it with the squares of the kings. Source: the Chess Programming Wiki, "Pawn Hash Table".

use super::bits::{self, beside, count, files_of, fill_north, fill_south, seen_by, squares};
use super::board::PAWN;
use super::king;
use super::tally::{Balance, Tally};
use super::tapered::Tapered;
use super::terms::*;
use crate::engine::position::{Color, Piece, Position};
use std::cell::Cell;

/// What is known of a position by its pawns and kings.
#[derive(Clone, Copy, Default)]
pub struct Structure {
    /// Passed pawns of both sides.
    pub passed: u64,
    /// White's terms less Black's.
    pub balance: Tapered,
}

#[derive(Clone, Copy)]
struct Entry {
    pawn_key: u64,
    passed: u64,
    pawns: Tapered,
    shelter: Tapered,
    /// Squares of both kings when the shelter was computed.
    kings: [u8; 2],
}

/// No king stands there.
const NOWHERE: u8 = 64;

const ENTRIES: usize = 4096;

/// Structures seen lately, for one thread.
pub struct PawnTable {
    entries: Box<[Cell<Entry>]>,
}

impl PawnTable {
    pub fn new() -> PawnTable {
        // All zero but for the kings: the key of a board without pawns is 0, and so are its terms.
        let empty = Entry {
            pawn_key: 0,
            passed: 0,
            pawns: Tapered::ZERO,
            shelter: Tapered::ZERO,
            kings: [NOWHERE; 2],
        };
        PawnTable { entries: (0..ENTRIES).map(|_| Cell::new(empty)).collect() }
    }

    /// The structure of a position, computed only if it is not there.
    pub fn probe(&self, position: &Position) -> Structure {
        let pawn_key = position.pawn_key();
        let slot = &self.entries[pawn_key as usize % ENTRIES];
        let mut entry = slot.get();
        let kings = [Color::White, Color::Black].map(|color| position.king(color).to_int());
        if entry.pawn_key == pawn_key && entry.kings == kings {
            return entry.structure();
        }
        if entry.pawn_key != pawn_key {
            let mut balance = Balance::default();
            entry.passed = structure(position, &mut balance);
            (entry.pawn_key, entry.pawns) = (pawn_key, balance.0);
        }
        let mut balance = Balance::default();
        king::shelter(position, &mut balance);
        (entry.kings, entry.shelter) = (kings, balance.0);
        slot.set(entry);
        entry.structure()
    }
}

impl Entry {
    fn structure(&self) -> Structure {
        Structure { passed: self.passed, balance: self.pawns + self.shelter }
    }
}

/// Adds the terms that depend on pawns alone; the passed pawns of both sides.
pub fn structure(position: &Position, tally: &mut impl Tally) -> u64 {
    let [white, black] = [Color::White, Color::Black].map(|color| position.pieces(color, Piece::Pawn).0);
    side(Color::White, white, black, tally) | side(Color::Black, black, white, tally)
}

/// The terms of one side. All is seen from that side: its pawns move up.
fn side(color: Color, own: u64, other: u64, tally: &mut impl Tally) -> u64 {
    let (own, other) = (seen_by(color, own), seen_by(color, other));
    let attacks = beside(own) << 8;
    let other_attacks = beside(other) >> 8;
    let ahead_of_other = fill_south(other >> 8);

    let doubled = own & fill_south(own >> 8);
    let isolated = own & !beside(files_of(own));
    let opposed = own & ahead_of_other;
    let helped = fill_north(attacks);
    let backward = own & (other_attacks & !helped) >> 8 & !isolated;
    let phalanx = own & beside(own);
    let supported = own & attacks;
    let passed = own & !(ahead_of_other | beside(ahead_of_other)) & !doubled;

    tally.add(color, DOUBLED.at(0), count(doubled));
    tally.add(color, ISOLATED.at(0), count(isolated & opposed));
    tally.add(color, ISOLATED.at(1), count(isolated & !opposed));
    tally.add(color, BACKWARD.at(0), count(backward & opposed));
    tally.add(color, BACKWARD.at(1), count(backward & !opposed));
    tally.add(color, MATERIAL.at(PAWN), count(own));
    for square in squares(own) {
        let (pawn, rank) = (bits::bit(square), square.get_rank().to_index());
        tally.add(color, PAWN_SQUARES.at(square.to_index()), 1);
        if pawn & phalanx != 0 {
            tally.add(color, PHALANX.at(rank), 1);
        }
        if pawn & supported != 0 {
            tally.add(color, SUPPORTED.at(rank), 1);
        }
        if pawn & passed != 0 {
            tally.add(color, PASSED.at(rank), 1);
            if pawn & supported != 0 {
                tally.add(color, PASSED_SUPPORTED.at(rank), 1);
            }
        } else if pawn & (opposed | doubled) == 0 && is_candidate(pawn, own, other) {
            tally.add(color, CANDIDATE.at(rank), 1);
        }
    }
    seen_by(color, passed)
}

/// Whether at least as many pawns can help this one through as can stop it from the files beside.
fn is_candidate(pawn: u64, own: u64, other: u64) -> bool {
    let helpers = beside(fill_south(pawn)) & own;
    let guards = beside(fill_north(pawn << 8)) & other;
    count(helpers) >= count(guards)
}
