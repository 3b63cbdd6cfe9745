//! How much of what was asked was solved, as bars in the terminal and as JSON.

use serde_json::json;
use std::fmt::Write;

/// Solved of how many, or points of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub solved: u64,
    pub of: u64,
}

impl Share {
    /// One more, solved or not.
    pub fn add(&mut self, is_solved: bool) {
        self.add_points(u64::from(is_solved), 1);
    }

    pub fn add_points(&mut self, points: u64, most: u64) {
        self.solved += points;
        self.of += most;
    }

    pub fn percent(self) -> f64 {
        100.0 * self.solved as f64 / self.of.max(1) as f64
    }

    pub fn json(self) -> serde_json::Value {
        json!({ "solved": self.solved, "of": self.of })
    }
}

/// Characters of a bar for all of it.
const WIDTH: usize = 40;
/// Least width of the names before the bars.
const NAME: usize = 22;

/// Adds a title and a bar for each share.
pub fn section(text: &mut String, title: &str, shares: &[(String, Share)]) {
    let width = shares.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(NAME);
    let _ = writeln!(text, "{title}");
    for (name, share) in shares {
        let bar = "#".repeat((WIDTH as f64 * share.percent() / 100.0).round() as usize);
        let (solved, of, percent) = (share.solved, share.of, share.percent());
        let _ = writeln!(text, "  {name:width$} {bar:WIDTH$} {percent:5.1} %  {solved} of {of}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        let mut half = Share::default();
        [true, false].into_iter().for_each(|is_solved| half.add(is_solved));
        let mut text = String::new();
        let shares = [("a".to_string(), half), ("none of nothing, at length".to_string(), Share::default())];
        section(&mut text, "Title", &shares);
        let lines: Vec<&str> = text.lines().collect();
        let bar = "#".repeat(20) + &" ".repeat(20);
        assert_eq!(lines[1], format!("  {:26} {bar}  50.0 %  1 of 2", "a"));
        assert_eq!(lines[2], format!("  none of nothing, at length {:40}   0.0 %  0 of 0", ""));
    }
}
