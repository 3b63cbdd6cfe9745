//! Offline work: positions from own games, the fit of the classical weights to them, puzzles and suites.
//!
//! Never linked to the bot or to Lichess.

pub mod fit;
pub mod labelled;
pub mod pool;
pub mod puzzles;
pub mod samples;
pub mod selfplay;
pub mod suite;
pub mod weights_file;
