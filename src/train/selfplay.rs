//! Games of the engine against itself, for labelled positions.
//!
//! Each game begins with random moves, so that no two are alike, and is given to the side that is far
//! ahead for long. Kept are quiet positions: not in check, and the move played neither takes nor promotes.

use super::labelled::{self, GameResult};
use crate::engine::Nobody;
use crate::engine::{Color, Engine, EngineOptions, Limits, Outcome, Position, SearchReport};

/// How to play.
#[derive(Clone, Copy, Debug)]
pub struct PlayOptions {
    /// Nodes searched for each move.
    pub nodes: u64,
    /// Games with the same seed and number are the same games.
    pub seed: u64,
}

/// One thread's player.
pub struct Player {
    engine: Engine,
    options: PlayOptions,
}

const HASH_MB: usize = 4;
/// Random plies at the start, and one more in half of the games: both sides get to move first.
const RANDOM_PLIES: usize = 8;
/// Centipawns by which a start may be uneven.
const FAIR: i32 = 150;
/// A game is won when both sides see this many centipawns for so many plies.
const WON: i32 = 1200;
const WON_PLIES: usize = 6;
/// A game is drawn when both sides see next to nothing for so many plies.
const LEVEL: i32 = 8;
const LEVEL_PLIES: usize = 16;
const LONGEST: usize = 320;

impl Player {
    pub fn new(options: PlayOptions) -> Player {
        let engine = Engine::new(&EngineOptions { hash_mb: HASH_MB, ..EngineOptions::default() });
        Player { engine, options }
    }

    /// Plays game `number`; its quiet positions as lines of a labelled file.
    pub fn play(&mut self, number: u64) -> Vec<String> {
        let mut random = fastrand::Rng::with_seed(self.options.seed.wrapping_mul(0x9e37_79b9) ^ number);
        let mut position = loop {
            let position = random_start(&mut random);
            self.engine.new_game();
            if position.outcome().is_none() && self.search(&position).score.0.abs() <= FAIR {
                break position;
            }
        };
        let mut quiet = Vec::new();
        let mut streaks = Streaks::default();
        let result = loop {
            if let Some(outcome) = position.outcome() {
                break match outcome {
                    Outcome::Checkmate { winner: Color::White } => GameResult::White,
                    Outcome::Checkmate { winner: Color::Black } => GameResult::Black,
                    _ => GameResult::Draw,
                };
            }
            let report = self.search(&position);
            let mv = report.best_move();
            let for_white = match position.side_to_move() {
                Color::White => report.score.0,
                Color::Black => -report.score.0,
            };
            if let Some(result) = streaks.decided(for_white, position.plies_played()) {
                break result;
            }
            if !position.is_check() && !position.is_tactical(mv) && !report.score.is_mate() {
                quiet.push((position.fen(), report.score.0));
            }
            position.play(mv);
        };
        quiet.iter().map(|(fen, score)| labelled::line(fen, result, *score)).collect()
    }

    fn search(&mut self, position: &Position) -> SearchReport {
        let limits = Limits { nodes: Some(self.options.nodes), ..Limits::default() };
        self.engine.search(position, &limits, &Nobody)
    }
}

/// For how many plies the scores have agreed on a result.
#[derive(Default)]
struct Streaks {
    white: usize,
    black: usize,
    level: usize,
}

impl Streaks {
    fn decided(&mut self, for_white: i32, plies: usize) -> Option<GameResult> {
        let count = |streak: &mut usize, holds: bool| *streak = if holds { *streak + 1 } else { 0 };
        count(&mut self.white, for_white >= WON);
        count(&mut self.black, for_white <= -WON);
        count(&mut self.level, for_white.abs() <= LEVEL);
        if self.white >= WON_PLIES {
            Some(GameResult::White)
        } else if self.black >= WON_PLIES {
            Some(GameResult::Black)
        } else {
            (self.level >= LEVEL_PLIES || plies >= LONGEST).then_some(GameResult::Draw)
        }
    }
}

/// A position some random moves from the start; the game may be over already.
fn random_start(random: &mut fastrand::Rng) -> Position {
    let mut position = Position::default();
    for _ in 0..RANDOM_PLIES + random.usize(..2) {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        position.play(moves[random.usize(..moves.len())]);
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_number_give_the_same_game_and_others_do_not() {
        let game = |seed, number| Player::new(PlayOptions { nodes: 50, seed }).play(number);
        let first = game(1, 1);
        assert_eq!(first, game(1, 1));
        assert_ne!(first, game(1, 2));
        assert_ne!(first, game(2, 1));
        assert_eq!(labelled::read(first.join("\n").as_bytes(), |_| ()).expect("labelled lines"), first.len());
    }

    #[test]
    fn a_long_agreed_score_decides_and_a_short_one_does_not() {
        for (score, plies, result) in [
            (WON, WON_PLIES, GameResult::White),
            (-WON, WON_PLIES, GameResult::Black),
            (0, LEVEL_PLIES, GameResult::Draw),
        ] {
            let mut streaks = Streaks::default();
            for _ in 1..plies {
                assert_eq!(streaks.decided(score, 10), None, "{score}");
            }
            assert_eq!(streaks.decided(score, 10), Some(result), "{score}");
        }
        assert_eq!(Streaks::default().decided(300, LONGEST), Some(GameResult::Draw));
    }
}
