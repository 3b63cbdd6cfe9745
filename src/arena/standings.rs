//! How a match stands: results of each pairing, faults of each player, the state of the test.

use super::game::Ending;
use super::sprt::{Sprt, Verdict};
use super::stats::{Estimate, Pentanomial};
use crate::engine::Color;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write;

/// Two games of one opening with colours swapped, as they are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairResult {
    /// Number of the pair in the match.
    pub pair: usize,
    /// The first player's opponent, 1 for the second player.
    pub opponent: usize,
    /// The first player is White in the first.
    pub games: [GameResult; 2],
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameResult {
    /// Half points of the first player: 0, 1 or 2.
    pub half_points: usize,
    pub ending: Ending,
    pub reason: String,
    pub plies: usize,
}

impl GameResult {
    /// From the first player's point of view, who has `color`.
    pub fn of(winner: Option<Color>, color: Color) -> usize {
        match winner {
            None => 1,
            Some(winner) => 2 * usize::from(winner == color),
        }
    }
}

/// The first player against one opponent, or against all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    pub pairs: Pentanomial,
}

impl Tally {
    fn add(&mut self, result: &PairResult) {
        for game in &result.games {
            match game.half_points {
                0 => self.losses += 1,
                1 => self.draws += 1,
                _ => self.wins += 1,
            }
        }
        self.pairs.add(result.games.iter().map(|game| game.half_points).sum());
    }

    fn merge(&mut self, other: &Tally) {
        (self.wins, self.draws) = (self.wins + other.wins, self.draws + other.draws);
        self.losses += other.losses;
        for (sum, count) in self.pairs.0.iter_mut().zip(other.pairs.0) {
            *sum += count;
        }
    }

    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

/// How a match stands.
#[derive(Clone, Debug)]
pub struct Standings {
    pub names: Vec<String>,
    /// One for each opponent of the first player.
    pub tallies: Vec<Tally>,
    /// How often each player lost a game by its own fault.
    pub faults: HashMap<(usize, Ending), u64>,
    pub sprt: Option<Sprt>,
    pub games_planned: u64,
}

impl Standings {
    pub fn new(names: Vec<String>, sprt: Option<Sprt>, games_planned: u64) -> Standings {
        let tallies = vec![Tally::default(); names.len() - 1];
        Standings { names, tallies, faults: HashMap::new(), sprt, games_planned }
    }

    pub fn add(&mut self, result: &PairResult) {
        self.tallies[result.opponent - 1].add(result);
        for game in &result.games {
            if Ending::FAULTS.iter().any(|(fault, _)| *fault == game.ending) {
                let loser = if game.half_points == 0 { 0 } else { result.opponent };
                *self.faults.entry((loser, game.ending)).or_default() += 1;
            }
        }
    }

    pub fn total(&self) -> Tally {
        let mut total = Tally::default();
        self.tallies.iter().for_each(|tally| total.merge(tally));
        total
    }

    /// What the sequential test has found.
    pub fn verdict(&self) -> Option<Verdict> {
        self.sprt.and_then(|sprt| sprt.verdict(&self.tallies[0].pairs))
    }

    fn faults_of(&self, player: usize) -> Vec<(u64, &'static str)> {
        let count = |fault| self.faults.get(&(player, fault)).copied().unwrap_or(0);
        let faults = Ending::FAULTS.iter().map(|(fault, name)| (count(*fault), *name));
        faults.filter(|(count, _)| *count > 0).collect()
    }
}

// For people.
impl Standings {
    /// A table of a few lines.
    pub fn table(&self) -> String {
        let width = self.names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(8);
        let mut rows = vec![format!(
            "{:<width$}  {:>6} {:>6} {:>6} {:>6}  {:>6}  {:>16}  {:>16}  {:>6}  pairs 0-2",
            self.names[0], "games", "wins", "draws", "losses", "score", "Elo", "nElo", "LOS"
        )];
        let named = self.names[1..].iter().map(String::as_str).zip(self.tallies.iter().copied());
        let total = (self.tallies.len() > 1).then(|| ("all", self.total()));
        rows.extend(named.chain(total).map(|(name, tally)| row(name, &tally, width)));
        rows.extend((0..self.names.len()).filter_map(|player| self.fault_line(player)));
        rows.extend(self.sprt.map(|sprt| self.sprt_line(&sprt)));
        rows.join("\n")
    }

    fn fault_line(&self, player: usize) -> Option<String> {
        let faults = self.faults_of(player);
        let told: Vec<String> = faults.iter().map(|(count, name)| format!("{count} {name}")).collect();
        (!told.is_empty())
            .then(|| format!("lost by its own fault, {}: {}", self.names[player], told.join(", ")))
    }

    fn sprt_line(&self, sprt: &Sprt) -> String {
        let ratio = sprt.log_likelihood_ratio(&self.tallies[0].pairs);
        let (lower, upper) = sprt.bounds();
        let verdict = match self.verdict() {
            Some(Verdict::AcceptH0) => format!(": H0 accepted, {} or less", sprt.elo0),
            Some(Verdict::AcceptH1) => format!(": H1 accepted, {} or more", sprt.elo1),
            None => String::new(),
        };
        format!("SPRT {sprt}: LLR {ratio:.2} ({lower:.2}, {upper:.2}){verdict}")
    }
}

fn row(name: &str, tally: &Tally, width: usize) -> String {
    let mut text = format!(
        "{name:<width$}  {:>6} {:>6} {:>6} {:>6}  ",
        tally.games(),
        tally.wins,
        tally.draws,
        tally.losses
    );
    let percent =
        |share: Option<f64>| share.map_or("-".to_string(), |share| format!("{:.1} %", share * 100.0));
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "{:>6}  {:>16}  {:>16}  {:>6}  {:?}",
        percent(tally.pairs.score()),
        told(tally.pairs.elo()),
        told(tally.pairs.normalized_elo()),
        percent(tally.pairs.likelihood_of_superiority()),
        tally.pairs.0
    );
    text
}

