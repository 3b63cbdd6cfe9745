//! Ends games that both players think are decided, drawn or endless.

use crate::engine::{Color, Score};
use std::str::FromStr;

/// A game is won when both players have said so for some moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResignRule {
    /// Moves of each player in a row.
    pub moves: u32,
    /// In centipawns.
    pub score: i32,
}

/// A game is drawn when both players have said so for some moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// Move of the game from which on scores count.
    pub from: u32,
    /// Moves of each player in a row.
    pub moves: u32,
    /// In centipawns, for either side.
    pub score: i32,
}

/// `moves=3,score=400`
impl FromStr for ResignRule {
    type Err = String;

    fn from_str(text: &str) -> Result<ResignRule, String> {
        let [moves, score] = values(text, ["moves", "score"])?;
        Ok(ResignRule { moves, score: score as i32 })
    }
}

/// `from=40,moves=8,score=10`
impl FromStr for DrawRule {
    type Err = String;

    fn from_str(text: &str) -> Result<DrawRule, String> {
        let [from, moves, score] = values(text, ["from", "moves", "score"])?;
        Ok(DrawRule { from, moves, score: score as i32 })
    }
}

/// The whole numbers of these names, each given once.
fn values<const N: usize>(text: &str, names: [&str; N]) -> Result<[u32; N], String> {
    let mut found = [None; N];
    for part in text.split(',') {
        let named = part.split_once('=').and_then(|(name, value)| {
            let at = names.iter().position(|known| *known == name.trim())?;
            Some((at, value.trim().parse::<u32>().ok().filter(|value| *value <= 30_000)?))
        });
        match named {
            Some((at, value)) => found[at] = Some(value),
            None => {
                return Err(format!(
                    "{part:?} is not one of {}, with a whole number",
                    names.join("=, ") + "="
                ));
            }
        }
    }
    let missing = (0..N).find(|&at| found[at].is_none());
    match missing {
        Some(at) => Err(format!("{}= is missing", names[at])),
        None => Ok(found.map(Option::unwrap_or_default)),
    }
}

/// How the arbiter ends a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Won(Color),
    Drawn,
    TooLong,
}

/// What the players have said so far in one game.
#[derive(Clone, Debug)]
pub struct Arbiter {
    resign: Option<ResignRule>,
    draw: Option<DrawRule>,
    /// Moves after which a game is drawn; none for no end.
    max_moves: Option<u32>,
    /// Plies in a row that call the game won, for White and for Black, and drawn.
    won_plies: [u32; 2],
    drawn_plies: u32,
    plies: usize,
}

impl Arbiter {
    pub fn new(resign: Option<ResignRule>, draw: Option<DrawRule>, max_moves: Option<u32>) -> Arbiter {
        Arbiter { resign, draw, max_moves, won_plies: [0; 2], drawn_plies: 0, plies: 0 }
    }

    /// `mover` has played ply `plies` of the game, counted from 1, and thinks so of it.
    ///
    /// Players alternate, so that a row of plies is a row of moves of both.
    pub fn hear(&mut self, mover: Color, plies: usize, score: Option<Score>) {
        self.plies = plies;
        let of = |color: Color| score.map(|score| if color == mover { score } else { -score });
        for color in [Color::White, Color::Black] {
            let is_won = self.resign.zip(of(color)).is_some_and(|(rule, score)| score.0 >= rule.score);
            count(&mut self.won_plies[color.to_index()], is_won);
        }
        let is_drawn = self.draw.zip(score).is_some_and(|(rule, score)| {
            plies.div_ceil(2) >= rule.from as usize && score.0.abs() <= rule.score
        });
        count(&mut self.drawn_plies, is_drawn);
    }

