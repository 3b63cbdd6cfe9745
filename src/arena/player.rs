//! A player as the command line names it: `builtin`, or a UCI program, each with options.

use crate::engine::{EngineKind, EngineOptions, Strength};
use std::str::FromStr;

/// What our own engine keeps back of its clock on every move, in milliseconds, if not told otherwise.
const MOVE_OVERHEAD_MS: u64 = 10;
/// Table of our own engine in MiB, if not told otherwise.
const HASH_MB: usize = 16;

/// One player of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// For tables and PGN.
    pub name: String,
    /// As it was written: what a continued match is compared with.
    pub text: String,
    pub engine: EngineOptions,
}

/// `builtin`, `builtin:Option=value,…`, `path` or `path:Option=value,…`.
///
/// `Name`, `Nodes`, `Depth` and `Directory` are understood for every player, `Hash`, `Threads`, `Elo` and
/// `Move Overhead` for the built-in one; the others are given to the program.
impl FromStr for Player {
    type Err = String;

    fn from_str(text: &str) -> Result<Player, String> {
        let (program, options) = split(text);
        if program.is_empty() {
            return Err("a player is builtin or the path of a UCI program".to_string());
        }
        let mut engine = EngineOptions {
            hash_mb: HASH_MB,
            move_overhead_ms: MOVE_OVERHEAD_MS,
            ..EngineOptions::default()
        };
        if program != "builtin" {
            (engine.kind, engine.path) = (EngineKind::Uci, program.to_string());
        }
        let mut player = Player { name: default_name(program, options), text: text.to_string(), engine };
        for option in options.split(',').filter(|option| !option.trim().is_empty()) {
            player.set(option.trim())?;
        }
        Ok(player)
    }
}

impl Player {
    /// The same, with another seed of its errors at limited strength.
    pub fn with_seed(&self, seed: u64) -> Player {
        let engine = EngineOptions { seed, ..self.engine.clone() };
        Player { engine, ..self.clone() }
    }

    fn set(&mut self, option: &str) -> Result<(), String> {
        let Some((name, value)) = option.split_once('=') else {
            return Err(format!("option {option:?} is not Name=value"));
        };
        let engine = &mut self.engine;
        let is_builtin = engine.kind == EngineKind::Builtin;
        match name.trim().to_ascii_lowercase().as_str() {
            "name" => self.name = value.to_string(),
            "nodes" => engine.nodes = number(option, value, 1, u64::MAX)?,
            "depth" => engine.depth = number(option, value, 1, 127)? as u8,
            "directory" if !is_builtin => engine.working_directory = value.to_string(),
            "hash" if is_builtin => engine.hash_mb = number(option, value, 1, 65_536)? as usize,
            "threads" if is_builtin => engine.threads = number(option, value, 1, 256)? as usize,
            "elo" if is_builtin => {
                let (least, most) = (Strength::WEAKEST.into(), Strength::STRONGEST.into());
                engine.elo = number(option, value, least, most)? as u16;
            }
            "move overhead" if is_builtin => engine.move_overhead_ms = number(option, value, 0, 9_999)?,
            _ if is_builtin => {
                let known = "Hash, Threads, Nodes, Depth, Elo, Move Overhead and Name";
                return Err(format!("builtin has no option {:?}; it has {known}", name.trim()));
            }
            _ => engine.options.push(option.to_string()),
        }
        Ok(())
    }
}

fn number(option: &str, value: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = value.trim().parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| match most {
        u64::MAX => format!("{option}: allowed is a whole number of {least} or more"),
        _ => format!("{option}: allowed is a whole number from {least} to {most}"),
    })
}

/// Cuts at the first colon that an option follows: paths may have colons, too.
fn split(text: &str) -> (&str, &str) {
    let is_option = |rest: &str| {
        rest.split_once('=').is_some_and(|(name, _)| !name.is_empty() && !name.contains(['/', '\\', ':']))
    };
    let cut = text.match_indices(':').find(|(at, _)| is_option(&text[at + 1..]));
    cut.map_or((text, ""), |(at, _)| (&text[..at], &text[at + 1..]))
}

