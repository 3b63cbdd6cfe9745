//! Bytes to lines to typed events. Silence is an error: the server sends a bare newline every 7 s.

use super::error::Error;
use std::marker::PhantomData;
use std::time::Duration;
use tokio::time::timeout;

/// Two and a half keep-alives without a byte: the stream is dead, even if TCP has not noticed.
pub const SILENCE: Duration = Duration::from_millis(17_500);
/// No line of the server is anywhere near this long (bytes).
const LONGEST_LINE: usize = 4 << 20;

/// A line of a stream that can be read as `Self`.
pub trait Line: Sized {
    /// # Errors
    /// What is wrong with the line; it is skipped then.
    fn read(line: &[u8]) -> Result<Self, String>;
}

/// An open stream of events of one route.
pub struct EventStream<T> {
    response: reqwest::Response,
    lines: Lines,
    silence: Duration,
    events: PhantomData<fn() -> T>,
}

impl<T: Line> EventStream<T> {
    pub(super) fn new(response: reqwest::Response, silence: Duration) -> EventStream<T> {
        EventStream { response, lines: Lines::default(), silence, events: PhantomData }
    }

    /// The next event; `None` when the server has ended the stream properly. A line that cannot be
    /// read is skipped with a warning. Cancel-safe.
    ///
    /// # Errors
    /// `Offline` when the connection broke or fell silent.
    pub async fn next(&mut self) -> Result<Option<T>, Error> {
        loop {
            while let Some(line) = self.lines.next() {
                match T::read(&line) {
                    Ok(event) => return Ok(Some(event)),
                    Err(reason) => tracing::warn!(%reason, "a line of the stream is skipped"),
                }
            }
            let chunk = timeout(self.silence, self.response.chunk()).await.map_err(|_| {
                Error::Offline(format!("the stream was silent for {:.1} s", self.silence.as_secs_f64()))
            })?;
            match chunk? {
                Some(bytes) => self.lines.push(&bytes)?,
                None => return Ok(None),
            }
        }
    }
}

/// Cuts bytes into lines, whatever the chunks they come in. Blank lines are keep-alives and left out.
#[derive(Default)]
struct Lines {
    buffer: Vec<u8>,
    /// Bytes of `buffer` that were given out already.
    taken: usize,
    /// Bytes of `buffer` that hold no newline that was not given out.
    searched: usize,
}

impl Lines {
    fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.buffer.drain(..self.taken);
        self.searched -= self.taken;
        self.taken = 0;
        self.buffer.extend_from_slice(bytes);
        match self.buffer.len() > LONGEST_LINE {
            true => Err(Error::Offline("the stream sent a line without end".to_string())),
            false => Ok(()),
        }
    }

    fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let rest = &self.buffer[self.searched..];
            let Some(length) = rest.iter().position(|&byte| byte == b'\n') else {
                self.searched = self.buffer.len();
                return None;
            };
            let end = self.searched + length;
            let line = self.buffer[self.taken..end].trim_ascii();
            let line = (!line.is_empty()).then(|| line.to_vec());
            self.taken = end + 1;
            self.searched = end + 1;
            if line.is_some() {
                return line;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_in(chunks: &[&[u8]]) -> Vec<String> {
        let mut lines = Lines::default();
        let mut out = Vec::new();
        for chunk in chunks {
            lines.push(chunk).expect("short lines");
            while let Some(line) = lines.next() {
                out.push(String::from_utf8(line).expect("whole characters"));
            }
        }
        out
    }

    #[test]
    fn lines_do_not_depend_on_chunks_or_on_characters() {
        let text = "{\"a\":1}\n\n\r\n{\"icon\":\"\u{e01d}\",\"name\":\"Zoë\"}\n{\"b\":2}\nhalf a line";
        let whole = lines_in(&[text.as_bytes()]);
        assert_eq!(whole, ["{\"a\":1}", "{\"icon\":\"\u{e01d}\",\"name\":\"Zoë\"}", "{\"b\":2}"]);
        for size in 1..text.len() {
            let chunks: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            assert_eq!(lines_in(&chunks), whole, "chunks of {size} bytes");
        }
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut lines = Lines::default();
        let chunk = vec![b'x'; LONGEST_LINE / 2 + 1];
        lines.push(&chunk).expect("half of it is fine");
        assert!(lines.next().is_none());
        assert!(lines.push(&chunk).is_err());
    }
}
