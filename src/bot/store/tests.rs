//! The state file, written and read again.

use super::*;
use std::fs;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).expect("a moment")
}

fn game(id: &str, opponent: &str) -> FinishedGame {
    FinishedGame {
        id: id.parse().expect("a game id"),
        white: "Tabiya".to_string(),
        black: opponent.to_string(),
        we_were_white: true,
        opponent: opponent.parse().ok(),
        opponent_is_bot: true,
        variant: "standard".to_string(),
        speed: "blitz".to_string(),
        rated: true,
        status: "mate".to_string(),
        result: "1-0".to_string(),
        plies: 7,
        pgn: "1. e4 {[%clk 0:03:00]} 1-0".to_string(),
    }
}

fn in_folder() -> (tempfile::TempDir, StoreOptions) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("new/state.sqlite").display().to_string();
    (folder, StoreOptions { path })
}

fn ids(archive: &Archive, wanted: &Wanted) -> Vec<String> {
    archive.games(wanted).map(|kept| kept.expect("a game").game.id.to_string()).collect()
}

#[test]
fn what_was_kept_is_there_after_a_restart() {
    let (_folder, options) = in_folder();
    let tomorrow = at(Timestamp::now().as_second() + 86_400);
    let ada: crate::lichess::UserId = "ada".parse().expect("a user id");
    let (store, pauses) = Store::open(&options);
    assert_eq!(pauses.for_bot(Some(&ada), Timestamp::now()), None);
    store.keep(&game("aaaaaaa1", "Ada"));
    store.keep(&game("aaaaaaa1", "Ada"));
    store.pause(About::Opponent(ada.clone()), tomorrow);
    store.pause(About::AllBots, Timestamp::now());
    drop(store);

    let (_store, pauses) = Store::open(&options);
    assert_eq!(pauses.for_bot(Some(&ada), Timestamp::now()), Some(tomorrow));
    assert_eq!(pauses.for_bot(None, Timestamp::now()), None, "that one is over");
    let archive = Archive::open_to_read(&options.file().expect("a file")).expect("a state file");
    let wanted = Wanted::default();
    let games: Vec<KeptGame> = archive.games(&wanted).map(|kept| kept.expect("a game")).collect();
    let expected = KeptGame { ended_at: games[0].ended_at, game: game("aaaaaaa1", "Ada") };
    assert_eq!(games, [expected], "once");
}

/// Another program is about to write: whatever we would write has to wait, and fails in the end.
fn lock(file: &Path) -> rusqlite::Connection {
    let other = rusqlite::Connection::open(file).expect("a file of ours");
    other.execute_batch("BEGIN IMMEDIATE").expect("nobody else writes");
    other
}

#[test]
fn a_file_that_cannot_be_written_still_tells_its_pauses() {
    let (_folder, options) = in_folder();
    let file = options.file().expect("a file");
    let tomorrow = at(Timestamp::now().as_second() + 86_400);
    Store::open(&options).0.pause(About::AllBots, tomorrow);
    let before = fs::read(&file).expect("the file");
    let _lock = lock(&file);
    let (store, pauses) = Store::open(&options);
    assert_eq!(pauses.for_bot(None, Timestamp::now()), Some(tomorrow));
    drop(store);
    assert_eq!(fs::read(&file).expect("the file"), before, "opening it writes nothing");
}

#[test]
fn a_full_disk_costs_the_game_that_does_not_fit_and_no_other() {
    let (_folder, options) = in_folder();
    let archive = Archive::open(&options.file().expect("a file")).expect("a new file");
    archive.limit_pages(20);
    let big = FinishedGame { pgn: "1. e4 ".repeat(50_000), ..game("aaaaaaa2", "Ada") };
    let (jobs, inbox) = mpsc::channel();
    for game in [game("aaaaaaa1", "Ada"), big, game("aaaaaaa3", "Ada")] {
        let kept = KeptGame { ended_at: at(100), game };
        jobs.send(Job::Keep(Box::new(kept))).expect("the inbox is there");
    }
    drop(jobs);
    keep(&archive, &inbox);
    assert_eq!(ids(&archive, &Wanted::default()), ["aaaaaaa1", "aaaaaaa3"]);
}

