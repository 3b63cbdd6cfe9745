//! The lobby behind its lock, and the way to wait for a change of it.

use super::driver;
use super::lobby::Lobby;
use super::opponent::Opponent;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

pub struct Shared {
    lobby: Mutex<Lobby>,
    changed: watch::Sender<()>,
    tasks: Mutex<JoinSet<()>>,
}

impl Shared {
    pub fn new(lobby: Lobby) -> Arc<Shared> {
        let changed = watch::Sender::new(());
        Arc::new(Shared { lobby: Mutex::new(lobby), changed, tasks: Mutex::default() })
    }

    pub fn look<T>(&self, look: impl FnOnce(&Lobby) -> T) -> T {
        look(&self.lock())
    }

    pub fn change<T>(&self, change: impl FnOnce(&mut Lobby) -> T) -> T {
        let outcome = change(&mut self.lock());
        self.changed.send_replace(());
        outcome
    }

    /// Waits until `look` finds what it looks for.
    pub async fn until<T>(&self, mut look: impl FnMut(&Lobby) -> Option<T>) -> T {
        let mut changes = self.changed.subscribe();
        loop {
            if let Some(found) = self.look(&mut look) {
                return found;
            }
            changes.changed().await.expect("the sender lives in self");
        }
    }

    /// Told when something outside the lobby changes what it would answer.
    pub fn bell(&self) -> watch::Sender<()> {
        self.changed.clone()
    }

    /// Lets `opponent` play its side of a game until its end.
    pub fn drive(self: &Arc<Self>, id: &str, opponent: Box<dyn Opponent>) {
        self.spawn(driver::drive(self.clone(), id.to_string(), opponent));
    }

    /// Lets clocks run out and absences be told, each in its moment.
    pub async fn keep_time(self: Arc<Self>) {
        let mut changes = self.changed.subscribe();
        loop {
            let deadline = self.look(Lobby::next_deadline);
            let due = async {
                match deadline {
                    Some(deadline) => tokio::time::sleep_until(deadline).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = due => self.change(|lobby| lobby.tick(Instant::now())),
                _ = changes.changed() => (),
            }
        }
    }

    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task);
    }

    pub fn stop_tasks(&self) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }

    fn lock(&self) -> MutexGuard<'_, Lobby> {
        self.lobby.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
