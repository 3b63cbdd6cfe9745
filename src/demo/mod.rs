//! `tabiya demo`: whole games against the practice Lichess, shown as they go.
//!
//! The service that plays is the real one, unmodified; only the server and the opponents are ours.
//! The games come one after another, so that their boards do not mix.

mod pace;
mod screen;
mod sparring;

pub use pace::{Pace, PaceError};

use crate::book::Book;
use crate::bot::{self, BotOptions, FinishedGame, Report, RunError, Stop, StoreOptions};
use crate::engine::{Color, EngineOptions};
use crate::lichess::{LichessOptions, Token};
use crate::practice::{
    ChallengeEnd, ChallengeRequest, Greedy, Opponent, PlayerInfo, PracticeOptions, PracticeServer,
    RandomMover, TimeControl,
};
use screen::Screen;
use sparring::SparringEngine;
use std::io::{self, Stdout};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinHandle};

/// How long a bot that declined is left in peace before it is challenged again.
const AFTER_DECLINE: Duration = Duration::from_secs(5);

/// What `tabiya demo` is told.
#[derive(Clone)]
pub struct DemoOptions {
    /// Games to play; with none there is only `serve`.
    pub games: usize,
    pub clock: Pace,
    /// Stay up after the games and challenge whatever bot comes with the token.
    pub serve: bool,
    pub engine: EngineOptions,
    pub book: Arc<Book>,
}

impl Default for DemoOptions {
    /// Three games at half a minute each, with an engine that thinks for moments only, and no book.
    fn default() -> Self {
        Self {
            games: 3,
            clock: Pace::default(),
            serve: false,
            engine: EngineOptions { hash_mb: 16, nodes: 100_000, ..EngineOptions::default() },
            book: Arc::new(Book::empty()),
        }
    }
}

