//! Text files that commands read.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// Opens a file of text, or a pipe.
///
/// # Errors
/// It cannot be read, or it is packed: then the error says what to write instead.
pub fn open(path: &Path) -> io::Result<BufReader<File>> {
    let mut input = BufReader::new(File::open(path)?);
    let unpacker = match input.fill_buf()? {
        [0x1f, 0x8b, ..] => "zcat",
        [b'P', b'K', 3, 4, ..] => "unzip -p",
        _ => return Ok(input),
    };
    let advice = format!("it is packed, give <({unpacker} {}) instead", path.display());
    Err(io::Error::new(io::ErrorKind::InvalidData, advice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn packed_files_are_refused_and_others_lose_nothing() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("file");
        for (bytes, unpacker) in [(b"\x1f\x8b\x08rest".as_slice(), "zcat"), (b"PK\x03\x04rest", "unzip -p")] {
            std::fs::write(&path, bytes).expect("a file");
            let error = open(&path).expect_err(unpacker).to_string();
            assert_eq!(error, format!("it is packed, give <({unpacker} {}) instead", path.display()));
        }
        for bytes in [b"".as_slice(), b"P", b"PuzzleId,FEN\n"] {
            std::fs::write(&path, bytes).expect("a file");
            let mut read = Vec::new();
            open(&path).expect("text").read_to_end(&mut read).expect("all of it");
            assert_eq!(read, bytes);
        }
    }
}
