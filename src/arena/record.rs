//! The file of a match: its terms, then a line for each pair, so that it can go on where it was stopped.
//!
//! A line is written when a pair is over, as a whole and through to the disk. A last line that was cut
//! short is dropped when the file is opened again, and its pair is played again.

use super::standings::PairResult;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use thiserror::Error;

/// Why a match cannot be kept or continued.
#[derive(Debug, Error)]
pub enum RecordError {
    #[error("{path}: {reason}")]
    Io { path: String, reason: io::Error },
    #[error("{path}, line {line}: not the file of a match: {reason}")]
    Malformed { path: String, line: usize, reason: String },
    #[error("{path} is of another match: its {key} is {there}, here it is {here}")]
    OtherMatch { path: String, key: String, there: Value, here: Value },
}

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    /// Length of the PGN file before the match.
    pgn_bytes: Option<u64>,
    terms: Value,
}

/// How the first line begins, whatever the match.
const HEADER_BEGIN: &str = "{\"pgn_bytes\":";

/// Each line after the first.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    /// Length of the PGN file with the games of this pair.
    pgn_bytes: Option<u64>,
    #[serde(flatten)]
    result: PairResult,
}

/// The file of a match, and its PGN file if there is one.
pub struct Record {
    path: String,
    file: Option<File>,
    pgn: Option<Pgn>,
}

struct Pgn {
    path: String,
    file: File,
    length: u64,
}

impl Record {
    /// Opens or begins both files; what had been played is handed back.
    ///
    /// `terms` are what must be the same for the match to be the same.
    pub fn open(
        path: Option<&Path>,
        pgn: Option<&Path>,
        terms: &Value,
    ) -> Result<(Record, Vec<PairResult>), RecordError> {
        let name = path.map(|path| path.display().to_string()).unwrap_or_default();
        let pgn = pgn.map(Pgn::open).transpose()?;
        let mut record = Record { path: name, file: None, pgn };
        let (mut known_pgn, mut played) = (None, Vec::new());
        if let Some(path) = path {
            let mut file = open(path, &record.path)?;
            let (header, entries) = record.read(&mut file, terms)?;
            known_pgn = entries.last().map_or(header.pgn_bytes, |entry| entry.pgn_bytes);
            played = entries.into_iter().map(|entry| entry.result).collect();
            record.file = Some(file);
        }
        if let Some(pgn) = &mut record.pgn {
            // Games beyond what is known were written just before the end; they are played again.
            pgn.cut(known_pgn)?;
        }
        Ok((record, played))
    }

    fn read(&self, file: &mut File, terms: &Value) -> Result<(Header, Vec<Entry>), RecordError> {
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|reason| self.io(reason))?;
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        let mut lines = text[..whole].lines().enumerate();
        let malformed = |line: usize, reason: String| RecordError::Malformed {
            path: self.path.clone(),
            line: line + 1,
            reason,
        };
        let Some((_, first)) = lines.next() else {
            if !HEADER_BEGIN.starts_with(&text) && !text.starts_with(HEADER_BEGIN) {
                return Err(malformed(0, "its first line tells of no match".to_string()));
            }
            let pgn_bytes = self.pgn.as_ref().map(|pgn| pgn.length);
            let header = Header { pgn_bytes, terms: terms.clone() };
            let line = serde_json::to_string(&header).expect("plain data becomes JSON");
            self.restart(file, 0, &format!("{line}\n")).map_err(|reason| self.io(reason))?;
            return Ok((header, Vec::new()));
        };
        let header: Header = serde_json::from_str(first).map_err(|error| malformed(0, error.to_string()))?;
        self.compare(&header.terms, terms)?;
        let entries = lines
            .map(|(line, text)| {
                serde_json::from_str(text).map_err(|error| malformed(line, error.to_string()))
            })
            .collect::<Result<_, _>>()?;
        self.restart(file, whole as u64, "").map_err(|reason| self.io(reason))?;
        Ok((header, entries))
    }

    /// Cuts the file and goes on from there.
    fn restart(&self, file: &mut File, length: u64, text: &str) -> io::Result<()> {
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        file.write_all(text.as_bytes())?;
        file.sync_data()
    }

    fn compare(&self, there: &Value, here: &Value) -> Result<(), RecordError> {
        let keys = here.as_object().into_iter().flatten().map(|(key, _)| key);
        match keys.into_iter().find(|key| there[key.as_str()] != here[key.as_str()]) {
            None => Ok(()),
            Some(key) => Err(RecordError::OtherMatch {
                path: self.path.clone(),
                key: key.clone(),
                there: there[key.as_str()].clone(),
                here: here[key.as_str()].clone(),
            }),
        }
    }

    /// Keeps a pair: its games first, then the line that says they are there.
    pub fn add(&mut self, result: &PairResult, games: &str) -> Result<(), RecordError> {
        if let Some(pgn) = &mut self.pgn {
            pgn.add(games)?;
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        let pgn_bytes = self.pgn.as_ref().map(|pgn| pgn.length);
        let entry = Entry { pgn_bytes, result: result.clone() };
        let line = serde_json::to_string(&entry).expect("plain data becomes JSON");
        let written = file.write_all(format!("{line}\n").as_bytes()).and_then(|()| file.sync_data());
        written.map_err(|reason| self.io(reason))
    }

    fn io(&self, reason: io::Error) -> RecordError {
        RecordError::Io { path: self.path.clone(), reason }
    }
}

