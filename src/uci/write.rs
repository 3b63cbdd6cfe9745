//! What we say: results of a search as UCI lines.

use super::chances::{centipawns, chances};
use super::options::Style;
use crate::engine::{Move, Score, SearchReport};
use std::fmt::Write;

impl Style {
    /// A move in UCI notation.
    pub fn mv(self, mv: Move) -> String {
        match mv.two_square_castling().filter(|_| !self.chess960) {
            Some(target) => format!("{}{target}", mv.from()),
            None => mv.to_string(),
        }
    }

    /// One `info` line for each line of play in the report.
    pub fn info(self, report: &SearchReport) -> String {
        let best = (report.score, report.pv.as_slice());
        let others = report.others.iter().map(|line| (line.score, line.pv.as_slice()));
        let lines = std::iter::once(best).chain(others).enumerate();
        lines.map(|(index, (score, pv))| self.line(report, index + 1, score, pv)).collect()
    }

    fn line(self, report: &SearchReport, number: usize, score: Score, pv: &[Move]) -> String {
        let SearchReport { depth, selective_depth, nodes, elapsed, table_permille, .. } = report;
        let milliseconds = elapsed.as_millis();
        let nps = (*nodes as f64 / elapsed.as_secs_f64().max(1e-6)) as u64;
        let score = self.score(score);
        let mut text = format!(
            "info depth {depth} seldepth {selective_depth} multipv {number} score {score} nodes {nodes} \
             nps {nps} hashfull {table_permille} time {milliseconds} pv"
        );
        for &mv in pv {
            write!(text, " {}", self.mv(mv)).expect("a String takes everything");
        }
        text.push('\n');
        text
    }

    fn score(self, score: Score) -> String {
        let mut text = match score.moves_to_mate() {
            Some(moves) => format!("mate {moves}"),
            None => format!("cp {}", centipawns(score)),
        };
        if self.shows_chances {
            let chances = chances(score);
            write!(text, " wdl {} {} {}", chances.win, chances.draw, chances.loss)
                .expect("a String takes everything");
        }
        text
    }

    /// The move to play, and the answer that it expects.
    pub fn best_move(self, report: &SearchReport) -> String {
        let best = self.mv(report.best_move());
        match report.pv.get(1) {
            Some(&answer) => format!("bestmove {best} ponder {}\n", self.mv(answer)),
            None => format!("bestmove {best}\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Line, Position};
    use std::time::Duration;

    #[test]
    fn castling_is_written_as_the_gui_wants_it() {
        let both = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        let shifted = "4k3/8/8/8/8/8/8/1R2K2R w HB - 0 1";
        for (fen, castling, classical) in [
            (both, "e1h1", "e1g1"),
            (both, "e1a1", "e1c1"),
            (shifted, "e1b1", "e1b1"),
            (shifted, "e1h1", "e1g1"),
        ] {
            let mv = Position::from_fen(fen).expect(fen).parse_uci(castling).expect(castling);
            assert_eq!(Style::default().mv(mv), classical, "{castling} in {fen}");
            assert_eq!(Style { chess960: true, ..Style::default() }.mv(mv), castling, "{fen}");
        }
    }

    #[test]
    fn a_report_is_written_line_by_line() {
        let mut position = Position::default();
        let pv: Vec<Move> = ["e2e4", "e7e5"].map(|uci| position.play_uci(uci).expect(uci)).into();
        let other = Position::default().parse_uci("d2d4").expect("legal");
        let report = SearchReport {
            pv,
            score: Score::DRAW,
            depth: 9,
            selective_depth: 14,
            nodes: 5_000,
            elapsed: Duration::from_millis(10),
            table_permille: 3,
            others: vec![Line { pv: vec![other], score: Score::mated_in(4) }],
        };
        assert_eq!(
            Style::default().info(&report),
            "info depth 9 seldepth 14 multipv 1 score cp 0 nodes 5000 nps 500000 hashfull 3 time 10 pv e2e4 e7e5\n\
             info depth 9 seldepth 14 multipv 2 score mate -2 nodes 5000 nps 500000 hashfull 3 time 10 pv d2d4\n"
        );
        assert_eq!(Style::default().best_move(&report), "bestmove e2e4 ponder e7e5\n");
        let style = Style { shows_chances: true, ..Style::default() };
        assert!(style.info(&report).contains(" score mate -2 wdl 0 0 1000 nodes "));
    }
}
