//! The rules of a game, tested with a clock in the hand.

use super::endings::Status;
use super::game::{CallRefused, Game, MoveRefusal, Setup};
use super::setup::{PlayerInfo, Start, TimeControl, Variant};
use crate::engine::Color;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

const fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn setup(variant: Variant, fen: Option<&str>) -> Setup {
    let start = Start::of(variant, fen, &mut fastrand::Rng::with_seed(1)).expect("a legal start");
    Setup {
        id: "q7ZkTfLb".to_string(),
        players: [PlayerInfo::human("Ada", 1712), PlayerInfo::bot("MyBot", 2010)],
        bot: Color::Black,
        start,
        time_control: TimeControl::clock(60, 2),
        rated: false,
        rules: Vec::new(),
        first_move: None,
        allows_takebacks: true,
        claim_after: None,
        king_step_castling: false,
    }
}

/// A game at 1+2 with all moves made at one moment.
fn game_after(moves: &str, now: Instant) -> Game {
    let mut game = Game::new(setup(Variant::Standard, None), now);
    play_all(&mut game, moves, now);
    game
}

fn play_all(game: &mut Game, moves: &str, now: Instant) {
    for uci in moves.split_ascii_whitespace() {
        let side = game.position().side_to_move();
        game.play(side, uci, None, now).unwrap_or_else(|refusal| panic!("{uci} in {moves}: {refusal:?}"));
    }
}

fn states(game: &mut Game) -> Vec<Value> {
    game.take_lines().into_iter().filter(|line| line["type"] == "gameState").collect()
}

fn remarks(game: &mut Game) -> Vec<String> {
    let lines = game.take_lines().into_iter();
    let own = lines.filter(|line| line["username"] == "lichess" && line["room"] == "player");
    own.map(|line| line["text"].as_str().unwrap_or_default().to_string()).collect()
}

#[test]
fn moves_are_refused_in_the_servers_words() {
    let now = Instant::now();
    let illegal = |from: &str, to: &str| MoveRefusal::Illegal { from: from.to_string(), to: to.to_string() };
    for (side, uci, expected) in [
        (Color::White, "e2", MoveRefusal::InvalidUci("e2".to_string())),
        (Color::White, "e2e9", MoveRefusal::InvalidUci("e2e9".to_string())),
        (Color::White, "üüü", MoveRefusal::InvalidUci("üüü".to_string())),
        (Color::White, "e2e5", illegal("e2", "e5")),
        (Color::White, "e7e5", illegal("e7", "e5")),
        (Color::Black, "e7e5", MoveRefusal::NotYourTurn),
    ] {
        let mut game = game_after("", now);
        assert_eq!(game.play(side, uci, None, now), Err(expected), "{side:?} {uci}");
        assert!(game.take_lines().is_empty(), "{uci} told somebody something");
    }
    let mut over = game_after("f2f3 e7e5 g2g4 d8h4", now);
    assert_eq!(over.play(Color::White, "e1d1", None, now), Err(MoveRefusal::NotYourTurn));
}

#[test]
fn castling_is_understood_both_ways_and_shown_as_king_takes_rook() {
    let now = Instant::now();
    let opened = "e2e4 e7e5 g1f3 g8f6 f1e2 f8e7";
    for uci in ["e1h1", "e1g1"] {
        let game = game_after(&format!("{opened} {uci}"), now);
        assert_eq!(game.uci_moves().last().map(String::as_str), Some("e1h1"), "{uci}");
    }
    let mut older = Game::new(Setup { king_step_castling: true, ..setup(Variant::Standard, None) }, now);
    play_all(&mut older, &format!("{opened} e1h1"), now);
    assert_eq!(older.uci_moves().last().map(String::as_str), Some("e1g1"));
}

#[test]
fn chess960_takes_castling_as_king_takes_rook_alone() {
    let now = Instant::now();
    let fen = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    for (uci, is_legal) in [("e1h1", true), ("e1a1", true), ("e1g1", false), ("e1c1", false)] {
        let mut game = Game::new(setup(Variant::Chess960, Some(fen)), now);
        assert_eq!(game.play(Color::White, uci, None, now).is_ok(), is_legal, "{uci}");
    }
}

#[test]
fn a_missing_or_odd_promotion_letter_is_a_queen() {
    let now = Instant::now();
    let fen = "8/P6k/8/8/8/8/7K/8 w - - 0 1";
    for (uci, played) in
        [("a7a8", "a7a8q"), ("a7a8Q", "a7a8q"), ("a7a8n", "a7a8n"), ("a7a8r", "a7a8r"), ("a7a8b", "a7a8b")]
    {
        let mut game = Game::new(setup(Variant::Standard, Some(fen)), now);
        play_all(&mut game, uci, now);
        assert_eq!(game.uci_moves(), [played], "{uci}");
    }
}

