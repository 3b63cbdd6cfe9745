//! What is kept of a game: how each of our moves was found, and the finished game as PGN.

use super::turn::Answer;
use crate::engine::{Color, Position, Score};
use crate::lichess::{GameFull, GameId, GameState, Player, Side, UserId};
use crate::pgn::{self, PgnGame};
use std::collections::BTreeMap;
use std::time::Duration;

/// A game that the server has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedGame {
    pub id: GameId,
    pub white: String,
    pub black: String,
    /// Whether we were White.
    pub we_were_white: bool,
    /// `None` for somebody without a name.
    pub opponent: Option<UserId>,
    pub opponent_is_bot: bool,
    pub variant: String,
    pub speed: String,
    pub rated: bool,
    /// The server's word: `mate`, `resign`, `aborted`, …
    pub status: String,
    /// `1-0`, `0-1`, `1/2-1/2`, or `*` for a game without result.
    pub result: String,
    pub plies: usize,
    pub pgn: String,
}

/// What is told of each move, by its ply: how we found ours, and what was left on the clocks.
#[derive(Debug, Default)]
pub struct Record {
    notes: BTreeMap<usize, Note>,
    clocks: BTreeMap<usize, Duration>,
}

#[derive(Debug)]
struct Note {
    source: String,
    /// Ours.
    score: Option<Score>,
}

impl Record {
    pub fn note(&mut self, answer: &Answer) {
        let note = Note { source: answer.source.clone(), score: answer.score };
        self.notes.insert(answer.ply, note);
    }

    /// What the move of this ply left on the clock of the side that made it.
    pub fn note_clock(&mut self, ply: usize, left: Duration) {
        self.clocks.insert(ply, left);
    }

    /// The game has `plies` plies now: what was taken back is forgotten.
    pub fn trim(&mut self, plies: usize) {
        self.notes.split_off(&plies);
        self.clocks.split_off(&plies);
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
            moves: last.moves().map(|(ply, mv)| (mv, self.comment(ply, ours))).collect(),
            result: result.to_string(),
        };
        let opponent = if ours == Color::White { &full.black } else { &full.white };
        FinishedGame {
            id: id.clone(),
            white: full.white.to_string(),
            black: full.black.to_string(),
            we_were_white: ours == Color::White,
            opponent: opponent.id.clone(),
            opponent_is_bot: opponent.is_bot(),
            variant: full.variant.clone(),
            speed: full.speed.clone(),
            rated: full.rated,
            status,
            result: result.to_string(),
            plies: last.plies_played(),
            pgn: pgn::write(&game),
        }
    }

    /// Clock, evaluation and source, in the notation that chess programs read.
    fn comment(&self, ply: usize, ours: Color) -> Option<String> {
        let clock = self.clocks.get(&ply).map(|left| format!("[%clk {}]", hours(left.as_secs())));
        let note = self.notes.get(&ply);
        let score = note.and_then(|note| note.score);
        let eval = score.map(|score| format!("[%eval {}]", for_white(score, ours)));
        let source = note.map(|note| note.source.clone());
        let parts: Vec<String> = [clock, eval, source].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }
}

/// `1:02:03`.
fn hours(seconds: u64) -> String {
    format!("{}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

/// Our score as White sees it: pawns, or `#` and the moves to mate.
fn for_white(score: Score, ours: Color) -> String {
    let sign = if ours == Color::White { 1 } else { -1 };
    match score.moves_to_mate() {
        Some(moves) => format!("#{}", sign * moves),
        None => format!("{:.2}", f64::from(sign * score.centipawns()) / 100.0),
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
        record.note_clock(3, Duration::from_secs(5));
        record.trim(3);
        assert_eq!(record.notes.keys().copied().collect::<Vec<_>>(), [0, 2]);
        assert_eq!(record.comment(3, Color::White), None);
    }

    #[test]
    fn a_move_is_told_with_clock_evaluation_and_source() {
        let position = Position::default();
        for (ours, score, expected) in [
            (Color::White, Some(Score(31)), "[%clk 1:02:03] [%eval 0.31] book"),
            (Color::Black, Some(Score(31)), "[%clk 1:02:03] [%eval -0.31] book"),
            (Color::White, Some(Score::mate_in(5)), "[%clk 1:02:03] [%eval #3] book"),
            (Color::Black, Some(Score::mate_in(5)), "[%clk 1:02:03] [%eval #-3] book"),
            (Color::White, None, "[%clk 1:02:03] book"),
        ] {
            let mut record = Record::default();
            let source = "book".to_string();
            record.note(&Answer { score, source, ..Answer::fallback(&position, "") });
            record.note_clock(0, Duration::from_millis(3_723_900));
            assert_eq!(record.comment(0, ours).as_deref(), Some(expected), "{score:?} as {ours:?}");
            assert_eq!(record.comment(1, ours), None);
        }
    }
}
