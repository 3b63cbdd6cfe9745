//! One game: two seats, a clock, an arbiter, and every way in which it may end.

use super::adjudication::{Arbiter, DrawRule, ResignRule, Verdict};
use super::clock::{GameClock, TimeControl};
use super::player::Player;
use crate::engine::position::START_FEN;
use crate::engine::{Color, EngineKind, Limits, Outcome, Position, SearchReport};
use crate::pgn::{self, PgnGame};
use crate::worker::{EngineGone, EngineHandle, Search};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// What holds for all games of a match.
#[derive(Clone, Debug)]
pub struct Rules {
    pub time_control: Option<TimeControl>,
    /// Overstepping the clock by so much is forgiven.
    pub margin: Duration,
    pub nodes: Option<u64>,
    pub depth: Option<u8>,
    /// A move without a clock may take so long.
    pub move_patience: Duration,
    pub resign: Option<ResignRule>,
    pub draw: Option<DrawRule>,
    pub max_moves: Option<u32>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    Checkmate,
    Stalemate,
    InsufficientMaterial,
    FiftyMoves,
    Threefold,
    /// Both players called it won.
    AdjudicatedWin,
    /// Both players called it drawn.
    AdjudicatedDraw,
    /// Too many moves.
    Length,
    /// The loser overstepped the clock.
    TimeLoss,
    /// The loser's process or thread ended.
    Crash,
    /// The loser did not answer.
    Hang,
    /// The loser played a move that is not legal, or is no move.
    IllegalMove,
}

impl Ending {
    /// Those for which the loser alone is to blame, as tables call them.
    pub const FAULTS: [(Ending, &str); 4] = [
        (Ending::TimeLoss, "on time"),
        (Ending::Crash, "crash"),
        (Ending::Hang, "hang"),
        (Ending::IllegalMove, "illegal move"),
    ];

    fn of(gone: &EngineGone) -> Ending {
        match gone {
            EngineGone::Hung(_) => Ending::Hang,
            EngineGone::IllegalMove(_) | EngineGone::Garbled(_) => Ending::IllegalMove,
            EngineGone::Ended(_) | EngineGone::Unable(_) => Ending::Crash,
        }
    }

    /// For the tag `Termination` of PGN.
    fn termination(self) -> &'static str {
        match self {
            Ending::TimeLoss => "time forfeit",
            Ending::IllegalMove => "rules infraction",
            Ending::Crash | Ending::Hang => "abandoned",
            Ending::AdjudicatedWin | Ending::AdjudicatedDraw | Ending::Length => "adjudication",
            _ => "normal",
        }
    }
}

/// A game that was played.
#[derive(Clone, Debug)]
pub struct Game {
    /// None for a draw.
    pub winner: Option<Color>,
    pub ending: Ending,
    /// For people.
    pub reason: String,
    pub position: Position,
    /// What was thought of each ply; those of the opening have no word.
    pub comments: Vec<Option<String>>,
}

/// A player, with its engine if that runs.
pub struct Seat {
    pub player: Player,
    engine: Option<EngineHandle>,
}

impl Seat {
    pub fn new(player: Player) -> Seat {
        Seat { player, engine: None }
    }

    /// An engine that is ready for a new game; a second one if the first cannot be had.
    ///
    /// # Errors
    /// The second cannot be had either.
    pub async fn prepare(&mut self) -> Result<(), EngineGone> {
        if self.try_prepare().await.is_err() {
            self.engine = None;
            return self.try_prepare().await;
        }
        Ok(())
    }

    async fn try_prepare(&mut self) -> Result<(), EngineGone> {
        let engine = match &mut self.engine {
            Some(engine) => engine,
            none => {
                let spawned = EngineHandle::spawn("player", &self.player.engine);
                none.insert(spawned.map_err(|error| EngineGone::Ended(error.to_string()))?)
            }
        };
        engine.new_game().await
    }
}

/// Plays a game from the end of an opening. Both seats must be prepared.
pub async fn play(seats: [&mut Seat; 2], opening: &Position, rules: &Rules) -> Game {
    let mut table = Table {
        seats,
        position: opening.clone(),
        comments: vec![None; opening.plies_played()],
        clock: rules.time_control.map(|control| GameClock::new(control, rules.margin)),
        arbiter: Arbiter::new(rules.resign, rules.draw, rules.max_moves),
        rules,
    };
    let (winner, ending, reason) = loop {
        if let Some(end) = table.end() {
            break end;
        }
        if let Some(end) = table.next_move().await {
            break end;
        }
    };
    Game { winner, ending, reason, position: table.position, comments: table.comments }
}

type End = (Option<Color>, Ending, String);

struct Table<'a> {
    seats: [&'a mut Seat; 2],
    position: Position,
    comments: Vec<Option<String>>,
    clock: Option<GameClock>,
    arbiter: Arbiter,
    rules: &'a Rules,
}

