//! How we behave in a game.

use serde::Deserialize;

/// Section `[game]` of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GameOptions {
    /// Said to the opponent at the start of a game, empty for nothing. `{opponent}` and `{bot}`
    /// are replaced.
    pub greeting: String,
    /// Said to the opponent at the end of a game, empty for nothing.
    pub goodbye: String,
    /// Seconds to wait for the opponent's first move before the game is aborted, 0 for ever.
    pub abort_seconds: u64,
    /// Takebacks granted in one game.
    pub takebacks: u32,
    /// A draw offer is accepted when our score is at most this (centipawns).
    pub draw_score: i32,
    /// Draws are neither accepted nor offered before this move.
    pub draw_min_move: u16,
    /// Offer a draw when the score has been within `draw_score` of zero for ten moves.
    pub offer_draw: bool,
    /// Resign hopeless games.
    pub resign: bool,
    /// Hopeless is a score of at most this (centipawns, negative) …
    pub resign_score: i32,
    /// … for this many of our moves in a row.
    pub resign_moves: u32,
    /// Seconds that running games may still take after the first signal to stop.
    pub shutdown_seconds: u64,
}

impl Default for GameOptions {
    fn default() -> Self {
        Self {
            greeting: "Hello {opponent}, good game! I am {bot}, running Tabiya.".to_string(),
            goodbye: "Thank you for the game, {opponent}.".to_string(),
            abort_seconds: 30,
            takebacks: 3,
            draw_score: 10,
            draw_min_move: 30,
            offer_draw: false,
            resign: false,
            resign_score: -900,
            resign_moves: 4,
            shutdown_seconds: 900,
        }
    }
}
