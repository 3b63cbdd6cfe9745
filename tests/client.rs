//! The Lichess client against scripted bytes over real sockets.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;
use tabiya::lichess::{Client, DeclineReason, Error, GameEvent, GameId, LichessOptions, Offer, Room, Token};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

const TOKEN: &str = "lip_secretSECRET0123";

/// What the server does with one connection, piece by piece.
#[derive(Clone)]
enum Act {
    Send(Vec<u8>),
    /// Lets what was sent arrive as a chunk of its own before more follows.
    Flush,
    Wait(Duration),
    /// Resets the connection instead of closing it.
    Reset,
    /// Keeps the connection open and says nothing.
    Hold,
}

fn send(text: &str) -> Act {
    Act::Send(text.as_bytes().to_vec())
}

fn answer(head: &str, body: &str) -> Vec<Act> {
    vec![send(&format!(
        "HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    ))]
}

fn chunk(bytes: &[u8]) -> Vec<Act> {
    let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
    framed.extend_from_slice(bytes);
    framed.extend_from_slice(b"\r\n");
    vec![Act::Send(framed), Act::Flush]
}

const STREAM_HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n";

fn stream(chunks: &[&[u8]], end: Act) -> Vec<Act> {
    let mut acts = vec![send(STREAM_HEAD)];
    acts.extend(chunks.iter().flat_map(|bytes| chunk(bytes)));
    acts.push(end);
    acts
}

fn clean_end() -> Act {
    send("0\r\n\r\n")
}

/// A server that plays one script per connection, in order, and hands over each request's text.
async fn serve(scripts: Vec<Vec<Act>>) -> (Client, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (requests, seen) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for script in scripts {
            let (connection, _) = listener.accept().await.expect("a connection");
            let request = play(connection, script).await;
            requests.send(request).expect("a test that listens");
        }
    });
    (client(url), seen)
}

fn client(url: String) -> Client {
    LazyLock::force(&LOG);
    Client::new(&LichessOptions { url, token: Token::new(TOKEN), moves_per_minute: 0 }).expect("a client")
}

async fn play(mut connection: TcpStream, script: Vec<Act>) -> String {
    let request = read_request(&mut connection).await;
    for act in script {
        match act {
            // The client may have hung up already: that is for the test to notice.
            Act::Send(bytes) => drop(connection.write_all(&bytes).await),
            Act::Flush => {
                drop(connection.flush().await);
                tokio::task::yield_now().await;
            }
            Act::Wait(pause) => sleep(pause).await,
            Act::Reset => connection.set_zero_linger().expect("a socket option"),
            Act::Hold => {
                tokio::spawn(async move {
                    let mut rest = Vec::new();
                    drop(connection.read_to_end(&mut rest).await);
                });
                return request;
            }
        }
    }
    request
}

async fn read_request(connection: &mut TcpStream) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    loop {
        let read = connection.read(&mut buffer).await.expect("a request");
        text.push_str(&String::from_utf8_lossy(&buffer[..read]));
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length =
            head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if read == 0 || body.len() >= length.unwrap_or(0) {
            return text;
        }
    }
}

/// What the log says, down to the last trace, kept for reading.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

static LOG: LazyLock<Log> = LazyLock::new(|| {
    let log = Log::default();
    let writer = log.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .init();
    log
});

fn id() -> GameId {
    "q7ZkTfLb".parse().expect("an id")
}

