//! What the client did that the protocol forbids: tests assert that the list is empty.

use super::game::{Game, MoveRefusal};
use std::time::Duration;
use tokio::time::Instant;

/// A move that was already on its way when the game ended is nobody's fault.
const IN_FLIGHT: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    IllegalMove,
    OutOfTurn,
    /// The move just played, once more.
    DuplicateMove,
    MoveAfterEnd,
    ChatTooLong,
    UnknownPath,
    WrongMethod,
    UnknownDeclineReason,
    /// Not the client's: a scripted opponent whose script does not fit the game.
    BrokenScript,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub kind: ViolationKind,
    /// The game's or challenge's id, or the path.
    pub place: String,
    pub detail: String,
}

impl Violation {
    pub fn new(kind: ViolationKind, place: &str, detail: impl Into<String>) -> Violation {
        Violation { kind, place: place.to_string(), detail: detail.into() }
    }

    /// What a refused move of the bot amounts to.
    pub fn of_move(game: &Game, uci: &str, refusal: &MoveRefusal, now: Instant) -> Option<Violation> {
        let kind = match refusal {
            MoveRefusal::InvalidUci(_) | MoveRefusal::Illegal { .. } => ViolationKind::IllegalMove,
            MoveRefusal::NotYourTurn => match game.ended_at() {
                Some(ended) if now.saturating_duration_since(ended) < IN_FLIGHT => return None,
                Some(_) => ViolationKind::MoveAfterEnd,
                None if game.uci_moves().last().is_some_and(|last| last == uci) => {
                    ViolationKind::DuplicateMove
                }
                None => ViolationKind::OutOfTurn,
            },
        };
        let detail = format!("{uci} after {} plies, {}", game.plies(), game.status().name());
        Some(Violation::new(kind, &game.setup.id, detail))
    }
}
