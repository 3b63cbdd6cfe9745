//! A UCI program behind the same door as our own engine: one task speaks with one process.
//!
//! Whatever the program does wrong ends it, and whoever waits hears why. Dropping the [`Link`] ends it too.

use super::child::{Program, quoted};
use super::protocol::{self, Info, Line, Offer, OfferKind, Root};
use super::{Clocks, EngineGone, Job, Task};
use crate::engine::{EngineOptions, Limits, MoveError, Score, SearchReport};
use std::io;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout};

/// A program may take this long to say `uciok`.
const GREETING_PATIENCE: Duration = Duration::from_secs(10);
/// … and this long to be ready: large tables have to be cleared, networks to be read.
const READY_PATIENCE: Duration = Duration::from_secs(60);
/// … and this long for its move after `stop`.
const STOP_PATIENCE: Duration = Duration::from_secs(1);
/// Never asked to think shorter than this, in milliseconds: 0 means different things to engines.
const SHORTEST_MILLISECONDS: u128 = 1;

/// Our end of the link to a program; the program ends when this is dropped.
pub struct Link {
    jobs: mpsc::UnboundedSender<Job>,
    _alive: oneshot::Sender<()>,
}

impl Link {
    /// When the program is gone the job is dropped with its answer.
    pub fn send(&self, job: Job) {
        let _ = self.jobs.send(job);
    }
}

/// Starts the program and, in the background, greets it.
pub fn spawn(options: &EngineOptions) -> io::Result<Link> {
    let program = Program::spawn(options)?;
    let (jobs, mut inbox) = mpsc::unbounded_channel();
    let (alive, dropped) = oneshot::channel::<()>();
    let mut engine = External {
        program,
        options: options.clone(),
        offers: Vec::new(),
        is_fresh: false,
        is_chess960: false,
    };
    tokio::spawn(async move {
        let gone = tokio::select! {
            gone = engine.serve(&mut inbox) => Some(gone),
            // It is never sent to: this is the drop of the link.
            _ = dropped => None,
        };
        engine.program.quit().await;
        if let Some(gone) = gone {
            tracing::debug!(%gone, "the engine is gone");
            refuse_all(&mut inbox, &gone).await;
        }
    });
    Ok(Link { jobs, _alive: alive })
}

/// Says why to all who still ask.
async fn refuse_all(inbox: &mut mpsc::UnboundedReceiver<Job>, gone: &EngineGone) {
    while let Some(job) = inbox.recv().await {
        refuse(job, gone);
    }
}

/// An answer that nobody waits for any more was to a job that was dropped.
fn refuse(job: Job, gone: &EngineGone) {
    match job {
        Job::Think { answer, .. } => drop(answer.send(Err(gone.clone()))),
        Job::NewGame { answer } => drop(answer.send(Err(gone.clone()))),
        #[cfg(test)]
        Job::Panic { .. } => (),
    }
}

struct External {
    program: Program,
    options: EngineOptions,
    offers: Vec<Offer>,
    /// It has been told of a new game.
    is_fresh: bool,
    /// It has been told that castling is that of Chess960.
    is_chess960: bool,
}

// The course of things.
impl External {
    /// Works until the program is gone.
    async fn serve(&mut self, inbox: &mut mpsc::UnboundedReceiver<Job>) -> EngineGone {
        if let Err(gone) = self.greet().await {
            return gone;
        }
        while let Some(job) = inbox.recv().await {
            let gone = match job {
                Job::Think { task, answer } => {
                    let report = self.think(&task).await;
                    let gone = report.clone().err();
                    let _ = answer.send(report);
                    gone
                }
                Job::NewGame { answer } => {
                    let ready = self.new_game().await;
                    let gone = ready.clone().err();
                    let _ = answer.send(ready);
                    gone
                }
                #[cfg(test)]
                Job::Panic { .. } => None,
            };
            if let Some(gone) = gone {
                return gone;
            }
        }
        EngineGone::Ended("nobody needs it any more".to_string())
    }

