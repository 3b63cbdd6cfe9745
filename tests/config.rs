//! The configuration from outside: what goes before what, and the line for each kind of mistake.

use std::fs;
use std::path::{Path, PathBuf};
use tabiya::book::Selection;
use tabiya::config::{Config, Mistakes};
use tabiya::engine::EngineKind;
use tabiya::lichess::Token;
use tabiya::logging::LogFormat;
use tempfile::TempDir;

const TOKEN: &str = "lip_FromTheTests012";

/// A folder for one test's files.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder for the test"))
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, text).expect("a file for the test");
        path
    }
}

fn load(file: Option<&Path>, environment: &[(&str, &str)]) -> Result<Config, Mistakes> {
    Config::load(file, environment.iter().map(|(name, text)| (name.to_string(), text.to_string())))
}

/// Loads a file of this text.
fn from_file(text: impl AsRef<[u8]>) -> Result<Config, Mistakes> {
    load(Some(&Folder::new().write("config.toml", text)), &[])
}

/// The mistakes in a file of this text, with its folder taken off the lines.
fn mistakes_in_file(text: impl AsRef<[u8]>) -> Vec<String> {
    let folder = Folder::new();
    let file = folder.write("config.toml", text);
    let folder = format!("{}/", folder.0.path().display());
    let mistakes = load(Some(&file), &[]).expect_err("a mistake");
    mistakes.lines().iter().map(|line| line.replace(&folder, "")).collect()
}

fn mistakes_in(environment: &[(&str, &str)]) -> Vec<String> {
    load(None, environment).expect_err("a mistake").lines().to_vec()
}

#[test]
fn nothing_given_is_the_defaults() {
    assert_eq!(load(None, &[]), Ok(Config::default()));
    assert_eq!(from_file(""), Ok(Config::default()));
    assert_eq!(load(None, &[("PATH", "/bin"), ("HOME", "/root")]), Ok(Config::default()));
}

#[test]
fn the_example_file_equals_the_defaults() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("config.example.toml");
    assert_eq!(load(Some(&example), &[]), Ok(Config::default()));
}

#[test]
fn the_file_goes_before_the_defaults_and_the_environment_before_the_file() {
    let folder = Folder::new();
    let file = folder.write("config.toml", "[engine]\nhash_mb = 64\nthreads = 2\n");
    let config = load(Some(&file), &[("TABIYA_ENGINE__HASH_MB", "128")]).expect("no mistake");
    let mut expected = Config::default();
    expected.engine.hash_mb = 128;
    expected.engine.threads = 2;
    assert_eq!(config, expected);
}

#[test]
fn every_kind_of_value_is_read_from_a_file() {
    let config = from_file(
        "challenge = { speeds = [\"blitz\"], allow = [\"Ada\"] }\n\
         [lichess]\nurl = \"http://127.0.0.1:9663\"\n\
         [game]\nresign = true\nresign_score = -500\ngreeting = \"\"\n\
         [book]\nselection = \"best\"\n\
         [log]\nlevel = \"warn,tabiya=debug\"\nformat = \"json\"\n",
    )
    .expect("no mistake");
    let mut expected = Config::default();
    expected.challenge.speeds = vec!["blitz".to_string()];
    expected.challenge.allow = vec!["Ada".to_string()];
    expected.lichess.url = "http://127.0.0.1:9663".to_string();
    expected.game.resign = true;
    expected.game.resign_score = -500;
    expected.game.greeting = String::new();
    expected.book.selection = Selection::Best;
    expected.log.level = "warn,tabiya=debug".to_string();
    expected.log.format = LogFormat::Json;
    assert_eq!(config, expected);
}

#[test]
fn every_kind_of_value_is_read_from_the_environment() {
    let config = load(
        None,
        &[
            ("TABIYA_LICHESS__URL", "http://127.0.0.1:9663"),
            ("TABIYA_CHALLENGE__CONCURRENCY", "8"),
            ("TABIYA_CHALLENGE__SPEEDS", "blitz, rapid"),
            ("TABIYA_CHALLENGE__BLOCK", ""),
            ("TABIYA_ENGINE__NODES", "20000"),
            ("TABIYA_GAME__ABORT_SECONDS", " 5 "),
            ("TABIYA_GAME__RESIGN_SCORE", "-500"),
            ("TABIYA_GAME__GREETING", "7"),
            ("TABIYA_BOOK__ENABLED", "false"),
            ("TABIYA_BOOK__SELECTION", "uniform"),
            ("TABIYA_STORE__PATH", " /data/tabiya.sqlite\n"),
        ],
    )
    .expect("no mistake");
    let mut expected = Config::default();
    expected.lichess.url = "http://127.0.0.1:9663".to_string();
    expected.challenge.concurrency = 8;
    expected.challenge.speeds = vec!["blitz".to_string(), "rapid".to_string()];
    expected.engine.nodes = 20_000;
    expected.game.abort_seconds = 5;
    expected.game.resign_score = -500;
    expected.game.greeting = "7".to_string();
    expected.book.enabled = false;
    expected.book.selection = Selection::Uniform;
    expected.store.path = "/data/tabiya.sqlite".to_string();
    assert_eq!(config, expected);
}

