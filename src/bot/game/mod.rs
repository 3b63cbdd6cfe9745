//! One task per game: a line of its stream in, a move out.

mod manners;
mod options;
mod our_turn;
#[cfg(test)]
mod tests;

pub use options::GameOptions;

use super::clock::Lag;
use super::errand::at;
use super::feed::{Feed, Patience, Signal};
use super::policy;
use super::record::{FinishedGame, Record};
use super::turn::{Answer, Turn};
use super::{BotOptions, Report};
use crate::book::Book;
use crate::engine::{Color, Position, Score};
use crate::lichess::{Client, Error, GameEvent, GameFull, GameId, GameState, Player, UserId};
use crate::worker::EngineHandle;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

/// A game's clock runs while its stream is away, and the server does not count its openings.
const PATIENCE: Patience = Patience { cap: Duration::from_secs(4), stable: Duration::from_secs(1) };
/// If the stream has not shown what became of a request after this time, it is opened anew.
const RECHECK: Duration = Duration::from_secs(3);
/// A refused abort is tried again after this time.
const ABORT_AGAIN: Duration = Duration::from_secs(10);
/// A game without any clock may begin this much later than one with a clock.
const UNLIMITED_PATIENCE: u32 = 20;
/// Errands still under way when the game is over get this long.
const LAST_ERRANDS: Duration = Duration::from_secs(2);

/// What a game's task needs from the service.
#[derive(Clone)]
pub struct Seat {
    pub client: Client,
    pub account: UserId,
    pub username: String,
    pub options: Arc<BotOptions>,
    pub book: Arc<Book>,
    pub reports: Option<UnboundedSender<Report>>,
    /// Places for the thinking of games without a running clock: many may wait for a move at once, and
    /// they are not to slow down the others or fill the memory.
    pub slow_thinking: Arc<Semaphore>,
}

/// Plays one game to its end.
///
/// `None`: the server knows no such game.
///
/// # Errors
/// Only a refused token.
pub async fn play(seat: Seat, id: GameId) -> Result<Option<FinishedGame>, Error> {
    let (client, game) = (seat.client.clone(), id.clone());
    let feed = Feed::new(
        PATIENCE,
        |error| !error.is_retriable(),
        move || {
            let (client, game) = (client.clone(), game.clone());
            async move { client.game_events(&game).await }
        },
    );
    Game::new(seat, id).run(feed).await
}

/// What the first line of the stream told, once and for all.
struct Table {
    full: GameFull,
    ours: Color,
}

impl Table {
    fn opponent(&self) -> &Player {
        match self.ours {
            Color::White => &self.full.black,
            Color::Black => &self.full.white,
        }
    }

    fn is_playable(&self) -> bool {
        policy::VARIANTS.contains(&self.full.variant.as_str())
    }

    /// No clock runs down while one thinks.
    fn is_slow(&self) -> bool {
        self.full.clock.is_none()
    }
}

/// The latest complete state, and when it arrived.
struct Now {
    state: GameState,
    position: Position,
    arrived: Instant,
}

impl Now {
    /// Time left and increment.
    fn clock_of(&self, color: Color) -> (Option<Duration>, Duration) {
        match color {
            Color::White => (self.state.white_time, self.state.white_increment),
            Color::Black => (self.state.black_time, self.state.black_increment),
        }
    }
}

struct Game {
    seat: Seat,
    id: GameId,
    table: Option<Table>,
    now: Option<Now>,
    turn: Turn,
    /// What we last decided to play; for one position it is never a different move.
    answered: Option<Answer>,
    /// How often the server has refused it, in the position as it stands.
    refusals: u32,
    engine: Option<EngineHandle>,
    lag: Lag,
    record: Record,
    scores: Vec<Score>,
    last_offer: Option<usize>,
    takebacks_granted: u32,
    opponent_offered_draw: bool,
    opponent_proposed_takeback: bool,
    greeted: bool,
    abort_at: Option<Instant>,
    claim_at: Option<Instant>,
    recheck_at: Option<Instant>,
    /// Requests other than moves: they never stand in a move's way.
    errands: JoinSet<()>,
}