#[test]
fn a_decisive_move_is_told_in_one_state() {
    let now = Instant::now();
    for (fen, uci, status, winner) in [
        ("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6g7", "mate", json!("white")),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f7", "stalemate", Value::Null),
        ("7k/6p1/6K1/8/8/8/8/8 w - - 0 1", "g6h5", "started", Value::Null),
        ("7k/8/6pK/8/8/8/8/8 w - - 0 1", "h6g6", "draw", Value::Null),
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 90", "a1b1", "draw", Value::Null),
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 90", "a1a8", "mate", json!("white")),
    ] {
        let mut game = Game::new(setup(Variant::Standard, Some(fen)), now);
        play_all(&mut game, uci, now);
        let told = states(&mut game);
        assert_eq!(told.len(), 1, "{fen} {uci}: {told:?}");
        assert_eq!(told[0]["status"], status, "{fen} {uci}");
        assert_eq!(told[0]["winner"], winner, "{fen} {uci}");
    }
}

#[test]
fn a_third_repetition_is_told_in_two_states() {
    let now = Instant::now();
    let mut game = game_after("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1", now);
    game.take_lines();
    play_all(&mut game, "f6g8", now);
    let told: Vec<Value> = states(&mut game).iter().map(|state| state["status"].clone()).collect();
    assert_eq!(told, ["started", "draw"]);
}

#[test]
fn a_move_after_the_flag_is_taken_and_not_played() {
    let start = Instant::now();
    let mut game = game_after("e2e4 e7e5", start);
    assert_eq!(game.next_deadline(), Some(start + seconds(60)));
    assert_eq!(game.play(Color::White, "g1f3", None, start + seconds(60)), Ok(()));
    assert_eq!((game.status(), game.winner()), (Status::OutOfTime, Some(Color::Black)));
    assert_eq!(game.plies(), 2);
}

#[test]
fn a_fallen_flag_is_no_loss_to_somebody_who_cannot_mate() {
    let start = Instant::now();
    let fen = "4k3/4p3/8/8/8/8/8/4K3 b - - 0 1";
    let mut game = Game::new(setup(Variant::Standard, Some(fen)), start);
    play_all(&mut game, "e8d8 e1d1", start);
    game.tick(start + seconds(60));
    assert_eq!((game.status(), game.winner()), (Status::OutOfTime, None));
    let told = states(&mut game);
    assert_eq!(told.last().map(|state| state["btime"].clone()), Some(json!(0)));
}

#[test]
fn a_flag_that_falls_on_a_draw_offer_is_a_draw() {
    let start = Instant::now();
    let mut game = game_after("e2e4 e7e5 g1f3", start);
    game.answer_draw(Color::White, true, start);
    game.tick(start + seconds(62));
    assert_eq!((game.status(), game.winner()), (Status::Draw, None));
}

#[test]
fn a_draw_offer_stands_until_it_is_answered_or_the_other_side_moves() {
    let now = Instant::now();
    let mut game = game_after("e2e4 e7e5", now);
    game.take_lines();
    assert_eq!(game.play(Color::White, "g1f3", Some(true), now), Ok(()));
    let told = states(&mut game);
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!((&told[0]["moves"], &told[0]["wdraw"]), (&json!("e2e4 e7e5"), &json!(true)));
    assert_eq!((&told[1]["moves"], &told[1]["wdraw"]), (&json!("e2e4 e7e5 g1f3"), &json!(true)));

    play_all(&mut game, "b8c6", now);
    assert_eq!(remarks(&mut game), ["Black declines draw"]);
    play_all(&mut game, "f1c4", now);
    assert_eq!(states(&mut game)[0]["wdraw"], Value::Null);
}

#[test]
fn a_declined_draw_pushes_no_state() {
    let now = Instant::now();
    let mut game = game_after("e2e4 e7e5", now);
    game.answer_draw(Color::White, true, now);
    game.take_lines();
    game.answer_draw(Color::Black, false, now);
    let told = game.take_lines();
    assert!(told.iter().all(|line| line["type"] == "chatLine"), "{told:?}");
    game.answer_draw(Color::Black, true, now);
    assert_eq!(game.status(), Status::Started, "the offer had lapsed");
}