    async fn greet(&mut self) -> Result<(), EngineGone> {
        self.program.send("uci").await?;
        let greeting = timeout(GREETING_PATIENCE, self.read_offers()).await;
        greeting.unwrap_or_else(|_| Err(hung("uciok", GREETING_PATIENCE)))?;
        for line in option_lines(&self.options, &self.offers)? {
            self.program.send(&line).await?;
        }
        Ok(())
    }

    async fn read_offers(&mut self) -> Result<(), EngineGone> {
        loop {
            match protocol::read(&self.program.next_line().await?) {
                Line::Option(offer) => self.offers.push(offer),
                Line::UciOk => return Ok(()),
                _ => {}
            }
        }
    }

    async fn new_game(&mut self) -> Result<(), EngineGone> {
        self.program.send("ucinewgame").await?;
        self.await_ready().await?;
        self.is_fresh = true;
        Ok(())
    }

    async fn await_ready(&mut self) -> Result<(), EngineGone> {
        self.program.send("isready").await?;
        let ready = async {
            while protocol::read(&self.program.next_line().await?) != Line::ReadyOk {}
            Ok(())
        };
        timeout(READY_PATIENCE, ready).await.unwrap_or_else(|_| Err(hung("readyok", READY_PATIENCE)))
    }

    async fn think(&mut self, task: &Task) -> Result<SearchReport, EngineGone> {
        if !self.is_fresh {
            self.new_game().await?;
        }
        let root = Root::of(&task.position);
        self.set_chess960(root.is_chess960).await?;
        self.program.send(&root.line).await?;
        // After its answer nothing that is left over from before can pass for this search's move.
        self.await_ready().await?;
        let limits = task.limits.capped(self.options.nodes, self.options.depth);
        self.program.send(&go_line(task, &limits)).await?;
        let hard = limits.hard.filter(|_| task.clocks.is_none());
        let deadline = hard.and_then(|hard| task.start.checked_add(hard)).map(Instant::from_std);
        self.follow(task, deadline).await
    }

    async fn set_chess960(&mut self, wanted: bool) -> Result<(), EngineGone> {
        if self.is_chess960 == wanted {
            return Ok(());
        }
        if find(&self.offers, "UCI_Chess960").is_none() {
            let lacking = "castle as in Chess960: it has no option UCI_Chess960";
            return Err(EngineGone::Unable(lacking.to_string()));
        }
        self.is_chess960 = wanted;
        self.program.send(&format!("setoption name UCI_Chess960 value {wanted}")).await
    }

    /// Waits for the move. At the deadline, or when asked to, the program is told to stop.
    async fn follow(&mut self, task: &Task, deadline: Option<Instant>) -> Result<SearchReport, EngineGone> {
        let overdue = async {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            report = self.listen(task) => return report,
            () = overdue => {}
            () = task.progress.stopped() => {}
        }
        self.program.send("stop").await?;
        let report = timeout(STOP_PATIENCE, self.listen(task)).await;
        report.unwrap_or_else(|_| Err(hung("move after stop", STOP_PATIENCE)))
    }

    /// Takes what is told until the move is there. Cancel-safe.
    async fn listen(&mut self, task: &Task) -> Result<SearchReport, EngineGone> {
        loop {
            match protocol::read(&self.program.next_line().await?) {
                Line::Info(info) => note(task, &info),
                Line::BestMove(text) => return conclude(task, text),
                _ => {}
            }
        }
    }
}

fn hung(what: &str, patience: Duration) -> EngineGone {
    EngineGone::Hung(format!("no {what} within {} s", patience.as_secs()))
}

