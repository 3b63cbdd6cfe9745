//! The engine as a GUI meets it: the program behind pipes, every answer checked.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use tabiya::engine::{Color, Position};

/// An answer that takes longer will never come.
const PATIENCE: Duration = Duration::from_secs(120);
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const MATE_IN_TWO: &str = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";

/// The program, and what it says line by line.
struct Gui {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Gui {
    fn start() -> Gui {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
        command.arg("uci");
        Gui::of(command)
    }

    fn of(mut command: Command) -> Gui {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program runs");
        let out = BufReader::new(child.stdout.take().expect("an output"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                // The test may be over.
                let _ = sender.send(line);
            }
        });
        let input = child.stdin.take();
        Gui { child, input, lines }
    }

    fn send(&mut self, text: &str) {
        self.send_bytes(format!("{text}\n").as_bytes());
    }

    fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the program reads");
    }

    /// Everything it says up to a line that begins with `prefix`, that line included.
    fn until(&mut self, prefix: &str) -> Vec<String> {
        let mut said = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => said.push(line),
                Err(RecvTimeoutError::Timeout) => panic!("no {prefix:?} in time after {said:?}"),
                Err(RecvTimeoutError::Disconnected) => panic!("it ended without {prefix:?} after {said:?}"),
            }
            if said.last().is_some_and(|line| line.starts_with(prefix)) {
                return said;
            }
        }
    }

    fn ask(&mut self, text: &str, prefix: &str) -> Vec<String> {
        self.send(text);
        self.until(prefix)
    }

    /// The move of `bestmove`, and everything said before it.
    fn go(&mut self, text: &str) -> (String, Vec<String>) {
        let said = self.ask(text, "bestmove");
        (best_move(&said), said)
    }

    /// Everything it says until it has dealt with what was sent.
    fn settled(&mut self) -> Vec<String> {
        let mut said = self.ask("isready", "readyok");
        said.pop();
        said
    }

    /// What it says after its input ends, and how it ends.
    fn end(mut self) -> (Vec<String>, ExitStatus) {
        drop(self.input.take());
        let said = self.lines.iter().collect();
        (said, self.child.wait().expect("an end"))
    }
}

fn best_move(said: &[String]) -> String {
    let last = said.last().expect("a line");
    last.split(' ').nth(1).unwrap_or_else(|| panic!("no move in {last:?}")).to_string()
}

/// The word after `name` in a line.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split(' ').skip_while(|word| *word != name).nth(1)
}

fn number(line: &str, name: &str) -> i64 {
    field(line, name).and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("no {name} in {line:?}"))
}

fn reports(said: &[String]) -> Vec<&String> {
    said.iter().filter(|line| line.starts_with("info depth")).collect()
}

/// Nodes of the last report.
fn nodes(said: &[String]) -> i64 {
    number(reports(said).last().expect("a report"), "nodes")
}

fn complaints(said: &[String]) -> Vec<&str> {
    said.iter().filter_map(|line| line.strip_prefix("info string ")).collect()
}

/// Plays the line of an `info` in the position.
fn play_pv(fen: &str, line: &str) -> usize {
    let mut position = Position::from_fen(fen).expect(fen);
    let (_, pv) = line.split_once(" pv ").unwrap_or_else(|| panic!("no pv in {line:?}"));
    for uci in pv.split(' ') {
        position.play_uci(uci).unwrap_or_else(|error| panic!("{error} in {line:?}"));
    }
    pv.split(' ').count()
}

#[test]
fn it_introduces_itself_with_every_option() {
    let said = Gui::start().ask("uci", "uciok");
    assert!(said[0].starts_with("id name Tabiya ") && said[1].starts_with("id author "), "{said:?}");
    let options: Vec<&str> = said.iter().filter_map(|line| line.strip_prefix("option name ")).collect();
    assert_eq!(
        options,
        [
            "Hash type spin default 16 min 1 max 65536",
            "Threads type spin default 1 min 1 max 256",
            "MultiPV type spin default 1 min 1 max 256",
            "Move Overhead type spin default 10 min 0 max 5000",
            "UCI_Elo type spin default 1500 min 1000 max 2000",
            "Ponder type check default false",
            "UCI_Chess960 type check default false",
            "UCI_ShowWDL type check default false",
            "UCI_LimitStrength type check default false",
            "Clear Hash type button",
        ]
    );
    assert_eq!(said.len(), options.len() + 3, "{said:?}");
}

