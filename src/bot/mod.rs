//! The service: which challenges to take, which move to send, when to stop.

mod acceptance;
mod clock;
mod errand;
mod etiquette;
mod feed;
pub mod game;
mod matchmaking;
mod pauses;
pub mod policy;
mod record;
mod service;
mod sign_in;
mod slots;
pub mod store;
mod turn;

pub use matchmaking::MatchmakingOptions;
pub use record::FinishedGame;
pub use service::run;
pub use sign_in::RunError;
pub use store::StoreOptions;

use crate::engine::{EngineOptions, Move, Position};
use crate::lichess::{GameId, LichessOptions};
use game::GameOptions;
use policy::ChallengeOptions;

/// Everything the service is told; each part's own options.
#[derive(Clone, Debug, Default)]
pub struct BotOptions {
    pub lichess: LichessOptions,
    pub challenge: ChallengeOptions,
    pub matchmaking: MatchmakingOptions,
    pub game: GameOptions,
    pub engine: EngineOptions,
    pub store: StoreOptions,
}

/// How far stopping has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    #[default]
    Running,
    /// No new games; those that run are finished.
    Draining,
    /// Leave at once. The server keeps the games, and a restart resumes them.
    Stopping,
}

/// What the service tells whoever looks on. Moves are told once the server's stream shows them.
#[derive(Clone, Debug)]
pub enum Report {
    /// The event stream is open for the first time.
    Online {
        username: String,
    },
    Started {
        id: GameId,
        opponent: String,
        white: bool,
    },
    /// Our move; `position` is the one after it, `source` says how it was found.
    Moved {
        id: GameId,
        position: Position,
        mv: Move,
        source: String,
    },
    OpponentMoved {
        id: GameId,
        position: Position,
        mv: Move,
    },
    Finished(FinishedGame),
}