#[test]
fn an_accepted_draw_ends_the_game_also_by_a_move() {
    let now = Instant::now();
    let mut game = game_after("e2e4 e7e5", now);
    game.answer_draw(Color::Black, true, now);
    assert_eq!(game.play(Color::White, "g1f3", Some(true), now), Ok(()));
    assert_eq!((game.status(), game.plies()), (Status::Draw, 2));
}

#[test]
fn draw_offers_outside_the_rules_do_nothing() {
    let now = Instant::now();
    let mut early = game_after("e2e4", now);
    early.answer_draw(Color::White, true, now);
    assert!(remarks(&mut early).is_empty(), "before both sides have moved");

    let mut ruled =
        Game::new(Setup { rules: vec!["noEarlyDraw".to_string()], ..setup(Variant::Standard, None) }, now);
    play_all(&mut ruled, "e2e4 e7e5", now);
    ruled.answer_draw(Color::White, true, now);
    assert!(remarks(&mut ruled).is_empty(), "under noEarlyDraw");

    let mut again = game_after("e2e4 e7e5", now);
    again.answer_draw(Color::White, true, now);
    again.answer_draw(Color::Black, false, now);
    again.take_lines();
    again.answer_draw(Color::White, true, now);
    assert!(remarks(&mut again).is_empty(), "twice within twenty plies");
}

#[test]
fn a_draw_offer_to_somebody_who_cannot_win_ends_the_game() {
    let now = Instant::now();
    let mut game = Game::new(setup(Variant::Standard, Some("4k3/4p3/8/8/8/8/8/4K3 b - - 0 1")), now);
    play_all(&mut game, "e8d8 e1d1", now);
    game.answer_draw(Color::Black, true, now);
    assert_eq!(game.status(), Status::InsufficientMaterialClaim);
}

#[test]
fn a_takeback_takes_one_ply_from_whoever_has_just_moved_and_else_two() {
    let now = Instant::now();
    for (proposer, moves, left) in [
        (Color::White, "e2e4 e7e5 g1f3", "e2e4 e7e5"),
        (Color::Black, "e2e4 e7e5 g1f3", "e2e4"),
        (Color::Black, "e2e4 e7e5 g1f3 b8c6", "e2e4 e7e5 g1f3"),
    ] {
        let mut game = game_after(moves, now);
        game.answer_takeback(proposer, true, now);
        assert_eq!(game.plies(), moves.split(' ').count(), "{proposer:?} after {moves}: only proposed");
        game.answer_takeback(!proposer, true, now);
        let told = states(&mut game);
        assert_eq!(told.last().expect("a state")["moves"], left, "{proposer:?} after {moves}");
    }
}

#[test]
fn a_declined_takeback_is_told_and_has_to_wait() {
    let start = Instant::now();
    let mut game = game_after("e2e4 e7e5 g1f3", start);
    game.answer_takeback(Color::White, true, start);
    assert_eq!(states(&mut game).last().expect("a state")["wtakeback"], json!(true));
    game.answer_takeback(Color::Black, false, start);
    assert_eq!(states(&mut game).last().expect("a state")["wtakeback"], Value::Null);
    for (wait, is_heard) in [(9, false), (10, true)] {
        game.answer_takeback(Color::White, true, start + seconds(wait));
        assert_eq!(game.offers[0].takeback.is_some(), is_heard, "after {wait} s");
    }
}

#[test]
fn a_move_declines_a_takeback() {
    let now = Instant::now();
    let mut game = game_after("e2e4 e7e5 g1f3", now);
    game.answer_takeback(Color::White, true, now);
    game.take_lines();
    play_all(&mut game, "b8c6", now);
    let told = states(&mut game);
    assert_eq!(told.first().expect("the move")["wtakeback"], json!(true));
    assert_eq!(told.last().expect("the answer")["wtakeback"], Value::Null);
    assert_eq!(game.plies(), 4);
}

#[test]
fn without_leave_takebacks_are_not_heard() {
    let now = Instant::now();
    let mut game = Game::new(Setup { allows_takebacks: false, ..setup(Variant::Standard, None) }, now);
    play_all(&mut game, "e2e4 e7e5 g1f3", now);
    game.answer_takeback(Color::White, true, now);
    assert!(remarks(&mut game).is_empty());
}

#[test]
fn only_a_game_that_has_not_begun_can_be_aborted() {
    let now = Instant::now();
    for (moves, rules, can) in [
        ("", vec![], true),
        ("e2e4", vec![], true),
        ("e2e4 e7e5", vec![], false),
        ("", vec!["noAbort"], false),
    ] {
        let rules = rules.into_iter().map(str::to_string).collect();
        let mut game = Game::new(Setup { rules, ..setup(Variant::Standard, None) }, now);
        play_all(&mut game, moves, now);
        let refused = Err(CallRefused("This game can no longer be aborted"));
        assert_eq!(game.abort(now), if can { Ok(()) } else { refused }, "after {moves:?}");
        assert_eq!(game.status() == Status::Aborted, can, "after {moves:?}");
    }
}