#[test]
fn every_option_is_taken_and_obeyed() {
    let mut gui = Gui::start();
    for line in [
        "setoption name Hash value 2",
        "setoption name threads value 3",
        "setoption name Move Overhead value 50",
        "setoption name Ponder value true",
        "setoption name UCI_Chess960 value false",
        "setoption name UCI_ShowWDL value true",
        "setoption name MultiPV value 2",
        "setoption name Clear Hash",
        "ucinewgame",
    ] {
        gui.send(line);
        assert_eq!(gui.settled(), Vec::<String>::new(), "{line}");
    }
    let (_, said) = gui.go("go depth 6");
    let last = reports(&said).pop().expect("a report");
    assert_eq!(number(last, "multipv"), 2, "{last}");
    let (_, chances) = last.split_once(" wdl ").expect("chances");
    let chances: Vec<i32> = chances.split(' ').take(3).map(|word| word.parse().expect("a number")).collect();
    assert_eq!(chances.iter().sum::<i32>(), 1000, "{last}");
}

#[cfg(unix)]
#[test]
fn a_hash_beyond_all_memory_becomes_a_smaller_one() {
    let limited = "ulimit -v 400000 && exec \"$0\" uci";
    let mut command = Command::new("sh");
    command.args(["-c", limited, env!("CARGO_BIN_EXE_tabiya")]);
    let mut gui = Gui::of(command);
    gui.send("setoption name Hash value 1024");
    let said = gui.settled();
    assert!(complaints(&said)[0].starts_with("no memory for a Hash of 1024 MiB: it has "), "{said:?}");
    gui.go("go depth 3");
    gui.send("setoption name Hash value 2");
    assert_eq!(gui.settled(), Vec::<String>::new());
}

#[test]
fn a_search_tells_what_it_finds_depth_by_depth() {
    let mut gui = Gui::start();
    gui.send(&format!("position fen {KIWIPETE}"));
    let said = gui.ask("go depth 7", "bestmove");
    let reports = reports(&said);
    let depths: Vec<i64> = reports.iter().map(|line| number(line, "depth")).collect();
    assert_eq!(depths, [1, 2, 3, 4, 5, 6, 7]);
    let mut nodes = 0;
    for line in &reports {
        assert!(number(line, "seldepth") >= number(line, "depth"), "{line}");
        assert!(number(line, "nodes") > nodes, "{line}");
        nodes = number(line, "nodes");
        number(line, "cp");
        number(line, "nps");
        number(line, "time");
        assert!((0..=1000).contains(&number(line, "hashfull")), "{line}");
        assert!(play_pv(KIWIPETE, line) > 0);
    }
    let answer = said.last().expect("bestmove");
    let pv: Vec<&str> = reports[6].split_once(" pv ").expect("a pv").1.split(' ').collect();
    assert_eq!(*answer, format!("bestmove {} ponder {}", pv[0], pv[1]));
}

#[test]
fn every_line_is_legal_to_its_end_and_promotes_in_small_letters() {
    let mut gui = Gui::start();
    let mut promotions = 0;
    for fen in [
        KIWIPETE,
        MATE_IN_TWO,
        "8/P6k/8/8/8/8/p6K/8 w - - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
        "8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
        "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 98 80",
        "7k/8/8/8/8/8/1R6/K7 w - - 97 80",
        "6k1/5pp1/4p2p/3bP3/1r3P2/4B1P1/3R2KP/8 w - - 2 34",
    ] {
        gui.send(&format!("ucinewgame\nposition fen {fen}"));
        let (mv, said) = gui.go("go nodes 30000");
        let reports = reports(&said);
        for line in &reports {
            play_pv(fen, line);
            let pv = line.split_once(" pv ").expect("a pv").1;
            assert!(!pv.contains(|c: char| c.is_ascii_uppercase()), "{line}");
            promotions += pv.split(' ').filter(|uci| uci.len() == 5).count();
        }
        let mut position = Position::from_fen(fen).expect(fen);
        position.play_uci(&mv).unwrap_or_else(|error| panic!("{fen}: {error}"));
        if let Some(answer) = field(said.last().expect("bestmove"), "ponder") {
            position.play_uci(answer).unwrap_or_else(|error| panic!("{fen} {mv}: {error}"));
        }
    }
    assert!(promotions > 10, "{promotions}");
}

