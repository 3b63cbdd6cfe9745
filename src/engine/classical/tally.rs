//! Two ways to add up the terms: fast for the search, and kept apart for the table and the tuner.

use super::tapered::Tapered;
use super::terms::WEIGHT_COUNT;
use super::weights::WEIGHTS;
use crate::engine::position::Color;

/// What the terms report to.
pub trait Tally {
    /// `color` has the feature of the weight with this index `count` times.
    fn add(&mut self, color: Color, weight: usize, count: i32);
}

/// White's sum less Black's.
#[derive(Clone, Copy, Default)]
pub struct Balance(pub Tapered);

impl Tally for Balance {
    #[inline(always)]
    fn add(&mut self, color: Color, weight: usize, count: i32) {
        match color {
            Color::White => self.0 += WEIGHTS[weight] * count,
            Color::Black => self.0 -= WEIGHTS[weight] * count,
        }
    }
}

/// How often each side has each feature.
pub struct Counts {
    of: Box<[[i32; WEIGHT_COUNT]; 2]>,
}

impl Counts {
    pub fn new() -> Counts {
        Counts { of: Box::new([[0; WEIGHT_COUNT]; 2]) }
    }

    pub fn of(&self, color: Color, weight: usize) -> i32 {
        self.of[color.to_index()][weight]
    }
}

impl Tally for Counts {
    fn add(&mut self, color: Color, weight: usize, count: i32) {
        self.of[color.to_index()][weight] += count;
    }
}
