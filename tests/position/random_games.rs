//! Thousands of random games, compared with shakmaty at every ply.

use super::peer::{our_moves, peer, peer_fen, peer_moves};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, KnownOutcome, Position as _};
use std::collections::HashMap;
use tabiya::engine::{Color, Move, MoveKind, MoveList, Outcome, Position};

const GAMES: u16 = 2000;
const LONGEST_GAME: usize = 300;

/// How often something rare has happened, so that the comparison is known to have met it.
#[derive(Debug, Default)]
struct Seen {
    plies: usize,
    castlings: usize,
    en_passants: usize,
    promotions: usize,
    mates: usize,
    stalemates: usize,
    insufficient: usize,
    fifty: usize,
    threefold: usize,
}

#[test]
fn standard_games_equal_shakmaty_at_every_ply() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut seen = Seen::default();
    for _ in 0..GAMES {
        play_game(Position::default(), &mut random, &mut seen);
    }
    assert_all_seen(&seen);
}

#[test]
fn chess960_games_equal_shakmaty_at_every_ply() {
    let mut random = fastrand::Rng::with_seed(2);
    let mut seen = Seen::default();
    for game in 0..GAMES {
        play_game(Position::chess960_start(game % 960), &mut random, &mut seen);
    }
    assert_all_seen(&seen);
}

fn assert_all_seen(seen: &Seen) {
    let rare = [
        seen.castlings,
        seen.en_passants,
        seen.promotions,
        seen.mates,
        seen.stalemates,
        seen.insufficient,
        seen.fifty,
        seen.threefold,
    ];
    assert!(rare.iter().all(|&times| times >= 10), "{seen:?}");
}

fn play_game(mut position: Position, random: &mut fastrand::Rng, seen: &mut Seen) {
    let mut chess = peer(&position.fen());
    let mut occurrences: HashMap<String, usize> = HashMap::new();
    for ply in 0..LONGEST_GAME {
        let fen = position.fen();
        assert_eq!(fen, peer_fen(&chess));
        assert_eq!(our_moves(&position), peer_moves(&chess), "{fen}");
        assert_same_moment(&position, &chess, &fen);

        let earlier = occurrences.entry(without_counters(&fen)).or_default();
        assert_eq!(position.repetitions(), *earlier, "{fen}");
        let expected = expected_outcome(&chess, *earlier);
        assert_eq!(position.outcome(), expected, "{fen}");
        *earlier += 1;

        seen.count(ply, expected);
        if position.legal_moves().is_empty() || position.has_insufficient_material() {
            break;
        }
        let mv = choose(&position, random);
        seen.count_move(mv);
        let uci: UciMove = mv.to_string().parse().expect("a move in UCI");
        chess.play_unchecked(uci.to_move(&chess).unwrap_or_else(|error| panic!("{mv} in {fen}: {error}")));
        position.play(mv);
    }
}

/// Everything that can be asked of one moment of a game, its legal moves excepted.
fn assert_same_moment(position: &Position, chess: &Chess, fen: &str) {
    assert_eq!(u64::from(chess.checkers()), position.checkers().0, "{fen}");
    assert_eq!(position.is_check(), chess.is_check(), "{fen}");
    assert_eq!(position.side_to_move() == Color::White, chess.turn().is_white(), "{fen}");
    assert_eq!(u32::from(position.halfmove_clock()), chess.halfmoves(), "{fen}");
    assert_eq!(u32::from(position.move_number()), chess.fullmoves().get(), "{fen}");

    let legal = position.legal_moves();
    assert_eq!(position.count_legal_moves(), legal.len(), "{fen}");
    let sorted = |moves: &mut dyn Iterator<Item = Move>| {
        let mut bits: Vec<u16> = moves.map(Move::bits).collect();
        bits.sort_unstable();
        bits
    };
    let (mut tactical, mut quiet) = (MoveList::new(), MoveList::new());
    position.add_tactical_moves(&mut tactical);
    position.add_quiet_moves(&mut quiet);
    for (found, is_tactical) in [(&tactical, true), (&quiet, false)] {
        let mut expected = legal.into_iter().filter(|&mv| position.is_tactical(mv) == is_tactical);
        assert_eq!(sorted(&mut found.into_iter()), sorted(&mut expected), "{fen}");
    }

    let fresh = Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    assert_eq!(fresh.key(), position.key(), "{fen}");
}

fn without_counters(fen: &str) -> String {
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

fn expected_outcome(chess: &Chess, earlier: usize) -> Option<Outcome> {
    match chess.outcome().known() {
        Some(KnownOutcome::Decisive { winner }) => {
            let winner = if winner.is_white() { Color::White } else { Color::Black };
            Some(Outcome::Checkmate { winner })
        }
        Some(KnownOutcome::Draw) if chess.is_stalemate() => Some(Outcome::Stalemate),
        Some(KnownOutcome::Draw) => Some(Outcome::InsufficientMaterial),
        None if chess.halfmoves() >= 100 => Some(Outcome::FiftyMoves),
        None if earlier >= 2 => Some(Outcome::Threefold),
        None => None,
    }
}

/// A random move; what is rare is preferred half of the time.
fn choose(position: &Position, random: &mut fastrand::Rng) -> Move {
    let legal = position.legal_moves();
    let rare: Vec<Move> = legal.into_iter().filter(|mv| mv.kind() != MoveKind::Normal).collect();
    match rare.is_empty() || random.bool() {
        true => legal[random.usize(..legal.len())],
        false => rare[random.usize(..rare.len())],
    }
}

impl Seen {
    fn count(&mut self, ply: usize, outcome: Option<Outcome>) {
        self.plies += usize::from(ply > 0);
        match outcome {
            Some(Outcome::Checkmate { .. }) => self.mates += 1,
            Some(Outcome::Stalemate) => self.stalemates += 1,
            Some(Outcome::InsufficientMaterial) => self.insufficient += 1,
            Some(Outcome::FiftyMoves) => self.fifty += 1,
            Some(Outcome::Threefold) => self.threefold += 1,
            None => {}
        }
    }

    fn count_move(&mut self, mv: Move) {
        match mv.kind() {
            MoveKind::Castling => self.castlings += 1,
            MoveKind::EnPassant => self.en_passants += 1,
            MoveKind::Promotion => self.promotions += 1,
            MoveKind::Normal => {}
        }
    }
}
