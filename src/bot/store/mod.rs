//! The state file: what has to outlive the program. One thread owns it, and nobody waits for it.
//!
//! It keeps the finished games and the pauses: what the server has ordered, and who has declined. Games that run need no
//! keeping: the server has them, and tells of them when we come back.

mod archive;

pub use archive::{Archive, Games, KeptGame, StoreError, Wanted};

use super::pauses::{About, Pauses};
use super::record::FinishedGame;
use jiff::Timestamp;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

/// Section `[store]` of the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoreOptions {
    /// The state file; empty for the usual place, `:memory:` for none.
    pub path: String,
}

impl StoreOptions {
    /// No file: what is to be kept is forgotten at the end of the program.
    pub fn in_memory() -> StoreOptions {
        StoreOptions { path: IN_MEMORY.to_string() }
    }

    /// Whether no file is wanted.
    pub fn is_in_memory(&self) -> bool {
        self.path == IN_MEMORY
    }

    /// The file, if there is to be one. Without a home there is no usual place.
    pub fn file(&self) -> Option<PathBuf> {
        match self.path.as_str() {
            IN_MEMORY => None,
            "" => data_directory(|name| std::env::var_os(name).map(PathBuf::from))
                .map(|directory| directory.join("tabiya").join("tabiya.sqlite")),
            path => Some(PathBuf::from(path)),
        }
    }
}

const IN_MEMORY: &str = ":memory:";

/// Where programs keep their data on this system.
fn data_directory(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    if cfg!(windows) {
        absolute("APPDATA")
    } else if cfg!(target_os = "macos") {
        absolute("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
    }
}

enum Job {
    Keep(Box<KeptGame>),
    Pause(About, Timestamp),
}

/// The door to the thread that owns the state file. Dropping it is [`Store::close_blocking`].
pub struct Store {
    /// `None` if nothing is kept.
    keeper: Option<(mpsc::Sender<Job>, JoinHandle<()>)>,
}

impl Store {
    /// Opens the file, and reads which pauses still hold. A file that cannot be used costs a warning
    /// and the memory of this run, never a game; it is left as it is.
    pub fn open(options: &StoreOptions) -> (Store, Pauses) {
        let Some(file) = options.file() else {
            if options.path.is_empty() {
                tracing::warn!(
                    "no usual place for the state file without a home directory; games and limits are not remembered unless store.path names one"
                );
            }
            return (Store::closed(), Pauses::default());
        };
        match open_file(&file) {
            Ok((archive, pauses)) => (Store::kept_in(archive), pauses),
            Err(error) => {
                tracing::warn!(file = %file.display(), %error, "the state file cannot be used; games and limits are not remembered");
                (Store::closed(), Pauses::default())
            }
        }
    }

    /// Forgets what it is told.
    pub fn closed() -> Store {
        Store { keeper: None }
    }

    fn kept_in(archive: Archive) -> Store {
        let (jobs, inbox) = mpsc::channel();
        match thread::Builder::new().name("store".to_string()).spawn(move || keep(&archive, &inbox)) {
            Ok(keeper) => Store { keeper: Some((jobs, keeper)) },
            Err(error) => {
                tracing::warn!(%error, "no thread for the state file; nothing is remembered");
                Store::closed()
            }
        }
    }

    pub fn keep(&self, game: &FinishedGame) {
        self.send(Job::Keep(Box::new(KeptGame { ended_at: Timestamp::now(), game: game.clone() })));
    }

    pub fn pause(&self, about: About, until: Timestamp) {
        self.send(Job::Pause(about, until));
    }

    fn send(&self, job: Job) {
        if let Some((jobs, _)) = &self.keeper {
            // If the thread is gone, that is told when the door closes.
            let _ = jobs.send(job);
        }
    }

    /// Waits until everything is written.
    fn close_blocking(&mut self) {
        let Some((jobs, keeper)) = self.keeper.take() else { return };
        drop(jobs);
        if keeper.join().is_err() {
            tracing::warn!("the keeper of the state file died; the last games may be missing in it");
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.close_blocking();
    }
}

fn open_file(file: &Path) -> Result<(Archive, Pauses), StoreError> {
    let archive = Archive::open(file)?;
    let pauses = Pauses::from_iter(archive.pauses(Timestamp::now())?);
    tracing::info!(file = %file.display(), "state file");
    Ok((archive, pauses))
}

/// Writes until the last door is closed.
fn keep(archive: &Archive, inbox: &mpsc::Receiver<Job>) {
    for job in inbox {
        let (what, done) = match &job {
            Job::Keep(kept) => (format!("game {}", kept.game.id), archive.keep(kept)),
            Job::Pause(about, until) => (format!("pause of {about}"), archive.pause(about, *until)),
        };
        if let Err(error) = done {
            tracing::warn!(what, %error, "the state file cannot be written");
        }
    }
}

#[cfg(test)]
mod tests;
