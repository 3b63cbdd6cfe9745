//! Weaker play for weaker opponents: it looks at less, and misjudges what it sees.
//!
//! Two faults, both human. The search is short, so that deep tactics are missed, and each of the best few
//! moves is judged with an error of its own, so that among moves of like worth the choice is a matter of
//! taste, and a clearly bad one is played now and then, the more seldom the worse it is. Idea: Stockfish's
//! "Skill Level", which also errs between several lines.

use super::{Caller, Limits, Line, Question, SearchReport};
use fastrand::Rng;
use std::mem;
use std::sync::{Mutex, PoisonError};

/// How strong an engine plays that is not to play as well as it can.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// Nodes searched for a move.
    nodes: u64,
    /// Standard deviation of the error about a move, in centipawns.
    error: f64,
}

/// A strength that was measured.
struct Rung {
    elo: u16,
    nodes: u64,
    error: f64,
}

const fn rung(elo: u16, nodes: u64, error: f64) -> Rung {
    Rung { elo, nodes, error }
}

/// From the weakest to the strongest, on the scale of Stockfish 15.1's UCI_Elo.
///
/// Four rungs were measured with the search whose bench is 1981264, in 200 games each (100 for the last):
/// what is 1375 here scored +24 [-21, 69] against Stockfish at 1350, 1660 +40 [-7, 87] against 1620,
/// 1750 -78 [-127, -29] against 1830, and 2000 -7 [-69, 55] against 2000. Those under them are guesses
/// from older games against the rung above. To measure one, its Elo in both places:
///
/// ```sh
/// tabiya match builtin:Elo=1660 stockfish:UCI_LimitStrength=true,UCI_Elo=1660,Nodes=3000 --games 200 \
///     --openings 8moves_v3.pgn --resign moves=3,score=900 --max-moves 120
/// ```
const LADDER: [Rung; 6] = [
    rung(1000, 1_000, 300.0),
    rung(1150, 1_000, 150.0),
    rung(1375, 1_500, 100.0),
    rung(1660, 4_000, 50.0),
    rung(1750, 8_000, 40.0),
    rung(2000, 60_000, 8.0),
];

/// How many of the best moves are thought of: nobody errs so much as to play just anything.
const CANDIDATES: usize = 5;

impl Strength {
    /// The least and the greatest strength that can be asked for, in Elo.
    pub const WEAKEST: u16 = LADDER[0].elo;
    pub const STRONGEST: u16 = LADDER[LADDER.len() - 1].elo;

    /// About this strong, or as near to it as there is; none for 0, which is as strong as can be.
    pub fn of(elo: u16) -> Option<Strength> {
        if elo == 0 {
            return None;
        }
        let elo = elo.clamp(Self::WEAKEST, Self::STRONGEST);
        let above = LADDER.partition_point(|rung| rung.elo < elo).max(1);
        let (low, high) = (&LADDER[above - 1], &LADDER[above]);
        let share = f64::from(elo - low.elo) / f64::from(high.elo - low.elo);
        let nodes = low.nodes as f64 * (high.nodes as f64 / low.nodes as f64).powf(share);
        Some(Strength { nodes: nodes.round() as u64, error: low.error + (high.error - low.error) * share })
    }

    /// What to ask the search instead of `asked`.
    pub fn question(&self, asked: &Question) -> Question {
        Question { lines: asked.lines.max(CANDIDATES), ..asked.clone() }
    }

    /// How long to search instead of `limits`.
    pub fn limits(&self, limits: &Limits) -> Limits {
        limits.capped(self.nodes, 0)
    }

    /// Puts the line first that seems best, and keeps at most `lines` of all.
    pub fn choose(&self, mut report: SearchReport, lines: usize, random: &mut Rng) -> SearchReport {
        let mut best = Line { pv: report.pv, score: report.score };
        let mut seeming = |line: &Line| f64::from(line.score.0) + self.error * normal(random);
        let mut most = seeming(&best);
        for other in &mut report.others {
            let value = seeming(other);
            if value > most {
                most = value;
                mem::swap(&mut best, other);
            }
        }
        report.others.sort_by_key(|line| -line.score.0);
        report.others.truncate(lines.saturating_sub(1));
        SearchReport { pv: best.pv, score: best.score, ..report }
    }
}

/// A number from the normal distribution of deviation 1. Source: G. Box and M. Muller, "A Note on the
/// Generation of Random Normal Deviates", 1958.
fn normal(random: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}

/// Stands between a search and its caller and keeps its reports to itself: they tell of better moves
/// than the one that will be chosen.
pub struct Discreet<'a> {
    caller: &'a (dyn Caller + Sync),
    latest: Mutex<Option<SearchReport>>,
}

impl<'a> Discreet<'a> {
    pub fn new(caller: &'a (dyn Caller + Sync)) -> Self {
        Discreet { caller, latest: Mutex::new(None) }
    }

