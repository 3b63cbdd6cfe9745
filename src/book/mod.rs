//! Openings before thinking.

use serde::Deserialize;

/// Section `[book]` of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BookOptions {
    pub enabled: bool,
    /// A CSV file; empty for `openings.csv` in the working directory if there is one, else the copy
    /// that is built into the program.
    pub path: String,
    /// With which colours the book is used.
    pub colors: BookColors,
    /// Plies from the start of the game in which the book is asked.
    pub depth: usize,
    pub selection: Selection,
    /// Seed of the choice among moves; 0 for a different one at each start.
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BookColors {
    Both,
    White,
    Black,
}

/// How one of several book moves is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Selection {
    /// At random, in proportion to the weights.
    Weighted,
    /// At random, all alike.
    Uniform,
    /// The greatest weight.
    Best,
}

impl Default for BookOptions {
    fn default() -> Self {
        Self {
            enabled: true,
            path: String::new(),
            colors: BookColors::Both,
            depth: 30,
            selection: Selection::Weighted,
            seed: 0,
        }
    }
}