#[test]
fn a_new_game_is_searched_as_the_first_was() {
    let mut gui = Gui::start();
    let mut counts = Vec::new();
    for between in ["", "ucinewgame", "setoption name Hash value 16"] {
        gui.send(&format!("{between}\nposition fen {KIWIPETE}"));
        let (_, said) = gui.go("go depth 7");
        counts.push(nodes(&said));
    }
    assert_eq!((counts[1], counts[2]), (counts[0], counts[0]));
}

#[test]
fn limits_are_obeyed() {
    let mut gui = Gui::start();
    let (_, said) = gui.go("go nodes 5000");
    let last = reports(&said).pop().expect("a report");
    assert_eq!(number(last, "nodes"), 5000, "{last}");
    gui.go("go nodes 0");
    gui.go("go depth 0");
    for clocks in [
        "go wtime 300 btime 1",
        "go wtime 1 btime 1",
        "go wtime -50 btime 100",
        "go wtime 100 btime 100 winc 50 binc 50",
        "go wtime 400 btime 1 movestogo 1",
        "go movetime 60",
        "go movetime 0",
        "go wtime 60000 btime 60000 depth 3",
    ] {
        let (mv, _) = gui.go(clocks);
        assert!(Position::default().parse_uci(&mv).is_ok(), "{clocks}: {mv}");
    }
}

#[test]
fn it_answers_while_it_thinks_and_stops_when_told() {
    let mut gui = Gui::start();
    gui.send("go infinite");
    gui.until("info depth 3");
    for _ in 0..3 {
        let said = gui.settled();
        assert!(!said.iter().any(|line| line.starts_with("bestmove")), "{said:?}");
    }
    for line in ["go depth 1", "ucinewgame", "setoption name Hash value 1", "perft 1", "bench"] {
        gui.send(line);
        let said = gui.settled();
        assert_eq!(complaints(&said), ["still thinking: send stop first"], "{line}");
    }
    let (mv, _) = gui.go("stop");
    assert!(Position::default().parse_uci(&mv).is_ok(), "{mv}");
    gui.send("stop");
    assert_eq!(gui.settled(), Vec::<String>::new(), "one stop, one move");
}

#[test]
fn what_follows_a_stop_need_not_wait_for_the_move() {
    let mut gui = Gui::start();
    gui.send("go infinite\nstop\nsetoption name Hash value 2\nucinewgame\nposition startpos moves e2e4\ngo depth 4");
    let (first, _) = gui.go("isready");
    let second = best_move(&gui.until("bestmove"));
    assert!(Position::default().parse_uci(&first).is_ok(), "{first}");
    let after = Position::after("startpos", "e2e4").expect("legal");
    assert!(after.parse_uci(&second).is_ok(), "{second}");
}

#[test]
fn an_infinite_search_that_has_seen_all_keeps_its_move_until_stop() {
    let mut gui = Gui::start();
    gui.send("go infinite depth 2");
    gui.until("info depth 2");
    gui.settled();
    assert_eq!(gui.settled(), Vec::<String>::new());
    gui.go("stop");
}

