//! Whether to take a challenge: pure decisions.

use serde::Deserialize;

/// Section `[challenge]` of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChallengeOptions {
    pub accept_humans: bool,
    pub accept_bots: bool,
    pub accept_rated: bool,
    pub accept_casual: bool,
    /// Of `standard`, `chess960`, `fromPosition`.
    pub variants: Vec<String>,
    /// Of `bullet`, `blitz`, `rapid`, `classical`, `correspondence`, `unlimited`.
    pub speeds: Vec<String>,
    /// Seconds on the clock at the start.
    pub min_initial: u32,
    pub max_initial: u32,
    /// Seconds added by a move.
    pub min_increment: u32,
    pub max_increment: u32,
    /// Days for a move in correspondence.
    pub min_days: u32,
    pub max_days: u32,
    /// Rating of the challenger at the speed and variant of the challenge.
    pub min_rating: u32,
    pub max_rating: u32,
    /// Games at the same time.
    pub concurrency: usize,
    /// Games at the same time against one user.
    pub games_per_user: usize,
    /// Of `concurrency`, places that bots never take.
    pub reserved_for_humans: usize,
    /// Challenges that may wait for a free place.
    pub queue: usize,
    /// If not empty, only these users may challenge.
    pub allow: Vec<String>,
    /// These users never may.
    pub block: Vec<String>,
}

impl Default for ChallengeOptions {
    fn default() -> Self {
        let words = |list: &[&str]| list.iter().map(|word| word.to_string()).collect();
        Self {
            accept_humans: true,
            accept_bots: true,
            accept_rated: true,
            accept_casual: true,
            variants: words(&["standard", "chess960", "fromPosition"]),
            speeds: words(&["bullet", "blitz", "rapid", "classical", "correspondence", "unlimited"]),
            min_initial: 0,
            max_initial: 10_800,
            min_increment: 0,
            max_increment: 180,
            min_days: 1,
            max_days: 14,
            min_rating: 0,
            max_rating: 4_000,
            concurrency: 4,
            games_per_user: 2,
            reserved_for_humans: 0,
            queue: 16,
            allow: Vec::new(),
            block: Vec::new(),
        }
    }
}
