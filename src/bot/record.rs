//! What is kept of a game: how each of our moves was found, and the finished game as PGN.

use super::turn::Answer;
use crate::engine::{Color, Position};
use crate::lichess::{GameFull, GameId, GameState, Player, Side};
use crate::pgn::{self, PgnGame};
use std::collections::BTreeMap;

/// A game that the server has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedGame {
    pub id: GameId,
    pub white: String,
    pub black: String,
    /// Whether we were White.
    pub we_were_white: bool,
    /// The server's word: `mate`, `resign`, `aborted`, …
    pub status: String,
    /// `1-0`, `0-1`, `1/2-1/2`, or `*` for a game without result.
    pub result: String,
    pub plies: usize,
    pub pgn: String,
}

/// How each of our moves was found.
#[derive(Debug, Default)]
pub struct Record {
    sources: BTreeMap<usize, String>,
}

impl Record {
    pub fn note(&mut self, answer: &Answer) {
        self.sources.insert(answer.ply, answer.source.clone());
    }

    /// The game has `plies` plies now: what was taken back is forgotten.
    pub fn trim(&mut self, plies: usize) {
        self.sources.split_off(&plies);
    }

    pub fn finish(
        &self,
        id: &GameId,
        full: &GameFull,
        ours: Color,
        state: &GameState,
        last: &Position,
    ) -> FinishedGame {
        let status = state.status.to_string();
        let result = result(&status, state.winner);
        let game = PgnGame {
            tags: tags(id, full, &status, result),
            initial_fen: (full.initial_fen != "startpos").then(|| full.initial_fen.clone()),
            moves: last.moves().map(|(ply, mv)| (mv, self.sources.get(&ply).cloned())).collect(),
            result: result.to_string(),
        };
        FinishedGame {
            id: id.clone(),
            white: full.white.to_string(),
            black: full.black.to_string(),
            we_were_white: ours == Color::White,
            status,
            result: result.to_string(),
            plies: last.plies_played(),
            pgn: pgn::write(&game),
        }
    }
}

/// Games that were never really played have no result; everything else without winner is a draw.
fn result(status: &str, winner: Option<Side>) -> &'static str {
    match (winner, status) {
        (Some(Side::White), _) => "1-0",
        (Some(Side::Black), _) => "0-1",
        (None, "aborted" | "noStart" | "unknownFinish") => "*",
        (None, _) => "1/2-1/2",
    }
}

fn tags(id: &GameId, full: &GameFull, status: &str, result: &str) -> Vec<(String, String)> {
    let mode = if full.rated { "Rated" } else { "Casual" };
    let mut tags = vec![
        ("Event", format!("{mode} {} game", full.speed)),
        ("Site", format!("https://lichess.org/{id}")),
        ("Date", pgn::utc_date(full.created_at)),
        ("Round", "-".to_string()),
        ("White", name(&full.white)),
        ("Black", name(&full.black)),
        ("Result", result.to_string()),
        ("UTCDate", pgn::utc_date(full.created_at)),
        ("UTCTime", pgn::utc_time(full.created_at)),
        ("WhiteElo", elo(&full.white)),
        ("BlackElo", elo(&full.black)),
        ("TimeControl", time_control(full)),
        ("Termination", status.to_string()),
    ];
    match full.variant.as_str() {
        "chess960" => tags.push(("Variant", "Chess960".to_string())),
        "fromPosition" => tags.push(("Variant", "From Position".to_string())),
        _ => (),
    }
    for (tag, player) in [("WhiteTitle", &full.white), ("BlackTitle", &full.black)] {
        tags.extend(player.title.clone().map(|title| (tag, title)));
    }
    tags.into_iter().map(|(tag, value)| (tag.to_string(), value)).collect()
}

fn name(player: &Player) -> String {
    if player.name.is_empty() { "?".to_string() } else { player.name.clone() }
}

fn elo(player: &Player) -> String {
    player.rating.map_or("?".to_string(), |rating| rating.to_string())
}

fn time_control(full: &GameFull) -> String {
    match (full.clock, full.days_per_turn) {
        (Some(clock), _) => format!("{}+{}", clock.initial.as_secs(), clock.increment.as_secs()),
        (None, Some(days)) => format!("1/{}", u64::from(days) * 86_400),
        (None, None) => "-".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_follow_the_winner_and_the_status() {
        for (status, winner, expected) in [
            ("mate", Some(Side::White), "1-0"),
            ("resign", Some(Side::Black), "0-1"),
            ("outoftime", None, "1/2-1/2"),
            ("timeout", None, "1/2-1/2"),
            ("draw", None, "1/2-1/2"),
            ("aborted", None, "*"),
            ("noStart", None, "*"),
            ("noStart", Some(Side::White), "1-0"),
        ] {
            assert_eq!(result(status, winner), expected, "{status} {winner:?}");
        }
    }

    #[test]
    fn what_was_taken_back_is_forgotten() {
        let mut record = Record::default();
        let position = Position::default();
        for ply in [0, 2, 4] {
            let answer = Answer { ply, ..Answer::fallback(&position, "") };
            record.note(&answer);
        }
        record.trim(3);
        assert_eq!(record.sources.keys().copied().collect::<Vec<_>>(), [0, 2]);
    }
}
