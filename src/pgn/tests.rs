//! What is written is right to the letter, and shakmaty reads it back.

use super::*;
use shakmaty::fen::Fen;
use shakmaty::san::{San, SanPlus};
use shakmaty::{CastlingMode, Chess, EnPassantMode};

fn game(moves: &str, result: &str) -> PgnGame {
    from_position(None, moves, result)
}

/// Moves in UCI; a word in braces is a comment, with `_` for a space.
fn from_position(initial_fen: Option<&str>, moves: &str, result: &str) -> PgnGame {
    let mut position = Position::after(initial_fen.unwrap_or("startpos"), "").expect("a position");
    let mut list: Vec<(Move, Option<String>)> = Vec::new();
    for word in moves.split_whitespace() {
        match word.strip_prefix('{') {
            Some(remark) => list.last_mut().expect("a move before").1 = Some(remark.replace('_', " ")),
            None => list.push((position.play_uci(word).expect("a legal move"), None)),
        }
    }
    let initial_fen = initial_fen.map(str::to_string);
    PgnGame { tags: Vec::new(), initial_fen, moves: list, result: result.to_string() }
}

fn movetext_of(game: &PgnGame) -> String {
    write(game).split_once("]\n\n").expect("tags and moves").1.to_string()
}

#[test]
fn a_whole_game_is_written_to_the_letter() {
    let mut mate = game("f2f3 e7e5 g2g4 {a_mistake d8h4 {[%eval_#-1]", "0-1");
    let tag = |name: &str, value: &str| (name.to_string(), value.to_string());
    mate.tags = vec![
        tag("Variant", "Standard"),
        tag("White", r#"a "quoted" \ name"#),
        tag("Event", "casual\ngame"),
        tag("Black", ""),
        tag("Variant", "twice"),
        tag("Result", "1-0"),
        tag("no name", "x"),
        tag("UTCTime", "23:40:05"),
    ];
    let expected = r#"[Event "casual game"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "a \"quoted\" \\ name"]
[Black "?"]
[Result "0-1"]
[Variant "Standard"]
[UTCTime "23:40:05"]

1. f3 e5 2. g4 {a mistake} 2... Qh4# {[%eval #-1]} 0-1

"#;
    assert_eq!(write(&mate), expected);
}

#[test]
fn a_start_with_black_to_move_has_its_number_and_its_fen() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 17";
    let text = write(&from_position(Some(fen), "e8e7 e2e4 e7e6", "*"));
    let expected = "[Result \"*\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 17\"]\n\n\
                    17... Ke7 18. e4 Ke6 *\n\n";
    assert!(text.ends_with(expected), "{text}");
}

#[test]
fn movetext_of_all_kinds() {
    let cases = [
        (game("", "*"), "*\n\n"),
        (game("", "1-0"), "1-0\n\n"),
        (game("", "nonsense"), "*\n\n"),
        (game("e2e4", "1/2-1/2"), "1. e4 1/2-1/2\n\n"),
        (from_position(Some("startpos"), "e2e4 c7c5", "*"), "1. e4 c5 *\n\n"),
        (game("e2e4 { e7e5", "*"), "1. e4 e5 *\n\n"),
        (game("e2e4 {a} e7e5", "*"), "1. e4 {a)} 1... e5 *\n\n"),
        (game("e2e4 {{b}\n", "*"), "1. e4 {(b)} *\n\n"),
    ];
    for (game, expected) in cases {
        assert_eq!(movetext_of(&game), expected, "{game:?}");
    }
}

#[test]
fn what_cannot_be_written_is_told_and_does_not_panic() {
    let mut broken = game("e2e4", "*");
    broken.moves.push(broken.moves[0].clone());
    assert_eq!(movetext_of(&broken), "1. e4 {e2e4 is not legal here; the moves in UCI: e2e4} *\n\n");
    broken.initial_fen = Some("nonsense \"".to_string());
    let text = write(&broken);
    assert!(text.contains("[FEN \"nonsense \\\"\"]\n\n{a FEN has 4 or 6 fields"), "{text}");
    assert!(text.ends_with("found 2; the moves in UCI:\ne2e4 e2e4} *\n\n"), "{text}");
}

