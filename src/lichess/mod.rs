//! What Lichess says and how to answer; knows nothing of bots or engines.

mod client;
mod error;
mod event;
mod read;
mod retry;
mod stream;

pub use client::{Account, Client, DeclineReason, LichessOptions, Room, Token};
pub use error::Error;
pub use event::*;
pub use retry::Backoff;
pub use stream::{EventStream, Line};
