//! What a search must keep: legal moves, limits, mates, draws, and the same answer every time.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tabiya::engine::{Caller, Color, Engine, EngineOptions, Limits, Outcome, Position, Score, SearchReport};

/// A caller that says stop at its `most`-th question.
struct Patience {
    asked: AtomicU64,
    most: u64,
}

impl Patience {
    fn new(most: u64) -> Patience {
        Patience { asked: AtomicU64::new(0), most }
    }

    fn endless() -> Patience {
        Patience::new(u64::MAX)
    }
}

impl Caller for Patience {
    fn should_stop(&self) -> bool {
        self.asked.fetch_add(1, Relaxed) + 1 >= self.most
    }

    fn report(&self, report: &SearchReport) {
        assert!(!report.pv.is_empty(), "{report:?}");
    }
}

fn engine(hash_mb: usize, threads: usize) -> Engine {
    Engine::new(&EngineOptions { hash_mb, threads, ..EngineOptions::default() })
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

fn depth(depth: u8) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn search(position: &Position, limits: Limits) -> SearchReport {
    engine(4, 1).search(position, &limits, &Patience::endless())
}

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const CHESS960: &str = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
const ONE_MOVE_ONLY: &str = "7k/8/8/8/8/8/1q6/K7 w - - 0 1";
const CORNERED: &str = "8/8/8/8/8/1k6/7r/K7 w - - 0 1";

#[test]
fn a_search_that_is_stopped_at_once_still_has_a_legal_move() {
    for fen in [KIWIPETE, CHESS960, ONE_MOVE_ONLY] {
        let position = position(fen);
        let report = engine(1, 1).search(&position, &Limits::default(), &Patience::new(1));
        assert!(position.is_legal(report.best_move()), "{fen}: {report:?}");
        assert_eq!((report.depth, report.nodes), (0, 1), "{fen}");
    }
}

#[test]
fn a_stop_ends_the_search_at_the_next_question() {
    let position = position(KIWIPETE);
    for most in [2, 5, 40] {
        let patience = Patience::new(most);
        let report = engine(1, 1).search(&position, &Limits::default(), &patience);
        assert_eq!(patience.asked.load(Relaxed), most, "not asked again");
        assert!(report.nodes <= (most - 1) * 1024 + 1, "stopped at question {most}: {} nodes", report.nodes);
        assert!(position.is_legal(report.best_move()), "{report:?}");
    }
}

#[test]
fn a_stop_ends_all_threads() {
    // The scope of the search waits for its helpers, so coming back is the proof.
    let patience = Patience::new(100);
    let report = engine(1, 3).search(&position(KIWIPETE), &Limits::default(), &patience);
    assert!(patience.asked.load(Relaxed) >= 100 && position(KIWIPETE).is_legal(report.best_move()));
}

#[test]
fn nodes_are_obeyed_exactly_with_one_thread_and_nearly_with_more() {
    let position = position(KIWIPETE);
    for most in [1, 2, 100, 1500, 20_000] {
        assert_eq!(search(&position, nodes(most)).nodes, most);
        let threads = 3;
        let report = engine(4, threads).search(&position, &nodes(most), &Patience::endless());
        let slack = threads as u64 * 1024;
        assert!(report.nodes <= most + slack, "{} nodes of {most}", report.nodes);
    }
}

#[test]
fn depth_is_obeyed_and_the_options_caps_bind_too() {
    assert_eq!(search(&position(KIWIPETE), depth(5)).depth, 5);
    let options = EngineOptions { hash_mb: 1, depth: 3, ..EngineOptions::default() };
    let report = Engine::new(&options).search(&position(KIWIPETE), &depth(5), &Patience::endless());
    assert_eq!(report.depth, 3);
    let options = EngineOptions { hash_mb: 1, nodes: 700, ..EngineOptions::default() };
    let report = Engine::new(&options).search(&position(KIWIPETE), &depth(20), &Patience::endless());
    assert_eq!(report.nodes, 700);
}

#[test]
fn time_that_is_up_already_leaves_a_legal_move() {
    let position = position(KIWIPETE);
    let no_time = Some(Duration::ZERO);
    let hard = search(&position, Limits { hard: no_time, ..Limits::default() });
    assert_eq!((hard.nodes, hard.depth), (1, 0));
    assert!(position.is_legal(hard.best_move()));
    let soft = search(&position, Limits { soft: no_time, ..Limits::default() });
    assert_eq!(soft.depth, 1, "no second iteration is begun");
}

#[test]
fn a_forced_move_is_not_thought_about_for_long_when_the_clock_runs() {
    let an_hour = Some(Duration::from_secs(3600));
    let report = search(&position(ONE_MOVE_ONLY), Limits { soft: an_hour, ..Limits::default() });
    assert!(report.depth <= 10, "{report:?}");
}

#[test]
fn one_thread_finds_the_same_every_time() {
    for fen in [KIWIPETE, CHESS960] {
        for limits in [nodes(30_000), depth(8)] {
            let mut reports = [1, 2].map(|_| {
                let mut engine = engine(2, 1);
                let first = engine.search(&position(fen), &limits, &Patience::endless());
                let second = engine.search(&position(fen), &limits, &Patience::endless());
                (first, second)
            });
            for (first, second) in &mut reports {
                (first.elapsed, second.elapsed) = Default::default();
            }
            assert_eq!(reports[0], reports[1], "{fen} {limits:?}");
        }
    }
}

#[test]
fn a_new_game_forgets_the_old_one() {
    let mut engine = engine(2, 1);
    let limits = nodes(20_000);
    let mut fresh = engine.search(&position(KIWIPETE), &limits, &Patience::endless());
    engine.search(&position(CHESS960), &limits, &Patience::endless());
    engine.new_game();
    let mut again = engine.search(&position(KIWIPETE), &limits, &Patience::endless());
    (fresh.elapsed, again.elapsed) = Default::default();
    assert_eq!(fresh, again);
}

#[test]
fn mates_are_found_at_their_distance() {
    for (moves, fen) in [
        (1, "6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1"),
        (1, "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"),
        (1, "6br/5Ppk/7p/8/8/8/8/6K1 w - - 0 1"),
        (2, "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"),
        (2, "k7/8/2K5/7R/8/8/8/8 w - - 0 1"),
        (2, "r1b2k1r/ppp1bppp/8/1B1Q4/5q2/2P5/PPP2PPP/R3R1K1 w - - 1 0"),
        (3, "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"),
        (-1, CORNERED),
    ] {
        let report = search(&position(fen), nodes(1_000_000));
        assert_eq!(report.score.moves_to_mate(), Some(moves), "{fen}: {report:?}");
    }
}

/// Plays both sides to the end and returns how the game ended and after how many plies.
fn play_out(fen: &str, limits: Limits) -> (Outcome, usize) {
    let mut engines = [engine(4, 1), engine(4, 1)];
    let mut position = position(fen);
    loop {
        if let Some(outcome) = position.outcome() {
            return (outcome, position.plies_played());
        }
        let engine = &mut engines[position.plies_played() % 2];
        let report = engine.search(&position, &limits, &Patience::endless());
        position.play(report.best_move());
    }
}

#[test]
fn won_endgames_are_played_to_mate() {
    for (fen, longest) in [
        ("8/8/8/3k4/8/8/8/K5Q1 w - - 0 1", 40),
        ("8/8/8/3k4/8/8/8/K6R w - - 0 1", 60),
        ("8/8/8/3K4/8/8/8/k6r b - - 0 1", 60),
        ("8/8/8/3k4/8/8/8/K4BB1 w - - 0 1", 90),
        ("8/8/8/3k4/8/8/8/K4BN1 w - - 0 1", 100),
    ] {
        let winner = position(fen).side_to_move();
        let (outcome, plies) = play_out(fen, nodes(20_000));
        assert_eq!(outcome, Outcome::Checkmate { winner }, "{fen} after {plies} plies");
        assert!(plies <= longest, "{fen} took {plies} plies");
    }
}

#[test]
fn a_mate_that_is_seen_is_played_out_without_delay() {
    let fen = "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1";
    assert_eq!(play_out(fen, depth(8)), (Outcome::Checkmate { winner: Color::White }, 5));
}

#[test]
fn the_losing_side_finds_the_perpetual_check() {
    // A rook down, but the queen checks on e8 and h5 for ever.
    let report = search(&position("6k1/6p1/8/7Q/8/1q6/1r6/7K w - - 0 1"), depth(8));
    assert_eq!((report.score, report.best_move().to_string().as_str()), (Score::DRAW, "h5e8"));
}

#[test]
fn a_third_occurrence_draws_and_a_second_from_before_the_root_does_not() {
    let fen = "k7/8/8/8/3R4/8/3Q4/7K w - - 0 1";
    let twice = Position::after(fen, "h1g1 a8b8 g1h1 b8a8 h1g1 a8b8 g1h1").expect("legal moves");
    let report = search(&twice, depth(4));
    assert_eq!((report.score, report.best_move().to_string().as_str()), (Score::DRAW, "b8a8"));
    let once = Position::after(fen, "h1g1 a8b8 g1h1").expect("legal moves");
    assert!(search(&once, depth(4)).score < Score(-500));
}

#[test]
fn fifty_moves_draw_and_mate_takes_precedence() {
    for (fen, wanted, why) in [
        ("8/8/8/8/8/5K2/R7/6k1 w - - 99 90", None, "one quiet ply is left: a draw"),
        ("8/8/8/8/8/6K1/R7/6k1 w - - 99 90", Some(1), "the hundredth ply mates"),
        ("k7/8/2K5/7R/8/8/8/8 w - - 98 90", None, "mate in two would come too late"),
        ("k7/8/2K5/7R/8/8/8/8 w - - 97 90", Some(2), "mate in two comes just in time"),
    ] {
        let report = search(&position(fen), depth(8));
        assert_eq!(report.score.moves_to_mate(), wanted, "{why}: {fen} {report:?}");
        assert!(wanted.is_some() || report.score == Score::DRAW, "{why}: {fen} {report:?}");
    }
    let report = search(&position("8/8/8/8/8/5K2/R6P/6k1 w - - 99 90"), depth(8));
    assert!(report.score > Score(300), "a pawn move begins the count anew: {report:?}");
    assert!(report.best_move().to_string().starts_with("h2"), "{report:?}");
}

#[test]
fn deep_endgames_with_the_smallest_table_come_to_an_end() {
    for fen in [
        "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
        "8/8/8/8/8/4k3/4p3/4K3 b - - 0 1",
        "8/8/1p1k2p1/p1p2p1p/P1P2P1P/1P1K2P1/8/8 w - - 0 40",
        "8/8/8/3k4/8/3K4/3Q4/8 w - - 0 1",
        "8/8/8/8/8/8/6k1/4K2R w K - 0 1",
    ] {
        let limits = Limits { nodes: Some(200_000), depth: Some(u8::MAX), ..Limits::default() };
        let position = position(fen);
        let report = engine(1, 1).search(&position, &limits, &Patience::endless());
        assert!(position.is_legal(report.best_move()), "{fen}: {report:?}");
    }
}

#[test]
fn a_caller_hears_of_every_iteration_with_a_playable_line() {
    struct Listener(std::sync::Mutex<Vec<SearchReport>>);
    impl Caller for Listener {
        fn should_stop(&self) -> bool {
            false
        }
        fn report(&self, report: &SearchReport) {
            self.0.lock().expect("no poison").push(report.clone());
        }
    }
    let listener = Listener(Default::default());
    let last = engine(4, 1).search(&position(KIWIPETE), &depth(7), &listener);
    let reports = listener.0.into_inner().expect("no poison");
    assert_eq!(reports.iter().map(|report| report.depth).collect::<Vec<_>>(), (1..=7).collect::<Vec<_>>());
    assert_eq!(reports.last().map(|report| &report.pv), Some(&last.pv));
    for report in &reports {
        play_line(&position(KIWIPETE), report);
    }
}

/// Plays the line of a report, which must be legal to its end.
fn play_line(position: &Position, report: &SearchReport) {
    let mut line = position.clone();
    for &mv in &report.pv {
        assert!(line.is_legal(mv), "{mv} in {} of {report:?} in {}", line.fen(), position.fen());
        line.play(mv);
    }
}

#[test]
fn two_hundred_quick_games_of_both_kinds_end_without_a_fault() {
    const GAMES: u64 = 200;
    const WORKERS: u64 = 2;
    std::thread::scope(|scope| {
        for worker in 0..WORKERS {
            scope.spawn(move || (worker..GAMES).step_by(WORKERS as usize).for_each(play_quick_game));
        }
    });
}

/// A game from a random opening; every answer of the engine is checked. Odd games are Chess960.
fn play_quick_game(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let start = if seed.is_multiple_of(2) { 518 } else { random.u16(..960) };
    let mut position = Position::chess960_start(start);
    let mut engine = engine(1, 1);
    for ply in 0..160 {
        if position.outcome().is_some() {
            break;
        }
        let mv = if ply < 8 {
            let moves = position.legal_moves();
            moves[random.usize(..moves.len())]
        } else {
            let report = engine.search(&position, &nodes(500), &Patience::endless());
            assert!(report.nodes <= 500, "{} nodes in {}", report.nodes, position.fen());
            play_line(&position, &report);
            report.best_move()
        };
        position.play(mv);
    }
}
