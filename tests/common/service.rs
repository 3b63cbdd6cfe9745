//! The real service, run against a practice server.

use std::sync::Arc;
use std::time::Duration;
use tabiya::book::{Book, BookOptions};
use tabiya::bot::{self, BotOptions, FinishedGame, Report, RunError, Stop, StoreOptions};
use tabiya::lichess::{LichessOptions, Token};
use tabiya::practice::PracticeServer;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// No test takes this long; one that hangs has to end.
const PATIENCE: Duration = Duration::from_secs(120);

pub async fn patiently<T>(what: &str, wait: impl Future<Output = T>) -> T {
    let outcome = tokio::time::timeout(PATIENCE, wait).await;
    outcome.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

/// A bot that thinks for moments only.
pub fn quick() -> BotOptions {
    let mut options = BotOptions { store: StoreOptions::in_memory(), ..BotOptions::default() };
    options.engine.hash_mb = 1;
    options.engine.nodes = 5_000;
    options
}

/// The same at `server` with its token.
pub fn options(server: &PracticeServer) -> BotOptions {
    BotOptions { lichess: access(server, server.token()), ..quick() }
}

pub fn access(server: &PracticeServer, token: &str) -> LichessOptions {
    LichessOptions { url: server.url().to_string(), token: Token::new(token), moves_per_minute: 0 }
}

/// A book with one line, in UCI notation: the script of a bot.
pub fn book_of(line: &str) -> Book {
    let options = BookOptions { depth: 400, ..BookOptions::default() };
    let csv = format!("name,moves\nThe line,{line}\n");
    Book::from_csv(csv.as_bytes(), "the test", &options).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// A running service.
pub struct Bot {
    task: JoinHandle<Result<(), RunError>>,
    stop: watch::Sender<Stop>,
    reports: mpsc::UnboundedReceiver<Report>,
}

impl Bot {
    pub fn start(server: &PracticeServer) -> Bot {
        Bot::with(options(server), Book::empty())
    }

    /// Plays by the book `line`, and by the engine when it is left.
    pub fn with_line(server: &PracticeServer, line: &str) -> Bot {
        Bot::with(options(server), book_of(line))
    }

    pub fn with(options: BotOptions, book: Book) -> Bot {
        let (stop, stopped) = watch::channel(Stop::Running);
        let (teller, reports) = mpsc::unbounded_channel();
        let task = tokio::spawn(bot::run(options, Arc::new(book), stopped, Some(teller)));
        Bot { task, stop, reports }
    }

    pub fn tell(&self, stop: Stop) {
        self.stop.send_replace(stop);
    }

    /// The next report that is what the test waits for; the others are passed over.
    async fn next_report<T>(&mut self, what: &str, mut wanted: impl FnMut(Report) -> Option<T>) -> T {
        let wait = async {
            loop {
                let report = self.reports.recv().await.expect("the service goes on");
                if let Some(found) = wanted(report) {
                    return found;
                }
            }
        };
        patiently(what, wait).await
    }

    /// The next finished game that it reports.
    pub async fn finished_game(&mut self) -> FinishedGame {
        self.next_report("the report of a finished game", |report| match report {
            Report::Finished(game) => Some(game),
            _ => None,
        })
        .await
    }

    /// The id of the next game that it has sat down at.
    pub async fn started_game(&mut self) -> String {
        self.next_report("the report of a new game", |report| match report {
            Report::Started { id, .. } => Some(id.to_string()),
            _ => None,
        })
        .await
    }

    /// How each of our moves in one game was found, until its end.
    pub async fn sources(&mut self) -> Vec<String> {
        let mut sources = Vec::new();
        self.next_report("the end of a game", |report| match report {
            Report::Moved { source, .. } => {
                sources.push(source);
                None
            }
            Report::Finished(_) => Some(std::mem::take(&mut sources)),
            _ => None,
        })
        .await
    }

    /// Waits until the service ends by itself.
    pub async fn end(self) -> Result<(), RunError> {
        patiently("the end of the service", self.task).await.expect("no panic")
    }

    /// Lets it finish its games and leave.
    pub async fn drain(self) {
        self.tell(Stop::Draining);
        self.end().await.expect("a clean end");
    }
}