#[test]
fn games_are_found_by_opponent_and_moment() {
    let (_folder, options) = in_folder();
    let archive = Archive::open(&options.file().expect("a file")).expect("a new file");
    for (id, opponent, second) in
        [("aaaaaaa1", "Ada", 100), ("aaaaaaa2", "Bob", 200), ("aaaaaaa3", "Ada", 300)]
    {
        archive.keep(&KeptGame { ended_at: at(second), game: game(id, opponent) }).expect("room");
    }
    let all = Wanted::default();
    assert_eq!(ids(&archive, &all), ["aaaaaaa1", "aaaaaaa2", "aaaaaaa3"]);
    assert_eq!(
        ids(&archive, &Wanted { opponent: Some("ADA".into()), ..all.clone() }),
        ["aaaaaaa1", "aaaaaaa3"]
    );
    assert_eq!(ids(&archive, &Wanted { since: Some(at(200)), ..all.clone() }), ["aaaaaaa2", "aaaaaaa3"]);
    assert_eq!(ids(&archive, &Wanted { since: Some(at(101)), until: Some(at(300)), ..all }), ["aaaaaaa2"]);
}

#[test]
fn many_games_are_read_in_order_and_leave_room_to_write() {
    let (_folder, options) = in_folder();
    let file = options.file().expect("a file");
    let archive = Archive::open(&file).expect("a new file");
    let kept =
        |number: i64| KeptGame { ended_at: at(number / 7), game: game(&format!("a{number:07}"), "Ada") };
    (0..250).rev().for_each(|number| archive.keep(&kept(number)).expect("room"));
    let expected: Vec<String> = (0..250).map(|number| format!("a{number:07}")).collect();
    assert_eq!(ids(&archive, &Wanted::default()), expected);
    assert_eq!(ids(&archive, &Wanted { since: Some(at(20)), ..Wanted::default() }), expected[140..]);

    let (reader, wanted) = (Archive::open_to_read(&file).expect("a state file"), Wanted::default());
    let mut games = reader.games(&wanted);
    assert!(games.next().is_some());
    archive.keep(&kept(250)).expect("nobody holds the file");
    assert_eq!(games.count(), 250, "the new one, too");
}

#[test]
fn a_file_that_cannot_be_used_costs_no_more_than_memory_and_stays_as_it_is() {
    let (folder, options) = in_folder();
    let file = options.file().expect("a file");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    let broken = "this was no database before ".repeat(100);
    fs::write(&file, &broken).expect("a file");
    let (store, _) = Store::open(&options);
    store.keep(&game("aaaaaaa1", "Ada"));
    drop(store);
    assert_eq!(fs::read_to_string(&file).expect("the file"), broken);

    let under_a_file = StoreOptions { path: file.join("state.sqlite").display().to_string() };
    Store::open(&under_a_file).0.keep(&game("aaaaaaa1", "Ada"));

    let newer = folder.path().join("newer.sqlite");
    drop(Archive::open(&newer).expect("a new file"));
    rusqlite::Connection::open(&newer)
        .and_then(|connection| connection.pragma_update(None, "user_version", 99))
        .expect("a file of ours");
    let error = Archive::open(&newer).err().expect("a refusal");
    assert_eq!(error.to_string(), "it was written by a later version of Tabiya (format 99)");
}

#[test]
fn the_usual_place_is_the_systems_and_needs_a_home() {
    assert_eq!(StoreOptions::in_memory().file(), None);
    let named = StoreOptions { path: "here.sqlite".to_string() };
    assert_eq!(named.file(), Some(PathBuf::from("here.sqlite")));
    if cfg!(target_os = "linux") {
        let with = |set: &'static [(&str, &str)]| {
            data_directory(|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
        };
        assert_eq!(with(&[("HOME", "/home/ada")]), Some(PathBuf::from("/home/ada/.local/share")));
        assert_eq!(with(&[("HOME", "/home/ada"), ("XDG_DATA_HOME", "/data")]), Some(PathBuf::from("/data")));
        assert_eq!(with(&[("HOME", "relative")]), None);
        assert_eq!(with(&[]), None);
    }
}