    pub fn verdict(&self) -> Option<Verdict> {
        let won = |color: Color| {
            self.resign.is_some_and(|rule| self.won_plies[color.to_index()] >= 2 * rule.moves.max(1))
        };
        let is_drawn = self.draw.is_some_and(|rule| self.drawn_plies >= 2 * rule.moves.max(1));
        if let Some(color) = [Color::White, Color::Black].into_iter().find(|color| won(*color)) {
            Some(Verdict::Won(color))
        } else if is_drawn {
            Some(Verdict::Drawn)
        } else {
            let is_too_long = self.max_moves.is_some_and(|most| self.plies >= 2 * most as usize);
            is_too_long.then_some(Verdict::TooLong)
        }
    }
}

/// One more in a row, or none any more.
fn count(plies: &mut u32, goes_on: bool) {
    *plies = if goes_on { *plies + 1 } else { 0 };
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESIGN: ResignRule = ResignRule { moves: 2, score: 400 };
    const DRAW: DrawRule = DrawRule { from: 3, moves: 2, score: 10 };

    /// The ply at which a game ends in which the movers think so, White first, and how.
    fn end(arbiter: &mut Arbiter, scores: &[Option<i32>]) -> Option<(usize, Verdict)> {
        scores.iter().enumerate().find_map(|(index, score)| {
            let mover = if index % 2 == 0 { Color::White } else { Color::Black };
            arbiter.hear(mover, index + 1, score.map(Score));
            arbiter.verdict().map(|verdict| (index + 1, verdict))
        })
    }

    #[test]
    fn a_game_ends_when_both_have_said_so_long_enough() {
        let some = |scores: &[i32]| scores.iter().map(|score| Some(*score)).collect::<Vec<_>>();
        let cases = [
            ("White wins", some(&[500, -400, 400, -900]), Some((4, Verdict::Won(Color::White)))),
            ("Black wins", some(&[0, 500, -500, 500, -500]), Some((5, Verdict::Won(Color::Black)))),
            ("only one thinks so", some(&[500, -300, 500, -300, 500, -300]), None),
            ("interrupted", some(&[500, -500, 500, 0, 500, -500, 500]), None),
            ("a silent player", vec![Some(500), Some(-500), Some(500), None, Some(500)], None),
            ("both think they win", some(&[500, 500, 500, 500, 500]), None),
            ("a mate", some(&[31_990, -31_980, 31_990, -31_980]), Some((4, Verdict::Won(Color::White)))),
            ("drawn from move 3 on", some(&[0; 12]), Some((8, Verdict::Drawn))),
            ("not quite drawn", some(&[11, -10, 11, -10, 11, -10, 11, -10, 11]), None),
        ];
        for (name, scores, expected) in cases {
            let mut arbiter = Arbiter::new(Some(RESIGN), Some(DRAW), None);
            assert_eq!(end(&mut arbiter, &scores), expected, "{name}");
        }
    }

    #[test]
    fn a_game_without_rules_ends_by_its_length_alone() {
        assert_eq!(end(&mut Arbiter::new(None, None, None), &[Some(0); 900]), None);
        let mut arbiter = Arbiter::new(None, None, Some(20));
        assert_eq!(end(&mut arbiter, &[Some(900); 90]), Some((40, Verdict::TooLong)));
    }

    #[test]
    fn rules_are_read_or_refused() {
        assert_eq!("moves=3,score=400".parse(), Ok(ResignRule { moves: 3, score: 400 }));
        assert_eq!("score=10, moves=8, from=40".parse(), Ok(DrawRule { from: 40, moves: 8, score: 10 }));
        let cases = [
            ("", "\"\" is not one of moves=, score=, with a whole number"),
            ("moves=3", "score= is missing"),
            ("moves=3,score=-4", "\"score=-4\" is not one of moves=, score=, with a whole number"),
            ("moves=3,score=4,from=1", "\"from=1\" is not one of moves=, score=, with a whole number"),
        ];
        for (text, reason) in cases {
            assert_eq!(text.parse::<ResignRule>(), Err(reason.to_string()), "{text:?}");
        }
    }
}
