//! A game's task, fed with lines by hand.

use super::*;
use crate::book::BookOptions;
use crate::bot::turn::{Sent, Step};
use crate::lichess::{GameClock, LichessOptions, Status, Token};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

const ABORT: Duration = Duration::from_secs(30);

/// A game of `Tabiya` with a book of one line, on a server that nobody will ask.
fn game() -> Game {
    game_at("http://127.0.0.1:9")
}

fn game_at(url: &str) -> Game {
    let lichess = LichessOptions { token: Token::new("lip_test"), url: url.to_string(), moves_per_minute: 0 };
    let csv = b"moves\n1. e4 e5 2. Nf3 Nc6 3. Bb5\n";
    let book = Book::from_csv(csv, "the test", &BookOptions::default()).expect("a book");
    let seat = Seat {
        client: Client::new(&lichess).expect("a client"),
        account: "tabiya".parse().expect("a user id"),
        username: "Tabiya".to_string(),
        options: Arc::new(BotOptions::default()),
        book: Arc::new(book),
        reports: None,
        slow_thinking: Arc::new(Semaphore::new(1)),
    };
    Game::new(seat, "q7ZkTfLb".parse().expect("a game id"))
}

fn player(id: &str) -> Player {
    Player { id: Some(id.parse().expect("a user id")), name: id.to_string(), ..Player::default() }
}

fn state(moves: &str) -> GameState {
    GameState {
        moves: moves.to_string(),
        white_time: Some(Duration::from_secs(60)),
        black_time: Some(Duration::from_secs(60)),
        white_increment: Duration::ZERO,
        black_increment: Duration::ZERO,
        status: Status::Started,
        winner: None,
        white_offers_draw: false,
        black_offers_draw: false,
        white_proposes_takeback: false,
        black_proposes_takeback: false,
        first_move_expires_in: None,
    }
}

/// We are White unless `we_are` says otherwise.
fn full(we_are: Color, moves: &str) -> GameFull {
    let (white, black) = match we_are {
        Color::White => (player("tabiya"), player("ada")),
        Color::Black => (player("ada"), player("tabiya")),
    };
    GameFull {
        id: "q7ZkTfLb".parse().expect("a game id"),
        variant: "standard".to_string(),
        speed: "blitz".to_string(),
        rated: false,
        created_at: 0,
        white,
        black,
        initial_fen: "startpos".to_string(),
        clock: Some(GameClock { initial: Duration::from_secs(60), increment: Duration::ZERO }),
        days_per_turn: None,
        tournament_id: None,
        state: state(moves),
    }
}

impl Game {
    fn hear(&mut self, state: GameState) {
        assert_eq!(self.on_event(GameEvent::State(state)), None, "the game goes on");
    }

    fn sit(&mut self, full: GameFull) {
        assert_eq!(self.on_event(GameEvent::Full(Box::new(full))), None, "the game goes on");
    }

    /// The move on its way.
    fn sending(&self) -> Option<String> {
        match &self.turn {
            Turn::Sending { answer, .. } => Some(answer.mv.to_string()),
            _ => None,
        }
    }

    /// The server has taken it.
    fn taken(&mut self) {
        let sent = Sent::Taken { round_trip: Duration::ZERO };
        self.on_step(Step::Sent(sent)).expect("no refusal");
    }

    /// Up to and with the reply to our first move.
    fn opened() -> Game {
        let mut game = game();
        game.sit(full(Color::White, ""));
        assert_eq!(game.sending().as_deref(), Some("e2e4"));
        game.hear(state("e2e4"));
        game.taken();
        assert_eq!(game.sending(), None);
        game
    }
}

#[tokio::test]
async fn a_position_is_answered_once_however_often_it_is_shown() {
    let mut game = Game::opened();
    game.hear(state("e2e4 e7e5"));
    assert_eq!(game.sending().as_deref(), Some("g1f3"));
    game.taken();
    for _ in 0..3 {
        game.hear(GameState { black_offers_draw: true, ..state("e2e4 e7e5") });
        assert_eq!(game.sending(), None);
    }
    game.sit(full(Color::White, "e2e4 e7e5"));
    assert_eq!(game.sending(), None, "this line may have been on its way before our move was in");
    assert!(game.recheck_at.take().is_some(), "so the whole game is asked for again");
    game.sit(full(Color::White, "e2e4 e7e5"));
    assert_eq!(
        game.sending().as_deref(),
        Some("g1f3"),
        "a fresh stream without our move: the same one again"
    );
}

impl Game {
    fn refused(&mut self, text: &str) {
        let error = Error::Rejected { status: 400, text: text.to_string() };
        self.on_step(Step::Sent(Sent::Refused { error, lost: None })).expect("no reason to leave");
    }

