//! From a score to the chances of the game: the model behind UCI's centipawns and `wdl`.
//!
//! Winning is taken to be likely as a logistic curve of the score, losing as its mirror image, and
//! what is left over is a draw. Source of the model: Stockfish's wiki, "Interpretation of the
//! centipawn evaluation".
//!
//! The two numbers were fitted to our own games by
//! `cargo test --lib uci::chances -- --ignored --nocapture`; fit them anew when the evaluation changes.

use crate::engine::Score;

/// The score, in the engine's own centipawns, at which winning is as likely as not.
const EVEN: f64 = 150.0;
/// How many of them change the odds of winning by a factor of e.
const SPREAD: f64 = 128.0;

/// Chances of the side to move in thousandths, 1000 together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chances {
    pub win: u16,
    pub draw: u16,
    pub loss: u16,
}

/// The chances that a score stands for.
pub fn chances(score: Score) -> Chances {
    if score.is_mate() {
        let win = if score > Score::DRAW { 1000 } else { 0 };
        return Chances { win, draw: 0, loss: 1000 - win };
    }
    let win = to_permille(win_probability(score.0, EVEN, SPREAD));
    let loss = to_permille(win_probability(-score.0, EVEN, SPREAD));
    Chances { win, draw: 1000 - win - loss, loss }
}

/// Centipawns as GUIs expect them: +100 is a chance of one half to win.
pub fn centipawns(score: Score) -> i32 {
    (f64::from(score.0) * 100.0 / EVEN).round() as i32
}

fn win_probability(score: i32, even: f64, spread: f64) -> f64 {
    1.0 / (1.0 + ((even - f64::from(score)) / spread).exp())
}

fn to_permille(probability: f64) -> u16 {
    (probability * 1000.0).round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Color, Engine, EngineOptions, Limits, Nobody, Outcome, Position};
    use crate::uci::command::GenFens;
    use crate::uci::genfens;

    #[test]
    fn chances_add_up_and_grow_with_the_score() {
        let mut before = chances(Score::mated_in(2));
        assert_eq!(before, Chances { win: 0, draw: 0, loss: 1000 });
        for score in (-3000..=3000).step_by(7) {
            let now = chances(Score(score));
            assert_eq!(now.win + now.draw + now.loss, 1000, "{score}");
            assert!(now.win >= before.win && now.loss <= before.loss, "{score}: {now:?} after {before:?}");
            let mirrored = chances(Score(-score));
            assert_eq!((now.win, now.loss), (mirrored.loss, mirrored.win), "{score}");
            before = now;
        }
        assert_eq!(chances(Score::mate_in(3)).win, 1000);
    }

    #[test]
    fn a_hundred_centipawns_are_an_even_chance_to_win() {
        let even = Score(EVEN as i32);
        assert_eq!((centipawns(even), chances(even).win), (100, 500));
        assert_eq!(centipawns(Score::DRAW), 0);
    }

    const GAMES: u64 = 500;
    const NODES: u64 = 5_000;
    const LONGEST_GAME: usize = 300;

    /// One game of the engine against itself: White's scores, and White's result (1, 0 or -1).
    fn play_game(seed: u64) -> (Vec<i32>, i32) {
        let mut position = Position::default();
        let order = GenFens { count: 1, seed, book: None };
        genfens::run(&order, |fen| position = Position::from_fen(fen).expect(fen)).expect("no book to fail");
        let mut engine = Engine::new(&EngineOptions { hash_mb: 4, ..EngineOptions::default() });
        let mut scores = Vec::new();
        while position.outcome().is_none() && position.plies_played() < LONGEST_GAME {
            let limits = Limits { nodes: Some(NODES), ..Limits::default() };
            let report = engine.search(&position, &limits, &Nobody);
            if !report.score.is_mate() {
                let sign = if position.side_to_move() == Color::White { 1 } else { -1 };
                scores.push(sign * report.score.0);
            }
            position.play(report.best_move());
        }
        let result = match position.outcome() {
            Some(Outcome::Checkmate { winner: Color::White }) => 1,
            Some(Outcome::Checkmate { winner: Color::Black }) => -1,
            _ => 0,
        };
        (scores, result)
    }

    /// Mean negative logarithm of the probability that the model gives to what happened.
    fn loss(games: &[(Vec<i32>, i32)], even: f64, spread: f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0);
        for (scores, result) in games {
            for &score in scores {
                let win = win_probability(score, even, spread);
                let lose = win_probability(-score, even, spread);
                let likelihood = match result {
                    1 => win,
                    -1 => lose,
                    _ => 1.0 - win - lose,
                };
                sum -= likelihood.max(1e-9).ln();
                count += 1;
            }
        }
        sum / f64::from(count)
    }

    #[test]
    #[ignore = "plays 500 games to fit the model, some minutes"]
    fn fit_the_model() {
        let mut games = Vec::new();
        let workers = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        std::thread::scope(|scope| {
            let play =
                |worker| move || (worker..GAMES).step_by(workers as usize).map(play_game).collect::<Vec<_>>();
            let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(play(worker))).collect();
            games.extend(threads.into_iter().flat_map(|thread| thread.join().expect("games")));
        });
        let (mut even, mut spread, mut step) = (EVEN, SPREAD, 32.0);
        while step > 0.4 {
            let around = [(0.0, 0.0), (step, 0.0), (-step, 0.0), (0.0, step), (0.0, -step)];
            let better = around
                .map(|(a, b)| (even + a, (spread + b).max(5.0)))
                .into_iter()
                .min_by(|a, b| loss(&games, a.0, a.1).total_cmp(&loss(&games, b.0, b.1)))
                .expect("five");
            step = if better == (even, spread) { step / 2.0 } else { step };
            (even, spread) = better;
        }
        let of = |result| games.iter().filter(|game| game.1 == result).count();
        println!("{} games: {} white, {} draws, {} black", GAMES, of(1), of(0), of(-1));
        println!("EVEN {even:.0}, SPREAD {spread:.0}, loss {:.4}", loss(&games, even, spread));
        println!("with the present {EVEN:.0} and {SPREAD:.0}: loss {:.4}", loss(&games, EVEN, SPREAD));
    }
}
