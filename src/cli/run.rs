//! `tabiya run`: the service, from its options to its exit code.

use super::signals::stop_on_signals;
use super::{exit, fail};
use crate::book::{Book, BookOptions};
use crate::bot::{self, BotOptions};
use crate::config::{Config, token_form};
use crate::engine::{EngineKind, EngineOptions};
use crate::worker::EngineHandle;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Plays until a signal, or until Lichess refuses us for good.
pub async fn run(config: Config) -> ExitCode {
    let stop = match stop_on_signals(Duration::from_secs(config.game.shutdown_seconds)) {
        Ok(stop) => stop,
        Err(error) => return fail(exit::FAILURE, format!("cannot listen for signals: {error}")),
    };
    if let Err(reason) = try_engine(&config.engine).await {
        return fail(exit::CONFIGURATION, format!("engine.path {:?}: {reason}", config.engine.path));
    }
    let book = Arc::new(open_book(&config.book));
    let new_token = token_form(&config.lichess.url);
    let Config { lichess, challenge, matchmaking, game, engine, store, .. } = config;
    let options = BotOptions { lichess, challenge, matchmaking, game, engine, store };
    match bot::run(options, book, stop, None).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => match error.exit_code() {
            exit::TOKEN => fail(exit::TOKEN, format!("{error}. Create a new token: {new_token}")),
            code => fail(code, error),
        },
    }
}

/// A UCI program that cannot play is better known of now than in the first game.
async fn try_engine(options: &EngineOptions) -> Result<(), String> {
    if options.kind == EngineKind::Builtin {
        return Ok(());
    }
    ready_engine(options).await?;
    tracing::info!(path = options.path, "the engine is a UCI program");
    Ok(())
}

/// An engine that is ready for a game, or why it is not.
pub(super) async fn ready_engine(options: &EngineOptions) -> Result<EngineHandle, String> {
    let mut engine = EngineHandle::spawn("trial", options).map_err(|error| error.to_string())?;
    engine.new_game().await.map_err(|gone| gone.to_string())?;
    Ok(engine)
}

/// A book that cannot be had is no reason not to play.
fn open_book(options: &BookOptions) -> Book {
    if !options.enabled {
        tracing::info!("the book is switched off (book.enabled)");
        return Book::empty();
    }
    match Book::open(options) {
        Ok(book) => {
            tracing::info!(
                file = book.source(),
                lines = book.lines(),
                positions = book.positions(),
                skipped = book.skipped(),
                load_ms = book.load_time().as_millis(),
                "book"
            );
            book
        }
        Err(error) => {
            tracing::warn!(%error, "playing without a book");
            Book::empty()
        }
    }
}