#[test]
fn pondering_ends_by_ponderhit_or_stop_and_never_before() {
    let mut gui = Gui::start();
    gui.send("position startpos moves e2e4 e7e5");
    // The clock has run out long ago, but it is the opponent's that runs.
    gui.send("go ponder wtime 1 btime 1");
    gui.until("info depth 5");
    let said = gui.settled();
    assert!(!said.iter().any(|line| line.starts_with("bestmove")), "{said:?}");
    gui.go("ponderhit");

    gui.send("go ponder depth 2 wtime 60000 btime 60000");
    gui.until("info depth 2");
    gui.settled();
    assert_eq!(gui.settled(), Vec::<String>::new(), "it has seen all and waits");
    gui.go("ponderhit");

    gui.send("go ponder wtime 60000 btime 60000");
    gui.until("info depth 2");
    gui.go("stop");

    gui.send("ponderhit");
    assert_eq!(complaints(&gui.settled()), ["ponderhit without go ponder"]);
    gui.go("go ponder depth 1\nponderhit");
}

#[test]
fn ponderhit_leaves_the_search_what_is_left_of_its_nodes() {
    let mut gui = Gui::start();
    gui.send("position startpos moves e2e4 e7e5");
    gui.send("go ponder nodes 3000 wtime 3600000 btime 3600000");
    gui.until("info depth 2");
    // However many nodes are used up by now, the move is held back.
    let said = gui.settled();
    assert!(!said.iter().any(|line| line.starts_with("bestmove")), "{said:?}");
    let (mv, said) = gui.go("ponderhit");
    assert!(Position::after("startpos", "e2e4 e7e5").expect("legal").parse_uci(&mv).is_ok(), "{mv}");
    assert_eq!(nodes(&said), 3000, "{said:?}");
    // The hit may come while the search is still far from its limit.
    gui.send("go ponder nodes 200000");
    let (_, said) = gui.go("ponderhit");
    assert_eq!(nodes(&said), 200_000);
}

#[test]
fn limited_strength_is_heard_once_and_looks_at_little() {
    let mut gui = Gui::start();
    gui.send("setoption name UCI_Elo value 1000\nsetoption name UCI_LimitStrength value true");
    for clock in ["go wtime 600000 btime 600000", "go depth 30", "go movetime 600000"] {
        let (mv, said) = gui.go(clock);
        let reports = reports(&said);
        assert_eq!(reports.len(), 1, "{clock}: {said:?}");
        assert!(number(reports[0], "nodes") < 2_000, "{clock}: {said:?}");
        assert_eq!(field(reports[0], "pv"), Some(mv.as_str()), "{clock}");
    }
    gui.send("go infinite");
    gui.until("info depth");
    assert_eq!(gui.settled(), Vec::<String>::new(), "it has seen all it looks at, and waits");
    gui.go("stop");
    gui.send("setoption name MultiPV value 3");
    assert_eq!(reports(&gui.go("go depth 30").1).len(), 3);
    gui.send("setoption name MultiPV value 1\nsetoption name UCI_LimitStrength value false");
    let (_, said) = gui.go("go nodes 5000");
    assert_eq!(nodes(&said), 5_000);
}

#[test]
fn several_lines_are_ordered_and_legal() {
    let mut gui = Gui::start();
    gui.send("setoption name MultiPV value 4");
    gui.send(&format!("position fen {KIWIPETE}"));
    let (mv, said) = gui.go("go depth 5");
    let reports = reports(&said);
    assert_eq!(reports.len(), 4 * 5);
    let last = &reports[16..];
    let mut firsts = Vec::new();
    for (index, line) in last.iter().enumerate() {
        assert_eq!((number(line, "depth"), number(line, "multipv")), (5, index as i64 + 1), "{line}");
        assert!(index == 0 || number(line, "cp") <= number(last[index - 1], "cp"), "{line}");
        assert!(play_pv(KIWIPETE, line) > 0);
        let first = field(line, "pv").expect("a move");
        assert!(!firsts.contains(&first), "{first} twice");
        firsts.push(first);
    }
    assert_eq!(firsts[0], mv);
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let mut gui = Gui::start();
    for (line, wanted) in [
        ("go searchmoves a2a3 depth 4", vec!["a2a3"]),
        ("go depth 4 searchmoves h2h4 g1h3", vec!["h2h4", "g1h3"]),
    ] {
        let (mv, said) = gui.go(line);
        assert!(wanted.contains(&mv.as_str()), "{line}: {mv}");
        for report in reports(&said) {
            assert!(wanted.contains(&field(report, "pv").expect("a move")), "{report}");
        }
    }
    gui.send("go searchmoves e2e5 depth 2");
    let said = gui.settled();
    assert!(complaints(&said)[0].starts_with("searchmoves: e2e5 is not legal in "), "{said:?}");
}

