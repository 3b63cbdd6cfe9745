//! The rules of one game, as the server has them. Time is handed in; nothing here waits.
//!
//! What the players are told gathers in an outbox, which the lobby empties into the streams.

use super::absence::Absence;
use super::clock::Clock;
use super::endings::{self, Status};
use super::offers::{Offers, TakebackManners};
use super::setup::{PlayerInfo, Start, TimeControl, Variant};
use super::wire;
use crate::engine::{Color, Move, MoveError, Position};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// Plies after which the server calls a game a draw.
const MOST_PLIES: usize = 600;

/// Plies within which a game can be aborted and time does not run yet.
const OPENING_PLIES: usize = 2;

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

#[derive(Debug)]
pub struct Game {
    pub setup: Setup,
    /// Unix time in milliseconds.
    pub created_at: u64,
    position: Position,
    moves: Vec<Move>,
    pub clock: Clock,
    status: Status,
    winner: Option<Color>,
    pub(super) offers: [Offers; 2],
    pub(super) takeback_manners: TakebackManners,
    pub(super) absence: Absence,
    chat: Vec<(Room, String, String)>,
    outbox: Vec<Value>,
    /// Counts the times at which the opponent has something new to decide.
    turn: u64,
    last_change: Instant,
    ended_at: Option<Instant>,
}

impl Game {
    pub fn new(setup: Setup, now: Instant) -> Game {
        let position = setup.start.position.clone();
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Game {
            clock: Clock::new(setup.time_control, position.side_to_move(), now),
            created_at: since_1970.as_millis() as u64,
            position,
            moves: Vec::new(),
            status: Status::Started,
            winner: None,
            offers: Default::default(),
            takeback_manners: TakebackManners::default(),
            absence: Absence::default(),
            chat: Vec::new(),
            outbox: Vec::new(),
            turn: 0,
            last_change: now,
            ended_at: None,
            setup,
        }
    }
}

// Asking.
impl Game {
    pub fn position(&self) -> &Position {
        &self.position
    }

    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    pub fn status(&self) -> Status {
        self.status
    }

    pub fn winner(&self) -> Option<Color> {
        self.winner
    }

    pub fn chat(&self) -> &[(Room, String, String)] {
        &self.chat
    }

    pub fn turn(&self) -> u64 {
        self.turn
    }

    pub fn is_over(&self) -> bool {
        self.status != Status::Started
    }

    pub fn ended_at(&self) -> Option<Instant> {
        self.ended_at
    }

    pub fn opponent(&self) -> Color {
        !self.setup.bot
    }

    pub fn player(&self, color: Color) -> &PlayerInfo {
        &self.setup.players[color.to_index()]
    }

    pub fn is_turn_of(&self, color: Color) -> bool {
        !self.is_over() && self.position.side_to_move() == color
    }

    pub fn has_moved(&self, color: Color) -> bool {
        let first = self.setup.start.position.side_to_move();
        self.plies() > usize::from(color != first)
    }

    pub fn has_rule(&self, rule: &str) -> bool {
        self.setup.rules.iter().any(|given| given == rule)
    }

    pub fn both_have_moved(&self) -> bool {
        self.plies() >= OPENING_PLIES
    }

    /// All moves in UCI notation.
    pub fn uci_moves(&self) -> Vec<String> {
        self.moves.iter().map(|&mv| self.uci(mv)).collect()
    }

    fn uci(&self, mv: Move) -> String {
        if self.setup.king_step_castling && self.setup.start.variant == Variant::Standard && mv.is_castling()
        {
            let side = crate::engine::castling::CastlingSide::of(mv.from(), mv.to());
            return format!("{}{}", mv.from(), side.king_target(mv.from().get_rank()));
        }
        mv.to_string()
    }

    /// For how long the server has been waiting for a first move, and for how long it will.
    pub fn first_move_wait(&self, now: Instant) -> Option<(Duration, Duration)> {
        let limit = self.setup.first_move?;
        let is_waiting = !self.is_over() && !self.both_have_moved();
        is_waiting.then(|| (now.saturating_duration_since(self.last_change), limit))
    }
}

// Playing.
impl Game {
    /// A move in UCI notation, as it comes with the request. A move that comes after the flag fell
    /// is taken without a word and not played.
    pub fn play(
        &mut self,
        color: Color,
        uci: &str,
        offering_draw: Option<bool>,
        now: Instant,
    ) -> Result<(), MoveRefusal> {
        if !looks_like_a_move(uci) {
            return Err(MoveRefusal::InvalidUci(uci.to_string()));
        }
        if !self.is_turn_of(color) {
            return Err(MoveRefusal::NotYourTurn);
        }
        if self.clock.has_flagged(now) {
            self.run_out_of_time(now);
            return Ok(());
        }
        let illegal = || MoveRefusal::Illegal { from: uci[..2].to_string(), to: uci[2..4].to_string() };
        let mv = self.read(uci).ok_or_else(illegal)?;
        match offering_draw {
            Some(true) => self.offer_draw(color, now),
            Some(false) => self.withdraw_draw(color),
            None => (),
        }
        if !self.is_over() {
            self.make(mv, now);
        }
        Ok(())
    }