impl Pgn {
    fn open(path: &Path) -> Result<Pgn, RecordError> {
        let name = path.display().to_string();
        let file = open(path, &name)?;
        let length = file.metadata().map_err(|reason| RecordError::Io { path: name.clone(), reason })?.len();
        Ok(Pgn { path: name, file, length })
    }

    /// Goes on from its end, or from there if that is known and before it.
    fn cut(&mut self, known: Option<u64>) -> Result<(), RecordError> {
        self.length = known.unwrap_or(self.length).min(self.length);
        let cut = self.file.set_len(self.length).and_then(|()| self.file.seek(SeekFrom::Start(self.length)));
        cut.map(drop).map_err(|reason| self.io(reason))
    }

    fn add(&mut self, games: &str) -> Result<(), RecordError> {
        let written = self.file.write_all(games.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|reason| self.io(reason))?;
        self.length += games.len() as u64;
        Ok(())
    }

    fn io(&self, reason: io::Error) -> RecordError {
        RecordError::Io { path: self.path.clone(), reason }
    }
}

fn open(path: &Path, name: &str) -> Result<File, RecordError> {
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).open(path);
    file.map_err(|reason| RecordError::Io { path: name.to_string(), reason })
}

#[cfg(test)]
mod tests {
    use super::super::game::Ending;
    use super::super::standings::GameResult;
    use super::*;
    use serde_json::json;
    use std::fs;

    fn pair(number: usize) -> PairResult {
        let game = |half_points| GameResult {
            half_points,
            ending: Ending::Checkmate,
            reason: "White mates".to_string(),
            plies: 60 + number,
        };
        PairResult { pair: number, opponent: 1, games: [game(2), game(0)] }
    }

    #[test]
    fn a_match_goes_on_from_any_byte_at_which_it_was_killed() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let (path, pgn) = (folder.path().join("match"), folder.path().join("games.pgn"));
        let terms = json!({"players": ["a", "b"], "seed": 1});
        fs::write(&pgn, "an older game\n").expect("a file");
        let (mut record, played) = Record::open(Some(&path), Some(&pgn), &terms).expect("a new file");
        assert!(played.is_empty());
        let games = ["first games\n", "second games\n", "third games\n"];
        let mut lengths = Vec::new();
        for (number, text) in games.iter().enumerate() {
            record.add(&pair(number), text).expect("room on the disk");
            lengths.push(fs::metadata(&path).expect("a file").len());
        }
        drop(record);
        let (whole, whole_pgn) = (fs::read(&path).expect("a file"), fs::read(&pgn).expect("a file"));
        assert_eq!(String::from_utf8_lossy(&whole_pgn), format!("an older game\n{}", games.concat()));
        let header = whole.iter().position(|byte| *byte == b'\n').expect("a first line") + 1;
        for length in header..=whole.len() {
            fs::write(&path, &whole[..length]).expect("a file");
            fs::write(&pgn, &whole_pgn).expect("a file");
            let (mut record, played) = Record::open(Some(&path), Some(&pgn), &terms).expect("continued");
            let known = lengths.iter().filter(|line| **line <= length as u64).count();
            assert_eq!(played, (0..known).map(pair).collect::<Vec<_>>(), "cut at byte {length}");
            for (number, text) in games.iter().enumerate().skip(known) {
                record.add(&pair(number), text).expect("room on the disk");
            }
            assert_eq!(fs::read(&path).expect("a file"), whole, "cut at byte {length}");
            assert_eq!(fs::read(&pgn).expect("a file"), whole_pgn, "cut at byte {length}");
        }
        for length in 0..header {
            fs::write(&path, &whole[..length]).expect("a file");
            let (_, played) = Record::open(Some(&path), None, &terms).expect("begun again");
            assert_eq!(played, [], "cut at byte {length}");
        }
    }

    #[test]
    fn another_match_or_another_file_is_not_written_over() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("match");
        let name = path.display();
        let terms = json!({"players": ["a", "b"], "seed": 1});
        drop(Record::open(Some(&path), None, &terms).expect("a new file"));
        let other = json!({"players": ["a", "b"], "seed": 2});
        let error = Record::open(Some(&path), None, &other).err().expect("another match").to_string();
        assert_eq!(error, format!("{name} is of another match: its seed is 1, here it is 2"));
        let header = fs::read_to_string(&path).expect("a file");
        let broken = [
            "hello\n".to_string(),
            "dear diary".to_string(),
            "{\"seed\":1}\n".to_string(),
            format!("{header}x\n"),
        ];
        for text in broken {
            fs::write(&path, &text).expect("a file");
            assert!(Record::open(Some(&path), None, &terms).is_err(), "{text:?}");
            assert_eq!(fs::read_to_string(&path).expect("a file"), text);
        }
        assert!(Record::open(Some(folder.path()), None, &terms).is_err(), "a folder");
    }
}
