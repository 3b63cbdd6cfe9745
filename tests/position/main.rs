//! Proofs of `engine::position::Position`, the one door to the board crate.

mod castling;
mod draws;
mod en_passant;
mod fen;
mod fuzz;
mod keys;
mod peer;
mod random_games;
mod starts;
mod uci;
mod unsound;