/// Keeps what a line tells, unless its first move cannot be played.
fn note(task: &Task, info: &Info) {
    let mut position = task.position.clone();
    let legal = info.pv.iter().map_while(|uci| position.play_uci(uci).ok()).collect::<Vec<_>>();
    if legal.is_empty() {
        tracing::debug!(pv = ?info.pv, "the engine's line is not legal");
        return;
    }
    *task.progress.best() = Some(SearchReport {
        pv: legal,
        score: info.score,
        depth: info.depth,
        selective_depth: info.selective_depth,
        nodes: info.nodes,
        elapsed: task.start.elapsed(),
        table_permille: 0,
        others: Vec::new(),
    });
}

/// The move that counts, with what was told about it.
fn conclude(task: &Task, text: &str) -> Result<SearchReport, EngineGone> {
    let mv = task.position.parse_uci(text).map_err(|error| match error {
        MoveError::Malformed(_) => EngineGone::Garbled(format!("bestmove {:?}", quoted(text))),
        illegal => EngineGone::IllegalMove(illegal.to_string()),
    })?;
    let mut best = task.progress.best();
    let mut report = best.take().unwrap_or_else(|| SearchReport {
        pv: vec![mv],
        score: Score::DRAW,
        depth: 0,
        selective_depth: 0,
        nodes: 0,
        elapsed: Duration::ZERO,
        table_permille: 0,
        others: Vec::new(),
    });
    if report.best_move() != mv {
        report.pv = vec![mv];
    }
    report.elapsed = task.start.elapsed();
    *best = Some(report.clone());
    Ok(report)
}

/// `go` with the clocks if there are some, else with a time for this move; caps are told beside them.
fn go_line(task: &Task, limits: &Limits) -> String {
    let mut line = "go".to_string();
    let gone = task.start.elapsed();
    let milliseconds = |left: Duration| left.as_millis().max(SHORTEST_MILLISECONDS);
    if let Some(Clocks { mut remaining, increment }) = task.clocks {
        let mover = &mut remaining[task.position.side_to_move().to_index()];
        *mover = mover.saturating_sub(gone);
        let [white, black] = remaining.map(milliseconds);
        let [white_increment, black_increment] = increment.map(|added| added.as_millis());
        line += &format!(" wtime {white} btime {black} winc {white_increment} binc {black_increment}");
    } else if let Some(time) = limits.soft.or(limits.hard) {
        line += &format!(" movetime {}", milliseconds(time.saturating_sub(gone)));
    }
    line += &limits.nodes.map_or(String::new(), |nodes| format!(" nodes {nodes}"));
    line += &limits.depth.map_or(String::new(), |depth| format!(" depth {depth}"));
    if line == "go" { "go infinite".to_string() } else { line }
}

fn find<'o>(offers: &'o [Offer], name: &str) -> Option<&'o Offer> {
    offers.iter().find(|offer| offer.name.eq_ignore_ascii_case(name))
}

/// The options to set: table and threads as ours would have them, then the user's own.
fn option_lines(options: &EngineOptions, offers: &[Offer]) -> Result<Vec<String>, EngineGone> {
    let usual = [("Hash", options.hash_mb), ("Threads", options.threads)];
    let usual = usual.into_iter().filter_map(|(name, value)| {
        let offer = find(offers, name)?;
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        let value = match offer.kind {
            OfferKind::Spin(least, most) if least <= most => value.clamp(least, most),
            _ => value,
        };
        Some(format!("setoption name {} value {value}", offer.name))
    });
    let own = options.options.iter().map(|option| option_line(option, offers));
    usual.map(Ok).chain(own).collect()
}