/// `stockfish` for `/usr/games/stockfish`; options tell players of one program apart.
fn default_name(program: &str, options: &str) -> String {
    let file = program.rsplit(['/', '\\']).next().unwrap_or(program);
    if options.is_empty() { file.to_string() } else { format!("{file} {}", options.replace(',', " ")) }
}

/// Gives players of the same name a number.
pub fn tell_apart(players: &mut [Player]) {
    let names: Vec<String> = players.iter().map(|player| player.name.clone()).collect();
    for (index, name) in names.iter().enumerate() {
        let earlier = names[..index].iter().filter(|other| *other == name).count();
        if earlier > 0 {
            players[index].name = format!("{name} ({})", earlier + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(text: &str) -> Player {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn our_own_engine_takes_its_options() {
        let plain = player("builtin");
        assert_eq!(
            (plain.name.as_str(), plain.engine.kind, plain.engine.hash_mb),
            ("builtin", EngineKind::Builtin, 16)
        );
        let set = player("builtin:Hash=8,threads=2,Nodes=2000,Depth=9,Elo=1500,Move Overhead=30,Name=us");
        let expected = EngineOptions {
            hash_mb: 8,
            threads: 2,
            nodes: 2_000,
            depth: 9,
            elo: 1500,
            move_overhead_ms: 30,
            ..EngineOptions::default()
        };
        assert_eq!((set.name.as_str(), set.engine), ("us", expected));
    }

    #[test]
    fn a_program_is_a_path_and_its_options() {
        let cases: [(&str, &str, &[&str], &str); 6] = [
            ("stockfish", "stockfish", &[], "stockfish"),
            ("/usr/games/stockfish:Nodes=5", "/usr/games/stockfish", &[], "stockfish Nodes=5"),
            (
                "./sf:UCI_LimitStrength=true,UCI_Elo=2400,Name=weak",
                "./sf",
                &["UCI_LimitStrength=true", "UCI_Elo=2400"],
                "weak",
            ),
            ("/a:b/sf", "/a:b/sf", &[], "sf"),
            ("/a:b/sf:SyzygyPath=/c:/d,Name=s", "/a:b/sf", &["SyzygyPath=/c:/d"], "s"),
            ("C:\\e\\sf.exe:Clear Hash=", "C:\\e\\sf.exe", &["Clear Hash="], "sf.exe Clear Hash="),
        ];
        for (text, path, options, name) in cases {
            let player = player(text);
            let found = (player.engine.path.as_str(), player.name.as_str(), player.engine.kind);
            assert_eq!(found, (path, name, EngineKind::Uci), "{text}");
            assert_eq!(player.engine.options, options, "{text}");
        }
    }

    #[test]
    fn what_is_no_player_is_refused_with_the_reason() {
        let cases = [
            ("", "a player is builtin or the path of a UCI program"),
            (
                "builtin:Hsah=1",
                "builtin has no option \"Hsah\"; it has Hash, Threads, Nodes, Depth, Elo, Move Overhead and \
                 Name",
            ),
            ("builtin:Hash=0", "Hash=0: allowed is a whole number from 1 to 65536"),
            ("builtin:Elo=3600", "Elo=3600: allowed is a whole number from 1000 to 2000"),
            ("builtin:Nodes=many", "Nodes=many: allowed is a whole number of 1 or more"),
            ("sf:Nodes=1,Ponder", "option \"Ponder\" is not Name=value"),
        ];
        for (text, reason) in cases {
            assert_eq!(text.parse::<Player>(), Err(reason.to_string()), "{text}");
        }
    }

    #[test]
    fn players_of_one_name_get_numbers() {
        let mut players = ["builtin", "sf", "builtin", "builtin"].map(player).to_vec();
        tell_apart(&mut players);
        let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["builtin", "sf", "builtin (2)", "builtin (3)"]);
    }
}
