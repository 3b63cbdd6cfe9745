//! The transposition table: what earlier nodes found, shared by all threads without a lock.
//!
//! An entry is two words: `data`, and `key ^ data`. Threads read and write them with relaxed
//! atomics, and a race is meant: a reader may see the first word of one entry and the second of
//! another. Then `word ^ data` is not the key it asks for, and the entry counts as absent. So a
//! torn entry costs one miss; and what passes the check was written as a whole, or collides with
//! probability 2^-64 per probe. Even then no harm is done, because the search plays no table move
//! before it has asked whether it is legal. Source of the idea: R. Hyatt and T. Mann, "A
//! Lock-less Transposition Table Implementation for Parallel Search", 2002.

use super::window::Window;
use super::{Move, Score};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Entries of one bucket, which fills one cache line of 64 bytes.
const BUCKET_ENTRIES: usize = 4;
const BUCKET_WORDS: usize = 2 * BUCKET_ENTRIES;
/// Searches are numbered modulo this.
const GENERATIONS: u8 = 32;
/// How many plies of depth an entry is worth less for each search that has passed since.
const AGE_COST: i32 = 4;
/// Entries looked at to judge how full the table is.
const SAMPLE_ENTRIES: usize = 1000;
/// A new bound replaces one of the same position that is less than this much deeper.
const DEPTH_KEPT: i32 = 4;

/// What a stored score says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The true score is at most this: no move raised alpha.
    Upper,
    /// The true score is at least this: a move reached beta.
    Lower,
    Exact,
}

impl Bound {
    /// What `score` is, when found by a search with `window`.
    pub fn of(score: Score, window: Window) -> Bound {
        match () {
            _ if score >= window.beta => Bound::Lower,
            _ if score > window.alpha => Bound::Exact,
            _ => Bound::Upper,
        }
    }
}

/// What the table knows about one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Best or refuting move. It need not be legal: ask the position first.
    pub mv: Option<Move>,
    pub score: Score,
    /// Evaluation of the position itself; absent when it was in check.
    pub static_eval: Option<Score>,
    /// Plies that were searched below the position; 0 for quiescence.
    pub depth: i32,
    pub bound: Bound,
    /// Whether it ever was on a principal variation, as far as the table remembers.
    pub was_pv: bool,
}

impl Entry {
    /// Whether the score settles a node with this window.
    pub fn settles(&self, window: Window) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score >= window.beta,
            Bound::Upper => self.score <= window.alpha,
        }
    }

    /// Whether the score is a better estimate of the position than its own evaluation `eval`.
    pub fn improves_on(&self, eval: Score) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score > eval,
            Bound::Upper => self.score < eval,
        }
    }
}

/// The table of one engine.
pub struct Table {
    words: Vec<AtomicU64>,
    /// Index of the first word that begins a cache line.
    first: usize,
    buckets: usize,
    generation: u8,
}

impl Table {
    /// An empty table of exactly `megabytes` MiB. Pages that are never written cost no memory.
    pub fn new(megabytes: usize) -> Table {
        // Zeroed words come straight from the operating system, untouched, and the collection
        // reuses their memory.
        let zeroes = vec![0u64; megabytes << 17];
        let words: Vec<AtomicU64> = zeroes.into_iter().map(AtomicU64::new).collect();
        let first = (64 - words.as_ptr() as usize % 64) % 64 / size_of::<AtomicU64>();
        let buckets = (words.len() - first) / BUCKET_WORDS;
        Table { words, first, buckets, generation: 0 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        for word in &mut self.words {
            *word.get_mut() = 0;
        }
    }

    /// Entries written before this are older than those after.
    pub fn begin_search(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    /// How full the table is of entries of this search, in thousandths, judged by its first buckets.
    pub fn permille_full(&self) -> u16 {
        let sample = &self.words[self.first..][..SAMPLE_ENTRIES * 2];
        let fresh = sample.chunks_exact(2).filter(|slot| {
            let entry = Packed(slot[1].load(Relaxed));
            entry.0 != 0 && entry.generation() == self.generation
        });
        (fresh.count() * 1000 / SAMPLE_ENTRIES) as u16
    }

    /// Brings the bucket of `key` near, while there is still something else to do before it is read.
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch is a hint that reads nothing the program can see, and the address is that of
        // a bucket of this table.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(self.bucket(key).as_ptr().cast());
        }
        // Elsewhere the first read waits a little longer.
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// What is known about the position with `key`, mates counted from `ply`.
    pub fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        self.bucket(key).chunks_exact(2).find_map(|slot| read(slot, key)).map(|packed| packed.unpack(ply))
    }

