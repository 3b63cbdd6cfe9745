//! The clock of one game, as the server keeps it.
//!
//! It stands until both sides have made a move, and those two moves earn no increment. Every value
//! that leaves it is in whole centiseconds.

use super::setup::TimeControl;
use crate::engine::Color;
use std::time::Duration;
use tokio::time::Instant;

/// What the wire carries for a side without a clock.
const UNLIMITED_MILLIS: u64 = 2_147_483_647;

#[derive(Clone, Debug)]
pub struct Clock {
    control: TimeControl,
    /// What both sides had left after each ply, the start first.
    history: Vec<[Duration; 2]>,
    turn: Color,
    /// Since when the time of the side to move runs.
    running_since: Option<Instant>,
}

impl Clock {
    pub fn new(control: TimeControl, turn: Color, now: Instant) -> Clock {
        let start = match control {
            // A clock without initial time starts with the increment, but at least three seconds.
            TimeControl::Clock { initial, increment } if initial.is_zero() => {
                increment.max(Duration::from_secs(3))
            }
            TimeControl::Clock { initial, .. } => initial,
            TimeControl::Correspondence { days } => Duration::from_secs(u64::from(days) * 86_400),
            TimeControl::Unlimited => Duration::ZERO,
        };
        let runs_at_once = matches!(control, TimeControl::Correspondence { .. });
        Clock { control, history: vec![[start; 2]], turn, running_since: runs_at_once.then_some(now) }
    }

    /// What is left to `color`, the running move included; `None` without limit.
    pub fn left(&self, color: Color, now: Instant) -> Option<Duration> {
        if self.control == TimeControl::Unlimited {
            return None;
        }
        let used = match self.running_since {
            Some(since) if color == self.turn => now.saturating_duration_since(since),
            _ => Duration::ZERO,
        };
        Some(self.remaining()[color.to_index()].saturating_sub(used))
    }

    /// Milliseconds left, as the wire has them.
    pub fn millis(&self, color: Color, now: Instant) -> u64 {
        self.left(color, now).map_or(UNLIMITED_MILLIS, |left| left.as_millis() as u64 / 10 * 10)
    }

    pub fn increment_millis(&self) -> u64 {
        self.control.increment().as_millis() as u64
    }

    /// When the side to move runs out of time.
    pub fn flag_at(&self) -> Option<Instant> {
        let since = self.running_since?;
        (self.control != TimeControl::Unlimited).then(|| since + self.remaining()[self.turn.to_index()])
    }

    pub fn has_flagged(&self, now: Instant) -> bool {
        self.flag_at().is_some_and(|flag| flag <= now)
    }

    /// The side to move has moved. The last move of a game earns no increment and stops the clock.
    pub fn press(&mut self, game_goes_on: bool, now: Instant) {
        let mut remaining = self.remaining();
        let mine = &mut remaining[self.turn.to_index()];
        match self.control {
            TimeControl::Correspondence { .. } => *mine = self.history[0][0],
            TimeControl::Clock { increment, .. } if self.running_since.is_some() => {
                *mine = self.left(self.turn, now).unwrap_or_default();
                *mine += if game_goes_on { increment } else { Duration::ZERO };
            }
            _ => (),
        }
        self.history.push(remaining);
        self.turn = !self.turn;
        let both_have_moved = self.history.len() > 2;
        let starts = both_have_moved || self.running_since.is_some();
        self.running_since = (starts && game_goes_on).then_some(now);
    }

    /// The last plies were taken back: times go back to what they were, a running clock goes on.
    pub fn take_back(&mut self, plies: usize, now: Instant) {
        self.history.truncate(self.history.len().saturating_sub(plies).max(1));
        if plies % 2 == 1 {
            self.turn = !self.turn;
        }
        self.running_since = self.running_since.map(|_| now);
    }

    /// The game is over: what is left stays as it is.
    pub fn stop(&mut self, now: Instant) {
        let left = self.left(self.turn, now).unwrap_or_default();
        let last = self.history.last_mut().expect("a clock has at least its start");
        last[self.turn.to_index()] = left;
        self.running_since = None;
    }