/// Why the demonstration came to an early end.
#[derive(Debug, Error)]
pub enum DemoError {
    #[error("cannot open a port on 127.0.0.1: {0}")]
    Port(io::Error),
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    #[error("the service ended: {0}")]
    Service(#[from] RunError),
    #[error("the service ended before the games did")]
    Gone,
    #[error("the service broke: {0}")]
    Broken(#[from] JoinError),
    #[error("the service declined a game at {clock} against {opponent}: {reason}")]
    Declined { opponent: String, clock: Pace, reason: String },
}

/// Plays the games, prints them and their results, and stays up if it is told to.
///
/// # Errors
/// No free port, an output that is closed, or a service that ends or declines.
pub async fn run(options: DemoOptions) -> Result<(), DemoError> {
    let server = PracticeServer::start(PracticeOptions::default()).await.map_err(DemoError::Port)?;
    let mut screen = Screen::on_stdout();
    if options.games > 0 {
        let finished = play_games(&server, &options, &mut screen).await?;
        screen.results(&finished)?;
    }
    if options.serve {
        serve(&server, options.clock, &mut screen).await?;
    }
    Ok(())
}

async fn play_games(
    server: &PracticeServer,
    options: &DemoOptions,
    screen: &mut Screen<Stdout>,
) -> Result<Vec<FinishedGame>, DemoError> {
    let mut service = Service::start(server, options);
    server.online().await;
    let mut finished = Vec::new();
    for number in 1..=options.games {
        screen.heading(&format!(
            "Game {number} of {}: {}, {}",
            options.games,
            opponent(number).1,
            options.clock
        ))?;
        finished.push(service.play(server, number, options.clock, screen).await?);
    }
    service.stop().await?;
    Ok(finished)
}

/// The real service, as a task of its own.
struct Service {
    task: JoinHandle<Result<(), RunError>>,
    reports: mpsc::UnboundedReceiver<Report>,
    stop: watch::Sender<Stop>,
}

impl Service {
    fn start(server: &PracticeServer, options: &DemoOptions) -> Service {
        let bot_options = BotOptions {
            lichess: access(server),
            engine: options.engine.clone(),
            store: StoreOptions::in_memory(),
            ..BotOptions::default()
        };
        let (stop, stopped) = watch::channel(Stop::Running);
        let (teller, reports) = mpsc::unbounded_channel();
        let task = tokio::spawn(bot::run(bot_options, options.book.clone(), stopped, Some(teller)));
        Service { task, reports, stop }
    }

    /// One game from the challenge to its end.
    async fn play(
        &mut self,
        server: &PracticeServer,
        number: usize,
        clock: Pace,
        screen: &mut Screen<Stdout>,
    ) -> Result<FinishedGame, DemoError> {
        let id = challenge(server, number, clock);
        let mut is_accepted = false;
        loop {
            tokio::select! {
                report = self.reports.recv() => match report {
                    Some(Report::Finished(game)) => {
                        screen.finished(&game)?;
                        return Ok(game);
                    }
                    Some(report) => screen.show(&report)?,
                    None => return Err(self.why_it_ended().await),
                },
                end = server.answered(&id), if !is_accepted => match end {
                    ChallengeEnd::Declined(reason) => {
                        let opponent = opponent(number).0.name;
                        return Err(DemoError::Declined { opponent, clock, reason });
                    }
                    ChallengeEnd::Accepted | ChallengeEnd::Canceled => is_accepted = true,
                },
            }
        }
    }

    async fn why_it_ended(&mut self) -> DemoError {
        match (&mut self.task).await {
            Ok(Ok(())) => DemoError::Gone,
            Ok(Err(error)) => error.into(),
            Err(error) => error.into(),
        }
    }

    async fn stop(self) -> Result<(), DemoError> {
        self.stop.send_replace(Stop::Draining);
        Ok(self.task.await??)
    }
}

/// Where and as whom a bot plays on the practice server.
fn access(server: &PracticeServer) -> LichessOptions {
    LichessOptions {
        url: server.url().to_string(),
        token: Token::new(server.token()),
        // The small Lichess has no limit.
        moves_per_minute: 0,
    }
}

fn challenge(server: &PracticeServer, number: usize, clock: Pace) -> String {
    let (player, _, play) = opponent(number);
    let mut request = ChallengeRequest::new(player, play);
    request.time_control = TimeControl::Clock { initial: clock.initial, increment: clock.increment };
    request.color = Some(if number % 2 == 1 { Color::Black } else { Color::White });
    server.challenge(request).expect("the start position is legal")
}

/// The opponents in turn, with a word on each.
fn opponent(number: usize) -> (PlayerInfo, &'static str, Box<dyn Opponent>) {
    let seed = number as u64;
    match number % 3 {
        1 => (PlayerInfo::bot("Dice", 400), "a random mover", Box::new(RandomMover::new(seed))),
        2 => (PlayerInfo::bot("Magpie", 800), "a greedy capturer", Box::new(Greedy::new(seed))),
        _ => {
            let engine = SparringEngine::new();
            (PlayerInfo::bot("Sparring", 1400), "our own engine, held back", Box::new(engine))
        }
    }
}

/// Challenges whatever bot comes with the token, until Ctrl-C.
async fn serve(server: &PracticeServer, clock: Pace, screen: &mut Screen<Stdout>) -> Result<(), DemoError> {
    screen.invitation(server.url(), server.token())?;
    let mut number = 1;
    loop {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => return Ok(()),
            outcome = entertain(server, number, clock) => screen.line(&outcome)?,
        }
        number += 1;
    }
}

/// Waits for a bot, challenges it and lets the game be played. Says what came of it.
async fn entertain(server: &PracticeServer, number: usize, clock: Pace) -> String {
    server.online().await;
    let name = opponent(number).0.name;
    let id = challenge(server, number, clock);
    let end = tokio::select! {
        end = server.answered(&id) => end,
        () = server.offline() => {
            server.cancel_challenge(&id);
            ChallengeEnd::Canceled
        }
    };
    match end {
        ChallengeEnd::Accepted => {
            let game = server.finished(&id).await;
            let winner = match game.winner {
                Some(Color::White) => "White wins",
                Some(Color::Black) => "Black wins",
                None => "no winner",
            };
            format!("{id} against {name}: {}, {winner}, {} plies", game.status, game.moves.len())
        }
        ChallengeEnd::Declined(reason) => {
            tokio::time::sleep(AFTER_DECLINE).await;
            format!("{id} against {name}: declined ({reason})")
        }
        ChallengeEnd::Canceled => format!("{id} against {name}: the bot went away"),
    }
}
