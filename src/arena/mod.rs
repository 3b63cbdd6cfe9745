//! Matches between engines: pairs of games with colours swapped, until there are enough to tell.
//!
//! The first player meets each of the others (a gauntlet if there are several). Games run side by side;
//! each lane of them keeps its engines from game to game. Everything that was learned stands in one
//! [`Standings`], and after each pair in the file of the match.

mod adjudication;
mod clock;
mod game;
mod openings;
mod player;
mod record;
mod sprt;
mod standings;
mod stats;

pub use adjudication::{DrawRule, ResignRule};
pub use clock::TimeControl;
pub use game::{Ending, Rules};
pub use openings::{Openings, OpeningsError};
pub use player::Player;
pub use record::RecordError;
pub use sprt::{EloModel, Sprt, Verdict};
pub use standings::{GameResult, PairResult, Standings, Tally};
pub use stats::{Estimate, Pentanomial};

use crate::engine::{Color, Position};
use crate::worker::EngineGone;
use fastrand::Rng;
use game::{Game, Seat};
use record::Record;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use thiserror::Error;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// A match to be played.
#[derive(Clone, Debug)]
pub struct MatchOptions {
    /// At least two; the first plays against each of the others.
    pub players: Vec<Player>,
    /// Pairs of games against each opponent.
    pub pairs: usize,
    /// Games at the same time.
    pub concurrency: usize,
    pub rules: Rules,
    pub openings: Openings,
    pub seed: u64,
    /// Ends a match of two players as soon as it is decided.
    pub sprt: Option<Sprt>,
    /// Finished games are added to this file.
    pub pgn: Option<PathBuf>,
    /// The file of the match; it goes on if the file is there.
    pub resume: Option<PathBuf>,
}

