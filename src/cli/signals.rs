//! Signals to stop: the first lets running games end, the second leaves at once.

use crate::bot::Stop;
use std::io;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

/// Turns signals into the phases of stopping; `patience` is how long running games may still take.
///
/// # Errors
/// The system refuses the handlers.
pub fn stop_on_signals(patience: Duration) -> io::Result<watch::Receiver<Stop>> {
    let signals = signals()?;
    let (stop, phases) = watch::channel(Stop::Running);
    tokio::spawn(lead_out(signals, stop, patience));
    Ok(phases)
}

/// Names of the signals to stop, as they arrive.
#[cfg(unix)]
pub fn signals() -> io::Result<mpsc::UnboundedReceiver<&'static str>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (sender, receiver) = mpsc::unbounded_channel();
    for (name, kind) in [("SIGTERM", SignalKind::terminate()), ("Ctrl-C", SignalKind::interrupt())] {
        let (sender, mut signal) = (sender.clone(), signal(kind)?);
        tokio::spawn(async move { while signal.recv().await.is_some() && sender.send(name).is_ok() {} });
    }
    Ok(receiver)
}

#[cfg(not(unix))]
pub fn signals() -> io::Result<mpsc::UnboundedReceiver<&'static str>> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(
        async move { while tokio::signal::ctrl_c().await.is_ok() && sender.send("Ctrl-C").is_ok() {} },
    );
    Ok(receiver)
}

async fn lead_out(
    mut signals: mpsc::UnboundedReceiver<&'static str>,
    stop: watch::Sender<Stop>,
    patience: Duration,
) {
    let Some(name) = signals.recv().await else { return };
    tracing::info!(
        "{name}: no new games; running ones may take {} s more; a second signal leaves at once",
        patience.as_secs()
    );
    stop.send_replace(Stop::Draining);
    tokio::select! {
        Some(name) = signals.recv() => tracing::warn!("{name} again: leaving at once"),
        () = sleep(patience) => {
            tracing::warn!("running games took more than {} s: leaving", patience.as_secs());
        }
    }
    stop.send_replace(Stop::Stopping);
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Stage {
        signals: mpsc::UnboundedSender<&'static str>,
        phases: watch::Receiver<Stop>,
    }

    fn stage(patience: Duration) -> Stage {
        let (signals, receiver) = mpsc::unbounded_channel();
        let (stop, phases) = watch::channel(Stop::Running);
        tokio::spawn(lead_out(receiver, stop, patience));
        Stage { signals, phases }
    }

    impl Stage {
        async fn next_phase(&mut self) -> Stop {
            self.phases.changed().await.expect("a phase to come");
            *self.phases.borrow_and_update()
        }
    }

    const LONG: Duration = Duration::from_secs(3_600);

    #[tokio::test]
    async fn the_first_signal_drains_and_the_second_stops() {
        let mut stage = stage(LONG);
        stage.signals.send("SIGTERM").expect("a listener");
        assert_eq!(stage.next_phase().await, Stop::Draining);
        stage.signals.send("Ctrl-C").expect("a listener");
        assert_eq!(stage.next_phase().await, Stop::Stopping);
    }

    #[tokio::test]
    async fn draining_ends_when_patience_does() {
        let mut stage = stage(Duration::ZERO);
        stage.signals.send("SIGTERM").expect("a listener");
        while stage.next_phase().await != Stop::Stopping {}
    }
}
