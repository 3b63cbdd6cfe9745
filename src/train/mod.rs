//! Offline work: positions from own games, and the fit of the classical weights to them.
//!
//! Never linked to the bot or to Lichess.

pub mod fit;
pub mod labelled;
pub mod selfplay;
pub mod weights_file;
