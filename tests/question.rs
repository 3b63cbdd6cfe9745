//! Questions that are not simply "the best move?": several lines, some moves only, a mate, the
//! opponent's time.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tabiya::engine::{Caller, Engine, EngineOptions, Limits, Move, Position, Question, SearchReport};

/// Lets the search run; on the opponent's time for its first `pondering` questions.
struct Listener {
    asked: AtomicU64,
    pondering: u64,
}

impl Caller for Listener {
    fn should_stop(&self) -> bool {
        self.asked.fetch_add(1, Relaxed);
        false
    }

    fn report(&self, report: &SearchReport) {
        assert!(!report.pv.is_empty(), "{report:?}");
    }

    fn is_pondering(&self) -> bool {
        self.asked.load(Relaxed) < self.pondering
    }
}

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const MATE_IN_TWO: &str = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn depth(depth: u8) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn ask_with(threads: usize, fen: &str, question: &Question, limits: &Limits) -> SearchReport {
    let options = EngineOptions { hash_mb: 4, threads, ..EngineOptions::default() };
    let listener = Listener { asked: AtomicU64::new(0), pondering: 0 };
    Engine::new(&options).answer(Instant::now(), question, &position(fen), limits, &listener)
}

fn ask(fen: &str, question: &Question, limits: &Limits) -> SearchReport {
    ask_with(1, fen, question, limits)
}

fn moves(fen: &str, uci: &[&str]) -> Vec<Move> {
    uci.iter().map(|uci| position(fen).parse_uci(uci).expect("a legal move")).collect()
}

#[test]
fn several_lines_are_legal_distinct_and_ordered() {
    for (fen, lines, threads) in [(KIWIPETE, 5, 1), (KIWIPETE, 3, 2), (MATE_IN_TWO, 4, 1)] {
        let question = Question { lines, ..Question::default() };
        let report = ask_with(threads, fen, &question, &depth(6));
        assert_eq!(report.others.len(), lines - 1, "{fen}");
        let mut firsts = vec![report.best_move()];
        let mut score = report.score;
        for line in &report.others {
            assert!(line.score <= score, "{fen}: {report:?}");
            assert!(!firsts.contains(&line.pv[0]), "{fen}: {report:?}");
            let mut after = position(fen);
            for &mv in &line.pv {
                assert!(after.is_legal(mv), "{mv} of {line:?}");
                after.play(mv);
            }
            firsts.push(line.pv[0]);
            score = line.score;
        }
    }
}

#[test]
fn no_more_lines_are_found_than_there_are_moves() {
    let fen = "7k/8/8/8/8/8/1q6/K7 w - - 0 1";
    let report = ask(fen, &Question { lines: 9, ..Question::default() }, &depth(3));
    assert_eq!(report.others, []);
}

#[test]
fn the_second_line_is_what_the_best_move_is_without_the_first() {
    let both = ask(KIWIPETE, &Question { lines: 2, ..Question::default() }, &depth(1));
    let rest = position(KIWIPETE).legal_moves().into_iter().filter(|&mv| mv != both.best_move()).collect();
    let second = ask(KIWIPETE, &Question { moves: rest, ..Question::default() }, &depth(1));
    assert_eq!((both.others[0].score, both.others[0].pv[0]), (second.score, second.best_move()));
}

#[test]
fn only_the_moves_asked_about_are_looked_at() {
    for uci in [["a2a3", "h1g1"], ["g2g3", "e1d1"]] {
        let asked = moves(KIWIPETE, &uci);
        let question = Question { moves: asked.clone(), lines: 3, mate: None };
        let report = ask(KIWIPETE, &question, &depth(5));
        let mut found = vec![report.best_move(), report.others[0].pv[0]];
        assert_eq!(report.others.len(), 1);
        found.sort_by_key(|mv| asked.iter().position(|other| other == mv));
        assert_eq!(found, asked);
    }
}

#[test]
fn a_move_asked_about_may_be_a_bad_one() {
    // The king steps away and the mate in two is gone.
    let question = Question { moves: moves(MATE_IN_TWO, &["c8d8"]), ..Question::default() };
    let report = ask(MATE_IN_TWO, &question, &depth(4));
    assert_eq!((report.best_move(), report.score.moves_to_mate()), (question.moves[0], None));
}

#[test]
fn a_mate_near_enough_ends_the_search() {
    let question = |moves| Question { mate: Some(moves), ..Question::default() };
    let report = ask(MATE_IN_TWO, &question(2), &Limits::default());
    assert_eq!(report.score.moves_to_mate(), Some(2), "{report:?}");
    let mated = "8/8/8/8/8/1k6/7r/K7 w - - 0 1";
    assert_eq!(ask(mated, &question(1), &Limits::default()).score.moves_to_mate(), Some(-1));
    let too_far = ask(MATE_IN_TWO, &question(1), &depth(7));
    assert_eq!(too_far.depth, 7, "a mate in two does not answer the question for one in one");
}

#[test]
fn the_clock_does_not_bind_on_the_opponents_time() {
    let no_time = Some(Duration::ZERO);
    let limits = Limits { soft: no_time, hard: no_time, ..Limits::default() };
    let listener = Listener { asked: AtomicU64::new(0), pondering: 50 };
    let options = EngineOptions { hash_mb: 1, ..EngineOptions::default() };
    let report = Engine::new(&options).answer(
        Instant::now(),
        &Question::default(),
        &position(KIWIPETE),
        &limits,
        &listener,
    );
    assert_eq!(listener.asked.load(Relaxed), 50, "stopped by the clock, as soon as it is ours");
    assert!(report.depth > 1 && report.nodes > 10_000, "{report:?}");
}

#[test]
fn a_mate_that_is_asked_for_is_found_at_its_depth() {
    // Quiet first moves and sacrifices, far ahead in material or behind: what pruning would hide.
    for (moves, fen) in [
        (2, "2qrr1n1/3b2p1/2pBP1Rp/1p2P2k/p2P1R2/2P5/P1B3PP/6K1 w - - 0 1"),
        (2, "1B1Q1R2/8/qNrn3p/2p1rp2/Rn3k1K/8/5P2/bbN4B w - - 0 1"),
        (2, "3R4/3r4/r2p4/Rb5Q/pK1k4/2pP4/4Pb2/1N6 w - - 0 1"),
        (3, "4r1k1/5bpp/2p5/3pr3/8/1B3pPq/PPR2P2/2R2QK1 b - - 0 1"),
        (3, "8/8/8/8/1p1N4/1Bk1K3/3N4/b7 w - - 0 1"),
        (3, "2rrk3/1pqb1ppB/p1nnp1N1/4p1P1/8/P1N5/1PP2QPP/4RR1K w - - 0 1"),
    ] {
        let question = Question { mate: Some(moves), ..Question::default() };
        let mut engine = Engine::new(&EngineOptions { hash_mb: 4, ..EngineOptions::default() });
        let nobody = || Listener { asked: AtomicU64::new(0), pondering: 0 };
        // What a search that prunes has left in the table must not hide it either.
        let limits = Limits { nodes: Some(5_000), ..Limits::default() };
        engine.search(&position(fen), &limits, &nobody());
        let limits = depth(2 * moves - 1);
        let report = engine.answer(Instant::now(), &question, &position(fen), &limits, &nobody());
        assert_eq!(report.score.moves_to_mate(), Some(i32::from(moves)), "{fen}: {report:?}");
    }
}
