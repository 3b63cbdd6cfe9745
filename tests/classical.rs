//! What the classical evaluation must know, and that it is fair to both sides.

use tabiya::engine::classical::{Breakdown, Evaluator, Row, Tapered};
use tabiya::engine::{Position, evaluate};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn eval(fen: &str) -> i32 {
    evaluate(&position(fen)).0
}

/// The line of the table with this name.
fn row(fen: &str, name: &str) -> Row {
    let breakdown = Breakdown::of(&position(fen));
    breakdown.rows().find(|row| row.term.name == name).unwrap_or_else(|| panic!("no term {name:?}"))
}

/// The same position with colours changed: ranks reversed, letters' case swapped.
fn mirrored(fen: &str) -> String {
    let fields: Vec<&str> = fen.split(' ').collect();
    let swap_case = |text: &str| -> String {
        let swap = |c: char| match c.is_ascii_uppercase() {
            true => c.to_ascii_lowercase(),
            false => c.to_ascii_uppercase(),
        };
        text.chars().map(swap).collect()
    };
    let ranks: Vec<String> = fields[0].split('/').rev().map(swap_case).collect();
    let side = if fields[1] == "w" { "b" } else { "w" };
    // Rights are written White's first.
    let mut rights: Vec<char> = swap_case(fields[2]).chars().collect();
    rights.sort_by_key(|c| c.is_ascii_lowercase());
    let rights: String = rights.into_iter().collect();
    format!("{} {side} {rights} - 0 1", ranks.join("/"))
}

/// Positions of random games from all starts of Chess960.
fn random_positions(games: u64, visit: &mut dyn FnMut(&Position)) {
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..games {
        let mut position = Position::chess960_start(random.u16(..960));
        for _ in 0..200 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play(moves[random.usize(..moves.len())]);
            visit(&position);
        }
    }
}

#[test]
fn a_mirrored_position_evaluates_to_exactly_the_opposite() {
    let mut seen = 0;
    random_positions(60, &mut |position| {
        let mirrored = mirrored(&position.fen());
        let (white, black) = (Breakdown::of(position).score, Breakdown::of(&self::position(&mirrored)).score);
        assert_eq!(white, -black, "{} against {mirrored}", position.fen());
        seen += 1;
    });
    assert!(seen > 8000, "{seen} positions");
}

#[test]
fn what_is_printed_is_what_is_searched() {
    let evaluator = Evaluator::new();
    random_positions(60, &mut |position| {
        let fen = position.fen();
        let remembered = evaluator.evaluate(position);
        assert_eq!(remembered, evaluate(position), "with and without the table of pawns: {fen}");
        assert_eq!(remembered, evaluator.evaluate(position), "from the table of pawns: {fen}");
        let breakdown = Breakdown::of(position);
        let sum = breakdown.rows().fold(Tapered::ZERO, |sum, row| sum + row.white - row.black);
        assert_eq!(sum, breakdown.balance, "{fen}");
    });
}

