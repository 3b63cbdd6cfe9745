//! Perft against published counts.

use tabiya::engine::{Position, perft::perft};

#[test]
fn perft_equals_the_published_suite_to_depth_4() {
    for line in include_str!("perftsuite.epd").lines().filter(|line| !line.trim().is_empty()) {
        let mut parts = line.split(';');
        let fen = parts.next().expect("a FEN").trim();
        let mut position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        for part in parts {
            let (depth, count) =
                part.trim().trim_start_matches('D').split_once(' ').expect("depth and count");
            let depth: u32 = depth.parse().expect("a depth");
            if depth <= 4 {
                assert_eq!(
                    perft(&mut position, depth),
                    count.trim().parse::<u64>().expect("a count"),
                    "{fen} depth {depth}"
                );
            }
        }
    }
}
