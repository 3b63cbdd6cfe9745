//! Who answers, and how hard it thinks, as far as nothing of it is seen from outside.

use super::*;
use clap::Parser;

#[derive(Parser)]
struct CommandLine {
    #[command(flatten)]
    arguments: PlayArguments,
}

const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1";

/// A game that was begun with these arguments, with the script for the human.
fn table<'a>(arguments: &[&str], fen: &str, script: &'a str) -> Table<&'a [u8], Vec<u8>> {
    let line = CommandLine::try_parse_from(["play"].iter().chain(arguments)).expect("a command line");
    Table {
        human: Color::White,
        opponent: opponent(&line.arguments),
        adviser: Engine::new(&EngineOptions::default()),
        start: fen.to_string(),
        position: Position::from_fen(fen).expect(fen),
        input: script.as_bytes(),
        out: Vec::new(),
    }
}

/// Positions that the opponent looks at for a move.
fn effort(table: &mut Table<&[u8], Vec<u8>>) -> u64 {
    table.opponent.search(&table.position, &Limits::default(), &Nobody).nodes
}

#[test]
fn a_higher_level_thinks_harder_from_the_start_and_when_it_is_changed() {
    let nodes = |arguments: &[&str]| effort(&mut table(arguments, START_FEN, ""));
    let (weakest, usual, strongest) = (nodes(&["--level", "1"]), nodes(&[]), nodes(&["--level", "9"]));
    assert!(2 * weakest < usual && 2 * usual < strongest, "{weakest} {usual} {strongest}");
    assert!(nodes(&["--nodes", "300"]) <= 300);
    assert!(nodes(&["--depth", "1"]) < weakest);
    assert!(nodes(&["--elo", "1800"]) > usual);

    let mut changed = table(&["--level", "1"], START_FEN, "level 9\nlevel 11\n");
    for _ in 0..2 {
        assert!(matches!(changed.ask(), Ok(Turn::Same)));
        assert_eq!(effort(&mut changed), strongest, "and what is no level changes nothing");
    }
}

#[test]
fn a_hint_is_at_full_strength_whatever_the_opponent_is() {
    let mut table = table(&["--nodes", "1"], MATE_IN_ONE, "hint\n");
    let blind = table.opponent.search(&table.position, &Limits::default(), &Nobody).best_move();
    assert_ne!(san(&table.position, blind), "Re8#");
    assert!(matches!(table.ask(), Ok(Turn::Same)));
    let shown = String::from_utf8_lossy(&table.out);
    assert!(shown.contains("Tabiya would play Re8#\n"), "{shown}");
}
