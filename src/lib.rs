//! Tabiya, a Lichess bot: the map of the house.
//!
//! - [`lichess`] is what Lichess says and how to answer; it knows nothing of bots or engines.
//! - [`bot`] is the service: which challenges to take, which move to send, when to stop.
//! - [`worker`] is the door between the async side and thinking.
//! - [`book`] is what is known before thinking begins.
//! - [`arena`] lets engines play matches and says which is stronger, and how surely.
//! - [`engine`] is pure, synchronous chess: position, search, evaluation.
//! - [`uci`] puts the engine behind a GUI.
//! - [`pgn`] writes finished games.
//! - [`practice`] is a small Lichess in the same binary, for `demo` and the tests.
//! - [`demo`] shows whole games against [`practice`].
//! - [`train`] is offline: own games, the fit of the evaluation to them, puzzles and suites; the bot knows
//!   nothing of it.
//! - [`config`], [`logging`] and [`cli`] put the parts together; no part imports them.
//!
//! The way of a move: a line of the game stream becomes a `GameEvent`, the task of that game
//! rebuilds the [`engine::Position`] from all moves, asks the book and then the engine's
//! thread, and posts the answer itself.

pub mod arena;
pub mod book;
pub mod bot;
pub mod cli;
pub mod config;
pub mod demo;
pub mod engine;
pub mod lichess;
pub mod logging;
pub mod pgn;
pub mod practice;
pub mod train;
pub mod uci;
pub mod worker;
