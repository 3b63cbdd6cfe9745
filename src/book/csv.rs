//! An opening table in CSV: columns by name, rows one at a time, and why a row cannot be used.

use csv::{ByteRecord, Position, Reader, ReaderBuilder};
use std::io::Cursor;
use thiserror::Error;

/// Columns that may hold the moves, best first.
pub const MOVE_COLUMNS: [&str; 3] = ["moves", "pgn", "uci"];

/// Greatest weight of a row.
pub const MAX_WEIGHT: u32 = 1_000_000;

/// A row that could be read; its moves have yet to be played.
#[derive(Debug, PartialEq, Eq)]
pub struct Row<'a> {
    pub name: &'a str,
    pub moves: &'a str,
    /// 1 where the table has no weight.
    pub weight: u32,
}

/// Why a row was skipped.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct RowError {
    /// Counted from 1, the header is line 1.
    pub line: u64,
    /// Name of the column; the field's number where it has no name.
    pub column: String,
    pub reason: String,
}

/// Why a table has no columns to read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HeaderError {
    #[error("the file is empty")]
    Empty,
    #[error("no column is named moves, pgn or uci (found: {0})")]
    NoMoves(String),
}

/// Reads a whole table. `take` says whether the moves of a row can be used, in words if not;
/// `refuse` gets each row that cannot.
///
/// Fields are separated by commas, semicolons or tabs, whichever the header has most of.
pub fn read(
    bytes: &[u8],
    mut take: impl FnMut(&Row) -> Result<(), String>,
    mut refuse: impl FnMut(RowError),
) -> Result<(), HeaderError> {
    let mut table = Table::open(bytes)?;
    while table.advance() {
        let moves = table.columns.moves;
        let taken = table.row().and_then(|row| take(&row).map_err(|reason| table.error(moves, reason)));
        if let Err(error) = taken {
            refuse(error);
            table.resume_on_next_line();
        }
    }
    Ok(())
}

/// Where each column stands.
struct Columns {
    count: usize,
    names: Vec<String>,
    moves: usize,
    name: Option<usize>,
    eco: Option<usize>,
    weight: Option<usize>,
}

impl Columns {
    fn parse(header: &ByteRecord) -> Result<Columns, HeaderError> {
        let names: Vec<String> = header.iter().map(column_name).collect();
        let find = |wanted: &str| names.iter().position(|name| name == wanted);
        let moves = MOVE_COLUMNS.into_iter().find_map(find);
        let moves = moves.ok_or_else(|| HeaderError::NoMoves(shortened(&names.join(", "), 200)))?;
        let (name, eco, weight) = (find("name"), find("eco"), find("weight"));
        Ok(Columns { count: names.len(), moves, name, eco, weight, names })
    }

    fn name_of(&self, index: usize) -> String {
        self.names.get(index).cloned().unwrap_or_else(|| (index + 1).to_string())
    }
}

struct Table<'a> {
    bytes: &'a [u8],
    reader: Reader<Cursor<&'a [u8]>>,
    columns: Columns,
    record: ByteRecord,
    /// Where the record begins, in bytes; blank lines before it are skipped.
    start: usize,
    /// Number of the line on which it begins.
    line: u64,
}

impl<'a> Table<'a> {
    fn open(bytes: &'a [u8]) -> Result<Table<'a>, HeaderError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.trim_ascii().is_empty() {
            return Err(HeaderError::Empty);
        }
        let mut reader = ReaderBuilder::new()
            .flexible(true)
            .delimiter(delimiter(bytes.trim_ascii_start()))
            .from_reader(Cursor::new(bytes));
        let header = reader.byte_headers().cloned().unwrap_or_default();
        let columns = Columns::parse(&header)?;
        Ok(Table { bytes, reader, columns, record: ByteRecord::new(), start: 0, line: 1 })
    }

    /// Reads the next record; false at the end. Bytes in memory cannot fail to be read.
    fn advance(&mut self) -> bool {
        let from = self.position();
        if !self.reader.read_byte_record(&mut self.record).unwrap_or(false) {
            return false;
        }
        let is_blank = |byte: &&u8| matches!(byte, b'\r' | b'\n');
        let start = from + self.bytes[from..].iter().take_while(is_blank).count();
        let passed = &self.bytes[self.start..start];
        self.line += passed.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.start = start;
        true
    }

    fn position(&self) -> usize {
        self.reader.position().byte() as usize
    }