    /// The report of the last iteration that was completed.
    pub fn into_latest(self) -> Option<SearchReport> {
        self.latest.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Caller for Discreet<'_> {
    fn should_stop(&self) -> bool {
        self.caller.should_stop()
    }

    fn report(&self, report: &SearchReport) {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(report.clone());
    }

    fn is_pondering(&self) -> bool {
        self.caller.is_pondering()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, EngineOptions, Move, Nobody, Position, Score};

    const NOTHING_BINDS: Limits = Limits { soft: None, hard: None, nodes: None, depth: None };

    fn engine(elo: u16, seed: u64) -> Engine {
        Engine::new(&EngineOptions { hash_mb: 1, elo, seed, ..EngineOptions::default() })
    }

    /// The moves of a game of such an engine against itself.
    fn game(elo: u16, seed: u64) -> Vec<Move> {
        let (mut engine, mut position) = (engine(elo, seed), Position::default());
        while position.outcome().is_none() && position.plies_played() < 40 {
            let mv = engine.search(&position, &NOTHING_BINDS, &Nobody).best_move();
            position.play(mv);
        }
        position.moves().map(|(_, mv)| mv).collect()
    }

    #[test]
    fn each_rung_is_stronger_than_the_one_below() {
        for pair in LADDER.windows(2) {
            let (low, high) = (&pair[0], &pair[1]);
            assert!(low.elo < high.elo && low.nodes <= high.nodes && low.error > high.error, "{}", high.elo);
        }
    }

    #[test]
    fn between_the_rungs_strength_grows_and_beyond_them_it_stays() {
        for rung in &LADDER {
            assert_eq!(Strength::of(rung.elo), Some(Strength { nodes: rung.nodes, error: rung.error }));
        }
        let all: Vec<Strength> =
            (Strength::WEAKEST..=Strength::STRONGEST).step_by(10).filter_map(Strength::of).collect();
        for pair in all.windows(2) {
            assert!(pair[0].nodes <= pair[1].nodes && pair[0].error > pair[1].error, "{pair:?}");
        }
        assert_eq!(Strength::of(1), Strength::of(Strength::WEAKEST));
        assert_eq!(Strength::of(u16::MAX), Strength::of(Strength::STRONGEST));
        assert_eq!(Strength::of(0), None, "as strong as can be");
    }

    #[test]
    fn the_same_seed_plays_the_same_game_and_another_does_not() {
        let first = game(1500, 7);
        assert_eq!(first, game(1500, 7));
        assert_ne!(first, game(1500, 8));
    }

    #[test]
    fn full_strength_does_not_look_at_the_seed() {
        let limits = Limits { nodes: Some(3_000), ..NOTHING_BINDS };
        let search = |seed| engine(0, seed).search(&Position::default(), &limits, &Nobody).pv;
        assert_eq!(search(1), search(2));
    }

    /// One report of three moves, of which the second is nearly as good as the first.
    fn report() -> SearchReport {
        let legal = Position::default().legal_moves();
        let line = |index: usize, score| Line { pv: vec![legal[index]], score: Score(score) };
        SearchReport {
            pv: vec![legal[0]],
            score: Score(30),
            depth: 3,
            selective_depth: 5,
            nodes: 900,
            elapsed: std::time::Duration::ZERO,
            table_permille: 0,
            others: vec![line(1, 20), line(2, -400)],
        }
    }

    #[test]
    fn a_move_is_chosen_the_oftener_the_better_it_is() {
        let strength = Strength { nodes: 1, error: 150.0 };
        let legal = Position::default().legal_moves();
        let mut random = Rng::with_seed(1);
        let mut chosen = [0; 3];
        for _ in 0..2_000 {
            let mv = strength.choose(report(), 1, &mut random).best_move();
            chosen[(0..3).find(|&index| legal[index] == mv).expect("one of the three")] += 1;
        }
        assert!(chosen[0] > chosen[1] && chosen[1] > 600 && (1..200).contains(&chosen[2]), "{chosen:?}");
    }

    #[test]
    fn the_lines_asked_for_stay_in_order_and_none_is_lost() {
        let unsure = Strength { nodes: 1, error: 10_000.0 };
        for seed in 0..50 {
            let all = unsure.choose(report(), 3, &mut Rng::with_seed(seed));
            let mut scores: Vec<i32> = all.others.iter().map(|line| line.score.0).collect();
            assert!(scores.is_sorted_by(|a, b| a >= b), "seed {seed}: {scores:?}");
            scores.push(all.score.0);
            scores.sort();
            assert_eq!(scores, [-400, 20, 30], "seed {seed}");
            assert_eq!(unsure.choose(report(), 1, &mut Rng::with_seed(seed)).others, [], "seed {seed}");
        }
    }

    #[test]
    fn errors_have_mean_zero_and_deviation_one() {
        let mut random = Rng::with_seed(3);
        let numbers: Vec<f64> = (0..20_000).map(|_| normal(&mut random)).collect();
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / numbers.len() as f64;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }

    #[test]
    fn a_limit_that_is_tighter_still_binds_and_a_stop_brings_a_move() {
        let mut engine = engine(Strength::STRONGEST, 1);
        let limits = Limits { nodes: Some(50), ..NOTHING_BINDS };
        assert!(engine.search(&Position::default(), &limits, &Nobody).nodes <= 50);
        struct Impatient;
        impl Caller for Impatient {
            fn should_stop(&self) -> bool {
                true
            }
            fn report(&self, _: &SearchReport) {}
        }
        let mv = engine.search(&Position::default(), &NOTHING_BINDS, &Impatient).best_move();
        assert!(Position::default().is_legal(mv));
    }
}