/// `+12.3 ± 4.5`
fn told(estimate: Option<Estimate>) -> String {
    match estimate {
        Some(Estimate { value, .. }) if value == f64::INFINITY => "all won".to_string(),
        Some(Estimate { value, .. }) if value == f64::NEG_INFINITY => "all lost".to_string(),
        Some(Estimate { value, error }) if error.is_finite() => format!("{value:+.1} ± {error:.1}"),
        Some(Estimate { value, .. }) => format!("{value:+.1}"),
        None => "-".to_string(),
    }
}

// For programs.
impl Standings {
    /// What is infinite or unknown is null.
    pub fn json(&self) -> Value {
        let players: Vec<Value> = (0..self.names.len()).map(|player| self.player_json(player)).collect();
        let opponents: Vec<Value> =
            self.names[1..].iter().zip(&self.tallies).map(|(name, tally)| tally_json(name, tally)).collect();
        let sprt = self.sprt.map(|sprt| {
            let (lower, upper) = sprt.bounds();
            json!({
                "elo0": sprt.elo0, "elo1": sprt.elo1, "model": format!("{:?}", sprt.model).to_lowercase(),
                "llr": sprt.log_likelihood_ratio(&self.tallies[0].pairs), "lower": lower, "upper": upper,
                "accepted": self.verdict().map(|verdict| if verdict == Verdict::AcceptH0 { "H0" } else { "H1" }),
            })
        });
        json!({
            "players": players, "opponents": opponents, "all": tally_json("all", &self.total()),
            "sprt": sprt, "games_planned": self.games_planned,
        })
    }

    fn player_json(&self, player: usize) -> Value {
        let faults = self.faults_of(player).into_iter().map(|(count, name)| (name.to_string(), json!(count)));
        json!({ "name": self.names[player], "faults": faults.collect::<serde_json::Map<_, _>>() })
    }
}

fn tally_json(name: &str, tally: &Tally) -> Value {
    let estimate = |estimate: Option<Estimate>| {
        let finite = |number: f64| number.is_finite().then_some(number);
        (estimate.and_then(|it| finite(it.value)), estimate.and_then(|it| finite(it.error)))
    };
    let ((elo, elo_error), (nelo, nelo_error)) =
        (estimate(tally.pairs.elo()), estimate(tally.pairs.normalized_elo()));
    json!({
        "name": name, "games": tally.games(), "wins": tally.wins, "draws": tally.draws,
        "losses": tally.losses, "pentanomial": tally.pairs.0, "score": tally.pairs.score(),
        "elo": elo, "elo_error": elo_error, "normalized_elo": nelo, "normalized_elo_error": nelo_error,
        "los": tally.pairs.likelihood_of_superiority(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(half_points: usize, ending: Ending) -> GameResult {
        GameResult { half_points, ending, reason: String::new(), plies: 40 }
    }

    fn standings() -> Standings {
        let names = ["us", "them", "others"].map(str::to_string).to_vec();
        let mut standings = Standings::new(names, None, 8);
        for (opponent, games) in [
            (1, [(2, Ending::Checkmate), (1, Ending::Threefold)]),
            (1, [(2, Ending::TimeLoss), (0, Ending::IllegalMove)]),
            (2, [(0, Ending::TimeLoss), (0, Ending::TimeLoss)]),
        ] {
            let games = games.map(|(half_points, ending)| game(half_points, ending));
            standings.add(&PairResult { pair: 0, opponent, games });
        }
        standings
    }

    #[test]
    fn games_are_counted_for_whom_they_are() {
        let standings = standings();
        assert_eq!(standings.tallies[0].pairs, Pentanomial([0, 0, 1, 1, 0]));
        assert_eq!(standings.tallies[1].pairs, Pentanomial([1, 0, 0, 0, 0]));
        let total = standings.total();
        assert_eq!((total.wins, total.draws, total.losses), (2, 1, 3));
        let faults: Vec<_> = (0..3).map(|player| standings.faults_of(player)).collect();
        assert_eq!(faults, [vec![(2, "on time"), (1, "illegal move")], vec![(1, "on time")], vec![]]);
    }

    #[test]
    fn the_table_names_all_that_is_known() {
        let table = standings().table();
        let lines: Vec<&str> = table.lines().collect();
        let words = |line: usize| lines[line].split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(0), "us games wins draws losses score Elo nElo LOS pairs 0-2");
        assert_eq!(words(1), "them 4 2 1 1 62.5 % +88.7 ± 136.3 +245.7 ± 340.5 92.1 % [0, 0, 1, 1, 0]");
        assert_eq!(words(2), "others 2 0 0 2 0.0 % all lost - 0.0 % [1, 0, 0, 0, 0]");
        assert!(words(3).starts_with("all 6 2 1 3 41.7 %"), "{table}");
        assert_eq!(lines[4], "lost by its own fault, us: 2 on time, 1 illegal move");
        assert_eq!(lines[5], "lost by its own fault, them: 1 on time");
        assert_eq!(lines.len(), 6);
    }

    #[test]
    fn json_has_null_for_what_is_no_number() {
        let json = standings().json();
        assert_eq!(json["opponents"][1]["elo"], Value::Null);
        assert_eq!(json["opponents"][0]["pentanomial"], json!([0, 0, 1, 1, 0]));
        assert_eq!(json["players"][0]["faults"], json!({"on time": 2, "illegal move": 1}));
        assert_eq!(json["all"]["games"], json!(6));
    }
}