    /// Keeps what was found at `ply`, in place of the least useful entry of its bucket.
    pub fn store(&self, key: u64, ply: usize, mut entry: Entry) {
        let mut replaced = None;
        let mut least = i32::MAX;
        for slot in self.bucket(key).chunks_exact(2) {
            let old = Packed(slot[1].load(Relaxed));
            if slot[0].load(Relaxed) ^ old.0 == key && old.0 != 0 {
                entry.mv = entry.mv.or(old.mv());
                let is_fresh = old.generation() == self.generation;
                if is_fresh && entry.bound != Bound::Exact && entry.depth + DEPTH_KEPT <= old.depth() {
                    return;
                }
                replaced = Some(slot);
                break;
            }
            let usefulness = self.usefulness(old);
            if usefulness < least {
                (replaced, least) = (Some(slot), usefulness);
            }
        }
        let slot = replaced.expect("a bucket has entries");
        let packed = Packed::pack(&entry, ply, self.generation);
        slot[0].store(key ^ packed.0, Relaxed);
        slot[1].store(packed.0, Relaxed);
    }

    fn bucket(&self, key: u64) -> &[AtomicU64] {
        // The high half of the product spreads keys evenly over any number of buckets
        // (D. Lemire, "Fast Random Integer Generation in an Interval", 2019).
        let index = ((u128::from(key) * self.buckets as u128) >> 64) as usize;
        let start = self.first + index * BUCKET_WORDS;
        &self.words[start..start + BUCKET_WORDS]
    }

    fn usefulness(&self, old: Packed) -> i32 {
        if old.0 == 0 {
            return i32::MIN;
        }
        let age = (GENERATIONS + self.generation - old.generation()) % GENERATIONS;
        old.depth() - AGE_COST * i32::from(age)
    }
}

fn read(slot: &[AtomicU64], key: u64) -> Option<Packed> {
    let (check, data) = (slot[0].load(Relaxed), slot[1].load(Relaxed));
    (check ^ data == key && data != 0).then_some(Packed(data))
}

/// An entry in 64 bits: move 0..16, score 16..32, static evaluation 32..48, depth 48..56,
/// bound 56..58 (1, 2 or 3, so that no entry is 0), on a principal variation 58, generation 59..64.
#[derive(Clone, Copy)]
struct Packed(u64);

/// Stands for "in check, no evaluation".
const NO_EVAL: i16 = i16::MIN;

impl Packed {
    fn pack(entry: &Entry, ply: usize, generation: u8) -> Packed {
        let bound = match entry.bound {
            Bound::Upper => 1,
            Bound::Lower => 2,
            Bound::Exact => 3,
        };
        let static_eval = entry.static_eval.map_or(NO_EVAL, |score| score.0 as i16);
        Packed(
            u64::from(entry.mv.map_or(0, Move::bits))
                | u64::from(entry.score.to_table(ply) as u16) << 16
                | u64::from(static_eval as u16) << 32
                | (entry.depth.clamp(0, 255) as u64) << 48
                | bound << 56
                | u64::from(entry.was_pv) << 58
                | u64::from(generation) << 59,
        )
    }