impl Table<'_> {
    /// By the rules of chess first, then by the arbiter.
    fn end(&self) -> Option<End> {
        if let Some(outcome) = self.position.outcome() {
            return Some(end_by_rules(outcome));
        }
        self.arbiter.verdict().map(|verdict| match verdict {
            Verdict::Won(color) => {
                (Some(color), Ending::AdjudicatedWin, format!("both call it won for {}", name(color)))
            }
            Verdict::Drawn => (None, Ending::AdjudicatedDraw, "both call it drawn".to_string()),
            Verdict::TooLong => (None, Ending::Length, "too many moves".to_string()),
        })
    }

    /// Has the side to move make its move; how the game ends if it does not.
    async fn next_move(&mut self) -> Option<End> {
        let mover = self.position.side_to_move();
        let lost = |ending: Ending, reason: String| Some((Some(!mover), ending, reason));
        let patience = match &self.clock {
            Some(clock) => clock.patience(mover),
            None => self.rules.move_patience,
        };
        let begun = Instant::now();
        let mut search = self.ask(mover);
        let answer = timeout(patience, search.finish()).await;
        let elapsed = begun.elapsed();
        let report = match answer {
            Ok(Ok(report)) => report,
            Ok(Err(gone)) => {
                self.seats[mover.to_index()].engine = None;
                return lost(Ending::of(&gone), format!("{}: {gone}", name(mover)));
            }
            Err(_) if self.clock.is_some() => return lost(Ending::TimeLoss, on_time(mover)),
            Err(_) => {
                self.seats[mover.to_index()].engine = None;
                let reason = format!("{} gives no move within {} s", name(mover), patience.as_secs());
                return lost(Ending::Hang, reason);
            }
        };
        if !self.clock.as_mut().is_none_or(|clock| clock.spend(mover, elapsed)) {
            return lost(Ending::TimeLoss, on_time(mover));
        }
        self.make(mover, &report, elapsed);
        None
    }

    fn ask(&mut self, mover: Color) -> Search {
        let seat = &mut self.seats[mover.to_index()];
        let overhead = Duration::from_millis(seat.player.engine.move_overhead_ms);
        let timed = self.clock.map(|clock| clock.limits(mover, overhead)).unwrap_or_default();
        let limits = Limits { nodes: self.rules.nodes, depth: self.rules.depth, ..timed };
        let engine = seat.engine.as_mut().expect("a prepared seat has an engine");
        match self.clock.filter(|_| seat.player.engine.kind == EngineKind::Uci) {
            Some(clock) => engine.go_on_clock(self.position.clone(), limits, clock.shown()),
            None => engine.go(self.position.clone(), limits),
        }
    }

    fn make(&mut self, mover: Color, report: &SearchReport, elapsed: Duration) {
        let score = (report.depth > 0).then_some(report.score);
        self.position.play(report.best_move());
        let thought = score.map(|score| format!("{score}/{} ", report.depth)).unwrap_or_default();
        self.comments.push(Some(format!("{thought}{:.3}s", elapsed.as_secs_f64())));
        self.arbiter.hear(mover, self.position.plies_played(), score);
    }
}

fn on_time(mover: Color) -> String {
    format!("{} loses on time", name(mover))
}

fn end_by_rules(outcome: Outcome) -> End {
    match outcome {
        Outcome::Checkmate { winner } => (Some(winner), Ending::Checkmate, format!("{} mates", name(winner))),
        Outcome::Stalemate => (None, Ending::Stalemate, "stalemate".to_string()),
        Outcome::InsufficientMaterial => {
            (None, Ending::InsufficientMaterial, "insufficient material".to_string())
        }
        Outcome::FiftyMoves => (None, Ending::FiftyMoves, "fifty moves".to_string()),
        Outcome::Threefold => (None, Ending::Threefold, "threefold repetition".to_string()),
    }
}

fn name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// A game as PGN, with score, depth and time of each move; `round` is `pair.game`.
pub fn to_pgn(game: &Game, names: [&str; 2], round: &str, rules: &Rules) -> String {
    let mut start = game.position.clone();
    let moves = game.position.moves().map(|(_, mv)| mv);
    let mut moves: Vec<_> = moves.zip(game.comments.iter().cloned()).collect();
    while start.plies_played() > 0 {
        start.undo();
    }
    let reason =
        format!("{}, {}", moves.last().and_then(|(_, word)| word.as_deref()).unwrap_or("-"), game.reason);
    if let Some((_, comment)) = moves.last_mut() {
        *comment = Some(reason);
    }
    let result = match game.winner {
        Some(Color::White) => "1-0",
        Some(Color::Black) => "0-1",
        None => "1/2-1/2",
    };
    let mut tags = vec![
        ("Event", "tabiya match".to_string()),
        ("Round", round.to_string()),
        ("White", names[0].to_string()),
        ("Black", names[1].to_string()),
        ("PlyCount", game.position.plies_played().to_string()),
        ("Termination", game.ending.termination().to_string()),
    ];
    tags.extend(rules.time_control.map(|control| ("TimeControl", control.to_string())));
    if start.needs_chess960() {
        tags.push(("Variant", "Chess960".to_string()));
    }
    let fen = start.fen();
    let is_standard = fen == START_FEN;
    pgn::write(&PgnGame {
        tags: tags.into_iter().map(|(name, value)| (name.to_string(), value)).collect(),
        initial_fen: (!is_standard).then_some(fen),
        moves,
        result: result.to_string(),
    })
}
