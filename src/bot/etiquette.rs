//! Manners at the board: draw, takeback, resignation, abort and claims, as pure decisions.

use super::game::GameOptions;
use crate::engine::{Color, Piece, Position, Score};

/// Moves in a row with an even score before a draw is offered.
const EVEN_MOVES: usize = 10;
/// Plies that the server wants between two draw offers of one side.
const OFFER_SPACING: usize = 20;

/// Whether to take the opponent's draw offer, given our latest score.
///
/// Without a score (still in book) the offer is declined.
pub fn accepts_draw(options: &GameOptions, score: Option<Score>, move_number: u16) -> bool {
    move_number >= options.draw_min_move && score.is_some_and(|score| score.0 <= options.draw_score)
}

/// Whether to offer a draw with the move to come. `scores` are ours, oldest first.
pub fn offers_draw(
    options: &GameOptions,
    scores: &[Score],
    position: &Position,
    last_offer: Option<usize>,
) -> bool {
    let spaced = last_offer.is_none_or(|ply| position.plies_played() > ply + OFFER_SPACING);
    let recent = scores.iter().rev().take(EVEN_MOVES);
    options.offer_draw
        && spaced
        && position.plies_played() >= 2
        && position.move_number() >= options.draw_min_move
        && scores.len() >= EVEN_MOVES
        && recent.into_iter().all(|score| score.0.abs() <= options.draw_score)
}

/// Whether to resign after a search. `scores` are ours, oldest first.
pub fn resigns(options: &GameOptions, scores: &[Score]) -> bool {
    let moves = options.resign_moves as usize;
    options.resign
        && scores.len() >= moves
        && scores.iter().rev().take(moves).all(|score| score.0 <= options.resign_score)
}

/// Whether to grant a takeback, given how many were granted in this game.
pub fn grants_takeback(options: &GameOptions, granted: u32) -> bool {
    granted < options.takebacks
}

/// Whether `color` could mate with the men it has: if not, only a draw can be claimed.
pub fn can_win(position: &Position, color: Color) -> bool {
    let count = |piece: Piece| position.pieces(color, piece).popcnt();
    count(Piece::Pawn) + count(Piece::Rook) + count(Piece::Queen) > 0
        || count(Piece::Knight) + count(Piece::Bishop) > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_is_taken_late_and_not_when_we_stand_better() {
        let options = GameOptions { draw_score: 10, draw_min_move: 30, ..GameOptions::default() };
        for (score, move_number, expected) in [
            (Some(Score(0)), 40, true),
            (Some(Score(10)), 30, true),
            (Some(Score(-300)), 60, true),
            (Some(Score(11)), 40, false),
            (Some(Score::mate_in(5)), 80, false),
            (Some(Score(0)), 29, false),
            (None, 40, false),
        ] {
            assert_eq!(accepts_draw(&options, score, move_number), expected, "{score:?} at {move_number}");
        }
    }

    #[test]
    fn resigning_is_off_by_default_and_needs_a_run_of_bad_scores() {
        let lost = [Score(-1_000); 6];
        assert!(!resigns(&GameOptions::default(), &lost));
        let options =
            GameOptions { resign: true, resign_score: -900, resign_moves: 4, ..GameOptions::default() };
        assert!(resigns(&options, &lost));
        assert!(!resigns(&options, &lost[..3]));
        assert!(!resigns(&options, &[Score(-1_000), Score(-1_000), Score(-100), Score(-1_000)]));
    }

    #[test]
    fn draws_are_offered_only_when_wanted_even_and_spaced() {
        let options = GameOptions { offer_draw: true, draw_min_move: 1, ..GameOptions::default() };
        let even = [Score(5); 10];
        let position = Position::after("startpos", "e2e4 e7e5").expect("legal");
        assert!(offers_draw(&options, &even, &position, None));
        assert!(!offers_draw(&options, &even, &position, Some(0)), "too soon after the last offer");
        assert!(!offers_draw(&options, &even[..9], &position, None), "too few even moves");
        assert!(!offers_draw(&GameOptions::default(), &even, &position, None), "off by default");
        let start = Position::default();
        assert!(!offers_draw(&options, &even, &start, None), "the server wants two plies first");
    }

    #[test]
    fn takebacks_are_granted_up_to_the_limit() {
        let options = GameOptions { takebacks: 2, ..GameOptions::default() };
        assert!(grants_takeback(&options, 1));
        assert!(!grants_takeback(&options, 2));
        assert!(!grants_takeback(&GameOptions { takebacks: 0, ..options }, 0));
    }

    #[test]
    fn a_bare_king_or_minor_piece_cannot_win() {
        for (fen, white, black) in [
            ("7k/8/8/8/8/8/8/KQ6 w - - 0 1", true, false),
            ("7k/5n2/8/8/8/8/8/KBN5 w - - 0 1", true, false),
            ("7k/5p2/8/8/8/8/8/KB6 w - - 0 1", false, true),
        ] {
            let position = Position::from_fen(fen).expect("legal");
            assert_eq!(can_win(&position, Color::White), white, "{fen}");
            assert_eq!(can_win(&position, Color::Black), black, "{fen}");
        }
    }
}
