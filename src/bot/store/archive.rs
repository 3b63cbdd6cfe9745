//! The tables of the state file, and the few things that are asked of them.

use crate::bot::pauses::About;
use crate::bot::record::FinishedGame;
use crate::lichess::GameId;
use jiff::Timestamp;
use rusqlite::types::FromSqlError;
use rusqlite::{Connection, OpenFlags, Row, named_params, params};
use std::path::Path;
use std::time::Duration;
use std::vec;
use thiserror::Error;

/// Why the state file did not do what was asked of it.
#[derive(Debug, Error)]
pub enum StoreError {
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    #[error("its directory cannot be made: {0}")]
    Directory(std::io::Error),
    #[error("it was written by a later version of Tabiya (format {0})")]
    Newer(i64),
}

/// Another program may look into the file, for moments.
const PATIENCE: Duration = Duration::from_secs(2);

/// The format of the tables; a change that an older program cannot read raises it.
const FORMAT: i64 = 1;

/// From any older format to this one, as a whole or not at all.
const UPGRADE: &str = "
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS game (
        id TEXT PRIMARY KEY,
        ended_at INTEGER NOT NULL,
        white TEXT NOT NULL,
        black TEXT NOT NULL,
        we_were_white INTEGER NOT NULL,
        opponent TEXT NOT NULL,
        opponent_is_bot INTEGER NOT NULL,
        variant TEXT NOT NULL,
        speed TEXT NOT NULL,
        rated INTEGER NOT NULL,
        status TEXT NOT NULL,
        result TEXT NOT NULL,
        plies INTEGER NOT NULL,
        pgn TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS game_by_end ON game (ended_at);
    CREATE TABLE IF NOT EXISTS pause (about TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT;
    PRAGMA user_version = 1;
    COMMIT;
";

/// A finished game in the state file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptGame {
    pub ended_at: Timestamp,
    pub game: FinishedGame,
}

impl KeptGame {
    fn read(row: &Row<'_>) -> rusqlite::Result<KeptGame> {
        let game = FinishedGame {
            id: id(&row.get::<_, String>("id")?)?,
            white: row.get("white")?,
            black: row.get("black")?,
            we_were_white: row.get("we_were_white")?,
            // Empty for somebody without a name.
            opponent: row.get::<_, String>("opponent")?.parse().ok(),
            opponent_is_bot: row.get("opponent_is_bot")?,
            variant: row.get("variant")?,
            speed: row.get("speed")?,
            rated: row.get("rated")?,
            status: row.get("status")?,
            result: row.get("result")?,
            plies: usize::try_from(row.get::<_, i64>("plies")?).unwrap_or_default(),
            pgn: row.get("pgn")?,
        };
        Ok(KeptGame { ended_at: moment(row.get("ended_at")?), game })
    }
}

fn id(text: &str) -> rusqlite::Result<GameId> {
    text.parse().map_err(|error: String| FromSqlError::Other(error.into()).into())
}

fn moment(unix_seconds: i64) -> Timestamp {
    Timestamp::from_second(unix_seconds).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Which games are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Against this opponent, in any case of letters.
    pub opponent: Option<String>,
    /// That ended at this moment or later.
    pub since: Option<Timestamp>,
    /// That ended before this moment.
    pub until: Option<Timestamp>,
}

/// An open state file.
pub struct Archive {
    connection: Connection,
}

impl Archive {
    /// Opens the file to write, and makes it if there is none. Nothing is written to one that has our
    /// format: what it holds can be read even if it turns out that it cannot be written.
    ///
    /// # Errors
    /// The file cannot be made, is none of ours, or has to be upgraded and cannot be written.
    pub fn open(file: &Path) -> Result<Archive, StoreError> {
        if let Some(directory) = file.parent() {
            std::fs::create_dir_all(directory).map_err(StoreError::Directory)?;
        }
        let archive = Archive { connection: Connection::open(file)? };
        archive.connection.busy_timeout(PATIENCE)?;
        if archive.check_format()? < FORMAT {
            archive.connection.execute_batch(UPGRADE)?;
        }
        Ok(archive)
    }

    /// Opens an existing file to read.
    ///
    /// # Errors
    /// There is no such file, or it is none of ours.
    pub fn open_to_read(file: &Path) -> Result<Archive, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let archive = Archive { connection: Connection::open_with_flags(file, flags)? };
        archive.connection.busy_timeout(PATIENCE)?;
        archive.check_format()?;
        Ok(archive)
    }

    /// As if the disk were full once the file has so many pages of 4096 bytes.
    #[cfg(test)]
    pub fn limit_pages(&self, pages: u32) {
        let limit = |row: &Row<'_>| row.get::<_, u32>(0);
        let sql = format!("PRAGMA max_page_count = {pages}");
        let limited = self.connection.query_row(&sql, [], limit).expect("a number of pages");
        assert_eq!(limited, pages, "the file is smaller");
    }

    /// The file's format, 0 for an empty one; that of a later version is refused.
    fn check_format(&self) -> Result<i64, StoreError> {
        let format: i64 = self.connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if format > FORMAT { Err(StoreError::Newer(format)) } else { Ok(format) }
    }

    /// Whether something could be written now; nothing is.
    ///
    /// # Errors
    /// Why not.
    pub fn try_to_write(&self) -> Result<(), StoreError> {
        // A page that changes makes the journal beside the file, which needs room and rights as well.
        let write = format!("BEGIN IMMEDIATE; PRAGMA user_version = {FORMAT}; ROLLBACK;");
        Ok(self.connection.execute_batch(&write)?)
    }

    /// Games kept.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn count(&self) -> Result<i64, StoreError> {
        Ok(self.connection.query_row("SELECT count(*) FROM game", [], |row| row.get(0))?)
    }

    /// Keeps a game; one that is kept already is replaced.
    ///
    /// # Errors
    /// The disk is full, the file is locked or read-only, …
    pub fn keep(&self, kept: &KeptGame) -> Result<(), StoreError> {
        let sql =
            "INSERT OR REPLACE INTO game VALUES (:id, :ended_at, :white, :black, :we_were_white, :opponent,
             :opponent_is_bot, :variant, :speed, :rated, :status, :result, :plies, :pgn)";
        let game = &kept.game;
        let row = named_params! {
            ":id": game.id.as_str(),
            ":ended_at": kept.ended_at.as_second(),
            ":white": game.white,
            ":black": game.black,
            ":we_were_white": game.we_were_white,
            ":opponent": game.opponent.as_ref().map_or("", |user| user.as_str()),
            ":opponent_is_bot": game.opponent_is_bot,
            ":variant": game.variant,
            ":speed": game.speed,
            ":rated": game.rated,
            ":status": game.status,
            ":result": game.result,
            ":plies": i64::try_from(game.plies).unwrap_or(i64::MAX),
            ":pgn": game.pgn,
        };
        self.connection.execute(sql, row)?;
        Ok(())
    }

    /// Remembers a pause, and forgets those that are over.
    ///
    /// # Errors
    /// As for [`Archive::keep`].
    pub fn pause(&self, about: &About, until: Timestamp) -> Result<(), StoreError> {
        let now = Timestamp::now().as_second();
        self.connection.execute("DELETE FROM pause WHERE until <= ?1", [now])?;
        let row = params![about.to_string(), until.as_second()];
        self.connection.execute("INSERT OR REPLACE INTO pause VALUES (?1, ?2)", row)?;
        Ok(())
    }

    /// The pauses that hold at `now`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn pauses(&self, now: Timestamp) -> Result<Vec<(About, Timestamp)>, StoreError> {
        let mut statement = self.connection.prepare("SELECT about, until FROM pause WHERE until > ?1")?;
        let rows =
            statement.query_map([now.as_second()], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
        let mut pauses = Vec::new();
        for row in rows {
            let (about, until) = row?;
            // What another version wrote there is not for us.
            pauses.extend(about.parse().ok().map(|about| (about, moment(until))));
        }
        Ok(pauses)
    }

    /// The games that are wanted, the oldest first.
    pub fn games<'a>(&'a self, wanted: &'a Wanted) -> Games<'a> {
        let since = wanted.since.map_or(i64::MIN, Timestamp::as_second);
        Games {
            archive: self,
            wanted,
            page: Vec::new().into_iter(),
            last: (since, String::new()),
            is_last_page: false,
        }
    }

    /// The first of the wanted games after the one of this second and id.
    fn page(&self, wanted: &Wanted, (second, id): &(i64, String)) -> Result<Vec<KeptGame>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT * FROM game WHERE ended_at >= :second AND (ended_at > :second OR id > :id)
             AND ended_at < :until AND (:opponent IS NULL OR opponent = :opponent)
             ORDER BY ended_at, id LIMIT :most",
        )?;
        let opponent = wanted.opponent.as_ref().map(|name| name.to_ascii_lowercase());
        let until = wanted.until.map_or(i64::MAX, Timestamp::as_second);
        let parameters = named_params! {
            ":second": second, ":id": id, ":until": until, ":opponent": opponent, ":most": PAGE
        };
        let games = statement.query_map(parameters, KeptGame::read)?;
        Ok(games.collect::<rusqlite::Result<_>>()?)
    }
}

/// Games read at a time.
const PAGE: u16 = 100;

/// Games of the state file, one after the other. They are read in pages, so that neither all of them
/// are in memory at once nor the file stays locked for the bot while somebody looks at the first.
pub struct Games<'a> {
    archive: &'a Archive,
    wanted: &'a Wanted,
    page: vec::IntoIter<KeptGame>,
    /// End, in seconds, and id of the last game that was handed out.
    last: (i64, String),
    is_last_page: bool,
}

impl Iterator for Games<'_> {
    type Item = Result<KeptGame, StoreError>;

    fn next(&mut self) -> Option<Result<KeptGame, StoreError>> {
        if self.page.len() == 0 && !self.is_last_page {
            let page = self.archive.page(self.wanted, &self.last);
            self.is_last_page = page.as_ref().map_or(true, |page| page.len() < usize::from(PAGE));
            match page {
                Ok(page) => self.page = page.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
        let kept = self.page.next()?;
        self.last = (kept.ended_at.as_second(), kept.game.id.to_string());
        Some(Ok(kept))
    }
}