#[test]
fn lines_stay_under_80_columns_and_never_begin_with_a_percent_sign() {
    let mut rng = fastrand::Rng::with_seed(80);
    for _ in 0..200 {
        let mut long = random_game(&mut rng, None);
        for (_, remark) in &mut long.moves {
            let length = rng.usize(..30);
            let words = (0..length).map(|_| ["%", "%clk", "a", "größer", "[%eval"][rng.usize(..5)]);
            *remark = Some(words.collect::<Vec<_>>().join(" "));
        }
        for line in movetext_of(&long).lines() {
            let fits = line.chars().count() < 80 || line.contains(" %");
            assert!(fits && !line.starts_with('%'), "{line}");
        }
        read_back(&long);
    }
    let text = movetext_of(&game(&"g1f3 g8f6 f3g1 f6g8 ".repeat(9), "*"));
    assert_eq!(
        text,
        "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 7. Nf3 Nf6\n\
         8. Ng1 Ng8 9. Nf3 Nf6 10. Ng1 Ng8 11. Nf3 Nf6 12. Ng1 Ng8 13. Nf3 Nf6 14. Ng1\n\
         Ng8 15. Nf3 Nf6 16. Ng1 Ng8 17. Nf3 Nf6 18. Ng1 Ng8 *\n\n"
    );
}

#[test]
fn dates_come_from_unix_milliseconds() {
    let cases = [
        (0, "1970.01.01", "00:00:00"),
        (1_796_082_005_999, "2026.11.30", "23:40:05"),
        (-1, "1969.12.31", "23:59:59"),
        (i64::MAX, "????.??.??", "??:??:??"),
    ];
    for (milliseconds, date, time) in cases {
        assert_eq!((&*utc_date(milliseconds), &*utc_time(milliseconds)), (date, time), "{milliseconds}");
    }
}

#[test]
fn random_games_of_standard_chess_are_read_back_by_shakmaty() {
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..1500 {
        read_back(&random_game(&mut rng, None));
    }
}

#[test]
fn random_games_of_chess960_are_read_back_by_shakmaty() {
    let mut rng = fastrand::Rng::with_seed(2);
    for _ in 0..1500 {
        let start = Position::chess960_start(rng.u16(..960)).fen();
        read_back(&random_game(&mut rng, Some(start)));
    }
}

/// Castling and promotion are rare in random play: they are taken when there.
fn random_game(rng: &mut fastrand::Rng, initial_fen: Option<String>) -> PgnGame {
    let mut position = Position::after(initial_fen.as_deref().unwrap_or("startpos"), "").expect("a position");
    let mut moves = Vec::new();
    for _ in 0..rng.usize(1..160) {
        let legal = position.legal_moves();
        let special: Vec<Move> =
            legal.iter().copied().filter(|mv| mv.is_castling() || mv.promoted().is_some()).collect();
        let pool = if !special.is_empty() && rng.bool() { &special[..] } else { &legal[..] };
        let Some(mv) = rng.choice(pool) else { break };
        moves.push((*mv, None));
        position.play(*mv);
    }
    PgnGame { tags: Vec::new(), initial_fen, moves, result: "1/2-1/2".to_string() }
}

/// Reads the text of a game with shakmaty and compares each move with the game.
fn read_back(game: &PgnGame) {
    let text = write(game);
    let fen = text.lines().find_map(|line| line.strip_prefix("[FEN \"")?.strip_suffix("\"]"));
    let fen: Fen = fen.unwrap_or(START_FEN).parse().expect("a FEN that shakmaty reads");
    let mut theirs: Chess = fen.into_position(CastlingMode::Chess960).expect("a position");
    let mut ours = Position::from_fen(game.initial_fen.as_deref().unwrap_or(START_FEN)).expect("a position");
    let mut words = san_words(&text);
    assert_eq!(words.pop(), Some(game.result.clone()), "{text}");
    assert_eq!(words.len(), game.moves.len(), "{text}");
    for (word, (mv, _)) in words.iter().zip(&game.moves) {
        let san: San = San::from_ascii(word.as_bytes()).unwrap_or_else(|_| panic!("{word} in {text}"));
        let their_move = san.to_move(&theirs).unwrap_or_else(|error| panic!("{word}: {error} in {text}"));
        assert_eq!(their_move.to_uci(CastlingMode::Chess960).to_string(), mv.to_string(), "{text}");
        assert_eq!(
            *word,
            SanPlus::from_move_and_play_unchecked(&mut theirs, their_move).to_string(),
            "{text}"
        );
        ours.play(*mv);
    }
    let placement = Fen::from_position(&theirs, EnPassantMode::Legal).to_string();
    assert_eq!(placement.split(' ').next(), ours.fen().split(' ').next(), "{text}");
}

/// The words of the moves and the result, without comments and numbers.
fn san_words(text: &str) -> Vec<String> {
    let moves = text.split_once("]\n\n").expect("tags and moves").1;
    let mut bare = String::new();
    let mut in_comment = false;
    for c in moves.chars() {
        match c {
            '{' => in_comment = true,
            '}' => in_comment = false,
            c if !in_comment => bare.push(c),
            _ => {}
        }
    }
    bare.split_whitespace().filter(|word| !word.ends_with('.')).map(str::to_string).collect()
}