    /// How soon the whole game is asked for; it is, with this.
    fn looks_again_in(&mut self) -> Option<u64> {
        self.recheck_at.take().map(|at| (at - Instant::now()).as_secs())
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_move_is_offered_more_and_more_rarely_as_long_as_the_game_runs() {
    let illegal = "Piece on e2 cannot move to e4";
    for (text, first_look) in [(illegal, 0), ("Not your turn, or game already over", 3)] {
        let mut game = game();
        game.sit(full(Color::White, ""));
        for (times, seconds) in (1..).zip([first_look, 3, 6, 12, 24, 48, 60, 60, 60]) {
            game.refused(text);
            game.hear(GameState { black_offers_draw: times % 2 == 0, ..state("") });
            assert_eq!(game.sending(), None, "no other line has it sent before, {text}");
            assert_eq!(game.looks_again_in(), Some(seconds), "after {times} times, {text}");
            game.sit(full(Color::White, ""));
            assert_eq!(game.sending().as_deref(), Some("e2e4"), "after {times} times, {text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_lost_is_a_slow_one() {
    let mut game = Game::opened();
    let before = game.hurry().overhead;
    for moves in ["e2e4 e7e5", "e2e4 e7e5 g1f3 b8c6"] {
        game.hear(state(moves));
        let ours = game.sending().expect("a move of the book");
        game.hear(state(&format!("{moves} {ours}")));
        let error = Error::Rejected { status: 400, text: "Not your turn".to_string() };
        let lost = Some(Duration::from_millis(900));
        game.on_step(Step::Sent(Sent::Refused { error, lost })).expect("no reason to leave");
        assert_eq!(game.recheck_at, None, "the move is on the board");
    }
    assert!(before < Duration::from_millis(900) && game.hurry().overhead > Duration::from_millis(900));
}

#[tokio::test(start_paused = true)]
async fn refusals_are_counted_anew_in_another_position() {
    let illegal = "Piece on e2 cannot move to e4";
    let mut game = game();
    game.sit(full(Color::White, ""));
    for _ in 0..3 {
        game.refused(illegal);
        game.sit(full(Color::White, ""));
        game.recheck_at = None;
        game.sit(full(Color::White, ""));
    }
    game.hear(state("e2e4 e7e5"));
    assert_eq!(game.sending().as_deref(), Some("g1f3"), "another position is another question");
    game.refused(illegal);
    assert_eq!(game.looks_again_in(), Some(0));
}

#[tokio::test(start_paused = true)]
async fn sending_hurries_once_our_clock_runs() {
    let mut game = game();
    game.sit(full(Color::White, ""));
    assert_eq!(game.hurry().flag_at, None, "no clock runs before both have moved");
    game.hear(state("e2e4 e7e5"));
    tokio::time::advance(Duration::from_secs(10)).await;
    assert_eq!(game.hurry().flag_at, Some(Instant::now() + Duration::from_secs(50)));
    game.table.as_mut().expect("a table").full.clock = None;
    assert_eq!(game.hurry().flag_at, None, "no clock at all");
}

#[tokio::test(start_paused = true)]
async fn sending_a_first_move_hurries_before_the_server_gives_up_on_it() {
    for (we_are, moves) in [(Color::White, ""), (Color::Black, "e2e4")] {
        let mut game = game();
        let expires = Some(Duration::from_secs(16));
        let state = GameState { first_move_expires_in: expires, ..state(moves) };
        game.sit(GameFull { state, ..full(we_are, moves) });
        tokio::time::advance(Duration::from_secs(10)).await;
        assert_eq!(game.hurry().flag_at, Some(Instant::now() + Duration::from_secs(6)), "{we_are:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_server_takes_off_our_clock_beyond_our_thinking_is_lag() {
    let with_clock = |moves: &str, left_ms: u64| GameState {
        white_time: Some(Duration::from_millis(left_ms)),
        white_increment: Duration::from_secs(1),
        ..state(moves)
    };
    let mut game = game();
    let floor = game.lag.overhead();
    game.sit(full(Color::White, ""));
    // The first move costs nothing, and the second is the first that can tell.
    game.hear(with_clock("e2e4", 60_000));
    game.taken();
    game.hear(with_clock("e2e4 e7e5", 60_000));
    assert_eq!(game.lag.overhead(), floor, "no clock has run");
    game.hear(with_clock("e2e4 e7e5 g1f3", 60_300));
    game.taken();
    assert_eq!(game.lag.overhead(), Duration::from_millis(720), "700 ms and the margin");
    // Neither thinking is lag, nor what held the move back.
    game.hear(with_clock("e2e4 e7e5 g1f3 b8c6", 60_300));
    let answer = game.answered.as_mut().expect("a move of the book");
    answer.found_at += Duration::from_secs(1);
    answer.held_back.wait(Duration::from_secs(1)).await;
    game.hear(with_clock("e2e4 e7e5 g1f3 b8c6 f1b5", 59_300));
    game.taken();
    assert_eq!(game.lag.overhead(), floor, "one outlier of two moves");
}

#[tokio::test]
async fn the_opponents_reply_may_come_before_the_reply_to_our_request() {
    let mut game = game();
    game.sit(full(Color::White, ""));
    game.hear(state("e2e4"));
    assert_eq!(game.sending().as_deref(), Some("e2e4"), "its request still has to be answered");
    game.hear(state("e2e4 e7e5"));
    assert_eq!(game.sending().as_deref(), Some("g1f3"));
}

#[tokio::test]
async fn our_own_move_taken_back_is_a_new_question() {
    let mut game = Game::opened();
    game.hear(state(""));
    assert_eq!(game.sending().as_deref(), Some("e2e4"));
}

#[tokio::test]
async fn a_takeback_of_two_plies_that_leads_to_the_same_question_is_answered_again() {
    let mut game = Game::opened();
    game.hear(state("e2e4 e7e5"));
    game.hear(state("e2e4 e7e5 g1f3"));
    game.taken();
    game.hear(state("e2e4"));
    game.hear(state("e2e4 e7e5"));
    assert_eq!(game.sending().as_deref(), Some("g1f3"));
}

#[tokio::test]
async fn an_offer_in_the_state_of_our_own_move_is_not_answered() {
    let mut game = Game::opened();
    let greeting = game.errands.len();
    game.hear(state("e2e4 e7e5"));
    game.hear(GameState {
        black_offers_draw: true,
        black_proposes_takeback: true,
        ..state("e2e4 e7e5 g1f3")
    });
    assert_eq!(game.errands.len(), greeting);
    game.taken();
    game.hear(state("e2e4 e7e5 g1f3 b8c6"));
    game.hear(GameState { black_proposes_takeback: true, ..state("e2e4 e7e5 g1f3 b8c6") });
    assert_eq!(
        (game.errands.len(), game.takebacks_granted),
        (greeting + 1, 0),
        "declined: our move is on its way"
    );
}

#[tokio::test]
async fn a_state_before_the_first_line_asks_for_the_whole_game() {
    let mut game = game();
    game.hear(state("e2e4"));
    assert!(game.recheck_at.is_some() && game.turn.is_idle());
}

#[tokio::test(start_paused = true)]
async fn a_first_move_is_waited_for_as_long_as_the_clock_makes_sense() {
    type Change = fn(&mut GameFull);
    let rows: [(&str, Change, Option<Duration>); 5] = [
        ("with a clock", |_| (), Some(ABORT)),
        ("unlimited", |full| full.clock = None, Some(ABORT * UNLIMITED_PATIENCE)),
        ("correspondence", |full| (full.clock, full.days_per_turn) = (None, Some(3)), None),
        ("in a tournament", |full| full.tournament_id = Some("abcd1234".to_string()), None),
        (
            "from an unsound start",
            |full| full.initial_fen = "7k/8/8/8/8/8/8/K6R w - - 90 100".to_string(),
            Some(ABORT),
        ),
    ];
    for (name, change, expected) in rows {
        let mut game = game();
        let mut full = full(Color::Black, "");
        change(&mut full);
        game.sit(full);
        assert_eq!(game.abort_at, expected.map(|wait| Instant::now() + wait), "{name}");
    }
    let mut game = game();
    game.sit(full(Color::Black, ""));
    game.hear(state("e2e4"));
    assert_eq!(game.abort_at, None, "it has come");
}

#[tokio::test]
async fn a_claim_too_far_away_to_be_told_is_no_claim() {
    let mut game = Game::opened();
    let claim_win_in = Some(Duration::MAX);
    game.on_event(GameEvent::OpponentGone { gone: true, claim_win_in });
    assert_eq!(game.claim_at, None);
}

/// A server that takes each request and hangs up without a word; its address, and the requests.
async fn hangs_up() -> (String, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (requests, seen) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            let (mut connection, _) = listener.accept().await.expect("a connection");
            let mut bytes = [0; 4_096];
            let length = connection.read(&mut bytes).await.expect("a request");
            let text = String::from_utf8_lossy(&bytes[..length]).into_owned();
            drop(connection.shutdown().await);
            if requests.send(text).is_err() {
                break;
            }
        }
    });
    (url, seen)
}

#[tokio::test]
async fn yes_to_an_offer_is_said_once_and_again_only_while_the_offer_stands() {
    type Offer = fn(&mut GameState);
    let rows: [(Offer, &str); 2] = [
        (|state| state.black_offers_draw = true, "/draw/yes "),
        (|state| state.black_proposes_takeback = true, "/takeback/yes "),
    ];
    let moves = format!("{}e2e4 e7e5", "g1f3 g8f6 f3g1 f6g8 ".repeat(15));
    for (offer, path) in rows {
        let (url, mut seen) = hangs_up().await;
        let mut game = game_at(&url);
        game.scores.push(Score(-500));
        game.sit(full(Color::White, &moves));
        game.turn = Turn::Idle;
        let mut offered = state(&moves);
        offer(&mut offered);
        game.hear(offered.clone());
        while game.errands.join_next().await.is_some() {}
        let request = seen.recv().await.expect("an answer");
        assert!(request.contains(path), "{request}");
        assert!(seen.try_recv().is_err(), "{path} again without looking first");
        assert!(game.recheck_at.take().is_some(), "{path}: look whether it came through");
        game.turn = Turn::Idle;
        game.sit(GameFull { state: offered, ..full(Color::White, &moves) });
        while game.errands.join_next().await.is_some() {}
        let request = seen.recv().await.expect("an answer again");
        assert!(request.contains(path), "{request}");
    }
}