    fn row(&self) -> Result<Row<'_>, RowError> {
        let columns = &self.columns;
        let (found, count) = (self.record.len(), columns.count);
        if found != count {
            let reason = format!("the row has {found} fields, the header has {count}");
            return Err(self.error(found.min(count), reason));
        }
        let eco = columns.eco.map_or(Ok(""), |column| self.line_of_text(column))?;
        let name = columns.name.map_or(Ok(""), |column| self.line_of_text(column))?;
        let weight = columns.weight.map_or(Ok(1), |column| self.weight(column))?;
        let moves = self.text(columns.moves)?;
        Ok(Row { name: if name.is_empty() { eco } else { name }, moves, weight })
    }

    fn text(&self, column: usize) -> Result<&str, RowError> {
        let text = std::str::from_utf8(&self.record[column]);
        text.map(str::trim).map_err(|_| self.error(column, "the text is not UTF-8".to_string()))
    }

    /// A quote that is never closed takes in the lines below it: it shows by the line break.
    fn line_of_text(&self, column: usize) -> Result<&str, RowError> {
        let text = self.text(column)?;
        match text.contains(['\r', '\n']) {
            true => Err(self.error(column, "a line break inside; is a quote not closed?".to_string())),
            false => Ok(text),
        }
    }

    fn weight(&self, column: usize) -> Result<u32, RowError> {
        let text = self.text(column)?;
        if text.is_empty() {
            return Ok(1);
        }
        let weight = text.parse().ok().filter(|weight| *weight <= MAX_WEIGHT);
        weight.ok_or_else(|| {
            let short = shortened(text, 20);
            self.error(column, format!("{short:?} is not a whole number from 0 to {MAX_WEIGHT}"))
        })
    }

    fn error(&self, column: usize, reason: String) -> RowError {
        RowError { line: self.line, column: self.columns.name_of(column), reason }
    }

    /// After a broken row that reached over several lines: only its first line is lost.
    fn resume_on_next_line(&mut self) {
        let first_line = self.bytes[self.start..].iter().position(|byte| *byte == b'\n');
        let next = self.start + first_line.map_or(self.bytes.len() - self.start, |at| at + 1);
        if next < self.position() {
            let mut position = Position::new();
            position.set_byte(next as u64);
            self.reader.seek(position).expect("bytes in memory can be read anywhere");
        }
    }
}

/// In lower case and fit to be shown.
fn column_name(field: &[u8]) -> String {
    let name = String::from_utf8_lossy(field).trim().to_lowercase();
    shortened(&name.replace(char::is_control, ""), 40)
}

fn shortened(text: &str, length: usize) -> String {
    text.chars().take(length).collect()
}