    /// As the server reads a move: what follows the squares may be missing or odd, and then a pawn
    /// becomes a queen. Chess960 takes castling as king takes rook alone.
    fn read(&self, uci: &str) -> Option<Move> {
        let (squares, letter) = uci.split_at(4);
        let exact = match letter {
            "q" | "r" | "b" | "n" => self.position.parse_uci(uci),
            _ => self.position.parse_uci(squares),
        };
        let mv = exact.or_else(|_: MoveError| self.position.parse_uci(&format!("{squares}q"))).ok()?;
        let is_king_step = mv.is_castling() && !uci.ends_with(&mv.to().to_string());
        (!is_king_step || self.setup.start.variant != Variant::Chess960).then_some(mv)
    }

    fn make(&mut self, mv: Move, now: Instant) {
        let mover = self.position.side_to_move();
        self.position.play(mv);
        self.moves.push(mv);
        self.last_change = now;
        let ending = endings::automatic(&self.position);
        self.clock.press(ending.is_none(), now);
        if let Some((status, winner)) = ending {
            return self.finish(status, winner, now);
        }
        self.new_turn();
        self.push_state(now);
        self.drop_offers_to(mover, now);
        let is_threefold = self.position.repetitions() >= 2;
        if is_threefold || self.plies() >= MOST_PLIES {
            self.finish(Status::Draw, None, now);
        }
    }

    /// Takes the last plies back.
    pub(super) fn rewind(&mut self, plies: usize, now: Instant) {
        for _ in 0..plies.min(self.plies()) {
            self.position.undo();
            self.moves.pop();
        }
        self.clock.take_back(plies, now);
        self.last_change = now;
        self.new_turn();
    }

    pub fn abort(&mut self, now: Instant) -> Result<(), CallRefused> {
        if self.is_over() || self.both_have_moved() || self.has_rule("noAbort") {
            return Err(CallRefused("This game can no longer be aborted"));
        }
        self.finish(Status::Aborted, None, now);
        Ok(())
    }

    /// Before both sides have moved, to resign is to abort.
    pub fn resign(&mut self, color: Color, now: Instant) -> Result<(), CallRefused> {
        if self.is_over() {
            return Err(CallRefused("This game cannot be resigned"));
        }
        match self.both_have_moved() {
            true => self.finish(Status::Resign, Some(!color), now),
            false => self.finish(Status::Aborted, None, now),
        }
        Ok(())
    }

    /// The next moment at which something happens by itself.
    pub fn next_deadline(&self) -> Option<Instant> {
        if self.is_over() {
            return None;
        }
        let limit = self.setup.first_move.filter(|_| !self.both_have_moved());
        let first_move = limit.map(|limit| self.last_change + limit);
        [self.clock.flag_at(), first_move, self.next_absence_line()].into_iter().flatten().min()
    }

    /// Lets happen what is due.
    pub fn tick(&mut self, now: Instant) {
        if self.is_over() {
            return;
        }
        if self.clock.has_flagged(now) {
            return self.run_out_of_time(now);
        }
        if self.first_move_wait(now).is_some_and(|(waited, limit)| waited >= limit) {
            return self.finish(Status::Aborted, None, now);
        }
        self.tell_of_absence(now);
    }

    fn run_out_of_time(&mut self, now: Instant) {
        let flagged = self.position.side_to_move();
        if self.offers[(!flagged).to_index()].draw {
            return self.finish(Status::Draw, None, now);
        }
        let winner = (!endings::cannot_mate(&self.position, !flagged)).then_some(!flagged);
        self.finish(Status::OutOfTime, winner, now);
    }

    pub(super) fn finish(&mut self, status: Status, winner: Option<Color>, now: Instant) {
        (self.status, self.winner) = (status, winner);
        self.clock.stop(now);
        self.offers = Default::default();
        self.ended_at = Some(now);
        self.push_state(now);
    }
}

// Telling.
impl Game {
    pub fn take_lines(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.outbox)
    }

    pub(super) fn push(&mut self, line: Value) {
        self.outbox.push(line);
    }

    pub(super) fn push_state(&mut self, now: Instant) {
        let line = wire::state(self, now);
        self.push(line);
    }

    /// The opponent has something new to decide.
    pub fn new_turn(&mut self) {
        self.turn += 1;
    }

    pub fn say(&mut self, username: &str, room: Room, text: &str) {
        self.chat.push((room, username.to_string(), text.to_string()));
        self.push(json!({"type": "chatLine", "room": room.name(), "username": username, "text": text}));
    }

    /// A remark of the server's own, which both rooms hear.
    pub(super) fn remark(&mut self, text: &str) {
        self.say("lichess", Room::Spectator, text);
        self.say("lichess", Room::Player, text);
    }
}

fn looks_like_a_move(uci: &str) -> bool {
    let is_square = |file: u8, rank: u8| (b'a'..=b'h').contains(&file) && (b'1'..=b'8').contains(&rank);
    match uci.as_bytes() {
        [a, b, c, d] | [a, b, c, d, _] if uci.is_ascii() => is_square(*a, *b) && is_square(*c, *d),
        _ => false,
    }
}