#[test]
fn a_mate_is_found_told_and_ends_the_search() {
    let mut gui = Gui::start();
    gui.send(&format!("position fen {MATE_IN_TWO}"));
    let (mv, said) = gui.go("go mate 2");
    assert_eq!(mv, "a1a6");
    assert_eq!(number(reports(&said).pop().expect("a report"), "mate"), 2);
    gui.send("position fen 8/8/8/8/8/1k6/7r/K7 w - - 0 1");
    let (_, said) = gui.go("go mate 1");
    assert_eq!(number(reports(&said).pop().expect("a report"), "mate"), -1);
}

#[test]
fn castling_is_read_both_ways_and_written_the_gui_s_way() {
    let mut gui = Gui::start();
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    for (chess960, written) in [(false, "e1g1"), (true, "e1h1")] {
        gui.send(&format!("setoption name UCI_Chess960 value {chess960}"));
        for read in ["e1g1", "e1h1"] {
            gui.send(&format!("position fen {fen}"));
            let (mv, said) = gui.go(&format!("go depth 3 searchmoves {read}"));
            assert_eq!(mv, written, "{read}");
            assert!(said.iter().any(|line| line.contains(&format!(" pv {written}"))), "{said:?}");
            let said = gui.ask(&format!("position fen {fen} moves {read}\nd"), "Key: ");
            assert!(
                said.iter().any(|line| line.starts_with("Fen: 4k3/8/8/8/8/8/8/5RK1 b - - 1 1")),
                "{said:?}"
            );
        }
    }
}

#[test]
fn chess960_positions_are_searched_in_their_own_notation() {
    let mut gui = Gui::start();
    gui.send("setoption name UCI_Chess960 value true");
    let fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    gui.send(&format!("position fen {fen}"));
    let (mv, said) = gui.go("go depth 6");
    assert!(Position::from_fen(fen).expect(fen).parse_uci(&mv).is_ok(), "{mv}");
    for line in reports(&said) {
        play_pv(fen, line);
    }
    gui.send("position fen 1k6/8/8/8/8/8/8/RK5R w HA - 0 1 moves b1a1");
    assert_eq!(complaints(&gui.settled()), Vec::<&str>::new(), "the king takes its own rook");
}

#[test]
fn a_finished_game_is_answered_with_no_move() {
    let mut gui = Gui::start();
    for (fen, score, reason) in [
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "score mate 0", "no legal move: checkmate"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "score cp 0", "no legal move: stalemate"),
    ] {
        gui.send(&format!("position fen {fen}"));
        let (mv, said) = gui.go("go depth 3");
        assert_eq!(mv, "0000");
        assert!(said[0].contains(score) && complaints(&said) == [reason], "{said:?}");
    }
    gui.send("go infinite");
    gui.until("info string no legal move");
    assert_eq!(gui.settled(), Vec::<String>::new());
    gui.go("stop");
}

#[test]
fn perft_counts_and_can_be_stopped() {
    let mut gui = Gui::start();
    for line in ["perft 3", "go perft 3"] {
        let said = gui.ask(line, "Nodes searched");
        assert!(said.contains(&"e2e4: 600".to_string()), "{said:?}");
        assert_eq!(said.last().map(String::as_str), Some("Nodes searched: 8902"));
    }
    gui.send("perft 32\nisready\nstop");
    gui.until("readyok");
    gui.until("info string perft was stopped");
    gui.go("go depth 1");
}