#[tokio::test]
async fn every_request_says_who_we_are_and_what_is_wanted() {
    let ok = || answer("200 OK", r#"{"ok":true}"#);
    let (client, mut seen) = serve(vec![ok(), ok(), ok(), ok(), ok(), ok(), ok(), ok(), ok(), ok()]).await;
    client.play(&id(), "e1h1", true, Duration::MAX).await.expect("ok");
    client.play(&id(), "e7e8q", false, Duration::MAX).await.expect("ok");
    client.chat(&id(), Room::Spectator, &"ä".repeat(200)).await.expect("ok");
    client.answer_draw(&id(), true).await.expect("ok");
    client.answer_takeback(&id(), false).await.expect("ok");
    client.abort(&id()).await.expect("ok");
    client.resign(&id()).await.expect("ok");
    client.claim_victory(&id()).await.expect("ok");
    client.accept_challenge(&id()).await.expect("ok");
    client.decline_challenge(&id(), DeclineReason::TooFast).await.expect("ok");
    for (line, body) in [
        ("POST /api/bot/game/q7ZkTfLb/move/e1h1?offeringDraw=true ", ""),
        ("POST /api/bot/game/q7ZkTfLb/move/e7e8q ", ""),
        ("POST /api/bot/game/q7ZkTfLb/chat ", &format!("room=spectator&text={}", "%C3%A4".repeat(140))),
        ("POST /api/bot/game/q7ZkTfLb/draw/yes ", ""),
        ("POST /api/bot/game/q7ZkTfLb/takeback/no ", ""),
        ("POST /api/bot/game/q7ZkTfLb/abort ", ""),
        ("POST /api/bot/game/q7ZkTfLb/resign ", ""),
        ("POST /api/bot/game/q7ZkTfLb/claim-victory ", ""),
        ("POST /api/challenge/q7ZkTfLb/accept ", ""),
        ("POST /api/challenge/q7ZkTfLb/decline ", "reason=tooFast"),
    ] {
        let request = seen.recv().await.expect("a request");
        assert!(request.starts_with(line), "{line}: {request}");
        assert!(request.ends_with(&format!("\r\n\r\n{body}")), "{line}: {request}");
        let lower = request.to_lowercase();
        let agent = format!("user-agent: tabiya/{}\r\n", env!("CARGO_PKG_VERSION"));
        assert!(lower.contains(&agent) && request.contains(&format!("Bearer {TOKEN}")), "{request}");
    }
}

#[tokio::test]
async fn the_account_and_its_scopes_are_read() {
    let body = r#"{"id":"mybot","username":"MyBot","title":"BOT","perfs":{},"new":[1]}"#;
    let head = "200 OK\r\nX-OAuth-Scopes: bot:play, challenge:read";
    let human = r#"{"id":"ada","username":"Ada"}"#;
    let (client, _seen) =
        serve(vec![answer(head, body), answer("200 OK", human), answer("200 OK", "[]")]).await;
    let account = client.account().await.expect("an account");
    assert_eq!((account.id.as_str(), account.username.as_str(), account.is_bot()), ("mybot", "MyBot", true));
    assert_eq!(account.scopes, ["bot:play", "challenge:read"]);
    let account = client.account().await.expect("an account");
    assert!(!account.is_bot() && account.scopes.is_empty());
    assert!(matches!(client.account().await, Err(Error::Malformed(_))), "no account at all");
}

#[tokio::test]
async fn running_games_are_listed_and_unreadable_ones_skipped() {
    let body = r#"{"nowPlaying":[{"gameId":"aaaaaaaa","fullId":"aaaaaaaabbbb","color":"white","isMyTurn":true,
        "opponent":{"id":"ada","username":"Ada"},"speed":"blitz","variant":{"key":"standard"}},{"x":1}],"nbMyTurn":1}"#;
    let readable = body.replace(r#",{"x":1}"#, "");
    let answers = vec![answer("200 OK", body), answer("200 OK", &readable), answer("200 OK", "{}")];
    let (client, mut seen) = serve(answers).await;
    let playing = client.playing().await.expect("a list");
    assert_eq!(playing.games.iter().map(|game| game.id.as_str()).collect::<Vec<_>>(), ["aaaaaaaa"]);
    assert!(!playing.is_complete, "the other game runs too");
    assert!(seen.recv().await.expect("a request").starts_with("GET /api/account/playing?nb=50 "));
    let playing = client.playing().await.expect("a list");
    assert_eq!((playing.games.len(), playing.is_complete), (1, true));
    assert!(matches!(client.playing().await, Err(Error::Malformed(_))));
}

