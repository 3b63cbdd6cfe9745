//! A small Lichess in the same binary: `demo` and the tests play whole games against it.
//!
//! It speaks the Bot API as the published description and the server's own behaviour have it, and
//! writes its JSON by itself: a field that the client has wrong is not mirrored here. Of the rest
//! of the program it knows [`crate::engine::Position`] alone.
//!
//! - [`server`] starts and stops it and is the door for tests; `routes` and `auth` speak HTTP.
//! - `lobby` owns the account, the challenges and the games; `stream` is one open NDJSON stream.
//! - `game` is the rules of one game with the time handed in, `clock`, `offers`, `endings` and
//!   `absence` its parts, `wire` its JSON.
//! - [`opponent`] is who sits on the other side, `driver` carries their actions to the game.

mod absence;
mod audit;
mod auth;
mod challenge;
mod clock;
mod driver;
mod endings;
mod game;
mod lobby;
mod offers;
pub mod opponent;
mod reply;
mod routes;
#[cfg(test)]
mod rules_tests;
pub mod server;
mod setup;

mod shared;
mod stream;
mod wire;

pub use audit::{Violation, ViolationKind};
pub use challenge::ChallengeEnd;
pub use game::Room;
pub use lobby::{ChatRecord, GameRecord};
pub use opponent::{Greedy, Opponent, OpponentAction, RandomMover, Scripted};
pub use server::{PracticeOptions, PracticeServer};
pub use setup::{ChallengeRequest, PlayerInfo, TimeControl, Variant};
pub use stream::Cut;