#[test]
fn the_start_is_near_even_and_a_queen_is_worth_about_nine_pawns() {
    assert!(eval(START).abs() <= 30, "{}", eval(START));
    let queen_up = eval("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!((800..=1150).contains(&queen_up), "{queen_up}");
}

#[test]
fn the_right_to_move_is_all_that_passing_changes() {
    for fen in [START, "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 w - - 0 1"] {
        let (white, black) = (eval(fen), eval(&fen.replace(" w ", " b ")));
        let tempo = row(fen, "tempo").white;
        assert!(tempo.middlegame() >= 0 && tempo.endgame() >= 0, "{fen}");
        assert!((0..=60).contains(&(white + black)), "{white} and {black} in {fen}");
    }
}

#[test]
fn the_better_position_is_worth_more_to_white() {
    for (worse, better, why) in [
        ("4k3/p7/8/8/8/8/P7/N3K3 w - -", "4k3/p7/8/8/3N4/8/P7/4K3 w - -", "a knight in the centre"),
        (
            "rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/R1BQKBNR b KQkq -",
            "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq -",
            "Nf3 before Na3",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/7P/8/PPPPPPP1/RNBQKBNR b KQkq -",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -",
            "e4 before h4",
        ),
        (
            "4k3/ppp2ppp/8/8/8/P7/P1P2PPP/4K3 w - -",
            "4k3/ppp2ppp/8/8/8/P7/1PP2PPP/4K3 w - -",
            "pawns not doubled, of three",
        ),
        (
            "rnbq1rk1/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1K1R w - -",
            "rnbq1rk1/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1RK1 w - -",
            "a castled king",
        ),
        (
            "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w kq -",
            "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq -",
            "able to castle",
        ),
        (
            "r4rk1/ppp2ppp/2nqbn2/8/8/2NQBN2/PPP5/R4RK1 w - -",
            "r4rk1/5ppp/2nqbn2/8/8/2NQBN2/5PPP/R4RK1 w - -",
            "a shield of pawns",
        ),
        ("8/8/8/3k4/8/8/4Q3/3K4 w - -", "3k4/8/8/8/8/8/4Q3/3K4 w - -", "a bare king at the edge"),
        ("k7/8/2K5/8/3BN3/8/8/8 w - -", "7k/8/5K2/8/3BN3/8/8/8 w - -", "the corner of the bishop's colour"),
        (
            "3bnk2/ppp2ppp/8/8/8/8/PPP2PPP/3BNK2 w - -",
            "3bnk2/ppp2ppp/8/8/8/8/PPP2PPP/3BBK2 w - -",
            "two bishops",
        ),
        (
            "3rk3/pp3ppp/8/8/8/8/PP3PPP/1R2K3 w - -",
            "3rk3/pp3ppp/8/8/8/8/PP3PPP/2R1K3 w - -",
            "a rook on an open file",
        ),
        (
            "1r4k1/p4ppp/8/8/8/8/R4PPP/6K1 w - -",
            "1r4k1/R4ppp/p7/8/8/8/5PPP/6K1 w - -",
            "a rook on the seventh",
        ),
        ("8/8/8/P2k4/8/8/8/K7 w - -", "8/8/8/P3k3/8/8/8/K7 w - -", "a pawn that the king cannot catch"),
        ("8/8/8/P3k3/8/8/8/K7 b - -", "8/8/8/P4k2/8/8/8/K7 b - -", "nor when it moves first"),
    ] {
        let (low, high) = (white_score(worse), white_score(better));
        assert!(low < high, "{why}: {low} in {worse}, {high} in {better}");
    }
}

/// White's advantage, whoever is to move.
fn white_score(fen: &str) -> i32 {
    Breakdown::of(&position(fen)).score
}

/// One seed prints its tables with the eighth rank first and reads them with the first rank first, so
/// that its pawns love to stay at home; another forgets the bishops' table.
#[test]
fn every_table_of_squares_is_read_the_right_way_up() {
    let pawn = |rank: usize| white_score(&format!("4k3/{}b - -", ranks_with('P', rank)));
    for rank in 2..7 {
        assert!(pawn(rank) < pawn(rank + 1), "a pawn on rank {rank} and on the next");
    }
    let squares = |fen: &str, kind: &str| row(fen, &format!("{kind} squares")).white.middlegame();
    let home = squares("4k3/8/8/8/8/8/8/6K1 w - -", "king");
    assert!(home > squares("4k3/8/8/8/8/6K1/8/8 w - -", "king") + 20, "the king stays at home");
    for (kind, letter) in [("knight", 'N'), ("bishop", 'B'), ("rook", 'R'), ("queen", 'Q'), ("pawn", 'P')] {
        let values: Vec<i32> =
            (2..7).map(|rank| squares(&format!("4k3/{}b - -", ranks_with(letter, rank)), kind)).collect();
        assert!(values.iter().any(|&value| value != values[0]), "the squares of the {kind}: {values:?}");
    }
}

/// Ranks 7 to 1 with a man of White's on the d-file, White's king on e1 and a pawn on a2, lest it be an
/// ending against a bare king.
fn ranks_with(letter: char, man_rank: usize) -> String {
    let rank = |rank: usize| match rank {
        1 => "4K3 ".to_string(),
        2 if man_rank == 2 => format!("P2{letter}4/"),
        2 => "P7/".to_string(),
        rank if rank == man_rank => format!("3{letter}4/"),
        _ => "8/".to_string(),
    };
    (1..8).rev().map(rank).collect()
}

#[test]
fn a_passed_pawn_is_worth_more_by_rank() {
    let passed = |rank| row(&format!("4k3/{}b - -", ranks_with('P', rank)), "passed pawns").white;
    for rank in 2..7 {
        let (here, next) = (passed(rank), passed(rank + 1));
        assert!(here.endgame() < next.endgame(), "rank {rank}: {here:?}, then {next:?}");
        // With pieces about, a pawn that is still at home is no asset yet.
        let is_beyond = rank >= 4;
        assert!(!is_beyond || here.middlegame() < next.middlegame(), "rank {rank}: {here:?}, then {next:?}");
    }
}

#[test]
fn each_feature_is_seen_where_it_is_and_only_there() {
    for (name, with, without) in [
        ("doubled pawns", "4k3/8/8/8/P7/P7/8/4K3 w - -", "4k3/8/8/8/P7/1P6/8/4K3 w - -"),
        ("isolated pawns", "4k3/8/8/8/8/8/P1P5/4K3 w - -", "4k3/8/8/8/8/8/PP6/4K3 w - -"),
        ("backward pawns", "4k3/8/8/2p5/2P5/1P6/8/4K3 w - -", "4k3/8/8/2p5/2P5/1P6/P7/4K3 w - -"),
        ("pawns side by side", "4k3/8/8/8/3PP3/8/8/4K3 w - -", "4k3/8/8/8/3P4/4P3/8/4K3 w - -"),
        ("defended pawns", "4k3/8/8/8/3P4/4P3/8/4K3 w - -", "4k3/8/8/8/3PP3/8/8/4K3 w - -"),
        ("candidate pawns", "4k3/4p3/8/8/3PP3/8/8/4K3 w - -", "4k3/3pp3/8/8/3PP3/8/8/4K3 w - -"),
        ("passed pawns", "4k3/8/8/p7/3P4/8/8/4K3 w - -", "4k3/4p3/8/p7/3P4/8/8/4K3 w - -"),
        ("passed and defended", "4k3/8/3P4/4P3/8/8/8/4K3 w - -", "4k3/8/3P4/3P4/8/8/8/4K3 w - -"),
        ("passed and blocked", "8/3k4/3P4/8/8/8/8/4K3 w - -", "7k/8/3P4/8/8/8/8/4K3 w - -"),
        ("passed with a free way", "8/8/3P4/8/6k1/8/8/4K3 w - -", "3k4/8/3P4/8/8/8/8/4K3 w - -"),
        ("passed, own king's distance", "8/8/6k1/3P4/8/8/8/4K3 w - -", "8/8/6k1/8/8/3P4/8/4K3 w - -"),
        ("passed, rook behind", "8/8/3P4/8/6k1/8/8/3RK3 w - -", "3R4/8/3P4/8/6k1/8/8/4K3 w - -"),
        ("unstoppable pawns", "8/8/3P4/8/8/8/7k/4K3 b - -", "8/8/3P4/8/8/7r/7k/4K3 b - -"),
        ("pawns on the bishop's colour", "4k3/8/8/8/8/8/3P4/2B1K3 w - -", "4k3/8/8/8/8/8/4P3/2B1K3 w - -"),
        ("bishop pair", "4k3/8/8/8/8/P7/8/2B1KB2 w - -", "4k3/8/8/8/8/4B3/8/2B1K3 w - -"),
        ("outposts", "4k3/p7/8/3N4/4P3/8/8/4K3 w - -", "4k3/2p5/8/3N4/4P3/8/8/4K3 w - -"),
        ("rooks on open files", "4k3/8/8/8/8/8/P7/1R2K3 w - -", "4k3/8/8/8/8/8/P7/R3K3 w - -"),
        ("rooks on the seventh", "4k3/R7/8/8/8/P7/8/4K3 w - -", "8/R7/4k3/8/8/P7/8/4K3 w - -"),
        ("knight mobility", "4k3/8/8/3N4/8/P7/8/4K3 w - -", "4k3/8/8/3B4/8/P7/8/4K3 w - -"),
        ("bishop mobility", "4k3/8/8/3B4/8/P7/8/4K3 w - -", "4k3/8/8/3R4/8/P7/8/4K3 w - -"),
        ("rook mobility", "3k4/8/8/R7/8/P7/8/4K3 w - -", "4k3/8/8/3Q4/8/P7/8/4K3 w - -"),
        ("queen mobility", "4k3/8/8/Q7/8/P7/8/3K4 w - -", "4k3/8/8/3N4/8/P7/8/4K3 w - -"),
        ("able to castle", "4k3/8/8/8/8/P7/8/4K2R w K -", "4k3/8/8/8/8/P7/8/4K2R w - -"),
        ("pawn shield", "4k3/8/8/8/8/8/5PPP/6K1 w - -", ""),
        ("pawn storm", "4k3/8/8/8/8/6p1/8/6K1 w - -", ""),
        ("open files at the king", "4k3/8/8/8/8/8/8/6K1 w - -", "4k3/8/8/8/8/8/5PPP/6K1 w - -"),
        ("danger of the king", "4k3/8/8/8/8/5n2/6q1/4KB2 w - -", "4k3/8/8/8/8/8/8/6K1 w - -"),
        ("threats by pawns", "4k3/8/8/3n4/4P3/8/8/4K3 w - -", "4k3/8/8/3p4/4P3/8/8/4K3 w - -"),
        ("threats by minor pieces", "4k3/8/8/3r4/8/4N3/8/4K3 w - -", "4k3/8/2p5/3p4/8/4N3/8/4K3 w - -"),
        ("threats by rooks", "4k3/8/8/3q4/8/8/3R4/4K3 w - -", "4k3/8/2p5/3n4/8/8/3R4/4K3 w - -"),
        ("hanging men", "4k3/8/8/3n4/8/8/3R4/4K3 w - -", "4k3/8/2p5/3n4/8/8/3R4/4K3 w - -"),
        ("threats of a pawn's step", "4k3/8/8/3n4/8/4P3/8/4K3 w - -", "4k3/8/8/3n4/4P3/8/8/4K3 w - -"),
        ("a bare king", "4k3/8/8/8/8/8/8/4K2R w - -", "4k3/4p3/8/8/8/8/8/4K2R w - -"),
        ("tempo", START, "4k3/8/8/8/8/8/8/4K3 b - -"),
    ] {
        let counted = |fen: &str| row(fen, name).white_count;
        assert!(counted(with) > 0, "{name} in {with}");
        assert!(without.is_empty() || counted(without) == 0, "no {name} in {without}");
    }
}

#[test]
fn what_cannot_be_won_counts_for_nothing() {
    for (fen, why) in [
        ("4k3/8/8/8/8/8/8/2N1KN2 w - - 0 1", "two knights"),
        ("k7/8/8/P7/8/8/1B6/4K3 w - - 0 1", "the bishop of the wrong colour"),
        ("8/1k6/8/P7/8/P7/8/4K3 w - - 0 1", "two pawns on the edge, the king before them"),
        ("4k3/1b6/8/8/p7/8/8/K7 b - - 0 1", "Black's bishop of the wrong colour"),
        ("4k3/8/8/8/8/8/8/2N1K3 w - - 0 1", "a single knight"),
    ] {
        let score = white_score(fen).abs();
        assert!(score <= 20, "{why}: {score} in {fen}");
    }
    let commands = white_score("k7/8/8/P7/8/8/2B5/4K3 w - - 0 1");
    assert!(commands > 200, "the bishop of the right colour: {commands}");
}

#[test]
fn opposite_bishops_alone_halve_what_is_ahead() {
    let opposite = white_score("4k3/pp3p2/2b5/8/8/2B5/PP3PP1/4K3 w - -");
    let same = white_score("4k3/pp3p2/3b4/8/8/2B5/PP3PP1/4K3 w - -");
    assert!(opposite * 3 < same * 2, "{opposite} with opposite bishops, {same} with like ones");
}
