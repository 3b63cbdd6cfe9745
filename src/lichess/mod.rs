//! What Lichess says and how to answer; knows nothing of bots or engines.

mod client;
mod error;
mod event;
mod offer;
mod options;
mod pace;
mod read;
mod retry;
mod stream;

pub use client::{Account, Client, DeclineReason, Playing, Room};
pub use error::Error;
pub use event::*;
pub use offer::{Offer, OnlineBot};
pub use options::{LichessOptions, Token};
pub use retry::Backoff;
pub use stream::{EventStream, Line};
