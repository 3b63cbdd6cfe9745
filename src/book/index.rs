//! The book in memory: what is played in each position, in three flat tables.
//!
//! Sorted vectors and one string of names take a tenth of a map of lists of strings.

use super::movetext::Line;
use crate::engine::Move;
use std::collections::HashMap;

/// One move of one position.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    key: u64,
    pub mv: Move,
    /// Sum of the weights of the lines through this move.
    pub weight: u32,
    /// Lines through this move.
    pub lines: u32,
    /// The longest of these lines.
    longest: NameId,
}

/// Everything the book knows, read-only.
pub struct Index {
    /// Sorted by key; the moves of a position are neighbours.
    moves: Vec<Entry>,
    /// Positions in which a named line ends, sorted by key.
    ends: Vec<(u64, NameId)>,
    names: Names,
    lines: usize,
    positions: usize,
}

impl Index {
    /// The moves of the position with this key; empty where the book knows none.
    pub fn moves(&self, key: u64) -> &[Entry] {
        let start = self.moves.partition_point(|entry| entry.key < key);
        let length = self.moves[start..].iter().take_while(|entry| entry.key == key).count();
        &self.moves[start..start + length]
    }

    /// Name of the line that ends in the position with this key.
    pub fn name_at(&self, key: u64) -> Option<&str> {
        let at = self.ends.binary_search_by_key(&key, |end| end.0).ok()?;
        Some(self.names.get(self.ends[at].1))
    }

    /// Name of the longest line through a move.
    pub fn longest_line(&self, entry: &Entry) -> &str {
        self.names.get(entry.longest)
    }

    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Positions with at least one move.
    pub fn positions(&self) -> usize {
        self.positions
    }
}

/// Collects lines for an [`Index`].
#[derive(Default)]
pub struct Builder {
    moves: HashMap<(u64, Move), Tally>,
    ends: HashMap<u64, NameId>,
    names: Names,
    lines: u32,
}

/// What is known of one move while lines are being added.
struct Tally {
    weight: u32,
    lines: u32,
    last_line: u32,
    longest: NameId,
    longest_plies: usize,
}

impl Builder {
    /// Adds a line. An empty name is no name.
    pub fn add(&mut self, line: &Line, name: &str, weight: u32) {
        self.lines += 1;
        let name_id = self.names.intern(name);
        if !name.is_empty() {
            self.ends.entry(line.end_key).or_insert(name_id);
        }
        for ply in line.plies {
            let fresh = Tally { weight: 0, lines: 0, last_line: 0, longest: name_id, longest_plies: 0 };
            let tally = self.moves.entry((ply.key, ply.mv)).or_insert(fresh);
            // A line that comes back to a position still counts once.
            if tally.last_line == self.lines {
                continue;
            }
            tally.last_line = self.lines;
            tally.lines += 1;
            tally.weight = tally.weight.saturating_add(weight);
            if line.plies.len() > tally.longest_plies {
                (tally.longest, tally.longest_plies) = (name_id, line.plies.len());
            }
        }
    }

    pub fn finish(self) -> Index {
        let entry = |((key, mv), tally): ((u64, Move), Tally)| Entry {
            key,
            mv,
            weight: tally.weight,
            lines: tally.lines,
            longest: tally.longest,
        };
        let mut moves: Vec<Entry> = self.moves.into_iter().map(entry).collect();
        moves.sort_unstable_by_key(|entry| (entry.key, entry.mv.bits()));
        let mut ends: Vec<(u64, NameId)> = self.ends.into_iter().collect();
        ends.sort_unstable_by_key(|end| end.0);
        let positions = moves.chunk_by(|a, b| a.key == b.key).count();
        Index { moves, ends, names: self.names.compact(), lines: self.lines as usize, positions }
    }
}

type NameId = u32;

/// All names in one string. Equal names in a row, as variations of one opening are, share an entry.
#[derive(Default)]
struct Names {
    text: String,
    /// Where each name ends in `text`.
    ends: Vec<usize>,
}

impl Names {
    fn intern(&mut self, name: &str) -> NameId {
        let is_new = self.ends.is_empty() || self.get(self.ends.len() as NameId - 1) != name;
        if is_new {
            self.text.push_str(name);
            self.ends.push(self.text.len());
        }
        self.ends.len() as NameId - 1
    }

    fn get(&self, id: NameId) -> &str {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.text[start..self.ends[id]]
    }

    fn compact(mut self) -> Names {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::movetext::Replay;
    use crate::engine::Position;

    fn index(lines: &[(&str, &str, u32)]) -> Index {
        let (mut replay, mut builder) = (Replay::default(), Builder::default());
        for (name, moves, weight) in lines {
            let line = replay.play(moves).expect("legal moves");
            builder.add(&line, name, *weight);
        }
        builder.finish()
    }

    fn after(moves: &str) -> Position {
        Position::after("startpos", moves).expect("legal moves")
    }

    #[test]
    fn weights_and_lines_add_up_over_all_orders_of_moves() {
        let index =
            index(&[("a", "d4 Nf6 c4 e6", 2), ("b", "c4 Nf6 d4 g6", 3), ("c", "d4 Nf6 c4 e6 Nc3", 5)]);
        let mut found: Vec<_> = index
            .moves(after("d2d4 g8f6 c2c4").key())
            .iter()
            .map(|entry| (entry.mv.to_string(), entry.lines, entry.weight, index.longest_line(entry)))
            .collect();
        found.sort();
        assert_eq!(found, [("e7e6".to_string(), 2, 7, "c"), ("g7g6".to_string(), 1, 3, "b")]);
        assert_eq!((index.lines(), index.positions()), (3, 7));
    }

    #[test]
    fn a_line_that_repeats_a_position_counts_once() {
        let index = index(&[("there and back", "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 e4", 1)]);
        let start = index.moves(Position::default().key());
        assert_eq!(start.len(), 2);
        assert!(start.iter().all(|entry| (entry.lines, entry.weight) == (1, 1)));
    }

    #[test]
    fn names_belong_to_the_positions_in_which_lines_end() {
        let index = index(&[("King's Pawn", "e4", 1), ("", "e4 e5", 1), ("Sicilian", "e4 c5", 1)]);
        let name = |moves: &str| index.name_at(after(moves).key());
        assert_eq!(name("e2e4"), Some("King's Pawn"));
        assert_eq!(name("e2e4 e7e5"), None);
        assert_eq!(name("e2e4 c7c5"), Some("Sicilian"));
        assert_eq!(name("d2d4"), None);
    }
}
