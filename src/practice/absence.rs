//! An opponent who has left: what the other side is told, and when it may claim the game.

use super::endings::{self, Status};
use super::game::{CallRefused, Game};
use crate::engine::{Color, Piece};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// How often an absence is told, and how long it has to last before it is.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Whether the opponent is there. Only the side that is not played through the API can leave.
#[derive(Clone, Debug, Default)]
pub struct Absence {
    since: Option<Instant>,
    next_line: Option<Instant>,
}

impl Game {
    /// The opponent leaves the game's page.
    pub fn opponent_leaves(&mut self, now: Instant) {
        if self.absence.since.is_none() {
            let next_line = Some(now + self.line_interval());
            self.absence = Absence { since: Some(now), next_line };
        }
    }

    /// The opponent is back. That is told only if the game could have been claimed.
    pub fn opponent_returns(&mut self, now: Instant) {
        let was_long_gone = self.is_long_gone(now);
        self.absence = Absence::default();
        self.new_turn();
        if was_long_gone && !self.is_over() {
            self.push(json!({"type": "opponentGone", "gone": false}));
        }
    }

    pub(super) fn next_absence_line(&self) -> Option<Instant> {
        self.absence.next_line.filter(|_| self.can_be_claimed_some_day())
    }

    pub(super) fn tell_of_absence(&mut self, now: Instant) {
        let (Some(since), Some(due)) = (self.absence.since, self.absence.next_line) else { return };
        if now < due || !self.can_be_claimed_some_day() {
            return;
        }
        self.absence.next_line = Some(now + self.line_interval());
        let left = self.claim_after().saturating_sub(now.saturating_duration_since(since));
        let clock = self.clock.left(self.opponent(), now).unwrap_or(Duration::MAX);
        let flags_first = self.is_turn_of(self.opponent()) && clock < left;
        if !flags_first {
            let seconds = left.as_secs();
            self.push(json!({"type": "opponentGone", "gone": true, "claimWinInSeconds": seconds}));
        }
    }

    /// Claims the win, or a draw, against an opponent who has left.
    pub fn claim(&mut self, as_win: bool, now: Instant) -> Result<(), CallRefused> {
        let claimant = self.setup.bot;
        if !self.can_be_claimed_some_day() || self.is_turn_of(claimant) {
            return Ok(());
        }
        if !self.is_long_gone(now) {
            return Err(CallRefused("You cannot claim the win on this game"));
        }
        let can_win = as_win && !endings::cannot_mate(self.position(), claimant);
        self.finish(Status::Timeout, can_win.then_some(claimant), now);
        Ok(())
    }

    fn can_be_claimed_some_day(&self) -> bool {
        let is_possible = self.setup.time_control.is_clock() && !self.has_rule("noClaimWin");
        is_possible && !self.is_over() && self.both_have_moved()
    }

    fn is_long_gone(&self, now: Instant) -> bool {
        self.absence.since.is_some_and(|since| now.saturating_duration_since(since) >= self.claim_after())
    }

    /// How long an opponent has to be away: by pace, half of it when far behind.
    fn claim_after(&self) -> Duration {
        if let Some(wait) = self.setup.claim_after {
            return wait;
        }
        let full = match self.setup.time_control.speed() {
            "classical" => 300,
            "rapid" => 120,
            "blitz" => 60,
            _ => 30,
        };
        let is_far_behind = self.material(self.opponent()) + 4 <= self.material(self.setup.bot);
        Duration::from_secs(if is_far_behind { full / 2 } else { full }.max(10))
    }

    fn line_interval(&self) -> Duration {
        LINE_INTERVAL.min(self.claim_after() / 2).max(Duration::from_millis(1))
    }

    /// In pawns.
    fn material(&self, color: Color) -> u32 {
        let values =
            [(Piece::Pawn, 1), (Piece::Knight, 3), (Piece::Bishop, 3), (Piece::Rook, 5), (Piece::Queen, 9)];
        values.iter().map(|&(piece, value)| value * self.position().pieces(color, piece).popcnt()).sum()
    }
}