/// Why a match could not be played to its end.
#[derive(Debug, Error)]
pub enum MatchError {
    #[error("{player} cannot play: {gone}")]
    Player { player: String, gone: EngineGone },
    #[error("{0}")]
    Record(#[from] RecordError),
    #[error("a game ended by a fault of the arena")]
    Fault,
}

/// Plays a match. `watch` sees how it stands at first and after each pair.
///
/// Dropping the future ends all games; what was kept in the file of the match stays there.
///
/// # Errors
/// A player cannot be started, or a file cannot be written.
pub async fn play(
    mut options: MatchOptions,
    mut watch: impl FnMut(&Standings),
) -> Result<Standings, MatchError> {
    player::tell_apart(&mut options.players);
    let terms = terms(&options);
    let (mut record, played) = Record::open(options.resume.as_deref(), options.pgn.as_deref(), &terms)?;
    let opponents = options.players.len() - 1;
    let planned = options.pairs * opponents;
    let names = options.players.iter().map(|player| player.name.clone()).collect();
    let mut standings = Standings::new(names, options.sprt, 2 * planned as u64);
    played.iter().for_each(|result| standings.add(result));
    watch(&standings);
    let mut missing: Vec<usize> =
        (0..planned).filter(|pair| !played.iter().any(|result| result.pair == *pair)).collect();
    // The next one is taken from the end.
    missing.reverse();
    if missing.is_empty() || standings.verdict().is_some() {
        return Ok(standings);
    }
    let shared = Arc::new(Shared { options, missing: Mutex::new(missing) });
    try_players(&shared.options.players).await?;

    let (results, mut finished) = mpsc::unbounded_channel();
    let mut lanes = JoinSet::new();
    for _ in 0..shared.options.concurrency.max(1) {
        lanes.spawn(lane(shared.clone(), results.clone()));
    }
    drop(results);
    while let Some(result) = finished.recv().await {
        let (result, games) = result?;
        record.add(&result, &games)?;
        standings.add(&result);
        watch(&standings);
        if standings.verdict().is_some() {
            // The games that still run are for nothing.
            return Ok(standings);
        }
    }
    while let Some(lane) = lanes.join_next().await {
        lane.map_err(|_| MatchError::Fault)?;
    }
    Ok(standings)
}

/// What all lanes of games share.
struct Shared {
    options: MatchOptions,
    /// Pairs to be played, the next one last.
    missing: Mutex<Vec<usize>>,
}

type PairEnd = Result<(PairResult, String), MatchError>;

/// Starts each player once: one that cannot play is better known of at once.
async fn try_players(players: &[Player]) -> Result<(), MatchError> {
    for player in players {
        prepare(&mut Seat::new(player.clone())).await?;
    }
    Ok(())
}

async fn prepare(seat: &mut Seat) -> Result<(), MatchError> {
    let ready = seat.prepare().await;
    ready.map_err(|gone| MatchError::Player { player: seat.player.name.clone(), gone })
}

/// Plays pair after pair, with engines of its own.
async fn lane(shared: Arc<Shared>, results: mpsc::UnboundedSender<PairEnd>) {
    let mut seats: Vec<Seat> = shared.options.players.iter().cloned().map(Seat::new).collect();
    loop {
        let next = shared.missing.lock().expect("no lane fails while it takes a pair").pop();
        let Some(pair) = next else { return };
        // Nobody listens any more: the match is over.
        if results.send(play_pair(&shared.options, &mut seats, pair).await).is_err() {
            return;
        }
    }
}

/// Both games of one opening.
async fn play_pair(options: &MatchOptions, seats: &mut [Seat], pair: usize) -> PairEnd {
    let opponents = seats.len() - 1;
    let (round, opponent) = (pair / opponents, 1 + pair % opponents);
    let opening = &options.openings.positions[round % options.openings.positions.len()];
    let (first, others) = seats.split_first_mut().expect("at least two players");
    let second = &mut others[opponent - 1];
    // Errors of limited strength are the same in every match of this seed, and others in every pair.
    for (player, seat) in [(0, &mut *first), (opponent, &mut *second)] {
        if seat.player.engine.elo > 0 {
            *seat = Seat::new(seat.player.with_seed(seed_of(options.seed, pair, player)));
        }
    }
    let mut pgn = String::new();
    let mut results = Vec::with_capacity(2);
    for color in [Color::White, Color::Black] {
        let (game, names) = play_game(first, second, color, opening, &options.rules).await?;
        let round = format!("{}.{}", pair + 1, results.len() + 1);
        pgn.push_str(&game::to_pgn(&game, [&names[0], &names[1]], &round, &options.rules));
        results.push(GameResult {
            half_points: GameResult::of(game.winner, color),
            ending: game.ending,
            reason: game.reason,
            plies: game.position.plies_played(),
        });
    }
    let games = results.try_into().expect("two games");
    Ok((PairResult { pair, opponent, games }, pgn))
}

/// A seed for the errors of one player in one pair of games.
fn seed_of(seed: u64, pair: usize, player: usize) -> u64 {
    Rng::with_seed(seed ^ (pair as u64) << 16 ^ player as u64).u64(1..)
}

/// One game in which the first player has `color`, and the names of White and Black.
async fn play_game(
    first: &mut Seat,
    second: &mut Seat,
    color: Color,
    opening: &Position,
    rules: &Rules,
) -> Result<(Game, [String; 2]), MatchError> {
    prepare(first).await?;
    prepare(second).await?;
    let seats = if color == Color::White { [first, second] } else { [second, first] };
    let names = [seats[0].player.name.clone(), seats[1].player.name.clone()];
    Ok((game::play(seats, opening, rules).await, names))
}

/// What makes a match this match; how many games it has and how many run at once may change.
fn terms(options: &MatchOptions) -> Value {
    let rules = &options.rules;
    json!({
        "players": options.players.iter().map(|player| player.text.clone()).collect::<Vec<_>>(),
        "time_control": rules.time_control.map(|control| control.to_string()),
        "margin_ms": rules.margin.as_millis() as u64,
        "nodes": rules.nodes,
        "depth": rules.depth,
        "resign": rules.resign.map(|rule| [i64::from(rule.moves), i64::from(rule.score)]),
        "draw": rules.draw.map(|rule| [i64::from(rule.from), i64::from(rule.moves), i64::from(rule.score)]),
        "max_moves": rules.max_moves,
        "openings": options.openings.positions.len(),
        "openings_fingerprint": format!("{:016x}", options.openings.fingerprint),
        "seed": options.seed,
    })
}
