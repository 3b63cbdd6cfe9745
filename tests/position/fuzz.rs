//! A million spoilt FENs: each is refused with a reason or is a position that shakmaty knows too.

use super::peer::{peer_fen, suite_fens};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, PositionError, PositionErrorKinds};
use std::collections::HashMap;
use std::mem::discriminant;
use tabiya::engine::Position;
use tabiya::engine::perft::perft;

const CASES: usize = 1_000_000;
/// What is put into a FEN: its own letters, and what does not belong there.
const ALPHABET: &[&str] = &[
    "p", "n", "b", "r", "q", "k", "P", "N", "B", "R", "Q", "K", "1", "2", "3", "4", "5", "6", "7", "8", "0",
    "9", "/", "/", " ", " ", "-", "w", "b", "a", "h", "A", "H", "c", "f", "C", "F", "a6", "e6", "d3", "h3",
    "KQkq", "HAha", "é", "♔", "\u{0}", "\n", "\t", "x", "~", "+", "_", ".", "٣",
];

#[test]
fn a_million_spoilt_fens_are_refused_with_a_reason_or_agree_with_shakmaty() {
    let seeds = seeds();
    let mut random = fastrand::Rng::with_seed(960);
    let mut refusals = HashMap::new();
    let (mut accepted, mut indulged) = (0, 0);
    for _ in 0..CASES {
        let fen = spoil(&seeds, &mut random);
        match Position::from_fen(&fen) {
            Ok(position) => {
                accepted += 1;
                indulged += usize::from(assert_agrees(position, &fen));
            }
            Err(reason) => {
                *refusals.entry(discriminant(&reason)).or_insert(0) += 1;
                let line = reason.to_string();
                assert!(line.lines().count() == 1 && line.len() < 600, "{fen:?}: {line}");
            }
        }
    }
    // The fuzz is worth something only if it meets every refusal, and many real positions.
    assert!(accepted > 100_000, "{accepted} accepted");
    assert!(indulged < accepted / 10, "{indulged} of {accepted} needed indulgence");
    assert_eq!(refusals.len(), 14, "{refusals:?}");
}

/// FENs of the suite and of random games, in X-FEN and Shredder-FEN, with and without counters.
fn seeds() -> Vec<String> {
    let mut random = fastrand::Rng::with_seed(64);
    let mut seeds: Vec<String> = suite_fens().map(str::to_string).collect();
    for game in 0..200 {
        let mut position = match game % 2 {
            0 => Position::default(),
            _ => Position::chess960_start(random.u16(..960)),
        };
        for _ in 0..random.usize(2..80) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play(moves[random.usize(..moves.len())]);
            if position.en_passant().is_some() {
                break;
            }
        }
        let fen = position.fen();
        seeds.push(match game % 10 {
            0 => fen.rsplitn(3, ' ').last().expect("a FEN").to_string(),
            _ => fen,
        });
    }
    seeds
}

/// A FEN with one to three things done to it.
fn spoil(seeds: &[String], random: &mut fastrand::Rng) -> String {
    let mut text = random.choice(seeds).expect("seeds").clone().into_bytes();
    for _ in 0..random.usize(1..=3) {
        let at = random.usize(..=text.len());
        let other = random.usize(..=text.len());
        let (low, high) = (at.min(other), at.max(other));
        let new = random.choice(ALPHABET).expect("letters").bytes();
        match random.u8(..10) {
            0 | 1 if high < text.len() => text.swap(low, high),
            2 if at < text.len() => drop(text.remove(at)),
            3 if at < text.len() => drop(text.splice(at..=at, new)),
            4 => drop(text.splice(at..at, new)),
            5 if at < text.len() => text.insert(at, text[at]),
            6 => splice(&mut text, at, random.choice(seeds).expect("seeds"), random),
            7 => swap_pieces(&mut text, random),
            8 => replace_field(&mut text, random.choice(seeds).expect("seeds"), random),
            _ => flip_side(&mut text),
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// The beginning of one FEN and the end of another.
fn splice(text: &mut Vec<u8>, at: usize, other: &str, random: &mut fastrand::Rng) {
    let from = if random.bool() { at.min(other.len()) } else { random.usize(..other.len()) };
    text.truncate(at);
    text.extend_from_slice(&other.as_bytes()[from..]);
}

/// Two men change places, so that the board keeps its shape.
fn swap_pieces(text: &mut [u8], random: &mut fastrand::Rng) {
    let end = text.iter().position(|&byte| byte == b' ').unwrap_or(text.len());
    let men: Vec<usize> = (0..end).filter(|&at| text[at].is_ascii_alphabetic()).collect();
    if let (Some(&a), Some(&b)) = (random.choice(&men), random.choice(&men)) {
        text.swap(a, b);
    }
}

/// One field comes from another FEN.
fn replace_field(text: &mut Vec<u8>, other: &str, random: &mut fastrand::Rng) {
    let index = random.usize(..6);
    let own = String::from_utf8_lossy(text).into_owned();
    let theirs = other.split(' ').nth(index).unwrap_or("-");
    let fields: Vec<&str> =
        own.split(' ').enumerate().map(|(at, field)| if at == index { theirs } else { field }).collect();
    *text = fields.join(" ").into_bytes();
}

fn flip_side(text: &mut [u8]) {
    if let Some(at) = text.windows(3).position(|bytes| matches!(bytes, b" w " | b" b ")) {
        text[at + 1] = if text[at + 1] == b'w' { b'b' } else { b'w' };
    }
}

/// Asserts that an accepted FEN is a position; whether shakmaty had to be indulgent for that.
fn assert_agrees(mut position: Position, fen: &str) -> bool {
    let written = position.fen();
    let fresh = Position::from_fen(&written).unwrap_or_else(|error| panic!("{fen:?}, {written}: {error}"));
    assert_eq!((fresh.fen(), fresh.key()), (written.clone(), position.key()), "{fen:?}");
    let (chess, indulged) = indulgent_peer(fen);
    assert_eq!(written, peer_fen(&chess), "{fen:?}");
    for depth in 1..=2 {
        assert_eq!(perft(&mut position, depth), shakmaty::perft(&chess, depth), "{fen:?} at depth {depth}");
    }
    indulged
}

/// shakmaty's position, and whether it is one that no game can reach.
///
/// Two of its reasons for refusal are not ours, because no engine is hurt by such positions: checks
/// that no last move explains, and bishops of one colour of squares beyond the missing pawns.
fn indulgent_peer(fen: &str) -> (Chess, bool) {
    let parsed: Fen = fen.parse().unwrap_or_else(|error| panic!("{fen:?}: shakmaty: {error}"));
    let strict: Result<Chess, PositionError<Chess>> = parsed.into_position(CastlingMode::Chess960);
    let Err(error) = strict else { return (strict.expect("a position"), false) };
    let ours = PositionErrorKinds::IMPOSSIBLE_CHECK | PositionErrorKinds::TOO_MUCH_MATERIAL;
    assert!(ours.contains(error.kinds()), "{fen:?}: shakmaty: {error}");
    let chess = error
        .ignore_impossible_check()
        .or_else(PositionError::ignore_too_much_material)
        .unwrap_or_else(|error| panic!("{fen:?}: shakmaty: {error}"));
    (chess, true)
}