#[tokio::test]
async fn bots_that_are_online_are_listed_and_challenged() {
    // The list ends without a newline; a line that cannot be read is not worth losing the others for.
    let bots = "{\"id\":\"ada\",\"perfs\":{\"blitz\":{\"rating\":2050}}}\nhalf a line\n{\"id\":\"bob\"}";
    let offer = Offer { rated: true, initial: Duration::from_secs(180), increment: Duration::from_secs(2) };
    let (client, mut seen) = serve(vec![
        answer("200 OK", bots),
        answer("200 OK", r#"{"id":"q7ZkTfLb","direction":"out"}"#),
        answer("200 OK", r#"{"challenge":{"id":"aaaaaaa1"}}"#),
        answer("200 OK", "{}"),
        answer("400 Bad Request", r#"{"error":"x","ratelimit":{"key":"bot.vsBot.day","seconds":60}}"#),
    ])
    .await;
    let bots = client.online_bots(50).await.expect("a list");
    let told: Vec<(&str, u32)> = bots.iter().map(|bot| (bot.id.as_str(), bot.rating("blitz"))).collect();
    assert_eq!(told, [("ada", 2_050), ("bob", 0)]);
    assert!(seen.recv().await.expect("a request").starts_with("GET /api/bot/online?nb=50 "));
    for expected in ["q7ZkTfLb", "aaaaaaa1"] {
        let id = client.challenge(&bots[0].id, &offer).await.expect("a challenge");
        assert_eq!(id.as_str(), expected);
        let request = seen.recv().await.expect("a request");
        assert!(request.starts_with("POST /api/challenge/ada "), "{request}");
        for field in ["rated=true", "clock.limit=180", "clock.increment=2", "color=random"] {
            assert!(request.contains(field), "{field} in {request}");
        }
    }
    assert!(matches!(client.challenge(&bots[0].id, &offer).await, Err(Error::Malformed(_))), "no id");
    let limited = client.challenge(&bots[0].id, &offer).await;
    assert!(matches!(limited, Err(Error::OpponentLimited { .. })), "{limited:?}");
}

#[tokio::test]
async fn failures_are_told_apart_by_their_status() {
    let html = "<html><body>502 Bad Gateway</body></html>";
    let (client, mut seen) = serve(vec![
        answer("401 Unauthorized", r#"{"error":"No such token"}"#),
        answer("403 Forbidden", r#"{"error":"Missing scope: bot:play"}"#),
        answer("400 Bad Request", r#"{"error":"Not your turn, or game already over"}"#),
        answer("502 Bad Gateway", html),
        vec![Act::Reset],
        vec![send("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"ok\":"), Act::Reset],
    ])
    .await;
    let play = || client.play(&GAME, "e2e4", false, Duration::MAX);
    static GAME: LazyLock<GameId> = LazyLock::new(id);
    assert_eq!(play().await, Err(Error::Unauthorized("No such token".into())));
    assert_eq!(play().await, Err(Error::Unauthorized("Missing scope: bot:play".into())));
    let text = "Not your turn, or game already over".to_string();
    assert_eq!(play().await, Err(Error::Rejected { status: 400, text }));
    assert!(matches!(play().await, Err(error @ Error::Rejected { status: 502, .. }) if error.is_retriable()));
    assert!(matches!(play().await, Err(Error::Offline(_))), "a reset");
    assert_eq!(play().await, Ok(()), "a success whose body is cut is a success");
    for _ in 0..6 {
        seen.recv().await.expect("a request");
    }
    assert!(seen.try_recv().is_err(), "every call is one attempt");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_hangs_ends_in_time_and_a_move_soonest() {
    let (client, mut seen) = serve(vec![vec![Act::Hold], vec![Act::Hold], vec![Act::Hold]]).await;
    let begun = Instant::now();
    let error = client.play(&id(), "e2e4", false, Duration::MAX).await.expect_err("no answer");
    assert!(matches!(error, Error::Offline(_)), "{error:?}");
    assert_eq!(begun.elapsed().as_secs(), 4, "a move");
    let patience = Duration::from_millis(700);
    let error = client.play(&id(), "e2e4", false, patience).await.expect_err("no answer");
    assert!(matches!(error, Error::Offline(_)), "{error:?}");
    assert_eq!(begun.elapsed().as_millis() / 100, 47, "a move in a hurry");
    let error = client.resign(&id()).await.expect_err("no answer");
    assert!(matches!(error, Error::Offline(_)), "{error:?}");
    assert_eq!(begun.elapsed().as_millis() / 100, 147, "another call");
    for path in ["/move/e2e4", "/move/e2e4", "/resign"] {
        assert!(seen.recv().await.expect("a request").contains(path), "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_counts_without_the_rest_of_its_body() {
    let half = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 500\r\n\r\nNo such";
    let (client, _seen) = serve(vec![vec![send(half), Act::Hold]]).await;
    let begun = Instant::now();
    let error = client.account_events().await.err().expect("a refusal");
    assert_eq!(error, Error::Unauthorized("No such".to_string()));
    assert_eq!(begun.elapsed().as_secs(), 2);
}

#[tokio::test]
async fn a_redirection_is_told_and_not_followed() {
    let head = "301 Moved Permanently\r\nlocation: https://127.0.0.1:9/api/account?a=b";
    let (client, _seen) = serve(vec![answer(head, "<html>")]).await;
    let error = client.account().await.expect_err("no account here");
    let text = "it sends us to https://127.0.0.1:9; is lichess.url right?".to_string();
    assert_eq!(error, Error::Rejected { status: 301, text });
}

#[tokio::test]
async fn nobody_listening_is_weather() {
    let unused =
        std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let error = client(format!("http://{unused}")).account().await.expect_err("nobody is there");
    assert!(matches!(error, Error::Offline(_)) && error.is_retriable(), "{error:?}");
}

#[tokio::test]
async fn a_429_closes_the_gate_of_its_own_kind_only() {
    let limited = r#"{"error":"Too many requests. Try again later."}"#;
    let ok = || answer("200 OK", r#"{"ok":true}"#);
    let (client, mut seen) = serve(vec![answer("429 Too Many Requests", limited), ok(), ok()]).await;
    let first = client.chat(&id(), Room::Player, "hello").await;
    let Err(Error::RateLimited { until, .. }) = first else { panic!("{first:?}") };
    assert!(until > Instant::now() + Duration::from_secs(50));
    let again = client.chat(&id(), Room::Player, "hello").await;
    assert_eq!(again, first, "no request was made");
    client.play(&id(), "e2e4", false, Duration::MAX).await.expect("moves go on");
    client.clone().abort(&id()).await.expect("and so do other calls");
    let lines: Vec<String> = [seen.recv().await, seen.recv().await, seen.recv().await]
        .into_iter()
        .map(|request| request.expect("a request").lines().next().unwrap_or_default().to_string())
        .collect();
    assert!(
        lines[0].contains("/chat") && lines[1].contains("/move/") && lines[2].contains("/abort"),
        "{lines:?}"
    );
}

#[tokio::test]
async fn a_429_counts_in_every_shape() {
    let quota = r#"{"error":"enough","ratelimit":{"key":"bot.vsBot.day","seconds":41234}}"#;
    for (head, body, seconds, named) in [
        ("429 Too Many Requests", r#"{"error":"Too many requests. Try again later."}"#, 60, None),
        ("429 Too Many Requests", quota, 41_234, Some("bot.vsBot.day")),
        ("429 Too Many Requests\r\nRetry-After: 300", "slow down", 300, None),
        ("429 Too Many Requests", "<html><h1>429</h1></html>", 60, None),
        ("429 Too Many Requests", "", 60, None),
    ] {
        let ok = answer("200 OK", r#"{"ok":true}"#);
        let (client, _seen) = serve(vec![answer(head, body), ok]).await;
        let begun = Instant::now();
        let limited = client.accept_challenge(&id()).await;
        let Err(Error::RateLimited { until, quota, .. }) = limited else { panic!("{body}: {limited:?}") };
        let pause = (until - begun).as_secs_f64();
        assert!((f64::from(seconds)..f64::from(seconds) + 30.0).contains(&pause), "{body}: {pause}");
        assert_eq!(quota.as_deref(), named, "{body}");
        let again = client.decline_challenge(&id(), DeclineReason::Later).await;
        assert!(matches!(again, Err(Error::RateLimited { .. })), "{body}: {again:?}");
        client.play(&id(), "e2e4", false, Duration::MAX).await.expect("moves go on");
    }
}

const CHAT: &str = r#"{"type":"chatLine","room":"player","username":"Zoë","text":"hi"}"#;
const STATE: &str =
    r#"{"type":"gameState","moves":"e2e4","wtime":1000,"btime":1000,"winc":0,"binc":0,"status":"started"}"#;

#[tokio::test]
async fn a_stream_is_read_whatever_its_chunks() {
    let text = format!("{CHAT}\n\n{STATE}\nrubbish\n{{\"type\":\"new\"}}\n{CHAT}\n");
    for size in [1, 7, 39, 40, 41, text.len()] {
        let chunks: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        let (client, mut seen) = serve(vec![stream(&chunks, clean_end())]).await;
        let mut events = client.game_events(&id()).await.expect("a stream");
        let mut found = Vec::new();
        while let Some(event) = events.next().await.expect("a clean stream") {
            found.push(event);
        }
        assert!(seen.recv().await.expect("a request").starts_with("GET /api/bot/game/stream/q7ZkTfLb "));
        assert_eq!(found.len(), 4, "chunks of {size}: {found:?}");
        assert!(matches!(&found[0], GameEvent::Chat(line) if line.username == "Zoë"));
        assert!(matches!(&found[1], GameEvent::State(state) if state.moves == "e2e4"));
        assert_eq!(found[2], GameEvent::Unknown("new".into()));
    }
}

#[tokio::test]
async fn a_reset_in_mid_line_and_a_cut_without_end_are_errors() {
    for end in [Act::Reset, Act::Flush] {
        let half = &STATE.as_bytes()[..20];
        let line = format!("{CHAT}\n");
        let (client, _seen) = serve(vec![stream(&[line.as_bytes(), half], end)]).await;
        let mut events = client.game_events(&id()).await.expect("a stream");
        let mut last = events.next().await;
        if last.is_ok() {
            last = events.next().await;
        }
        assert!(matches!(last, Err(Error::Offline(_))), "{last:?}");
    }
}

#[tokio::test]
async fn a_last_line_without_newline_is_read() {
    let (client, _seen) = serve(vec![stream(&[STATE.as_bytes()], clean_end())]).await;
    let mut events = client.game_events(&id()).await.expect("a stream");
    assert!(matches!(events.next().await, Ok(Some(GameEvent::State(_)))));
    assert_eq!(events.next().await, Ok(None));
    assert_eq!(events.next().await, Ok(None), "also when asked again");
}

#[tokio::test]
async fn keep_alives_keep_a_stream_alive() {
    let beat = || [chunk(b"\n"), vec![Act::Wait(Duration::from_secs(7))]].concat();
    let beats = (0..10).flat_map(|_| beat());
    let line = format!("{CHAT}\n");
    let acts =
        [send(STREAM_HEAD)].into_iter().chain(beats).chain(chunk(line.as_bytes())).chain([clean_end()]);
    let (client, _seen) = serve(vec![acts.collect()]).await;
    let mut events = client.game_events(&id()).await.expect("a stream");
    tokio::time::pause();
    let begun = Instant::now();
    assert!(matches!(events.next().await, Ok(Some(GameEvent::Chat(_)))));
    assert!(begun.elapsed() > Duration::from_secs(60), "{:?}", begun.elapsed());
    assert_eq!(events.next().await, Ok(None));
}

#[tokio::test]
async fn silence_adds_up_though_the_wait_is_dropped_every_second() {
    let (client, _seen) = serve(vec![stream(&[b"\n"], Act::Hold)]).await;
    let mut events = client.game_events(&id()).await.expect("a stream");
    tokio::time::pause();
    let begun = Instant::now();
    let end = loop {
        if let Ok(end) = timeout(Duration::from_secs(1), events.next()).await {
            break end;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "silence goes unnoticed");
    };
    assert!(matches!(&end, Err(Error::Offline(reason)) if reason.contains("silent for 17.5 s")), "{end:?}");
    assert!((17..=19).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_stream_that_is_refused_says_why() {
    let (client, _seen) = serve(vec![
        answer("404 Not Found", r#"{"error":"No such game"}"#),
        answer("429 Too Many Requests", "<html>slow down</html>"),
    ])
    .await;
    let missing = client.game_events(&id()).await.err().expect("no such game");
    assert_eq!(missing, Error::Rejected { status: 404, text: "No such game".into() });
    let limited = client.game_events(&id()).await.err().expect("a limit");
    assert!(matches!(limited, Error::RateLimited { .. }));
    assert!(
        client.account_events().await.is_err_and(|error| matches!(error, Error::Offline(_))),
        "another gate"
    );
}

#[tokio::test]
async fn a_wait_for_the_next_event_that_is_dropped_loses_nothing() {
    let line = format!("{STATE}\n");
    let (first, rest) = line.as_bytes().split_at(25);
    let (client, _seen) = serve(vec![stream(&[first, rest], clean_end())]).await;
    let mut events = client.game_events(&id()).await.expect("a stream");
    let event = loop {
        // Polls once and drops the future, over and over, until the event is there.
        let next = std::pin::pin!(events.next());
        tokio::select! {
            biased;
            event = next => break event,
            () = tokio::task::yield_now() => {}
        }
    };
    assert!(matches!(event, Ok(Some(GameEvent::State(_)))), "{event:?}");
}

#[tokio::test]
async fn no_error_and_no_log_ever_shows_the_token() {
    let echo = format!("<pre>GET / Authorization: Bearer {TOKEN}</pre>");
    let plain_echo = format!(r#"{{"error":{{"Bearer {TOKEN}":["refused"]}}}}"#);
    let (client, _seen) = serve(vec![
        answer("401 Unauthorized", r#"{"error":"No such token"}"#),
        answer("502 Bad Gateway", &echo),
        answer("400 Bad Request", &plain_echo),
        answer("200 OK", "rubbish"),
        answer("429 Too Many Requests", TOKEN),
        vec![Act::Reset],
        vec![send("nonsense\r\n\r\n")],
        stream(&[b"odd line\n"], Act::Hold),
    ])
    .await;
    let mut shown = Vec::new();
    for _ in 0..5 {
        shown.push(client.account().await.expect_err("all of these fail"));
    }
    for _ in 0..2 {
        shown.push(client.game_events(&id()).await.err().expect("these too"));
    }
    let mut events = client.game_events(&id()).await.expect("a stream");
    tokio::time::pause();
    shown.push(events.next().await.expect_err("silence"));
    let kept = LOG.0.lock().unwrap_or_else(PoisonError::into_inner);
    let messages: String = shown.iter().map(Error::to_string).collect();
    let text = format!("{shown:?} {messages} {}", String::from_utf8_lossy(&kept));
    assert!(text.contains("odd line") && text.contains("silent") && text.contains("refused"), "{text}");
    assert!(!text.contains("secret") && !text.contains("SECRET"), "{text}");
}