impl Game {
    fn new(seat: Seat, id: GameId) -> Game {
        let floor = Duration::from_millis(seat.options.engine.move_overhead_ms);
        Game {
            seat,
            id,
            table: None,
            now: None,
            turn: Turn::Idle,
            answered: None,
            refusals: 0,
            engine: None,
            lag: Lag::new(floor),
            record: Record::default(),
            scores: Vec::new(),
            last_offer: None,
            takebacks_granted: 0,
            opponent_offered_draw: false,
            opponent_proposed_takeback: false,
            greeted: false,
            abort_at: None,
            claim_at: None,
            recheck_at: None,
            errands: JoinSet::new(),
        }
    }

    async fn run(mut self, mut feed: Feed<GameEvent>) -> Result<Option<FinishedGame>, Error> {
        loop {
            tokio::select! {
                signal = feed.next() => match signal {
                    Ok(Signal::Opened) => tracing::debug!("game stream open"),
                    Ok(Signal::Lost { reason, retry_in }) => {
                        tracing::warn!(%reason, ?retry_in, "game stream lost; opening it again");
                    }
                    Ok(Signal::Event(event)) => {
                        if let Some(finished) = self.on_event(event) {
                            return Ok(Some(self.leave(finished).await));
                        }
                    }
                    Err(error @ Error::Unauthorized(..)) => return Err(error),
                    Err(error) => {
                        tracing::warn!(%error, "the server has no such game for us");
                        return Ok(None);
                    }
                },
                step = self.turn.step() => self.on_step(step)?,
                () = at(self.abort_at) => self.abort(),
                () = at(self.claim_at) => self.claim(),
                () = at(self.recheck_at) => {
                    self.recheck_at = None;
                    feed.reopen();
                }
                Some(_) = self.errands.join_next() => (),
            }
        }
    }

    fn on_event(&mut self, event: GameEvent) -> Option<FinishedGame> {
        match event {
            GameEvent::Full(full) => {
                let state = full.state.clone();
                self.sit_down(*full);
                self.on_state(state, true)
            }
            GameEvent::State(state) => self.on_state(state, false),
            GameEvent::Chat(line) => {
                tracing::debug!(room = line.room, from = line.username, text = line.text, "chat");
                None
            }
            GameEvent::OpponentGone { gone, claim_win_in } => {
                tracing::debug!(gone, ?claim_win_in, "opponent's presence");
                self.claim_at =
                    claim_win_in.filter(|_| gone).and_then(|wait| Instant::now().checked_add(wait));
                None
            }
            GameEvent::Unknown(kind) => {
                tracing::debug!(kind, "unknown kind of line skipped");
                None
            }
        }
    }

    fn sit_down(&mut self, full: GameFull) {
        let is_white = full.white.id.as_ref() == Some(&self.seat.account);
        let ours = if is_white { Color::White } else { Color::Black };
        let table = Table { full, ours };
        if self.table.is_none() {
            let opponent = table.opponent().to_string();
            let color = if is_white { "white" } else { "black" };
            tracing::Span::current().record("opponent", &opponent).record("color", color);
            tracing::info!(
                variant = table.full.variant,
                speed = table.full.speed,
                rated = table.full.rated,
                "game on"
            );
            self.tell(Report::Started { id: self.id.clone(), opponent, white: is_white });
            if !table.is_playable() {
                self.decline_to_play(&table.full.variant);
            } else if !table.is_slow() {
                // A UCI program takes a moment to start: better now than on the clock.
                self.start_engine();
            }
        }
        self.table = Some(table);
    }

