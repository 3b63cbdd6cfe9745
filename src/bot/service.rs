//! The account's events in, games out; the only place that spawns games.

mod challenges;
mod outgoing;
#[cfg(test)]
mod tests;

use super::acceptance::Acceptance;
use super::errand::at;
use super::feed::{Feed, Patience, Signal};
use super::game::{self, Seat};
use super::pauses::Pauses;
use super::record::FinishedGame;
use super::sign_in::{RunError, sign_in};
use super::slots::{Gone, Guest, Slots};
use super::store::Store;
use super::{BotOptions, Report, Stop};
use crate::book::Book;
use crate::lichess::{
    Account, AccountEvent, Client, DeclineReason, Error, GameId, GameInfo, OnlineBot, Playing, UserId,
};
use outgoing::Outgoing;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::task::{self, AbortHandle, JoinError, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tracing::Instrument;

/// The server allows 30 openings of the event stream in ten minutes, and two programs with one token
/// close each other's.
const PATIENCE: Patience = Patience { cap: Duration::from_secs(30), stable: Duration::from_secs(60) };
/// Games without a running clock that may think at the same time.
const SLOW_THINKING: usize = 2;
/// Pause before a game whose task failed is taken up again: the fault may come back at once.
const RESPAWN: Duration = Duration::from_secs(2);
/// How often the list of running games is compared with ours.
const SWEEP: Duration = Duration::from_secs(120);
/// Answers to challenges still under way when the service stops get this long.
const LAST_REPLIES: Duration = Duration::from_secs(2);
/// Ids of finished games that are remembered, so that a late word about one starts nothing.
const REMEMBERED: usize = 256;

/// Runs the service until it is told to stop, or the token is refused.
///
/// # Errors
/// A refused or insufficient token, an account that is no bot, unusable options. Network trouble is
/// none of them: it is waited out.
pub async fn run(
    options: BotOptions,
    book: Arc<Book>,
    mut stop: watch::Receiver<Stop>,
    reports: Option<UnboundedSender<Report>>,
) -> Result<(), RunError> {
    let client = Client::new(&options.lichess)?;
    let account = tokio::select! {
        account = sign_in(&client, &options.lichess.url) => account?,
        _ = stop.wait_for(|stop| *stop != Stop::Running) => return Ok(()),
    };
    let slow_thinking = Arc::new(Semaphore::new(SLOW_THINKING));
    let Account { id: account, username, .. } = account;
    let seat = Seat { client, account, username, options: Arc::new(options), book, reports, slow_thinking };
    Service::new(seat, stop).serve().await
}

type GameEnd = Result<Option<FinishedGame>, Error>;

/// What came back from a request of the service.
enum Reply {
    Accepted(GameId, Acceptance),
    Declined(GameId, Result<(), Error>),
    Playing(Result<Playing, Error>),
    Online(Result<Vec<OnlineBot>, Error>),
    Offered(UserId, Result<GameId, Error>),
    Cancelled(GameId, Result<(), Error>),
}

struct Service {
    seat: Seat,
    slots: Slots,
    store: Store,
    pauses: Pauses,
    games: JoinSet<GameEnd>,
    ids: HashMap<task::Id, GameId>,
    finished: VecDeque<GameId>,
    replies: JoinSet<Reply>,
    /// Acceptances under way.
    accepting: HashMap<GameId, AbortHandle>,
    outgoing: Outgoing,
    stop: watch::Receiver<Stop>,
    /// The event stream has been open.
    is_online: bool,
    /// It is open now.
    is_listening: bool,
}

impl Service {
    /// Opens the state file; nothing is asked of the server yet.
    fn new(seat: Seat, stop: watch::Receiver<Stop>) -> Service {
        let (store, pauses) = Store::open(&seat.options.store);
        Service {
            slots: Slots::new(seat.options.challenge.clone()),
            seat,
            store,
            pauses,
            games: JoinSet::new(),
            ids: HashMap::new(),
            finished: VecDeque::new(),
            replies: JoinSet::new(),
            accepting: HashMap::new(),
            outgoing: Outgoing::default(),
            stop,
            is_online: false,
            is_listening: false,
        }
    }

    async fn serve(mut self) -> Result<(), RunError> {
        let client = self.seat.client.clone();
        let is_final = |error: &Error| matches!(error, Error::Unauthorized(..));
        let mut feed = Feed::new(PATIENCE, is_final, move || {
            let client = client.clone();
            async move { client.account_events().await }
        });
        let mut sweep = interval(SWEEP);
        sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
        sweep.tick().await;
        while !self.is_done() {
            tokio::select! {
                signal = feed.next() => self.on_signal(signal?),
                Some(end) = self.games.join_next_with_id() => self.on_game_end(end)?,
                Some(reply) = self.replies.join_next() => self.on_reply(reply)?,
                () = at(self.slots.next_deadline()) => self.expire(),
                () = at(self.outgoing.next_at) => self.look_for_a_game(),
                _ = sweep.tick() => self.ask_what_runs(),
                changed = self.stop.changed() => match changed {
                    Ok(()) => self.on_stop(),
                    Err(_) => break, // Whoever could stop us politely is gone.
                },
            }
            self.serve_queue();
        }
        // Declines still on their way get a moment.
        if self.phase() == Stop::Draining {
            let replies = async { while self.replies.join_next().await.is_some() {} };
            if timeout(LAST_REPLIES, replies).await.is_err() {
                tracing::debug!("the last answers to challenges did not get through in time");
            }
        }
        Ok(())
    }

    fn phase(&self) -> Stop {
        *self.stop.borrow()
    }

    fn is_done(&self) -> bool {
        match self.phase() {
            Stop::Running => false,
            Stop::Draining => self.slots.has_no_clock_running(),
            Stop::Stopping => true,
        }
    }

    fn on_stop(&mut self) {
        if self.phase() == Stop::Draining {
            tracing::info!(games = self.games.len(), "no new games; finishing those that run");
            for id in self.slots.drain_queue() {
                self.decline(id, DeclineReason::Later);
            }
            self.take_back();
        }
    }

    fn on_signal(&mut self, signal: Signal<AccountEvent>) {
        match signal {
            Signal::Opened => {
                self.is_listening = true;
                tracing::info!(account = self.seat.username, "online: the event stream is open");
                if !std::mem::replace(&mut self.is_online, true) {
                    self.tell(Report::Online { username: self.seat.username.clone() });
                    self.outgoing.schedule(&self.seat.options.matchmaking);
                } else {
                    self.ask_what_runs();
                }
            }
            Signal::Lost { reason, retry_in } => {
                self.is_listening = false;
                tracing::warn!(%reason, ?retry_in, "event stream lost; opening it again");
            }
            Signal::Event(event) => self.on_event(event),
        }
    }

    fn on_event(&mut self, event: AccountEvent) {
        match event {
            AccountEvent::GameStart(info) => self.start(info),
            AccountEvent::GameFinish(info) => self.on_game_finish(&info),
            AccountEvent::Challenge(challenge) => self.on_challenge(&challenge),
            AccountEvent::ChallengeDeclined(challenge)
                if self.slots.standing_offer() == Some(&challenge.id) =>
            {
                self.on_declined(&challenge);
            }
            AccountEvent::ChallengeCanceled(challenge) | AccountEvent::ChallengeDeclined(challenge) => {
                tracing::debug!(id = %challenge.id, "challenge withdrawn");
                self.call_off(&challenge.id);
                self.slots.withdraw(&challenge.id);
            }
            AccountEvent::Unknown(kind) => tracing::debug!(kind, "unknown kind of event skipped"),
        }
    }

    /// Makes sure that a running game is being played. Seeing it twice is normal.
    fn start(&mut self, info: GameInfo) {
        let id = info.id;
        if self.slots.is_running(&id) || self.finished.contains(&id) {
            return;
        }
        if !info.bot_compatible {
            tracing::warn!(%id, "the Bot API cannot play this game; leaving it alone");
            return;
        }
        let is_slow = info.speed == "correspondence";
        let is_bot = info.opponent.is_bot();
        let guest = Guest { user: info.opponent.id, is_bot, is_slow, rated: info.rated };
        self.slots.started(&id, guest);
        self.spawn(id, Duration::ZERO);
    }

    fn spawn(&mut self, id: GameId, delay: Duration) {
        let span =
            tracing::info_span!("game", %id, opponent = tracing::field::Empty, color = tracing::field::Empty);
        let game = game::play(self.seat.clone(), id.clone());
        let later = async move {
            sleep(delay).await;
            game.await
        };
        let task = self.games.spawn(later.instrument(span));
        self.ids.insert(task.id(), id);
    }

    /// The game's own stream tells its task; this frees a place that has no task.
    fn on_game_finish(&mut self, info: &GameInfo) {
        tracing::debug!(id = %info.id, "the server says the game is over");
        self.slots.withdraw(&info.id);
    }

    fn on_game_end(&mut self, end: Result<(task::Id, GameEnd), JoinError>) -> Result<(), RunError> {
        let task = end.as_ref().map_or_else(JoinError::id, |(task, _)| *task);
        let Some(id) = self.ids.remove(&task) else { return Ok(()) };
        match end {
            Ok((_, Ok(finished))) => {
                self.slots.release(&id);
                finished.iter().for_each(|game| self.store.keep(game));
                // One that was only refused is tried again when the server says that it runs.
                self.finished.extend(finished.map(|_| id));
                if self.finished.len() > REMEMBERED {
                    self.finished.pop_front();
                }
                Ok(())
            }
            Ok((_, Err(error))) => Err(error.into()),
            Err(error) => {
                tracing::error!(%id, %error, "the game's task ended badly; taking the game up again");
                self.spawn(id, RESPAWN);
                Ok(())
            }
        }
    }

    fn ask_what_runs(&mut self) {
        let client = self.seat.client.clone();
        self.replies.spawn(async move { Reply::Playing(client.playing().await) });
    }

    fn on_reply(&mut self, reply: Result<Reply, JoinError>) -> Result<(), RunError> {
        match reply {
            Ok(
                Reply::Accepted(_, Acceptance::Refused(error @ Error::Unauthorized(..)))
                | Reply::Declined(_, Err(error @ Error::Unauthorized(..)))
                | Reply::Playing(Err(error @ Error::Unauthorized(..)))
                | Reply::Online(Err(error @ Error::Unauthorized(..)))
                | Reply::Offered(_, Err(error @ Error::Unauthorized(..)))
                | Reply::Cancelled(_, Err(error @ Error::Unauthorized(..))),
            ) => return Err(error.into()),
            Ok(Reply::Accepted(id, acceptance)) => self.on_acceptance(id, acceptance),
            Ok(Reply::Declined(_, Ok(()))) => (),
            Ok(Reply::Declined(id, Err(error))) => tracing::debug!(%id, %error, "could not decline"),
            Ok(Reply::Playing(Ok(playing))) => self.on_playing(playing),
            Ok(Reply::Playing(Err(error))) => tracing::warn!(%error, "could not ask for the running games"),
            Ok(Reply::Online(Ok(bots))) => self.ask_one_of(&bots),
            Ok(Reply::Online(Err(error))) => tracing::warn!(%error, "could not ask which bots are online"),
            Ok(Reply::Offered(user, offered)) => self.on_offered(user, offered),
            Ok(Reply::Cancelled(_, Ok(()))) => (),
            Ok(Reply::Cancelled(id, Err(error))) => {
                tracing::debug!(%id, %error, "could not take a challenge back")
            }
            Err(error) if error.is_cancelled() => tracing::debug!("an acceptance is called off"),
            Err(error) => tracing::error!(%error, "a request ended badly"),
        }
        Ok(())
    }

    /// Games of which we have not heard are played, and places of games that have not come to be are free.
    fn on_playing(&mut self, Playing { games, is_complete }: Playing) {
        let running: Vec<GameId> = games.iter().map(|info| info.id.clone()).collect();
        games.into_iter().for_each(|info| self.start(info));
        for Gone { id, guest, is_ours } in self.slots.reconcile(&running, is_complete) {
            if is_ours {
                self.on_no_answer(id, guest);
                continue;
            }
            tracing::info!(%id, "the game never started; its place is free again");
            self.call_off(&id);
            // If the challenge is still open, its challenger waits in vain.
            self.decline(id, DeclineReason::Later);
        }
    }

    fn expire(&mut self) {
        let expired = self.slots.expire(Instant::now());
        if !expired.overdue.is_empty() || expired.offer_is_overdue {
            tracing::debug!(ids = ?expired.overdue, "accepted or offered, but no game has started");
            self.ask_what_runs();
        }
        for id in expired.waited_in_vain {
            tracing::info!(%id, "no place became free in time; challenge declined");
            self.decline(id, DeclineReason::Later);
        }
    }

    fn tell(&self, report: Report) {
        if let Some(reports) = &self.seat.reports {
            // Nobody listening any more is no reason to stop.
            let _ = reports.send(report);
        }
    }
}