    fn remaining(&self) -> [Duration; 2] {
        *self.history.last().expect("a clock has at least its start")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    const fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    /// A clock on which both sides have made their first move at `now`.
    fn started(initial: u64, increment: u64, now: Instant) -> Clock {
        let mut clock = Clock::new(TimeControl::clock(initial, increment), White, now);
        clock.press(true, now);
        clock.press(true, now);
        clock
    }

    #[test]
    fn nothing_runs_and_nothing_is_earned_before_both_have_moved() {
        let start = Instant::now();
        let mut clock = Clock::new(TimeControl::clock(60, 2), White, start);
        clock.press(true, start + seconds(30));
        assert_eq!(clock.flag_at(), None);
        clock.press(true, start + seconds(80));
        assert_eq!(clock.left(White, start + seconds(80)), Some(seconds(60)));
        assert_eq!(clock.left(Black, start + seconds(80)), Some(seconds(60)));
        assert_eq!(clock.flag_at(), Some(start + seconds(140)));
    }

    #[test]
    fn a_move_costs_its_time_and_earns_the_increment() {
        let start = Instant::now();
        let mut clock = started(60, 2, start);
        clock.press(true, start + seconds(5));
        assert_eq!(clock.left(White, start + seconds(9)), Some(seconds(57)));
        assert_eq!(clock.left(Black, start + seconds(9)), Some(seconds(56)));
    }

    #[test]
    fn the_last_move_earns_no_increment_and_stops_the_clock() {
        let start = Instant::now();
        let mut clock = started(60, 2, start);
        clock.press(false, start + seconds(5));
        assert_eq!(clock.left(White, start + seconds(99)), Some(seconds(55)));
        assert_eq!(clock.left(Black, start + seconds(99)), Some(seconds(60)));
        assert_eq!(clock.flag_at(), None);
    }

    #[test]
    fn a_flag_falls_when_nothing_is_left() {
        let start = Instant::now();
        let clock = started(10, 0, start);
        assert!(!clock.has_flagged(start + Duration::from_millis(9_999)));
        assert!(clock.has_flagged(start + seconds(10)));
        assert_eq!(clock.millis(White, start + seconds(11)), 0);
    }

    #[test]
    fn the_wire_has_whole_centiseconds() {
        let start = Instant::now();
        let clock = started(10, 0, start);
        assert_eq!(clock.millis(White, start + Duration::from_micros(1_234_567)), 8_760);
    }

    #[test]
    fn no_initial_time_starts_with_the_increment_or_three_seconds() {
        let now = Instant::now();
        for (increment, expected) in [(0, 3), (1, 3), (5, 5)] {
            let clock = Clock::new(TimeControl::clock(0, increment), White, now);
            assert_eq!(clock.left(Black, now), Some(seconds(expected)), "0+{increment}");
        }
    }

    #[test]
    fn a_takeback_gives_the_time_back() {
        let start = Instant::now();
        let mut clock = started(60, 2, start);
        clock.press(true, start + seconds(5));
        clock.press(true, start + seconds(9));
        clock.take_back(2, start + seconds(20));
        assert_eq!(clock.left(White, start + seconds(21)), Some(seconds(59)));
        assert_eq!(clock.left(Black, start + seconds(21)), Some(seconds(60)));
        clock.press(true, start + seconds(22));
        clock.take_back(1, start + seconds(30));
        assert_eq!(clock.left(White, start + seconds(30)), Some(seconds(60)));
        assert_eq!(clock.flag_at(), Some(start + seconds(90)));
    }

    #[test]
    fn correspondence_gives_the_whole_turn_anew() {
        let start = Instant::now();
        let mut clock = Clock::new(TimeControl::Correspondence { days: 2 }, White, start);
        let turn = seconds(2 * 86_400);
        assert_eq!(clock.flag_at(), Some(start + turn));
        clock.press(true, start + seconds(1_000));
        assert_eq!(clock.left(White, start + seconds(1_500)), Some(turn));
        assert_eq!(clock.left(Black, start + seconds(1_500)), Some(turn - seconds(500)));
    }

    #[test]
    fn unlimited_never_flags_and_has_its_number_on_the_wire() {
        let start = Instant::now();
        let mut clock = Clock::new(TimeControl::Unlimited, White, start);
        clock.press(true, start);
        clock.press(true, start);
        assert_eq!(clock.millis(White, start + seconds(1_000_000)), 2_147_483_647);
        assert_eq!(clock.flag_at(), None);
        assert_eq!(clock.increment_millis(), 0);
    }
}