#[test]
fn the_position_and_its_evaluation_are_shown() {
    let mut gui = Gui::start();
    gui.send("position startpos moves e2e4");
    let said = gui.ask("d", "Key: ");
    assert_eq!(said[4], "4 . . . . P . . .", "{said:?}");
    assert!(said.contains(&"Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1".to_string()));
    let said = gui.ask("eval", "evaluation");
    assert!(said[0].ends_with("for black, who is to move"), "{said:?}");
}

#[test]
fn a_bad_line_is_answered_and_changes_nothing() {
    let mut gui = Gui::start();
    gui.send("position startpos moves e2e4");
    for (line, wanted) in [
        ("hello", "unknown command \"hello\""),
        ("UCI", "unknown command \"UCI\""),
        ("position startpos moves e2e4 e7e5 e1e3", "ply 2: e1e3 is not legal in"),
        ("position startpos moves e2e4 E7E5", "ply 1: \"E7E5\" is not a move in UCI notation"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "start position \"8/8/8/8/8/8/8/8 w - - 0 1\": "),
        ("position fen what is this", "start position \"what is this\": "),
        ("go depth five", "depth must be a whole number, not \"five\""),
        ("go wtime 1000", "go has a clock, but not of the side to move"),
        ("setoption name Hash value none", "option Hash must be 1 to 65536, not \"none\""),
        ("setoption name Skill Level value 3", "unknown option \"Skill Level\""),
        ("genfens 1 seed 1 book /no/such/book", "genfens: cannot read the book \"/no/such/book\": "),
    ] {
        gui.send(line);
        let said = gui.settled();
        assert!(said.len() == 1 && complaints(&said)[0].starts_with(wanted), "{line}: {said:?}");
    }
    gui.send_bytes(b"go \xff\xfe depth 1\r\n");
    assert_eq!(complaints(&gui.settled()).len(), 1);
    let said = gui.ask("d\r", "Key: ");
    assert!(said.iter().any(|line| line.contains(" b KQkq - 0 1")), "still after 1 e4: {said:?}");
}

/// Lines made of what UCI is made of, and some of anything.
fn garbage(random: &mut fastrand::Rng) -> Vec<u8> {
    const WORDS: [&str; 40] = [
        "uci",
        "isready",
        "ucinewgame",
        "position",
        "startpos",
        "fen",
        "moves",
        "go",
        "depth",
        "nodes",
        "mate",
        "ponder",
        "infinite",
        "movetime",
        "wtime",
        "btime",
        "searchmoves",
        "stop",
        "ponderhit",
        "setoption",
        "name",
        "value",
        "Hash",
        "Threads",
        "MultiPV",
        "UCI_Chess960",
        "true",
        "d",
        "eval",
        "perft",
        "e2e4",
        "e7e5",
        "0000",
        "-1",
        "1",
        "2",
        "99999999999999999999",
        "genfens",
        "debug",
        "\u{1f600}",
    ];
    let mut line = Vec::new();
    for _ in 0..random.usize(..9) {
        match random.u8(..20) {
            0 => line.extend((0..random.usize(..30)).map(|_| random.u8(..)).filter(|byte| *byte != b'\n')),
            1 => line.extend(KIWIPETE.as_bytes()),
            _ => line.extend(WORDS[random.usize(..WORDS.len())].as_bytes()),
        }
        line.push(if random.u8(..10) == 0 { b'\t' } else { b' ' });
    }
    // Only orders that are carried out within the test.
    let text = String::from_utf8_lossy(&line).into_owned();
    let is_long =
        text.trim_start().starts_with("genfens") || text.contains("Hash") || text.contains("Threads");
    if is_long {
        line.clear()
    }
    line.push(b'\n');
    line
}

#[test]
fn no_garbage_stops_it() {
    let mut random = fastrand::Rng::with_seed(0x7ab1);
    let mut gui = Gui::start();
    for round in 0..40 {
        let lines: Vec<u8> = (0..50).flat_map(|_| garbage(&mut random)).collect();
        gui.send_bytes(&lines);
        // Whatever was begun ends here, and the engine still knows its trade.
        gui.send("stop\nsetoption name MultiPV value 1\nposition startpos\nisready");
        gui.until("readyok");
        gui.settled();
        let (mv, _) = gui.go("go nodes 50");
        assert!(Position::default().parse_uci(&mv).is_ok(), "round {round}: {mv}");
    }
    gui.send("quit");
    assert!(gui.end().1.success());
}

