//! A child process of lines: started, spoken to, listened to, and never left behind.

use super::EngineGone;
use crate::engine::EngineOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Longest line that is read; no engine has that much to say at once.
const LONGEST_LINE: usize = 1 << 16;
/// Lines read ahead of whoever listens: beyond them the process has to wait.
const READ_AHEAD: usize = 64;
/// The process gets this long to read a line of ours; its pipe holds many.
const WRITE_PATIENCE: Duration = Duration::from_secs(5);
/// After `quit` and the end of its input the process gets this long before it is killed.
const QUIT_PATIENCE: Duration = Duration::from_millis(500);
/// A process whose output has ended gets this long to end itself, so that we can tell how.
const END_PATIENCE: Duration = Duration::from_millis(200);
/// Most of a foreign line that is repeated in an error, in characters.
const LONGEST_QUOTE: usize = 120;

/// A running program. Dropping it kills it.
///
/// When our own process is killed, its end of the program's input closes, at which programs that
/// read their input end by themselves. A script that starts the engine must do so by `exec`: only
/// the script itself is killed.
pub struct Program {
    child: Child,
    input: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    last_words: Arc<Mutex<String>>,
    /// Stopped with the program, also when something else holds its pipes open.
    _readers: JoinSet<()>,
}

impl Program {
    /// Starts the program of `options`. Needs a tokio runtime.
    pub fn spawn(options: &EngineOptions) -> io::Result<Program> {
        let mut command = Command::new(program_path(&options.path)?);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        if !options.working_directory.is_empty() {
            command.current_dir(&options.working_directory);
        }
        // A group of its own: Ctrl-C is for us, and we still want moves while we finish our games.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let (sender, lines) = mpsc::channel(READ_AHEAD);
        let last_words = Arc::new(Mutex::new(String::new()));
        let mut readers = JoinSet::new();
        if let Some(output) = child.stdout.take() {
            readers.spawn(async move {
                let mut output = Lines::of(output);
                while let Some(line) = output.next().await
                    && sender.send(line).await.is_ok()
                {}
            });
        }
        if let Some(errors) = child.stderr.take() {
            let last_words = last_words.clone();
            readers.spawn(async move {
                let mut errors = Lines::of(errors);
                while let Some(line) = errors.next().await {
                    tracing::debug!(line, "the engine on stderr");
                    *last_words.lock().unwrap_or_else(PoisonError::into_inner) = line;
                }
            });
        }
        Ok(Program { input: child.stdin.take(), child, lines, last_words, _readers: readers })
    }

    /// Writes one line.
    pub async fn send(&mut self, line: &str) -> Result<(), EngineGone> {
        tracing::trace!(line, "to the engine");
        let Some(input) = &mut self.input else { return Err(EngineGone::without_answer()) };
        match timeout(WRITE_PATIENCE, input.write_all(format!("{line}\n").as_bytes())).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(self.end().await),
            Err(_) => Err(EngineGone::Hung(format!("it does not read {:?}", quoted(line)))),
        }
    }

    /// The next line, however long it takes. Cancel-safe.
    pub async fn next_line(&mut self) -> Result<String, EngineGone> {
        match self.lines.recv().await {
            Some(line) if line.len() > LONGEST_LINE => {
                Err(EngineGone::Garbled(format!("a line without end: {:?}", quoted(&line))))
            }
            Some(line) => {
                tracing::trace!(line, "from the engine");
                Ok(line)
            }
            None => Err(self.end().await),
        }
    }

    /// How the program has ended.
    async fn end(&mut self) -> EngineGone {
        let how = match timeout(END_PATIENCE, self.child.wait()).await {
            Ok(Ok(status)) => status.to_string(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "its output is closed".to_string(),
        };
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        match words.as_str() {
            "" => EngineGone::Ended(how),
            words => EngineGone::Ended(format!("{how}, last words: {}", quoted(words))),
        }
    }

    /// Asks the program to end, and kills it if it does not.
    pub async fn quit(mut self) {
        // Whatever goes wrong here is settled by killing it.
        let _ = self.send("quit").await;
        self.input = None;
        self.lines.close();
        if timeout(QUIT_PATIENCE, self.child.wait()).await.is_err() {
            tracing::debug!("the engine does not quit and is killed");
            let _ = self.child.kill().await;
        }
    }
}

/// A path with a slash is ours to resolve, before the working directory of the program counts.
fn program_path(path: &str) -> io::Result<PathBuf> {
    let is_bare_name = Path::new(path).components().count() <= 1 && !path.contains('/');
    if is_bare_name { Ok(PathBuf::from(path)) } else { std::path::absolute(path) }
}

/// The lines of a stream of bytes, whatever these are.
struct Lines<R> {
    source: BufReader<R>,
    has_ended: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn of(source: R) -> Lines<R> {
        Lines { source: BufReader::new(source), has_ended: false }
    }

    /// The next line. One that is too long is handed over as far as it was read, and is the last.
    async fn next(&mut self) -> Option<String> {
        let mut line = Vec::new();
        let mut is_whole = false;
        while !self.has_ended && !is_whole {
            // A pipe that cannot be read is as good as one that has ended.
            let chunk = self.source.fill_buf().await.unwrap_or_default();
            let newline = chunk.iter().position(|byte| *byte == b'\n');
            let length = newline.map_or(chunk.len(), |at| at + 1);
            line.extend_from_slice(&chunk[..length]);
            is_whole = newline.is_some();
            self.has_ended = length == 0 || line.len() > LONGEST_LINE;
            self.source.consume(length);
        }
        let is_line = is_whole || !line.is_empty();
        is_line.then(|| String::from_utf8_lossy(&line).trim_end().to_string())
    }
}

/// A foreign line, cut for a message.
pub fn quoted(line: &str) -> String {
    line.chars().take(LONGEST_QUOTE).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(bytes: &[u8]) -> Vec<String> {
        let (mut source, mut lines) = (Lines::of(bytes), Vec::new());
        while let Some(line) = source.next().await {
            lines.push(line);
        }
        lines
    }

    #[tokio::test]
    async fn lines_are_cut_at_newlines_whatever_the_bytes() {
        for (bytes, expected) in [
            (&b""[..], &[][..]),
            (b"a\nb\r\n", &["a", "b"]),
            (b"a\n\nb", &["a", "", "b"]),
            (b"\xff\xfe\n", &["\u{fffd}\u{fffd}"]),
        ] {
            assert_eq!(lines(bytes).await, expected, "{bytes:?}");
        }
    }

    #[tokio::test]
    async fn a_line_without_end_is_the_last_and_does_not_grow() {
        let endless = vec![b'x'; 10 * LONGEST_LINE];
        let lines = lines(&endless).await;
        assert_eq!(lines.len(), 1);
        assert!(lines[0].len() > LONGEST_LINE && lines[0].len() < 2 * LONGEST_LINE, "{}", lines[0].len());
    }

    #[test]
    fn relative_paths_are_found_from_our_own_directory() {
        assert_eq!(program_path("stockfish").ok(), Some(PathBuf::from("stockfish")));
        assert_eq!(program_path("/usr/games/stockfish").ok(), Some(PathBuf::from("/usr/games/stockfish")));
        let here = std::env::current_dir().expect("a directory");
        assert_eq!(program_path("engines/a").ok(), Some(here.join("engines/a")));
        assert_eq!(program_path("./a").ok(), Some(here.join("a")));
    }
}
