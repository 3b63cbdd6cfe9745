//! What Lichess says and how to answer; knows nothing of bots or engines.

mod client;
mod event;

pub use client::{LichessOptions, Token};
pub use event::*;
