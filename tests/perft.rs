//! The move generator against published counts, and against shakmaty's for Chess960.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};
use std::convert::Infallible;
use tabiya::engine::perft::{Bounds, Case, CaseError, Difference, Verdict};
use tabiya::engine::perft::{divide, parse_suite, perft, run_suite};
use tabiya::engine::{FenError, Position};

const SUITE: &str = include_str!("perftsuite.epd");

/// All verdicts on a suite, in the order in which they were reported.
fn verdicts(cases: &[Case], bounds: Bounds, threads: usize) -> Vec<(usize, Verdict)> {
    let mut verdicts = Vec::new();
    let Ok(()) = run_suite::<Infallible>(cases, bounds, threads, |case, verdict| {
        verdicts.push((case.line, verdict));
        Ok(())
    });
    verdicts
}

#[test]
fn perft_equals_the_published_suite_to_depth_4() {
    let cases = parse_suite(SUITE).expect("the suite is well-formed");
    assert_eq!(cases.len(), 126);
    let verdicts = verdicts(&cases, Bounds { max_depth: 4, max_nodes: u64::MAX }, 2);
    assert_eq!(verdicts.len(), cases.len());
    for (case, (_, verdict)) in cases.iter().zip(&verdicts) {
        assert_eq!(verdict.differences, [], "{}", case.fen);
        assert_eq!(verdict.depth, 4, "{}", case.fen);
    }
}

#[test]
fn perft_equals_shakmaty_from_every_chess960_start_to_depth_3() {
    for number in 0..960 {
        let mut position = Position::chess960_start(number);
        let theirs: Chess = position
            .fen()
            .parse::<Fen>()
            .expect("FEN")
            .into_position(CastlingMode::Chess960)
            .unwrap_or_else(|error| panic!("start {number}: {error}"));
        for depth in 1..=3 {
            let expected = shakmaty::perft(&theirs, depth);
            assert_eq!(perft(&mut position, depth), expected, "start {number} at depth {depth}");
        }
    }
}

#[test]
fn the_position_with_the_most_moves_fits_the_move_list() {
    let fen = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
    let position = Position::from_fen(fen).expect(fen);
    assert_eq!(position.legal_moves().len(), 218);
    assert_eq!(position.count_legal_moves(), 218);
}

#[test]
fn a_suite_is_reported_in_order_by_any_number_of_threads() {
    let cases = parse_suite(SUITE).expect("the suite is well-formed");
    let bounds = Bounds { max_depth: 2, max_nodes: u64::MAX };
    let lines: Vec<usize> = cases.iter().map(|case| case.line).collect();
    for threads in [0, 1, 3, 500] {
        let reported: Vec<usize> = verdicts(&cases, bounds, threads).iter().map(|it| it.0).collect();
        assert_eq!(reported, lines, "{threads} threads");
    }
}

#[test]
fn a_wrong_count_is_reported_with_what_was_found() {
    let start = Position::default().fen();
    let cases = parse_suite(&format!("{start} ;D1 20 ;D2 401 ;D3 8902 ;D4 197281")).expect("a suite");
    let (_, verdict) = verdicts(&cases, Bounds { max_depth: 9, max_nodes: 9000 }, 1).remove(0);
    assert_eq!(verdict.differences, [Difference { depth: 2, expected: 401, found: 400 }]);
    assert_eq!((verdict.depth, verdict.skipped, verdict.nodes), (3, 1, 20 + 400 + 8902));
}

#[test]
fn a_report_that_fails_ends_the_suite() {
    let cases = parse_suite(SUITE).expect("the suite is well-formed");
    let mut reports = 0;
    let result = run_suite(&cases, Bounds { max_depth: 1, max_nodes: 1000 }, 2, |case, _| {
        reports += 1;
        if case.line == 3 { Err("full disk") } else { Ok(()) }
    });
    assert_eq!((result, reports), (Err("full disk"), 3));
}

#[test]
fn a_bad_line_of_a_suite_is_refused_with_its_number() {
    let start = Position::default().fen();
    let count = |text: &str| CaseError::Count(text.to_string());
    for (line, reason) in [
        (start.clone(), CaseError::NoCounts),
        (format!("{start};"), count("")),
        (format!("{start} ;D1 20 ;"), count("")),
        (format!("{start} ;D1"), count("D1")),
        (format!("{start} ;1 20"), count("1 20")),
        (format!("{start} ;D0 1"), count("D0 1")),
        (format!("{start} ;D1 -20"), count("D1 -20")),
        (format!("{start} ;D1 20x"), count("D1 20x")),
        (format!("{start} ;D1 20 20"), count("D1 20 20")),
        (format!("{start} ;D1 99999999999999999999"), count("D1 99999999999999999999")),
        ("8/8 ;D1 20".to_string(), CaseError::Fen(FenError::Fields(1))),
    ] {
        let error = parse_suite(&format!("{start} ;D1 20\n\n{line}\n")).expect_err(&line);
        assert_eq!((error.line, error.reason), (3, reason), "{line}");
    }
}

#[test]
fn divide_counts_every_root_move_and_leaves_the_position_alone() {
    for fen in SUITE.lines().map(|line| line.split(" ;").next().expect("a FEN")) {
        let position = Position::from_fen(fen).expect(fen);
        let (mut moves, mut total) = (Vec::new(), 0);
        let Ok(all_counted) = divide::<Infallible>(&position, 3, 2, &|| true, |mv, nodes| {
            moves.push(*mv);
            total += nodes;
            Ok(())
        });
        assert!(all_counted);
        assert_eq!(moves, *position.legal_moves(), "{fen}");
        assert_eq!(total, perft(&mut position.clone(), 3), "{fen}");
        assert_eq!(position.plies_played(), 0, "{fen}");
    }
}