fn delimiter(bytes: &[u8]) -> u8 {
    let header = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |delimiter: u8| header.iter().filter(|byte| **byte == delimiter).count();
    // The last of equals wins: a comma.
    [b'\t', b';', b','].into_iter().max_by_key(|delimiter| count(*delimiter)).unwrap_or(b',')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows as `name|moves|weight`, and errors; moves with a `!` in them are refused.
    fn table(bytes: &[u8]) -> Result<(Vec<String>, Vec<String>), HeaderError> {
        let (mut rows, mut errors) = (Vec::new(), Vec::new());
        let take = |row: &Row| {
            if row.moves.contains('!') {
                return Err("no shouting".to_string());
            }
            rows.push(format!("{}|{}|{}", row.name, row.moves, row.weight));
            Ok(())
        };
        read(bytes, take, |error| errors.push(error.to_string()))?;
        Ok((rows, errors))
    }

    #[test]
    fn tables_of_every_make_are_read() {
        let cases: [(&[u8], &[&str]); 16] = [
            (b"eco,name,moves\nB20,Sicilian,1. e4 c5\n", &["Sicilian|1. e4 c5|1"]),
            (b"moves\n1. e4 c5", &["|1. e4 c5|1"]),
            (b"PGN , Name\ne4,King's Pawn\n", &["King's Pawn|e4|1"]),
            (b"uci,eco\ne2e4,B00\n", &["B00|e2e4|1"]),
            (b"uci,eco,name\ne2e4,B00,\n", &["B00|e2e4|1"]),
            (b"uci,pgn,moves\ne2e4,1. e4,e4\n", &["|e4|1"]),
            (b"uci,pgn\ne2e4,1. e4\n", &["|1. e4|1"]),
            (b"\xef\xbb\xbfmoves,weight\r\ne4,20\r\nd4,\r\n", &["|e4|20", "|d4|1"]),
            (b"name,moves\n\"Sicilian, Open\",e4\n", &["Sicilian, Open|e4|1"]),
            (b"name,moves\n\"The \"\"Fred\"\"\",e4\n", &["The \"Fred\"|e4|1"]),
            (b"name;moves\nSicilian, Open;e4\n", &["Sicilian, Open|e4|1"]),
            (b"name\tmoves\nSicilian; Open, Najdorf\te4\n", &["Sicilian; Open, Najdorf|e4|1"]),
            (b"name,moves\n\n\na,\"1. e4\nc5\"\n\nb,d4\n\n", &["a|1. e4\nc5|1", "b|d4|1"]),
            (b"moves,weight\ne4,0\nd4,1000000\nc4, 7 \n", &["|e4|0", "|d4|1000000", "|c4|7"]),
            (b"notes,moves\nwhatever is here,e4\n", &["|e4|1"]),
            ("name,moves\nGrünfeld,e4\n".as_bytes(), &["Grünfeld|e4|1"]),
        ];
        for (bytes, expected) in cases {
            let (rows, errors) = table(bytes).expect("a header");
            assert_eq!((rows, errors), (strings(expected), vec![]), "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    fn strings(list: &[&str]) -> Vec<String> {
        list.iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn a_broken_row_is_told_by_line_column_and_reason_and_costs_no_other() {
        let cases: [(&[u8], &str); 14] = [
            (b"x,bad!,1", "line 3, column pgn: no shouting"),
            (b"x,bad", "line 3, column weight: the row has 2 fields, the header has 3"),
            (b"x,bad,1,", "line 3, column 4: the row has 4 fields, the header has 3"),
            (b"bad", "line 3, column pgn: the row has 1 fields, the header has 3"),
            (b"x,bad,-1", "line 3, column weight: \"-1\" is not a whole number from 0 to 1000000"),
            (b"x,bad,1.5", "line 3, column weight: \"1.5\" is not a whole number from 0 to 1000000"),
            (b"x,bad,1000001", "line 3, column weight: \"1000001\" is not a whole number from 0 to 1000000"),
            (
                b"x,bad,\x1b[31m",
                "line 3, column weight: \"\\u{1b}[31m\" is not a whole number from 0 to 1000000",
            ),
            (b"x,b\xffd,1", "line 3, column pgn: the text is not UTF-8"),
            (b"\xc3\x28,bad,1", "line 3, column name: the text is not UTF-8"),
            (b"\"x,bad,1", "line 3, column pgn: the row has 1 fields, the header has 3"),
            (b"x,\"bad!,1", "line 3, column weight: the row has 2 fields, the header has 3"),
            (b"x\"y\",bad,1,,", "line 3, column 4: the row has 5 fields, the header has 3"),
            (
                b"x,bad,\"1",
                "line 3, column weight: \"1\\nlast,d4,2\" is not a whole number from 0 to 1000000",
            ),
        ];
        for (broken, expected) in cases {
            let bytes = [b"name,pgn,weight\nfirst,e4,1\n", broken, b"\nlast,d4,2\n"].concat();
            let (rows, errors) = table(&bytes).expect("a header");
            assert_eq!(errors, [expected], "{:?}", String::from_utf8_lossy(broken));
            assert_eq!(rows, ["first|e4|1", "last|d4|2"], "{:?}", String::from_utf8_lossy(broken));
        }
    }

    #[test]
    fn a_quote_that_the_next_row_happens_to_close_costs_one_row() {
        let (rows, errors) = table(b"name,pgn\n\"a,e4\n\"b\",d4\n\nc,c4\n\"d,e4\n").expect("a header");
        assert_eq!(rows, ["b|d4|1", "c|c4|1"]);
        let quote = "column name: a line break inside; is a quote not closed?";
        let fields = "column pgn: the row has 1 fields, the header has 2";
        assert_eq!(errors, [format!("line 2, {quote}"), format!("line 6, {fields}")]);
    }

    #[test]
    fn lines_are_counted_over_blank_lines_and_rows_of_several_lines() {
        let bytes = b"\r\n\r\nname,moves\r\n\r\na,\"e4\r\nc5\"\r\n\r\nb,bad!\r\nc,d4\r\nd,bad!";
        let (rows, errors) = table(bytes).expect("a header");
        assert_eq!(rows, ["a|e4\r\nc5|1", "c|d4|1"]);
        let expected = ["line 8, column moves: no shouting", "line 10, column moves: no shouting"];
        assert_eq!(errors, expected);
    }

    #[test]
    fn a_table_without_moves_says_what_it_has() {
        let empty = Err(HeaderError::Empty);
        assert_eq!(table(b""), empty);
        assert_eq!(table(b"\xef\xbb\xbf\r\n \n"), empty);
        let found = |text: &str| Err(HeaderError::NoMoves(text.to_string()));
        assert_eq!(table(b"eco,name,epd\nB00,x,y\n"), found("eco, name, epd"));
        assert_eq!(table(b"1. e4 c5\n"), found("1. e4 c5"));
        assert_eq!(table(b"\0\x1bx\n"), found("x"));
    }
}
