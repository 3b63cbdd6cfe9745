//! The real service in whole games against the practice Lichess.

#[path = "common/service.rs"]
mod service;

use service::{Bot, access, book_of, options, patiently, quick};
use std::io::{self, BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tabiya::book::Book;
use tabiya::bot::store::{Archive, KeptGame, Wanted};
use tabiya::bot::{BotOptions, Stop};
use tabiya::engine::Color;
use tabiya::lichess::{LichessOptions, Token};
use tabiya::practice::{
    ChallengeEnd, ChallengeRequest, Cut, GameRecord, Greedy, Opponent, OpponentAction, PlayerInfo,
    PracticeOptions, PracticeServer, RandomMover, Scripted, TimeControl, Variant,
};

async fn start(options: PracticeOptions) -> PracticeServer {
    PracticeServer::start(options).await.expect("a free port")
}

async fn start_default() -> PracticeServer {
    start(PracticeOptions::default()).await
}

/// Ada has all the time in the world and the colour that the bot has not.
fn ada(bot: Color, play: impl Opponent + 'static) -> ChallengeRequest {
    let mut request = ChallengeRequest::new(PlayerInfo::human("Ada", 1712), play);
    request.time_control = TimeControl::clock(3_600, 10);
    request.color = Some(!bot);
    request
}

fn challenge(server: &PracticeServer, request: ChallengeRequest) -> String {
    server.challenge(request).expect("a legal start")
}

fn running(server: &PracticeServer, request: ChallengeRequest) -> String {
    server.start_game(request).expect("a legal start")
}

async fn finished(server: &PracticeServer, id: &str) -> GameRecord {
    patiently("the end of a game", server.finished(id)).await
}

async fn answered(server: &PracticeServer, id: &str) -> ChallengeEnd {
    patiently("the answer to a challenge", server.answered(id)).await
}

/// A bot that plays so many games with a clock at a time, and keeps some of its places for humans.
fn with_places(server: &PracticeServer, places: usize, reserved_for_humans: usize) -> Bot {
    let mut options = options(server);
    options.challenge.concurrency = places;
    options.challenge.reserved_for_humans = reserved_for_humans;
    Bot::with(options, Book::empty())
}

/// Nobody has moved yet, and the opponent leaves it at that.
fn abort(server: &PracticeServer, id: &str) {
    server.act(id, OpponentAction::Abort).expect("nobody has moved");
}

fn resign(server: &PracticeServer, id: &str) {
    server.act(id, OpponentAction::Resign).expect("never refused");
}

/// The moves of one side of a line.
fn side_of(line: &str, color: Color) -> String {
    let moves = line.split(' ').skip(usize::from(color == Color::Black)).step_by(2);
    moves.collect::<Vec<&str>>().join(" ")
}

/// Follows a line to its end, the bot by its book; then the opponent resigns.
async fn follow(server: &PracticeServer, line: &str, bot_color: Color) -> GameRecord {
    let bot = Bot::with_line(server, line);
    let script = Scripted::moves(&side_of(line, !bot_color)).then(OpponentAction::Resign);
    let id = challenge(server, ada(bot_color, script));
    let record = finished(server, &id).await;
    bot.drain().await;
    record
}

/// A challenge of somebody who only looks at the board.
fn onlooker(player: PlayerInfo, rated: bool) -> ChallengeRequest {
    let mut request = ada(Color::Black, Scripted::silent());
    (request.opponent, request.rated) = (player, rated);
    request
}

// From the challenge to the end.

#[tokio::test]
async fn whole_games_are_won_with_either_colour() {
    for bot_color in [Color::White, Color::Black] {
        let server = start_default().await;
        let mut bot = Bot::start(&server);
        let id = challenge(&server, ada(bot_color, RandomMover::new(3)));
        assert_eq!(answered(&server, &id).await, ChallengeEnd::Accepted);
        let record = finished(&server, &id).await;
        assert_eq!(record.status, "mate", "as {bot_color:?}: {}", record.position.fen());
        assert!(record.bot_won(), "as {bot_color:?}");

        let report = bot.finished_game().await;
        assert_eq!((report.id.as_str(), report.status.as_str()), (id.as_str(), "mate"));
        let expected = if bot_color == Color::White { "1-0" } else { "0-1" };
        assert_eq!(report.result, expected);
        assert!(report.pgn.contains(&format!("[Result \"{expected}\"]")), "{}", report.pgn);
        bot.drain().await;
        assert_eq!(server.violations(), []);
    }
}

#[tokio::test]
async fn several_games_run_side_by_side() {
    let server = start_default().await;
    let bot = Bot::start(&server);
    let mut ids = Vec::new();
    for number in 0..4_u64 {
        let mut request = ada(Color::White, Greedy::new(number));
        request.opponent = PlayerInfo::human(&format!("Player{number}"), 1500);
        request.color = None;
        ids.push(challenge(&server, request));
    }
    for id in &ids {
        assert_eq!(answered(&server, id).await, ChallengeEnd::Accepted);
        assert_ne!(finished(&server, id).await.status, "aborted");
    }
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn the_book_is_asked_before_the_engine() {
    let server = start_default().await;
    let mut bot = Bot::with_line(&server, "e2e4 e7e5 g1f3 b8c6");
    let script = Scripted::moves("e7e5 b8c6 a7a6").then(OpponentAction::Resign);
    let id = challenge(&server, ada(Color::White, script));
    let record = finished(&server, &id).await;
    let sources = bot.sources().await;
    assert_eq!(record.moves[..4], ["e2e4", "e7e5", "g1f3", "b8c6"]);
    let kinds: Vec<&str> = sources.iter().filter_map(|source| source.split(':').next()).collect();
    assert_eq!(kinds[..3], ["book", "book", "search"], "{sources:?}");
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn the_opponent_is_greeted() {
    let server = start_default().await;
    let bot = Bot::start(&server);
    let id = challenge(&server, ada(Color::Black, Scripted::silent()));
    let said = |game: &GameRecord| game.chat.iter().any(|line| line.username == "Tabiya");
    let record = patiently("a greeting", server.when(&id, said)).await;
    assert!(record.chat[0].text.contains("Ada"), "{:?}", record.chat);
    abort(&server, &id);
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn a_finished_game_is_kept_with_clocks_evaluations_and_sources() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let server = start_default().await;
    let mut options = options(&server);
    options.store.path = folder.path().join("state.sqlite").display().to_string();
    let bot = Bot::with(options.clone(), book_of("e2e4 e7e5"));
    let script = Scripted::moves("e7e5 b8c6").then(OpponentAction::Resign);
    let id = challenge(&server, ada(Color::White, script));
    finished(&server, &id).await;
    bot.drain().await;

    let archive = Archive::open_to_read(&options.store.file().expect("a file")).expect("a state file");
    let wanted = Wanted::default();
    let games: Vec<KeptGame> = archive.games(&wanted).map(|kept| kept.expect("a game")).collect();
    let [KeptGame { game, .. }] = &games[..] else { panic!("{games:?}") };
    assert_eq!((game.id.as_str(), game.status.as_str()), (id.as_str(), "resign"));
    assert_eq!(game.opponent, "ada".parse().ok());
    assert_eq!((game.result.as_str(), game.plies >= 4), ("1-0", true), "{game:?}");
    let pgn = game.pgn.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(pgn.contains("1. e4 {[%clk 1:00:00] book: The line"), "{pgn}");
    assert!(pgn.contains("1... e5 {[%clk 1:00:00]}"), "{pgn}");
    assert!(pgn.contains("[%eval ") && pgn.contains("search: depth"), "{pgn}");
}

#[tokio::test]
async fn a_state_file_that_cannot_be_used_costs_no_game() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let in_the_way = folder.path().join("in-the-way");
    std::fs::write(&in_the_way, "a file, not a directory").expect("room");
    let server = start_default().await;
    let mut options = options(&server);
    options.store.path = in_the_way.join("state.sqlite").display().to_string();
    let bot = Bot::with(options, book_of("e2e4 e7e5"));
    let script = Scripted::moves("e7e5").then(OpponentAction::Resign);
    let id = challenge(&server, ada(Color::White, script));
    let record = finished(&server, &id).await;
    assert_eq!(record.status, "resign");
    bot.drain().await;
}

// Resuming.

#[tokio::test]
async fn games_that_run_already_are_resumed() {
    let server = start_default().await;
    let ours = running(&server, ada(Color::Black, Scripted::moves("e2e4").then(OpponentAction::Resign)));
    let theirs = running(&server, ada(Color::Black, RandomMover::new(9)));
    patiently("Ada's first moves", server.plies(&ours, 1)).await;
    patiently("Ada's first moves", server.plies(&theirs, 1)).await;
    let bot = Bot::start(&server);
    assert_eq!(finished(&server, &ours).await.status, "resign");
    assert_ne!(finished(&server, &theirs).await.status, "aborted");
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn a_restart_goes_on_where_the_game_was_left() {
    let server = start_default().await;
    let id = running(&server, ada(Color::White, Scripted::moves("e7e5")));
    let first = Bot::start(&server);
    let before = patiently("three plies", server.plies(&id, 3)).await;
    first.tell(Stop::Stopping);
    first.end().await.expect("a clean end");
    assert_eq!(server.record(&id).expect("a game").status, "started", "the game is left alone");

    let second = Bot::start(&server);
    patiently("the new stream", server.watched(&id)).await;
    let reply = before.position.legal_moves()[0];
    server.act(&id, OpponentAction::Move(reply)).expect("legal");
    patiently("the next move", server.plies(&id, 5)).await;
    resign(&server, &id);
    second.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn a_game_goes_on_after_its_stream_was_cut() {
    for how in [Cut::Clean, Cut::Broken] {
        let server = start_default().await;
        let bot = Bot::start(&server);
        let id = challenge(&server, ada(Color::White, Scripted::silent()));
        let record = patiently("our first move", server.plies(&id, 1)).await;
        server.cut_game_stream(&id, how);
        patiently("the stream to come back", server.watched(&id)).await;
        let reply = record.position.legal_moves()[0];
        server.act(&id, OpponentAction::Move(reply)).expect("legal");
        let record = patiently("our second move", server.plies(&id, 3)).await;

        // What happens while nobody listens is seen all the same.
        server.cut_game_stream(&id, how);
        let reply = record.position.legal_moves()[0];
        server.act(&id, OpponentAction::Move(reply)).expect("legal");
        patiently("our third move", server.plies(&id, 5)).await;
        resign(&server, &id);
        bot.drain().await;
        assert_eq!(server.violations(), [], "{how:?}");
    }
}

#[tokio::test]
async fn a_cut_event_stream_comes_back_and_disturbs_no_game() {
    for how in [Cut::Clean, Cut::Broken] {
        let server = start_default().await;
        let bot = Bot::start(&server);
        let id = challenge(&server, ada(Color::White, Scripted::silent()));
        let record = patiently("our first move", server.plies(&id, 1)).await;
        server.cut_account_stream(how);
        patiently("the event stream to come back", server.online()).await;
        server.act(&id, OpponentAction::Move(record.position.legal_moves()[0])).expect("legal");
        patiently("our second move", server.plies(&id, 3)).await;
        let other = challenge(&server, ada(Color::Black, Scripted::silent()));
        assert_eq!(answered(&server, &other).await, ChallengeEnd::Accepted);
        for id in [id, other] {
            resign(&server, &id);
        }
        bot.drain().await;
        assert_eq!(server.violations(), [], "{how:?}");
    }
}

/// The one test that has to wait: the client gives a silent stream two and a half keep-alives.
#[tokio::test]
async fn streams_that_fall_silent_are_opened_anew() {
    let server = start_default().await;
    let bot = Bot::start(&server);
    let id = challenge(&server, ada(Color::White, Scripted::silent()));
    let record = patiently("our first move", server.plies(&id, 1)).await;
    server.cut_game_stream(&id, Cut::Silent);
    server.cut_account_stream(Cut::Silent);
    server.act(&id, OpponentAction::Move(record.position.legal_moves()[0])).expect("legal");
    patiently("our second move", server.plies(&id, 3)).await;
    patiently("the event stream to come back", server.online()).await;
    resign(&server, &id);
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

// Special moves.

const SHORT_CASTLING: &str = "e2e4 e7e5 g1f3 g8f6 f1e2 f8e7 e1h1 e8h8 d2d3";
const LONG_CASTLING: &str = "d2d4 d7d5 b1c3 b8c6 c1f4 c8f5 d1d2 d8d7 e1a1 e8a8 h2h3";

#[tokio::test]
async fn both_sides_castle_in_both_notations() {
    for (line, kings) in [
        (SHORT_CASTLING, [("e1h1", "e1g1"), ("e8h8", "e8g8")]),
        (LONG_CASTLING, [("e1a1", "e1c1"), ("e8a8", "e8c8")]),
    ] {
        for (king_step_castling, bot_color) in
            [(false, Color::White), (false, Color::Black), (true, Color::White), (true, Color::Black)]
        {
            let server = start(PracticeOptions { king_step_castling, ..Default::default() }).await;
            let record = follow(&server, line, bot_color).await;
            let mut expected = line.to_string();
            if king_step_castling {
                for (rook_taken, king_step) in kings {
                    expected = expected.replace(rook_taken, king_step);
                }
            }
            let played = record.moves[..line.split(' ').count()].join(" ");
            assert_eq!(played, expected, "as {bot_color:?}, king's step: {king_step_castling}");
            assert_eq!(server.violations(), [], "{line} as {bot_color:?}");
        }
    }
}

#[tokio::test]
async fn promotions_and_en_passant_are_played_and_understood() {
    for line in [
        "a2a4 b7b5 a4b5 a7a6 b5a6 b8c6 a6a7 a8b8 a7b8n c6b8 h2h3",
        "a2a4 b7b5 a4b5 a7a6 b5a6 b8c6 a6a7 a8b8 a7a8q b8a8 h2h3",
        "g1f3 h7h5 g2g4 h5g4 h2h3 g4h3 h1g1 h3h2 b1c3 h2g1r f3g1",
        "e2e4 a7a6 e4e5 d7d5 e5d6 e7d6 h2h3",
        "a2a3 e7e5 a3a4 e5e4 d2d4 e4d3 e2d3",
    ] {
        for bot_color in [Color::White, Color::Black] {
            let server = start_default().await;
            let record = follow(&server, line, bot_color).await;
            let plies = line.split(' ').count();
            assert_eq!(record.moves[..plies].join(" "), line, "as {bot_color:?}");
            assert_eq!(server.violations(), [], "{line} as {bot_color:?}");
        }
    }
}

#[tokio::test]
async fn castling_mates_in_the_notation_of_the_variant() {
    // In each of them castling is the one mate in one.
    for (variant, fen, mate) in [
        (Variant::FromPosition, "8/8/8/8/2p3N1/3BPk2/6R1/4K2R w K - 0 1", "e1h1"),
        (Variant::FromPosition, "8/4B3/2R5/4p3/8/2Nk4/5P2/R3K3 w Q - 0 1", "e1a1"),
        (Variant::Chess960, "8/8/8/8/2p3N1/3BPk2/6R1/4K2R w K - 0 1", "e1h1"),
        (Variant::Chess960, "8/2B5/1P2R3/8/6p1/5k1N/8/1KR5 w C - 0 1", "b1c1"),
        (Variant::Chess960, "8/6R1/8/8/5k2/3p2N1/1B1P4/5KR1 w G - 0 1", "f1g1"),
        (Variant::Chess960, "8/2R5/N2k4/8/p4P2/1B6/8/1R1K4 w B - 0 1", "d1b1"),
        (Variant::Chess960, "8/8/7B/6R1/4pk2/8/P1N5/6KR w H - 0 1", "g1h1"),
    ] {
        let server = start_default().await;
        let bot = Bot::start(&server);
        let mut request = ada(Color::White, Scripted::silent());
        (request.variant, request.fen) = (variant, Some(fen.to_string()));
        let id = challenge(&server, request);
        let record = finished(&server, &id).await;
        assert_eq!((record.moves.join(" ").as_str(), record.status), (mate, "mate"), "{variant:?} {fen}");
        bot.drain().await;
        assert_eq!(server.violations(), [], "{variant:?} {fen}");
    }
}

#[tokio::test]
async fn chess960_is_played_to_the_end() {
    let server = start(PracticeOptions { seed: 960, ..Default::default() }).await;
    let bot = Bot::start(&server);
    for (number, bot_color) in [(1, Color::White), (2, Color::Black), (3, Color::White)] {
        let mut request = ada(bot_color, RandomMover::new(number));
        request.variant = Variant::Chess960;
        let id = challenge(&server, request);
        let record = finished(&server, &id).await;
        assert!(["mate", "draw", "stalemate"].contains(&record.status), "{record:?}");
    }
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn positions_with_black_to_move_are_played() {
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
    for bot_color in [Color::White, Color::Black] {
        let server = start_default().await;
        let bot = Bot::start(&server);
        let mut request = ada(bot_color, RandomMover::new(5));
        (request.variant, request.fen) = (Variant::FromPosition, Some(fen.to_string()));
        let id = challenge(&server, request);
        let record = finished(&server, &id).await;
        assert_eq!(record.initial_fen, fen);
        assert!(record.bot_won() && record.status == "mate", "as {bot_color:?}: {record:?}");
        bot.drain().await;
        assert_eq!(server.violations(), []);
    }
}

// Clocks.

#[tokio::test]
async fn games_without_a_clock_are_played() {
    let server = start_default().await;
    let bot = Bot::start(&server);
    for time_control in [TimeControl::Correspondence { days: 2 }, TimeControl::Unlimited] {
        for bot_color in [Color::White, Color::Black] {
            let id =
                challenge(&server, ChallengeRequest { time_control, ..ada(bot_color, RandomMover::new(4)) });
            assert_eq!(answered(&server, &id).await, ChallengeEnd::Accepted, "{time_control:?}");
            let record = finished(&server, &id).await;
            assert_eq!(record.status, "mate", "{time_control:?} as {bot_color:?}");
        }
    }
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn an_opponent_whose_flag_falls_has_lost() {
    let server = start_default().await;
    let bot = Bot::start(&server);
    // The bot's only move comes before the clocks run. The increment makes it a game for bots.
    let time_control =
        TimeControl::Clock { initial: Duration::from_millis(300), increment: Duration::from_secs(1) };
    let id =
        running(&server, ChallengeRequest { time_control, ..ada(Color::Black, Scripted::moves("e2e4")) });
    let record = finished(&server, &id).await;
    assert_eq!((record.status, record.bot_won()), ("outoftime", true));
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

// Offers.

#[tokio::test]
async fn draw_offers_are_answered_as_the_options_say() {
    for (draw_score, status) in [(10_000, "draw"), (-10_000, "resign")] {
        let server = start_default().await;
        let mut options = options(&server);
        (options.game.draw_score, options.game.draw_min_move) = (draw_score, 0);
        let bot = Bot::with(options, Book::empty());
        // No two moves of Black's can keep these from being legal.
        let script =
            Scripted::moves("a2a3 b2b3").then_move_offering_draw("h2h3").then(OpponentAction::Resign);
        let id = challenge(&server, ada(Color::Black, script));
        let record = finished(&server, &id).await;
        assert_eq!(record.status, status, "accepted up to {draw_score}");
        bot.drain().await;
        assert_eq!(server.violations(), []);
    }
}

#[tokio::test]
async fn a_takeback_is_granted_while_the_bot_thinks() {
    let server = start_default().await;
    let mut options = options(&server);
    // Without a cap it would think for minutes: only dropping the search lets the game go on.
    (options.engine.nodes, options.engine.depth) = (0, 0);
    let bot = Bot::with(options, book_of("e2e4 e7e5"));
    let script = Scripted::moves("e2e4")
        .then_move_and_propose_takeback("d2d4")
        .then(OpponentAction::Say("thank you".to_string()))
        .then(OpponentAction::Resign);
    let mut request = ada(Color::Black, script);
    request.time_control = TimeControl::clock(10_800, 60);
    let id = challenge(&server, request);
    let record = finished(&server, &id).await;
    assert_eq!((record.status, record.moves.join(" ").as_str()), ("resign", "e2e4 e7e5"));
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn a_takeback_of_two_plies_is_granted_and_play_goes_on() {
    let server = start_default().await;
    let bot = Bot::with_line(&server, "e2e4 e7e5 g1f3 b8c6");
    let script = Scripted::moves("e2e4 g1f3")
        .then(OpponentAction::ProposeTakeback)
        .then_moves("d2d4")
        .then(OpponentAction::Resign);
    let id = challenge(&server, ada(Color::Black, script));
    let record = finished(&server, &id).await;
    assert_eq!(record.moves[..3], ["e2e4", "e7e5", "d2d4"]);
    assert_eq!(record.moves.len(), 4, "d2d4 was answered once: {:?}", record.moves);
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn takebacks_beyond_the_limit_are_declined_and_play_goes_on() {
    let server = start_default().await;
    let mut options = options(&server);
    options.game.takebacks = 0;
    let bot = Bot::with(options, book_of("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5"));
    let script = Scripted::moves("e2e4 g1f3")
        .then(OpponentAction::ProposeTakeback)
        .then_moves("f1c4")
        .then(OpponentAction::Resign);
    let id = challenge(&server, ada(Color::Black, script));
    let record = finished(&server, &id).await;
    assert_eq!(record.moves.join(" "), "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5");
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

// Games that end early.

#[tokio::test]
async fn a_game_whose_opponent_never_moves_is_aborted() {
    let server = start_default().await;
    let mut options = options(&server);
    options.game.abort_seconds = 1;
    options.challenge.concurrency = 1;
    let bot = Bot::with(options, Book::empty());
    for bot_color in [Color::Black, Color::White] {
        let id = challenge(&server, ada(bot_color, Scripted::silent()));
        assert_eq!(finished(&server, &id).await.status, "aborted", "as {bot_color:?}");
    }
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn an_aborted_game_frees_its_place() {
    let server = start_default().await;
    let bot = with_places(&server, 1, 0);
    let aborting = Scripted::default().then(OpponentAction::Abort);
    let id = challenge(&server, ada(Color::Black, aborting));
    assert_eq!(finished(&server, &id).await.status, "aborted");
    let next = challenge(&server, ada(Color::Black, Scripted::moves("e2e4").then(OpponentAction::Resign)));
    assert_eq!(finished(&server, &next).await.status, "resign");
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn a_game_that_the_server_ends_before_it_begins_is_left() {
    let server = start_default().await;
    let bot = Bot::start(&server);
    let first_move = Some(Duration::from_millis(300));
    let id = running(&server, ChallengeRequest { first_move, ..ada(Color::Black, Scripted::silent()) });
    assert_eq!(finished(&server, &id).await.status, "aborted");
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn the_win_is_claimed_from_an_opponent_who_has_left() {
    let claim_after = Some(Duration::from_millis(500));
    let server = start(PracticeOptions { claim_after, ..Default::default() }).await;
    let bot = Bot::start(&server);
    let script = Scripted::moves("e2e4").then(OpponentAction::Leave);
    let id = challenge(&server, ada(Color::Black, script));
    let record = finished(&server, &id).await;
    assert_eq!((record.status, record.bot_won()), ("timeout", true));
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn a_game_that_ends_while_the_bot_thinks_is_left_at_once() {
    let server = start_default().await;
    let mut options = options(&server);
    (options.engine.nodes, options.engine.depth) = (0, 0);
    let bot = Bot::with(options, book_of("e2e4 e7e5"));
    let mut request = ada(Color::Black, Scripted::moves("e2e4 d2d4"));
    request.time_control = TimeControl::clock(10_800, 60);
    let id = challenge(&server, request);
    patiently("the position to think about", server.plies(&id, 3)).await;
    resign(&server, &id);
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

// Challenges.

#[tokio::test]
async fn who_waits_is_served_humans_first_then_rated_then_the_oldest() {
    let server = start_default().await;
    let mut bot = with_places(&server, 1, 0);
    let human = |name: &str| PlayerInfo::human(name, 1500);
    let first = challenge(&server, onlooker(human("First"), false));
    assert_eq!(bot.started_game().await, first);
    let waiting: Vec<String> = [
        (PlayerInfo::bot("Casual", 1500), false),
        (PlayerInfo::bot("Rated", 1500), true),
        (human("Ada"), false),
        (human("Bob"), false),
        (human("Eve"), true),
    ]
    .into_iter()
    .map(|(player, rated)| challenge(&server, onlooker(player, rated)))
    .collect();
    let mut running = first;
    for next in [4, 2, 3, 1, 0] {
        abort(&server, &running);
        running = bot.started_game().await;
        assert_eq!(running, waiting[next]);
    }
    abort(&server, &running);
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn a_reserved_place_is_kept_for_a_human() {
    let server = start_default().await;
    let mut bot = with_places(&server, 2, 1);
    let one = challenge(&server, onlooker(PlayerInfo::bot("One", 1500), true));
    assert_eq!(bot.started_game().await, one);
    let two = challenge(&server, onlooker(PlayerInfo::bot("Two", 1500), true));
    let human = challenge(&server, onlooker(PlayerInfo::human("Ada", 1500), false));
    assert_eq!(bot.started_game().await, human, "though the other bot came before");
    abort(&server, &one);
    assert_eq!(bot.started_game().await, two);
    for id in [human, two] {
        abort(&server, &id);
    }
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn cancelled_challenges_leave_no_trace() {
    let server = start_default().await;
    let bot = with_places(&server, 1, 0);
    let running = challenge(&server, ada(Color::White, Scripted::silent()));
    assert_eq!(answered(&server, &running).await, ChallengeEnd::Accepted);
    patiently("our first move", server.plies(&running, 1)).await;

    // These wait for a free place; the first is taken back meanwhile.
    let mut requests = [1, 2].map(|number| {
        let mut request = ada(Color::Black, Scripted::moves("e2e4").then(OpponentAction::Resign));
        request.opponent = PlayerInfo::human(&format!("Guest{number}"), 1500);
        Some(request)
    });
    let [gone, waiting] = [0, 1].map(|n| challenge(&server, requests[n].take().expect("a request")));
    server.cancel_challenge(&gone);
    assert_eq!(answered(&server, &gone).await, ChallengeEnd::Canceled);
    resign(&server, &running);
    assert_eq!(finished(&server, &waiting).await.status, "resign");
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn a_challenge_cancelled_before_the_answer_frees_its_place() {
    let server = start_default().await;
    let bot = with_places(&server, 1, 0);
    patiently("the bot", server.online()).await;
    let gone = challenge(&server, ada(Color::White, Scripted::silent()));
    server.cancel_challenge(&gone);
    assert_eq!(answered(&server, &gone).await, ChallengeEnd::Canceled);
    let next = challenge(&server, ada(Color::Black, Scripted::moves("e2e4").then(OpponentAction::Resign)));
    assert_eq!(finished(&server, &next).await.status, "resign");
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn challenges_that_are_not_wanted_are_declined_with_the_reason() {
    let server = start_default().await;
    let mut options = options(&server);
    (options.challenge.accept_bots, options.challenge.min_initial) = (false, 60);
    let bot = Bot::with(options, Book::empty());
    let mut from_bot = ada(Color::White, Scripted::silent());
    from_bot.opponent = PlayerInfo::bot("Robot", 1500);
    let mut fast = ada(Color::White, Scripted::silent());
    fast.time_control = TimeControl::clock(30, 1);
    for (request, reason) in [(from_bot, "nobot"), (fast, "toofast")] {
        let id = challenge(&server, request);
        assert_eq!(answered(&server, &id).await, ChallengeEnd::Declined(reason.to_string()));
    }
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

// What a later server might say.

#[tokio::test]
async fn unknown_lines_and_fields_are_passed_over() {
    let strange = [
        r#"{"type":"somethingNew","game":{"id":"x"}}"#,
        r#"{"type":null}"#,
        r#"{"type":7}"#,
        r#"{"no":"type"}"#,
        r#"{"type":"gameStart"}"#,
        r#"{"type":"challenge","challenge":null}"#,
        r#"{"type":"gameState","moves":5}"#,
        "[]",
        "\"words\"",
        "not json at all",
        "{",
    ];
    let options = PracticeOptions { unknown_fields: true, piece_bytes: 5, ..Default::default() };
    let server = start(options).await;
    let bot = Bot::start(&server);
    patiently("the bot", server.online()).await;
    for line in strange {
        server.inject_account_line(line);
    }
    let id = challenge(&server, ada(Color::White, Scripted::silent()));
    let record = patiently("our first move", server.plies(&id, 1)).await;
    for line in strange {
        server.inject_game_line(&id, line);
    }
    server.act(&id, OpponentAction::Move(record.position.legal_moves()[0])).expect("legal");
    patiently("our second move", server.plies(&id, 3)).await;
    resign(&server, &id);
    bot.drain().await;
    assert_eq!(server.violations(), []);
}

// Tokens and accounts.

#[tokio::test]
async fn a_token_that_cannot_play_ends_the_service_with_its_own_code() {
    let no_scope = PracticeOptions { scopes: vec!["email:read".to_string()], ..Default::default() };
    let no_bot = PracticeOptions { account: PlayerInfo::human("Person", 1500), ..Default::default() };
    for (practice, token, code) in
        [(no_scope, None, 3), (no_bot, None, 4), (PracticeOptions::default(), Some("lip_wrong"), 3)]
    {
        let server = start(practice).await;
        let mut options = options(&server);
        options.lichess = access(&server, token.unwrap_or(server.token()));
        let error = Bot::with(options, Book::empty()).end().await.expect_err("it cannot play");
        assert_eq!(error.exit_code(), code, "{error}");
        assert!(!error.to_string().contains(server.token()), "{error}");
    }
}

#[tokio::test]
async fn a_token_that_is_revoked_in_mid_run_ends_the_service() {
    let server = start_default().await;
    let bot = Bot::start(&server);
    let id = challenge(&server, ada(Color::White, Scripted::silent()));
    patiently("our first move", server.plies(&id, 1)).await;
    server.revoke_token();
    server.cut_account_stream(Cut::Broken);
    let error = bot.end().await.expect_err("the token is refused");
    assert_eq!(error.exit_code(), 3, "{error}");
}

// Stopping.

#[tokio::test]
async fn draining_finishes_the_running_game_and_takes_no_other() {
    let server = start_default().await;
    let bot = Bot::start(&server);
    let id = challenge(&server, ada(Color::White, Scripted::silent()));
    let record = patiently("our first move", server.plies(&id, 1)).await;
    bot.tell(Stop::Draining);
    let late = challenge(&server, ada(Color::White, Scripted::silent()));
    assert_eq!(answered(&server, &late).await, ChallengeEnd::Declined("later".to_string()));
    server.act(&id, OpponentAction::Move(record.position.legal_moves()[0])).expect("legal");
    patiently("our second move", server.plies(&id, 3)).await;
    resign(&server, &id);
    bot.end().await.expect("a clean end");
    assert_eq!(server.violations(), []);
}

#[tokio::test]
async fn draining_without_games_ends_at_once() {
    let server = start_default().await;
    let bot = Bot::start(&server);
    patiently("the bot", server.online()).await;
    bot.drain().await;
    patiently("the stream to close", server.offline()).await;
    assert_eq!(server.violations(), []);
}

// The demonstration.

/// `tabiya demo` with these arguments, in a folder without configuration.
fn demo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.arg("demo").args(arguments).current_dir(std::env::temp_dir()).stdout(Stdio::piped());
    command
}

#[test]
fn the_demonstration_shows_its_games_and_ends_well() {
    let output = demo(&["--games", "2"]).output().expect("the program");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{:?}\n{text}", output.status);
    for part in
        ["Game 1 of 2: a random mover, 30+0", "♔", "search: depth", "a greedy capturer", "Results", "PGN"]
    {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert_eq!(text.matches("[Result \"").count(), 2, "{text}");
}

#[tokio::test]
async fn the_demonstration_stays_up_for_any_bot() {
    let mut child = demo(&["--games", "0", "--serve"]).spawn().expect("the program");
    let mut lines =
        BufReader::new(child.stdout.take().expect("its output")).lines().map(|line| line.expect("UTF-8"));
    let invitation = lines.find(|line| line.contains("TABIYA_LICHESS__URL=")).expect("an invitation");
    let value = |name: &str| {
        let mut words = invitation.split_ascii_whitespace();
        words.find_map(|word| word.strip_prefix(name)).expect(name).to_string()
    };
    let lichess = LichessOptions {
        url: value("TABIYA_LICHESS__URL="),
        token: Token::new(value("LICHESS_BOT_TOKEN=")),
        moves_per_minute: 0,
    };
    let mut bot = Bot::with(BotOptions { lichess, ..quick() }, Book::empty());
    for _ in 0..2 {
        assert_ne!(bot.finished_game().await.status, "aborted");
    }
    bot.drain().await;
    child.kill().expect("it still runs");
    child.wait().expect("it ends");
}

// Secrets.

/// Everything that is logged in this process.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic while logging").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_token_is_in_nothing_that_is_logged() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone());
    subscriber.try_init().expect("the only subscriber of this process");

    let server = start_default().await;
    let bot = Bot::start(&server);
    let id = challenge(&server, ada(Color::White, RandomMover::new(1)));
    finished(&server, &id).await;
    server.revoke_token();
    server.cut_account_stream(Cut::Broken);
    let error = bot.end().await.expect_err("the token is refused");

    let text = String::from_utf8_lossy(&log.0.lock().expect("no panic while logging")).into_owned();
    let secret = server.token().strip_prefix("lip_").expect("a token like the site's");
    assert!(text.contains("TRACE") && text.contains(&id), "the log has what it should");
    assert!(!text.contains(secret), "the token is in the log");
    assert!(!format!("{error} {error:?}").contains(secret), "the token is in the error");
}