    /// Every state is complete: the position is built anew from all moves.
    fn on_state(&mut self, state: GameState, is_fresh: bool) -> Option<FinishedGame> {
        let Some(table) = &self.table else {
            tracing::warn!("a state before the game's first line; opening the stream again");
            self.recheck_soon();
            return None;
        };
        if !table.is_playable() {
            return state.status.is_over().then(|| self.finish(&state, &Position::default()));
        }
        let position = match Position::after(&table.full.initial_fen, &state.moves) {
            Ok(position) => position,
            Err(error) => {
                tracing::warn!(%error, "this state cannot be set up; waiting for the next one");
                self.abort_at = self.abort_at.or_else(|| self.abort_deadline(true));
                return state.status.is_over().then(|| self.finish(&state, &Position::default()));
            }
        };
        let is_new = self.now.as_ref().is_none_or(|now| now.state.moves != state.moves);
        let now = Now { state: state.clone(), position: position.clone(), arrived: Instant::now() };
        let before = self.now.replace(now);
        if is_new {
            self.on_new_position(&state, &position, before.as_ref());
        }
        if state.status.is_over() {
            return Some(self.finish(&state, &position));
        }
        self.answer_offers(&state, is_new, is_fresh);
        self.watch_first_move();
        if self.is_our_turn() && self.turn.is_idle() && self.recheck_at.is_none() {
            self.take_turn(is_fresh);
        }
        None
    }

    /// `before` is the state before, if there was one.
    fn on_new_position(&mut self, state: &GameState, position: &Position, before: Option<&Now>) {
        self.claim_at = None;
        self.recheck_at = None;
        self.refusals = 0;
        if !self.turn.belongs_to(&state.moves) {
            // Dropping it stops the search at once.
            self.turn = Turn::Idle;
        }
        let plies = position.plies_played();
        // What was taken back may come again, and is then a new question.
        let is_taken_back = before.is_some_and(|before| plies < before.position.plies_played());
        self.answered.take_if(|answer| is_taken_back && plies <= answer.ply);
        self.record.trim(plies);
        if is_taken_back {
            self.takebacks_granted += 1;
        }
        match before {
            None if state.status.is_over() => (),
            None => self.greet(position),
            Some(_) if is_taken_back => (),
            Some(before) => {
                if before.position.plies_played() + 1 == plies {
                    self.note_clock(plies - 1, !position.side_to_move());
                    self.learn_lag(before);
                }
                self.report_move(position);
            }
        }
    }

    /// Only games with a clock have times worth keeping.
    fn note_clock(&mut self, ply: usize, mover: Color) {
        let has_clock = self.table.as_ref().is_some_and(|table| !table.is_slow());
        let left = self.now.as_ref().and_then(|now| now.clock_of(mover).0);
        if let Some(left) = left.filter(|_| has_clock) {
            self.record.note_clock(ply, left);
        }
    }

    fn report_move(&mut self, position: &Position) {
        let Some(mv) = position.last_move() else { return };
        let (id, position) = (self.id.clone(), position.clone());
        let answered = self.answered.as_ref().filter(|answer| answer.ply + 1 == position.plies_played());
        match answered.filter(|answer| answer.mv == mv) {
            Some(answer) => {
                let source = answer.source.clone();
                self.tell(Report::Moved { id, position, mv, source });
            }
            None => self.tell(Report::OpponentMoved { id, position, mv }),
        }
    }

    /// Unless the stream shows something new before, it is opened anew to see where the game stands.
    fn recheck_soon(&mut self) {
        let soon = Instant::now() + RECHECK;
        self.recheck_at = Some(self.recheck_at.map_or(soon, |at| at.min(soon)));
    }

    fn tell(&self, report: Report) {
        if let Some(reports) = &self.seat.reports {
            // Nobody listening any more is no reason to stop playing.
            let _ = reports.send(report);
        }
    }

    fn finish(&mut self, state: &GameState, position: &Position) -> FinishedGame {
        self.turn = Turn::Idle;
        let table = self.table.as_ref().expect("a state was set up at a table");
        self.record.finish(&self.id, &table.full, table.ours, state, position)
    }

    /// Says goodbye and lets the last errands through.
    async fn leave(mut self, finished: FinishedGame) -> FinishedGame {
        tracing::info!(status = finished.status, result = finished.result, "game over");
        self.tell(Report::Finished(finished.clone()));
        self.engine = None;
        if finished.plies >= 2 {
            self.say(&self.seat.options.game.goodbye.clone());
        }
        let errands = async { while self.errands.join_next().await.is_some() {} };
        if timeout(LAST_ERRANDS, errands).await.is_err() {
            tracing::debug!("the last words did not get through in time");
        }
        finished
    }
}