#[test]
fn it_can_be_left_at_any_moment() {
    for script in [
        "",
        "uci\n",
        "isready\n",
        "go infinite\n",
        "go depth 30\n",
        "go ponder wtime 1000 btime 1000\n",
        "position startpos moves e2e4\ngo movetime 100000\n",
        "go infinite\nstop\n",
        "perft 7\n",
        "setoption name Hash value 64\nisready\nucinewgame\n",
    ] {
        let mut gui = Gui::start();
        gui.send(&format!("{script}quit"));
        assert!(gui.end().1.success(), "{script:?}");
    }
}

#[test]
fn at_the_end_of_input_it_finishes_what_can_be_finished() {
    for (script, answers) in [
        ("go depth 5", 1),
        ("go infinite", 1),
        ("go ponder wtime 99999 btime 99999", 1),
        ("go mate 9", 1),
        ("", 0),
    ] {
        let mut gui = Gui::start();
        gui.send(script);
        let (said, status) = gui.end();
        let moves = said.iter().filter(|line| line.starts_with("bestmove")).count();
        assert_eq!((moves, status.success()), (answers, true), "{script}: {said:?}");
    }
}

#[test]
fn a_last_line_without_an_end_counts() {
    let mut gui = Gui::start();
    gui.send_bytes(b"go depth 2");
    assert!(gui.end().0.iter().any(|line| line.starts_with("bestmove")));
}

#[test]
fn its_move_is_legal_in_two_hundred_random_positions() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut gui = Gui::start();
    gui.send("setoption name UCI_Chess960 value true");
    for game in 0..200 {
        let start = Position::chess960_start(if game % 2 == 0 { 518 } else { random.u16(..960) });
        let fen = start.fen();
        let mut position = start;
        let mut moves = String::new();
        for _ in 0..random.usize(..120) {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = legal[random.usize(..legal.len())];
            moves += &format!(" {mv}");
            position.play(mv);
        }
        gui.send(&format!("position fen {fen} moves{moves}"));
        let (mv, _) = gui.go(&format!("go nodes {}", random.u64(1..800)));
        let is_over = position.legal_moves().is_empty();
        assert_eq!(position.parse_uci(&mv).is_err(), is_over, "{mv} in {}", position.fen());
    }
}

/// Arguments as OpenBench gives them.
fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.args(arguments).stdin(Stdio::null()).output().expect("the program runs")
}

#[test]
fn openbench_gets_its_openings() {
    let output = run(&["genfens 5 seed 42 book None", "quit"]);
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let fens: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("info string genfens ")).collect();
    assert_eq!((fens.len(), said.lines().count()), (5, 5), "{said}");
    for fen in fens {
        let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(position.outcome(), None, "{fen}");
    }
}

#[test]
fn commands_may_stand_on_the_command_line() {
    let output = run(&["uci", "position startpos moves e2e4", "go depth 3", "quit"]);
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let mv = best_move(&said.lines().map(str::to_string).collect::<Vec<_>>());
    let position = Position::after("startpos", "e2e4").expect("legal");
    assert_eq!(position.side_to_move(), Color::Black);
    assert!(position.parse_uci(&mv).is_ok(), "{said}");
}

#[test]
fn bench_is_the_same_from_within() {
    let nodes = |arguments: &[&str]| {
        let said = String::from_utf8(run(arguments).stdout).expect("UTF-8");
        let lines: Vec<&str> = said.lines().collect();
        let [nodes, nps] = lines.as_slice() else { panic!("{said}") };
        assert!(nodes.ends_with(" nodes") && nps.ends_with(" nps"), "{said}");
        nodes.to_string()
    };
    assert_eq!(nodes(&["uci", "bench", "quit"]), nodes(&["bench"]));
}