/// An option that the engine would not take is refused: it would play on with another setting than was meant.
fn option_line(option: &str, offers: &[Offer]) -> Result<String, EngineGone> {
    let (name, value) = option.split_once('=').unwrap_or((option, ""));
    let (name, value) = (name.trim(), value.trim());
    let unable = |reason: String| EngineGone::Unable(format!("set {name} to {value:?}: {reason}"));
    let Some(offer) = find(offers, name) else {
        let names: Vec<&str> = offers.iter().map(|offer| offer.name.as_str()).collect();
        return Err(unable(format!("its options are {}", names.join(", "))));
    };
    match &offer.kind {
        OfferKind::Button => return Ok(format!("setoption name {}", offer.name)),
        OfferKind::Spin(least, most) if !value.parse().is_ok_and(|n: i64| (*least..=*most).contains(&n)) => {
            return Err(unable(format!("it takes a whole number from {least} to {most}")));
        }
        OfferKind::Check if !matches!(value, "true" | "false") => {
            return Err(unable("it takes true or false".to_string()));
        }
        OfferKind::Combo(words) if !words.iter().any(|word| word.eq_ignore_ascii_case(value)) => {
            return Err(unable(format!("it takes one of {}", words.join(", "))));
        }
        _ => {}
    }
    Ok(format!("setoption name {} value {value}", offer.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Position;
    use crate::worker::Progress;
    use std::sync::Arc;

    fn offers() -> Vec<Offer> {
        let offer = |name: &str, kind| Offer { name: name.to_string(), kind };
        vec![
            offer("Hash", OfferKind::Spin(1, 64)),
            offer("Ponder", OfferKind::Check),
            offer("Clear Hash", OfferKind::Button),
            offer("Style", OfferKind::Combo(vec!["Calm".to_string(), "Wild".to_string()])),
            offer("SyzygyPath", OfferKind::Text),
        ]
    }

    #[test]
    fn options_are_set_as_offered() {
        let own = ["ponder=true", "clear hash=", "Style=wild", "SyzygyPath=/a b:/c"];
        let options = EngineOptions {
            hash_mb: 128,
            options: own.map(str::to_string).to_vec(),
            ..EngineOptions::default()
        };
        let expected = [
            "setoption name Hash value 64",
            "setoption name Ponder value true",
            "setoption name Clear Hash",
            "setoption name Style value wild",
            "setoption name SyzygyPath value /a b:/c",
        ];
        assert_eq!(option_lines(&options, &offers()).expect("all offered"), expected);
    }

    #[test]
    fn an_option_that_would_not_be_taken_is_refused_with_the_reason() {
        let names = "its options are Hash, Ponder, Clear Hash, Style, SyzygyPath";
        for (option, reason) in [
            ("Hsah=1", format!("set Hsah to \"1\": {names}")),
            ("Hash=65", "set Hash to \"65\": it takes a whole number from 1 to 64".to_string()),
            ("Hash=big", "set Hash to \"big\": it takes a whole number from 1 to 64".to_string()),
            ("Ponder=yes", "set Ponder to \"yes\": it takes true or false".to_string()),
            ("Style=tame", "set Style to \"tame\": it takes one of Calm, Wild".to_string()),
        ] {
            assert_eq!(option_line(option, &offers()), Err(EngineGone::Unable(reason)), "{option}");
        }
    }

    #[test]
    fn the_search_is_asked_for_in_the_engines_words() {
        let second = Duration::from_secs(1);
        let clocks = Clocks { remaining: [second * 60, second * 50], increment: [second, Duration::ZERO] };
        let timed = Limits { soft: Some(second * 3600), hard: Some(second * 7200), ..Limits::default() };
        let capped = Limits { nodes: Some(500), depth: Some(9), ..Limits::default() };
        for (limits, clocks, expected) in [
            (Limits::default(), None, "go infinite"),
            (capped, None, "go nodes 500 depth 9"),
            (capped, Some(clocks), "go wtime 1 btime 50000 winc 1000 binc 0 nodes 500 depth 9"),
            (Limits { depth: Some(9), ..timed }, None, "go movetime 1 depth 9"),
        ] {
            // Long ago: what has passed since then is off the clock.
            let start = std::time::Instant::now() - second * 86_400;
            let (position, progress) = (Position::default(), Arc::new(Progress::default()));
            let task = Task { position, limits, clocks, start, progress };
            assert_eq!(go_line(&task, &limits), expected, "{limits:?} {clocks:?}");
        }
    }
}