#[test]
fn another_engine_is_read_from_file_and_environment() {
    let mut expected = Config::default();
    expected.engine.kind = EngineKind::Uci;
    expected.engine.path = "stockfish".to_string();
    expected.engine.options = vec!["UCI_LimitStrength=true".to_string(), "Clear Hash=".to_string()];
    expected.engine.working_directory = "/srv/engine".to_string();
    let text = "[engine]\nkind = \"uci\"\npath = \"stockfish\"\nworking_directory = \"/srv/engine\"\n\
                options = [\"UCI_LimitStrength=true\", \"Clear Hash=\"]\n";
    assert_eq!(from_file(text), Ok(expected.clone()));
    let environment = [
        ("TABIYA_ENGINE__KIND", "uci"),
        ("TABIYA_ENGINE__PATH", "stockfish"),
        ("TABIYA_ENGINE__OPTIONS", "UCI_LimitStrength=true, Clear Hash="),
        ("TABIYA_ENGINE__WORKING_DIRECTORY", "/srv/engine"),
    ];
    assert_eq!(load(None, &environment), Ok(expected));
}

#[test]
fn flags_in_the_environment_are_read_in_the_usual_words() {
    for (text, expected) in
        [("true", true), ("TRUE", true), ("1", true), ("on", true), ("no", false), ("0", false)]
    {
        let config = load(None, &[("TABIYA_GAME__RESIGN", text)]).expect("no mistake");
        assert_eq!(config.game.resign, expected, "{text}");
    }
}

#[test]
fn the_token_is_taken_from_the_first_place_that_has_one() {
    let folder = Folder::new();
    let file = folder.write("config.toml", "[lichess]\ntoken = \"in_file\"\n");
    let secret = folder.write("secret", "  in_secret\r\n");
    let secret = secret.to_str().expect("a path in UTF-8");
    let places = [
        ("LICHESS_BOT_TOKEN", "in_variable", "in_variable"),
        ("LICHESS_BOT_TOKEN_FILE", secret, "in_secret"),
        ("TABIYA_LICHESS__TOKEN", "in_path", "in_path"),
    ];
    for first in 0..places.len() {
        let environment: Vec<(&str, &str)> =
            places[first..].iter().map(|(name, text, _)| (*name, *text)).collect();
        let config = load(Some(&file), &environment).expect("no mistake");
        assert_eq!(config.lichess.token, Token::new(places[first].2), "{}", places[first].0);
    }
    assert_eq!(load(Some(&file), &[]).expect("no mistake").lichess.token, Token::new("in_file"));
}

#[test]
fn a_token_variable_is_trimmed_and_an_empty_one_is_none() {
    let config = load(None, &[("LICHESS_BOT_TOKEN", " abc\n")]).expect("no mistake");
    assert_eq!(config.lichess.token, Token::new("abc"));
    let empty =
        [("LICHESS_BOT_TOKEN", " "), ("LICHESS_BOT_TOKEN_FILE", ""), ("TABIYA_LICHESS__TOKEN", "abc")];
    assert_eq!(load(None, &empty).expect("no mistake").lichess.token, Token::new("abc"));
}

#[test]
fn a_missing_token_is_two_lines_that_say_what_to_do() {
    let lines = load(None, &[]).and_then(Config::with_token).expect_err("no token");
    assert_eq!(
        lines.to_string(),
        "No Lichess token. Signed in as the bot's account, create one here: \
         https://lichess.org/account/oauth/token/create?scopes[]=bot:play&description=Tabiya\n\
         Then start again with LICHESS_BOT_TOKEN=<token>, or name a file that holds it in \
         LICHESS_BOT_TOKEN_FILE, or set lichess.token in config.toml."
    );
    let config = load(None, &[("LICHESS_BOT_TOKEN", TOKEN)]).and_then(Config::with_token);
    assert_eq!(config.expect("a token").lichess.token, Token::new(TOKEN));
}

