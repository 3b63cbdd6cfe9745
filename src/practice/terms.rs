//! The terms of a game: what is agreed before it, where one speaks, how a call is refused.

use super::setup::{PlayerInfo, Start, TimeControl};
use crate::engine::Color;
use std::time::Duration;

/// What does not change during a game.
#[derive(Clone, Debug)]
pub struct Setup {
    pub id: String,
    /// White and Black.
    pub players: [PlayerInfo; 2],
    /// The side of the account that plays through the API.
    pub bot: Color,
    pub start: Start,
    pub time_control: TimeControl,
    pub rated: bool,
    pub rules: Vec<String>,
    /// The server ends the game when a first move takes longer.
    pub first_move: Option<Duration>,
    /// Whether both players' settings allow takebacks.
    pub allows_takebacks: bool,
    /// Replaces the server's own wait before an absent opponent's game can be claimed.
    pub claim_after: Option<Duration>,
    /// Writes castling in standard games as the king's two-square step, as older servers did.
    pub king_step_castling: bool,
}

/// Where something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    Player,
    Spectator,
}

impl Room {
    pub fn name(self) -> &'static str {
        match self {
            Room::Player => "player",
            Room::Spectator => "spectator",
        }
    }
}

/// Why a move was not played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveRefusal {
    InvalidUci(String),
    NotYourTurn,
    Illegal { from: String, to: String },
}

/// Another call that the server does not follow, in its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRefused(pub &'static str);
