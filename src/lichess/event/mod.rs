//! What the two streams say, parsed loosely: unknown fields and types never end a stream.

mod account;
mod game;
mod parts;

pub use account::{AccountEvent, Challenge, GameInfo, TimeControl};
pub use game::{ChatLine, GameClock, GameEvent, GameFull, GameState};
pub use parts::{GameId, Player, Side, Status, UserId};