#[test]
fn each_mistake_in_a_file_is_one_line() {
    let cases: &[(&str, &str)] = &[
        ("[engine]\nhashmb = 64", "config.toml: engine.hashmb: unknown key, did you mean engine.hash_mb?"),
        ("hash_mb = 64", "config.toml: hash_mb: unknown key, did you mean engine.hash_mb?"),
        ("[engin]\nhash_mb = 64", "config.toml: engin: unknown key, did you mean engine?"),
        (
            "[engine]\npython = 3",
            "config.toml: engine.python: unknown key, \
             allowed are hash_mb, threads, nodes, depth, elo, move_overhead_ms, kind, path, options, \
             working_directory",
        ),
        (
            "python = 3",
            "config.toml: python: unknown key, \
             allowed are lichess, challenge, matchmaking, game, engine, book, store, log",
        ),
        ("engine = 3", "config.toml: engine: found a value, allowed a table, [engine]"),
        (
            "[engine.hash_mb]\nsize = 3",
            "config.toml: engine.hash_mb: found a table, allowed a whole number from 1 to 65536",
        ),
        (
            "[engine]\nhash_mb = \"64\"",
            "config.toml: engine.hash_mb: found \"64\", allowed a whole number from 1 to 65536",
        ),
        (
            "[engine]\nhash_mb = 0",
            "config.toml: engine.hash_mb: found 0, allowed a whole number from 1 to 65536",
        ),
        (
            "[engine]\nhash_mb = 1.5",
            "config.toml: engine.hash_mb: found 1.5, allowed a whole number from 1 to 65536",
        ),
        (
            "[engine]\nthreads = 257",
            "config.toml: engine.threads: found 257, allowed a whole number from 1 to 256",
        ),
        ("[engine]\nnodes = -1", "config.toml: engine.nodes: found -1, allowed a whole number of 0 or more"),
        ("[engine]\nelo = 999", "config.toml: engine.elo: found 999, allowed 0 or at least 1000"),
        (
            "[engine]\nelo = 2001",
            "config.toml: engine.elo: found 2001, allowed a whole number from 0 to 2000",
        ),
        (
            "[engine]\nelo = 1500\nkind = \"uci\"\npath = \"stockfish\"",
            "config.toml: engine.elo: found 1500, allowed 0, since engine.kind is \"uci\"; \
             set UCI_LimitStrength and UCI_Elo in engine.options",
        ),
        ("[engine]\nseed = 1", "config.toml: engine.seed: unknown key, did you mean book.seed?"),
        (
            "[engine]\nmove_overhead_ms = 10000",
            "config.toml: engine.move_overhead_ms: found 10000, allowed a whole number from 0 to 9999",
        ),
        (
            "[engine]\nkind = \"UCI\"",
            "config.toml: engine.kind: found \"UCI\", allowed builtin or uci; did you mean \"uci\"?",
        ),
        (
            "[engine]\nkind = \"uci\"",
            "config.toml: engine.path: found \"\", allowed the program to run, since engine.kind is \"uci\"",
        ),
        (
            "[engine]\noptions = [\"Hash=16\", \"Ponder\"]",
            "config.toml: engine.options: found \"Ponder\", allowed a list of Name=value, each on one line",
        ),
        (
            "[engine]\noptions = [\"A=1\\nquit\"]",
            "config.toml: engine.options: found \"A=1\\nquit\", \
             allowed a list of Name=value, each on one line",
        ),
        ("[game]\nresign = 1", "config.toml: game.resign: found 1, allowed true or false"),
        ("[game]\nresign = \"yes\"", "config.toml: game.resign: found \"yes\", allowed true or false"),
        ("[store]\npath = true", "config.toml: store.path: found true, allowed a text"),
        (
            "[book]\nselection = \"wieghted\"",
            "config.toml: book.selection: found \"wieghted\", allowed weighted, uniform or best; \
             did you mean \"weighted\"?",
        ),
        (
            "[book]\ncolors = \"green\"",
            "config.toml: book.colors: found \"green\", allowed both, white or black",
        ),
        (
            "[challenge]\nvariants = [\"standard\", \"chess690\"]",
            "config.toml: challenge.variants: found \"chess690\", \
             allowed a list of standard, chess960 and fromPosition; did you mean \"chess960\"?",
        ),
        (
            "[challenge]\nvariants = []",
            "config.toml: challenge.variants: found an empty list, \
             allowed a list of standard, chess960 and fromPosition",
        ),
        (
            "[challenge]\nspeeds = \"blitz\"",
            "config.toml: challenge.speeds: found \"blitz\", allowed a list of \
             bullet, blitz, rapid, classical, correspondence and unlimited; did you mean \"blitz\"?",
        ),
        (
            "[challenge]\nallow = [7]",
            "config.toml: challenge.allow: found 7, \
             allowed a list of account names (letters, digits, _ and -, at most 30)",
        ),
        (
            "[challenge]\nblock = [\"a b\"]",
            "config.toml: challenge.block: found \"a b\", \
             allowed a list of account names (letters, digits, _ and -, at most 30)",
        ),
        (
            "[challenge]\nmin_rating = 2000\nmax_rating = 1500",
            "config.toml: challenge.min_rating: found 2000, \
             allowed at most challenge.max_rating, which is 1500",
        ),
        (
            "[challenge]\nmax_days = 0",
            "config.toml: challenge.max_days: found 0, allowed a whole number from 1 to 14",
        ),
        (
            "[matchmaking]\ninitial = 100",
            "config.toml: matchmaking.initial: found 100 with matchmaking.increment = 2, allowed 0, 15, 30, \
             45, 60, 90 or whole minutes in seconds",
        ),
        (
            "[matchmaking]\ninitial = 15\nincrement = 0",
            "config.toml: matchmaking.initial: found 15 with matchmaking.increment = 0, allowed at least 30 s \
             together with 40 increments",
        ),
        (
            "[matchmaking]\nmin_rating = 2000\nmax_rating = 1500",
            "config.toml: matchmaking.min_rating: found 2000, allowed at most matchmaking.max_rating, which is 1500",
        ),
        (
            "[challenge]\nconcurrency = 2\nreserved_for_humans = 2",
            "config.toml: challenge.reserved_for_humans: found 2, allowed 0 or less than \
             challenge.concurrency, which is 2; to refuse bots set challenge.accept_bots = false",
        ),
        (
            "[lichess]\nurl = \"lichess.org\"",
            "config.toml: lichess.url: found \"lichess.org\", \
             allowed an http or https address without path, as in https://lichess.org",
        ),
        (
            "[log]\nlevel = \"inof\"",
            "config.toml: log.level: found \"inof\", allowed error, warn, info, debug, trace or a filter \
             as in warn,tabiya=debug; did you mean \"info\"?",
        ),
        (
            "[log]\nformat = \"JSON\"",
            "config.toml: log.format: found \"JSON\", allowed text or json; did you mean \"json\"?",
        ),
        (
            "[engine]\nhash_mb = ",
            "config.toml, line 2, column 11: not TOML: string values must be quoted, expected literal string",
        ),
        ("[engine\n", "config.toml, line 1, column 8: not TOML: unclosed table, expected `]`"),
        ("[engine]\nhash_mb = 1\nhash_mb = 2", "config.toml, line 3, column 1: not TOML: duplicate key"),
        (
            "[engine]\nnodes = 99999999999999999999",
            "config.toml: not TOML: number too large to fit in target type",
        ),
        (
            "\"two\\nlines\" = 1",
            "config.toml: two\\nlines: unknown key, \
             allowed are lichess, challenge, matchmaking, game, engine, book, store, log",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(mistakes_in_file(text), [*expected], "{text}");
    }
}

#[test]
fn each_mistake_in_the_environment_is_one_line_with_the_variable() {
    let cases: &[(&str, &str, &str)] = &[
        (
            "TABIYA_ENGINE__HASHMB",
            "64",
            "TABIYA_ENGINE__HASHMB: unknown variable, did you mean TABIYA_ENGINE__HASH_MB?",
        ),
        (
            "TABIYA_LICHESS_URL",
            "http://127.0.0.1",
            "TABIYA_LICHESS_URL: unknown variable, did you mean TABIYA_LICHESS__URL?",
        ),
        ("TABIYA_TOKEN", TOKEN, "TABIYA_TOKEN: unknown variable, did you mean TABIYA_LICHESS__TOKEN?"),
        (
            "TABIYA_PYTHON",
            "3",
            "TABIYA_PYTHON: unknown variable, allowed are TABIYA_SECTION__KEY as in config.example.toml",
        ),
        (
            "TABIYA_ENGINE__HASH_MB",
            "lots",
            "TABIYA_ENGINE__HASH_MB: engine.hash_mb: found \"lots\", \
             allowed a whole number from 1 to 65536",
        ),
        (
            "TABIYA_ENGINE__HASH_MB",
            "",
            "TABIYA_ENGINE__HASH_MB: engine.hash_mb: found \"\", allowed a whole number from 1 to 65536",
        ),
        (
            "TABIYA_ENGINE__NODES",
            "99999999999999999999",
            "TABIYA_ENGINE__NODES: engine.nodes: found \"99999999999999999999\", \
             allowed a whole number of 0 or more",
        ),
        (
            "TABIYA_BOOK__ENABLED",
            "maybe",
            "TABIYA_BOOK__ENABLED: book.enabled: found \"maybe\", allowed true or false",
        ),
        (
            "TABIYA_CHALLENGE__SPEEDS",
            "blitz,rapit",
            "TABIYA_CHALLENGE__SPEEDS: challenge.speeds: found \"rapit\", allowed a list of bullet, blitz, \
             rapid, classical, correspondence and unlimited; did you mean \"rapid\"?",
        ),
    ];
    for (name, text, expected) in cases {
        assert_eq!(mistakes_in(&[(name, text)]), [*expected], "{name}={text}");
    }
}

#[test]
fn bounds_in_another_key_name_the_place_of_the_key_that_is_out() {
    let folder = Folder::new();
    let file = folder.write("config.toml", "[challenge]\nmax_initial = 60\nreserved_for_humans = 3\n");
    let environment = [("TABIYA_CHALLENGE__MIN_INITIAL", "61"), ("TABIYA_CHALLENGE__CONCURRENCY", "3")];
    let mistakes = load(Some(&file), &environment).expect_err("two mistakes");
    let expected = [
        "TABIYA_CHALLENGE__MIN_INITIAL: challenge.min_initial: found 61, \
         allowed at most challenge.max_initial, which is 60"
            .to_string(),
        format!(
            "{}: challenge.reserved_for_humans: found 3, allowed 0 or less than \
             challenge.concurrency, which is 3; to refuse bots set challenge.accept_bots = false",
            file.display()
        ),
    ];
    assert_eq!(mistakes.lines(), expected);
}

#[test]
fn bounds_that_meet_are_allowed() {
    let text = "[challenge]\nmin_rating = 4000\nconcurrency = 2\nreserved_for_humans = 1\n\
                min_days = 14\nmin_increment = 180\nmin_initial = 10800\n";
    assert!(from_file(text).is_ok());
}

#[test]
fn all_mistakes_of_all_sources_are_told() {
    let folder = Folder::new();
    let file = folder.write("config.toml", "[engine]\nhash_mb = 0\ntreads = 1\n[log]\nformat = 3\n");
    let environment = [("TABIYA_GAME__RESIGN", "perhaps"), ("LICHESS_BOT_TOKEN", "two words")];
    let mistakes = load(Some(&file), &environment).expect_err("mistakes");
    let paths: Vec<&str> = mistakes.lines().iter().filter_map(|line| line.split(": ").nth(1)).collect();
    assert_eq!(paths, ["engine.hash_mb", "engine.treads", "log.format", "game.resign", "lichess.token"]);
    assert_eq!(mistakes.to_string().lines().count(), 5);
}

#[test]
fn a_value_of_the_file_that_the_environment_replaces_is_still_checked() {
    let folder = Folder::new();
    let file = folder.write("config.toml", "[engine]\nhash_mb = 0\n");
    let mistakes = load(Some(&file), &[("TABIYA_ENGINE__HASH_MB", "1")]).expect_err("a mistake");
    assert_eq!(mistakes.lines().len(), 1);
}

#[test]
fn a_file_that_cannot_be_read_is_one_line() {
    let folder = Folder::new();
    let nowhere = folder.0.path().join("nowhere.toml");
    let latin = folder.write("latin.toml", b"[game]\ngreeting = \"\xe9\"\n");
    let cases: [(&Path, &str); 3] = [
        (&nowhere, "cannot be read: No such file or directory"),
        (folder.0.path(), "cannot be read: Is a directory"),
        (&latin, "cannot be read: stream did not contain valid UTF-8"),
    ];
    for (file, expected) in cases {
        let mistakes = load(Some(file), &[]).expect_err("a mistake");
        assert_eq!(mistakes.lines().len(), 1, "{mistakes}");
        assert!(mistakes.to_string().contains(expected), "{mistakes}");
    }
}

#[test]
fn a_token_file_that_is_of_no_use_is_one_line() {
    let folder = Folder::new();
    let cases: [(PathBuf, &str); 3] = [
        (folder.0.path().join("nowhere"), "cannot be read: No such file or directory (os error 2)"),
        (folder.write("empty", " \n"), "is empty, allowed a Lichess token"),
        (folder.0.path().to_path_buf(), "cannot be read: Is a directory (os error 21)"),
    ];
    for (file, expected) in cases {
        let file = file.to_str().expect("a path in UTF-8");
        assert_eq!(
            mistakes_in(&[("LICHESS_BOT_TOKEN_FILE", file)]),
            [format!("LICHESS_BOT_TOKEN_FILE: the file \"{file}\" {expected}")]
        );
    }
}

#[test]
fn variables_that_a_container_host_adds_are_passed_over() {
    let environment = [
        ("TABIYA_SERVICE_HOST", "10.0.0.1"),
        ("TABIYA_SERVICE_PORT", "80"),
        ("TABIYA_PORT", "tcp://10.0.0.1:80"),
        ("TABIYA_PORT_80_TCP_ADDR", "10.0.0.1"),
    ];
    assert_eq!(load(None, &environment), Ok(Config::default()));
}

#[test]
fn the_token_is_never_shown() {
    let config = load(None, &[("LICHESS_BOT_TOKEN", TOKEN)]).expect("no mistake");
    assert!(!format!("{config:?} {config:#?}").contains("FromTheTests"));

    let folder = Folder::new();
    let secret = folder.write("secret", format!("{TOKEN} {TOKEN}"));
    let in_environment: &[(&str, &str)] = &[
        ("LICHESS_BOT_TOKEN", "lip_FromTheTests-012"),
        ("LICHESS_BOT_TOKEN", &TOKEN.repeat(30)),
        ("LICHESS_BOT_TOKEN_FILE", TOKEN),
        ("LICHESS_BOT_TOKEN_FILE", secret.to_str().expect("a path in UTF-8")),
        ("TABIYA_LICHESS__TOKEN", "\"lip_FromTheTests012\""),
        ("TABIYA_LICHESS__URL", TOKEN),
        ("TABIYA_LICHESS_TOKEN", TOKEN),
        ("TABIYA_ENGINE__NODES", TOKEN),
        ("TABIYA_CHALLENGE__SPEEDS", TOKEN),
    ];
    for (name, text) in in_environment {
        let mistakes = load(None, &[(name, text)]).expect_err(name);
        assert!(!format!("{mistakes} {mistakes:?}").contains("FromTheTests"), "{name}: {mistakes}");
        assert_eq!(mistakes.lines().len(), 1, "{name}: {mistakes}");
    }
    let in_file = [
        format!("[lichess]\ntoken = {TOKEN}"),
        format!("[lichess]\ntoken = \"{TOKEN}"),
        format!("[lichess]\ntoken = [\"{TOKEN}\"]"),
        format!("[lichess]\ntoken = \"{TOKEN}!\""),
        format!("[lichess]\ntokn = \"{TOKEN}\""),
        format!("[lichess]\nurl = \"{TOKEN}\""),
        format!("token = \"{TOKEN}\""),
        TOKEN.to_string(),
    ];
    for text in in_file {
        let mistakes = from_file(&text).expect_err(&text);
        assert!(!format!("{mistakes} {mistakes:?}").contains("FromTheTests"), "{text}: {mistakes}");
        assert_eq!(mistakes.lines().len(), 1, "{text}: {mistakes}");
    }
}

#[test]
fn a_wrong_token_is_one_line_with_the_place_it_stands_in() {
    let allowed = "allowed a Lichess token: letters, digits and _, at most 512";
    let found = "found something that is no token (not shown)";
    for name in ["LICHESS_BOT_TOKEN", "TABIYA_LICHESS__TOKEN"] {
        assert_eq!(
            mistakes_in(&[(name, "not-a-token")]),
            [format!("{name}: lichess.token: {found}, {allowed}")]
        );
    }
    assert_eq!(
        mistakes_in_file("[lichess]\ntoken = 12"),
        [format!("config.toml: lichess.token: {found}, {allowed}")]
    );
    let longest = "a".repeat(512);
    assert_eq!(
        load(None, &[("LICHESS_BOT_TOKEN", &longest)]).map(|c| c.lichess.token),
        Ok(Token::new(&longest))
    );
    assert_eq!(mistakes_in(&[("LICHESS_BOT_TOKEN", &"a".repeat(513))]).len(), 1);
}