#[test]
fn resigning_before_both_have_moved_aborts() {
    let now = Instant::now();
    for (moves, status, winner) in
        [("e2e4", Status::Aborted, None), ("e2e4 e7e5", Status::Resign, Some(Color::White))]
    {
        let mut game = game_after(moves, now);
        assert_eq!(game.resign(Color::Black, now), Ok(()), "after {moves}");
        assert_eq!((game.status(), game.winner()), (status, winner), "after {moves}");
        assert_eq!(game.resign(Color::Black, now), Err(CallRefused("This game cannot be resigned")));
    }
}

#[test]
fn a_first_move_that_does_not_come_ends_the_game_where_there_is_a_limit() {
    let start = Instant::now();
    let setup = Setup { first_move: Some(seconds(25)), ..setup(Variant::Standard, None) };
    let mut game = Game::new(setup, start);
    play_all(&mut game, "e2e4", start + seconds(10));
    let told = states(&mut game);
    assert_eq!(told[0]["expiration"], json!({"idleMillis": 0, "millisToMove": 25_000}));
    game.tick(start + seconds(34));
    assert_eq!(game.status(), Status::Started);
    game.tick(start + seconds(35));
    assert_eq!(game.status(), Status::Aborted);
    assert_eq!(game_after("e2e4", start).next_deadline(), None, "direct challenges have no limit");
}

#[test]
fn an_absent_opponent_is_told_about_and_can_be_claimed_from_in_time() {
    let start = Instant::now();
    let mut game = game_after("e2e4 e7e5", start);
    game.take_lines();
    game.opponent_leaves(start);
    assert_eq!(
        game.claim(true, start + seconds(29)),
        Err(CallRefused("You cannot claim the win on this game"))
    );
    for second in 1..=35 {
        game.tick(start + seconds(second));
    }
    let seconds_told: Vec<Value> =
        game.take_lines().iter().map(|line| line["claimWinInSeconds"].clone()).collect();
    assert_eq!(seconds_told, [25, 20, 15, 10, 5, 0, 0]);
    assert_eq!(game.claim(true, start + seconds(35)), Ok(()));
    assert_eq!((game.status(), game.winner()), (Status::Timeout, Some(Color::Black)));
}

#[test]
fn whoever_comes_back_late_is_told_about_and_early_is_not() {
    let start = Instant::now();
    for (away, expected) in [(10, vec![]), (31, vec![json!({"type": "opponentGone", "gone": false})])] {
        let mut game = game_after("e2e4 e7e5", start);
        game.opponent_leaves(start);
        game.take_lines();
        game.opponent_returns(start + seconds(away));
        assert_eq!(game.take_lines(), expected, "after {away} s");
    }
}

#[test]
fn a_claim_that_makes_no_sense_does_nothing() {
    let now = Instant::now();
    let mut my_turn = game_after("e2e4 e7e5 g1f3", now);
    my_turn.opponent_leaves(now);
    assert_eq!(my_turn.claim(true, now + seconds(50)), Ok(()));
    assert_eq!(my_turn.status(), Status::Started);

    let unlimited = Setup { time_control: TimeControl::Unlimited, ..setup(Variant::Standard, None) };
    let mut unlimited = Game::new(unlimited, now);
    play_all(&mut unlimited, "e2e4 e7e5", now);
    unlimited.opponent_leaves(now);
    assert_eq!(unlimited.claim(true, now + seconds(500)), Ok(()));
    assert_eq!(unlimited.status(), Status::Started);
}

#[test]
fn a_claimed_draw_has_no_winner() {
    let now = Instant::now();
    let mut game = game_after("e2e4 e7e5", now);
    game.opponent_leaves(now);
    assert_eq!(game.claim(false, now + seconds(31)), Ok(()));
    assert_eq!((game.status(), game.winner()), (Status::Timeout, None));
}

#[test]
fn states_carry_both_clocks() {
    let start = Instant::now();
    let mut game = game_after("e2e4 e7e5", start);
    game.take_lines();
    play_all(&mut game, "g1f3", start + seconds(5));
    let expected = json!({
        "type": "gameState", "moves": "e2e4 e7e5 g1f3", "wtime": 57_000, "btime": 60_000,
        "winc": 2_000, "binc": 2_000, "status": "started",
    });
    assert_eq!(states(&mut game), [expected]);
}