    fn unpack(self, ply: usize) -> Entry {
        let static_eval = (self.0 >> 32) as i16;
        Entry {
            mv: self.mv(),
            score: Score::from_table((self.0 >> 16) as i16, ply),
            static_eval: (static_eval != NO_EVAL).then_some(Score(i32::from(static_eval))),
            depth: self.depth(),
            bound: match self.0 >> 56 & 3 {
                1 => Bound::Upper,
                2 => Bound::Lower,
                _ => Bound::Exact,
            },
            was_pv: self.0 >> 58 & 1 == 1,
        }
    }

    fn mv(self) -> Option<Move> {
        Move::from_bits(self.0 as u16)
    }

    fn depth(self) -> i32 {
        i32::from((self.0 >> 48) as u8)
    }

    fn generation(self) -> u8 {
        (self.0 >> 59) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::position::ALL_SQUARES;

    fn entry(depth: i32) -> Entry {
        Entry {
            mv: Some(Move::normal(ALL_SQUARES[12], ALL_SQUARES[28])),
            score: Score(-31),
            static_eval: Some(Score(17)),
            depth,
            bound: Bound::Lower,
            was_pv: false,
        }
    }

    #[test]
    fn what_is_stored_is_found_again() {
        let table = Table::new(1);
        for (key, wanted) in [
            (0x1234_5678_9abc_def0, entry(7)),
            (u64::MAX, Entry { mv: None, ..entry(0) }),
            (0, Entry { static_eval: None, bound: Bound::Exact, was_pv: true, ..entry(127) }),
            (77, Entry { score: Score::mate_in(11), bound: Bound::Upper, ..entry(3) }),
        ] {
            assert_eq!(table.probe(key, 4), None, "{key:x}");
            table.store(key, 4, wanted);
            assert_eq!(table.probe(key, 4), Some(wanted), "{key:x}");
        }
    }

    #[test]
    fn memory_is_exactly_what_was_asked_for() {
        for megabytes in [1, 2, 33] {
            let table = Table::new(megabytes);
            assert_eq!(table.words.len() * size_of::<AtomicU64>(), megabytes << 20);
            assert!(table.words.capacity() == table.words.len());
        }
    }

    #[test]
    fn a_torn_entry_counts_as_absent() {
        let table = Table::new(1);
        let key = 0xfeed_0000_0000_0001;
        table.store(key, 0, entry(5));
        let slot = table.bucket(key);
        slot[1].store(Packed::pack(&entry(9), 0, 0).0, Relaxed);
        assert_eq!(table.probe(key, 0), None);
    }

    #[test]
    fn a_full_bucket_loses_its_shallowest_and_oldest_entries_first() {
        let mut table = Table::new(1);
        // Keys that differ only in low bits share a bucket.
        for (key, depth) in [(1, 9), (2, 3), (3, 8), (4, 7)] {
            table.store(key, 0, entry(depth));
        }
        table.store(5, 0, entry(1));
        assert_eq!(table.probe(2, 0), None, "the shallowest");
        for _ in 0..3 {
            table.begin_search();
        }
        table.store(1, 0, entry(9));
        table.store(5, 0, entry(1));
        table.store(6, 0, entry(1));
        assert!(table.probe(4, 0).is_none() && table.probe(1, 0).is_some(), "an old entry before a new one");
    }

    #[test]
    fn fullness_counts_the_entries_of_this_search() {
        let mut table = Table::new(1);
        assert_eq!(table.permille_full(), 0);
        // The first two keys of every bucket, so that half of the entries are written.
        for bucket in 0..table.buckets as u128 {
            let first_key = (bucket << 64).div_ceil(table.buckets as u128) as u64;
            table.store(first_key, 0, entry(3));
            table.store(first_key + 1, 0, entry(3));
        }
        assert_eq!(table.permille_full(), 500);
        table.begin_search();
        assert_eq!(table.permille_full(), 0);
    }

    #[test]
    fn a_store_without_a_move_keeps_the_move_known_before() {
        let table = Table::new(1);
        table.store(9, 0, entry(4));
        table.store(9, 0, Entry { mv: None, ..entry(5) });
        assert_eq!(table.probe(9, 0), Some(entry(5)));
    }
}
