//! What is wrong with a configuration, one line each, and never a token in it.

use std::fmt;

/// Everything that is wrong with a configuration, one line each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mistakes(Vec<String>);

impl Mistakes {
    pub fn add(&mut self, line: String) {
        self.0.push(line);
    }

    pub fn lines(&self) -> &[String] {
        &self.0
    }

    /// `value` if there are none.
    ///
    /// # Errors
    /// These mistakes, if there are some.
    pub fn or<T>(self, value: T) -> Result<T, Mistakes> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for Mistakes {}

/// Longest piece of the user's own text that a line repeats, in characters.
const LONGEST_QUOTE: usize = 80;

/// The user's own text for a line: quoted, cut, control characters escaped, a secret left out.
pub fn quoted(text: &str) -> String {
    if may_be_secret(text) { "a text that may be secret".to_string() } else { format!("\"{}\"", plain(text)) }
}

/// A name of the user's (a key, a file) for a line: cut, control characters escaped.
pub fn plain(text: &str) -> String {
    let escaped: String = text.chars().take(LONGEST_QUOTE).flat_map(escape).collect();
    let cut = if text.chars().nth(LONGEST_QUOTE).is_some() { "…" } else { "" };
    escaped + cut
}

fn escape(character: char) -> Vec<char> {
    match character.is_control() {
        true => character.escape_default().collect(),
        false => vec![character],
    }
}

/// Tokens end up in wrong places: in the variable next to theirs, in an address, between quotes.
/// Those of Lichess begin with `lip_`; older ones are sixteen and more letters and digits.
fn may_be_secret(text: &str) -> bool {
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let random = text.len() >= 16
        && text.chars().all(is_word)
        && text.contains(|character: char| character.is_ascii_digit())
        && text.contains(|character: char| character.is_ascii_alphabetic());
    let has_password = text.contains("://") && text.contains('@');
    text.contains("lip_") || random || has_password
}

/// How alike two words have to be for one to be offered for the other (0 to 1).
const ALIKE: f64 = 0.84;

/// The word that was probably meant, if one is near enough.
pub fn nearest<'w>(word: &str, words: &[&'w str]) -> Option<&'w str> {
    let word = word.to_lowercase();
    let likeness = |other: &str| strsim::jaro_winkler(&word, &other.to_lowercase());
    let best = words.iter().copied().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) >= ALIKE).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_one_line_cut_and_free_of_secrets() {
        let long = "é".repeat(81);
        let cases = [
            ("lots", "\"lots\"".to_string()),
            ("", "\"\"".to_string()),
            ("two\nlines\u{1b}[2J", "\"two\\nlines\\u{1b}[2J\"".to_string()),
            (&long, format!("\"{}…\"", "é".repeat(80))),
            ("lip_abc", "a text that may be secret".to_string()),
            ("Bearer lip_abc", "a text that may be secret".to_string()),
            ("a1B2c3D4e5F6g7H8", "a text that may be secret".to_string()),
            ("https://ada:pass@example.org", "a text that may be secret".to_string()),
            ("99999999999999999999", "\"99999999999999999999\"".to_string()),
            ("correspondence_games", "\"correspondence_games\"".to_string()),
        ];
        for (text, expected) in cases {
            assert_eq!(quoted(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_slip_of_the_pen_finds_its_word_and_a_stranger_does_not() {
        let words = ["hash_mb", "threads", "nodes", "depth"];
        let cases = [
            ("hashmb", Some("hash_mb")),
            ("THREADS", Some("threads")),
            ("node", Some("nodes")),
            ("dpeth", Some("depth")),
            ("foo", None),
            ("", None),
        ];
        for (word, expected) in cases {
            assert_eq!(nearest(word, &words), expected, "{word}");
        }
        assert_eq!(nearest("word", &[]), None);
    }
}
