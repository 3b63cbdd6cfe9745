//! One task per game: a line of its stream in, a move out.

mod manners;
mod options;
#[cfg(test)]
mod tests;

pub use options::GameOptions;

use super::clock::{self, Hurry, Lag, Situation};
use super::errand::at;
use super::etiquette;
use super::feed::{Feed, Patience, Signal};
use super::policy;
use super::record::{FinishedGame, Record};
use super::turn::{Answer, Sent, Step, Thought, Turn};
use super::{BotOptions, Report};
use crate::book::Book;
use crate::engine::{Color, Limits, Position, Score};
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
/// A game in which a move is refused again and again is looked at this often at least.
const RAREST_RECHECK: Duration = Duration::from_secs(60);
/// A refused abort is tried again after this time.
const ABORT_AGAIN: Duration = Duration::from_secs(10);
/// A game without any clock may begin this much later than one with a clock.
const UNLIMITED_PATIENCE: u32 = 20;
/// Errands still under way when the game is over get this long.
const LAST_ERRANDS: Duration = Duration::from_secs(2);
/// Thinking on a move without alternative.
const ONLY_MOVE: Duration = Duration::from_millis(50);

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

/// When to look at the game again once a move was refused `times` times in one position: `first` after
/// the first time, then after three seconds, doubling up to a minute. It never ends while the game runs:
/// only the server knows why it says no, and whether it still would.
fn look_after(times: u32, first: Duration) -> Duration {
    match times {
        0 | 1 => first,
        _ => (RECHECK * (1 << (times - 2).min(5))).min(RAREST_RECHECK),
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
        let before = self.now.as_ref().map(|now| now.position.plies_played());
        self.now = Some(Now { state: state.clone(), position: position.clone(), arrived: Instant::now() });
        if is_new {
            self.on_new_position(&state, &position, before);
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

    /// `before` is the number of plies of the position before, if there was one.
    fn on_new_position(&mut self, state: &GameState, position: &Position, before: Option<usize>) {
        self.claim_at = None;
        self.recheck_at = None;
        self.refusals = 0;
        if !self.turn.belongs_to(&state.moves) {
            // Dropping it stops the search at once.
            self.turn = Turn::Idle;
        }
        let plies = position.plies_played();
        // What was taken back may come again, and is then a new question.
        let is_taken_back = before.is_some_and(|before| plies < before);
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
                if before + 1 == plies {
                    self.note_clock(before, !position.side_to_move());
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

    fn is_our_turn(&self) -> bool {
        self.table.as_ref().zip(self.now.as_ref()).is_some_and(|(table, now)| {
            now.position.side_to_move() == table.ours && now.position.count_legal_moves() > 0
        })
    }

    /// Book, then engine: the first answer wins. A position that was answered gets the same move again.
    fn take_turn(&mut self, is_fresh: bool) {
        let Some(now) = &self.now else { return };
        let (moves, position) = (now.state.moves.clone(), now.position.clone());
        if let Some(answer) = self.answered.take_if(|answer| answer.moves == moves) {
            self.answered = Some(answer.clone());
            if is_fresh {
                if self.refusals == 0 {
                    tracing::warn!(mv = %answer.mv, "the server does not have our move; sending it again");
                }
                self.send(answer, false);
            } else {
                self.recheck_soon();
            }
            return;
        }
        if let Some(book_move) = self.seat.book.pick(&position) {
            self.decide(Answer::from_book(&position, &moves, &book_move));
        } else {
            self.think(position, moves);
        }
    }

    fn think(&mut self, position: Position, moves: String) {
        let limits = self.limits(&position);
        if self.table.as_ref().is_some_and(Table::is_slow) {
            let (places, options) = (self.seat.slow_thinking.clone(), self.seat.options.clone());
            self.turn = Turn::thinking_in_turn(places, options, self.engine_name(), limits, position, moves);
            return;
        }
        self.start_engine();
        match &mut self.engine {
            Some(engine) => {
                let search = engine.go(position.clone(), limits);
                self.turn = Turn::thinking(search, limits, position, moves);
            }
            None => self.decide(Answer::fallback(&position, &moves)),
        }
    }

    /// Makes sure that there is an engine, if there can be one.
    fn start_engine(&mut self) {
        if self.engine.is_none() {
            self.engine = EngineHandle::spawn(&self.engine_name(), &self.seat.options.engine)
                .inspect_err(|error| tracing::error!(%error, "the engine cannot be started"))
                .ok();
        }
    }

    fn engine_name(&self) -> String {
        format!("engine {}", self.id)
    }

    fn limits(&self, position: &Position) -> Limits {
        let (Some(table), Some(now)) = (&self.table, &self.now) else { return Limits::default() };
        let (remaining, increment) = now.clock_of(table.ours);
        let situation = Situation {
            remaining,
            increment,
            is_correspondence: table.is_slow(),
            plies: position.plies_played(),
            first_move_expires_in: now.state.first_move_expires_in,
            since_arrival: now.arrived.elapsed(),
            overhead: self.lag.overhead(),
        };
        let mut limits = clock::limits(&situation, &self.seat.options.engine);
        if position.count_legal_moves() == 1 {
            limits.soft = limits.soft.min(Some(ONLY_MOVE));
            limits.hard = limits.hard.min(Some(ONLY_MOVE));
        }
        limits
    }

    fn hurry(&self) -> Hurry {
        let clock = self.table.as_ref().zip(self.now.as_ref()).and_then(|(table, now)| {
            let is_running = !table.is_slow() && now.position.plies_played() >= 2;
            now.clock_of(table.ours).0.filter(|_| is_running).map(|left| now.arrived + left)
        });
        Hurry { flag_at: clock, overhead: self.lag.overhead() }
    }

    fn on_step(&mut self, step: Step) -> Result<(), Error> {
        match step {
            Step::Thought(Thought { answer, engine_failed }) => {
                if engine_failed {
                    // A new one next time.
                    self.engine = None;
                }
                self.scores.extend(answer.score);
                self.decide(answer);
                Ok(())
            }
            Step::Sent(sent) => self.on_sent(sent),
        }
    }

    /// The move is chosen: from here on this position is answered.
    fn decide(&mut self, answer: Answer) {
        tracing::info!(ply = answer.ply, mv = %answer.mv, "{}", answer.source);
        self.record.note(&answer);
        if etiquette::resigns(&self.seat.options.game, &self.scores) {
            tracing::info!("resigning");
            self.resign();
        }
        let offers_draw = self.now.as_ref().is_some_and(|now| {
            etiquette::offers_draw(&self.seat.options.game, &self.scores, &now.position, self.last_offer)
        });
        if offers_draw {
            self.last_offer = Some(answer.ply);
        }
        self.answered = Some(answer.clone());
        self.send(answer, offers_draw);
    }

    fn send(&mut self, answer: Answer, offering_draw: bool) {
        let (client, id) = (self.seat.client.clone(), self.id.clone());
        self.turn = Turn::sending(client, id, answer, offering_draw, self.hurry());
    }

    fn on_sent(&mut self, sent: Sent) -> Result<(), Error> {
        let Turn::Sending { answer, .. } = std::mem::replace(&mut self.turn, Turn::Idle) else {
            return Ok(());
        };
        // If the stream does not soon show the move, ask for the whole game again.
        let is_shown = self.now.as_ref().is_some_and(|now| now.state.moves != answer.moves);
        if !is_shown {
            self.recheck_soon();
        }
        match sent {
            Sent::Taken { round_trip } => {
                self.lag.observe(round_trip);
                tracing::debug!(mv = %answer.mv, ?round_trip, "move taken");
            }
            Sent::Refused(error) if is_shown => tracing::debug!(%error, "the move was in already"),
            Sent::Refused(error) => self.on_refused(&answer, &error),
            Sent::Unauthorized(error) => return Err(error),
        }
        self.take_turn_if_waiting();
        Ok(())
    }

    /// Out of turn, the move is most often in, and the stream is about to show it. Anything else is held
    /// against the game as the server has it, at once. If that does not help, the move is offered again
    /// more and more rarely: the fault may be the server's, and it may pass.
    fn on_refused(&mut self, answer: &Answer, error: &Error) {
        self.refusals += 1;
        let first_look = if error.is_out_of_turn() { RECHECK } else { Duration::ZERO };
        let wait = look_after(self.refusals, first_look);
        match self.refusals {
            1 => tracing::warn!(mv = %answer.mv, %error, "move refused; looking at the game again"),
            2 => {
                let fen = self.now.as_ref().map(|now| now.position.fen());
                tracing::error!(mv = %answer.mv, fen, %error, "the server refuses our move, though it is our turn; trying it now and then");
            }
            times => tracing::debug!(mv = %answer.mv, %error, times, ?wait, "move refused"),
        }
        self.recheck_at = Some(Instant::now() + wait);
    }

    /// The opponent may have answered before the reply to our request came.
    fn take_turn_if_waiting(&mut self) {
        let is_over = self.now.as_ref().is_none_or(|now| now.state.status.is_over());
        if !is_over && self.is_our_turn() && self.turn.is_idle() && self.recheck_at.is_none() {
            self.take_turn(false);
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
