//! Correction of the static evaluation by what searches found in positions that are alike.
//!
//! Where the evaluation of a pawn structure, of one side's pieces or of what comes after two moves was
//! too low before, it will be too low again: each error that a search shows is noted by these features,
//! and the next evaluation with the same feature is moved by the notes. Source of the idea: Caissa
//! (M. Witanowski), 2023, and Stockfish, 2024, as "correction history".

use super::history::{PieceTo, add_with_gravity};
use super::position::{Color, Position};
use super::score::Score;

/// Notes per feature; a power of two, so that the low bits of a key choose one.
const NOTES: usize = 16_384;
/// No note goes beyond plus or minus this.
const NOTE_MAX: i32 = 1024;
/// What makes one centipawn of all notes together.
const NOTES_PER_CENTIPAWN: i32 = 16;
/// An error of so many centipawns at depth 1 moves a note by one; a deeper search moves it further.
const ERROR_PER_NOTE: i32 = 8;
/// One search moves a note by no more than this.
const BONUS_MOST: i32 = NOTE_MAX / 4;

type Notes = Box<[[i16; NOTES]; 2]>;

/// The notes of one thread, by side to move and by feature.
pub struct Correction {
    pawns: Notes,
    white_pieces: Notes,
    black_pieces: Notes,
    /// By the move two plies back and the move one ply back.
    moves: Box<[[i16; PieceTo::COUNT]; PieceTo::COUNT]>,
}

impl Correction {
    pub fn new() -> Correction {
        let notes = || -> Notes { Box::new([[0; NOTES]; 2]) };
        let moves = vec![[0; PieceTo::COUNT]; PieceTo::COUNT].into_boxed_slice();
        Correction {
            pawns: notes(),
            white_pieces: notes(),
            black_pieces: notes(),
            moves: moves.try_into().expect("as many rows as were made"),
        }
    }

    /// What to add to the evaluation of `position`, reached by the moves `last` and before it `earlier`,
    /// in centipawns for the side to move.
    pub fn of(&self, position: &Position, last: Option<PieceTo>, earlier: Option<PieceTo>) -> i32 {
        let side = position.side_to_move().to_index();
        let [pawns, white, black] = slots(position);
        let mut sum = i32::from(self.pawns[side][pawns])
            + i32::from(self.white_pieces[side][white])
            + i32::from(self.black_pieces[side][black]);
        if let (Some(last), Some(earlier)) = (last, earlier) {
            sum += i32::from(self.moves[earlier.index()][last.index()]);
        }
        sum / NOTES_PER_CENTIPAWN
    }

    /// A search `depth` plies deep found `score` where the corrected evaluation was `eval`.
    pub fn learn(
        &mut self,
        position: &Position,
        last: Option<PieceTo>,
        earlier: Option<PieceTo>,
        eval: Score,
        score: Score,
        depth: i32,
    ) {
        let side = position.side_to_move().to_index();
        let [pawns, white, black] = slots(position);
        let bonus = ((score.0 - eval.0) * depth / ERROR_PER_NOTE).clamp(-BONUS_MOST, BONUS_MOST);
        let note = |entry: &mut i16| add_with_gravity(entry, bonus, NOTE_MAX);
        note(&mut self.pawns[side][pawns]);
        note(&mut self.white_pieces[side][white]);
        note(&mut self.black_pieces[side][black]);
        if let (Some(last), Some(earlier)) = (last, earlier) {
            note(&mut self.moves[earlier.index()][last.index()]);
        }
    }
}

impl Default for Correction {
    fn default() -> Self {
        Self::new()
    }
}

fn slots(position: &Position) -> [usize; 3] {
    [position.pawn_key(), position.non_pawn_key(Color::White), position.non_pawn_key(Color::Black)]
        .map(|key| key as usize % NOTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_evaluation_is_corrected_where_positions_are_alike() {
        let position = |fen| Position::from_fen(fen).expect(fen);
        let seen = position("4k3/pp6/8/8/8/3N4/PP6/4K3 w - - 0 1");
        let like = position("5k2/pp6/8/8/8/5B2/PP6/4K3 w - - 0 1");
        let unlike = position("5k2/p1p5/8/8/8/5B2/P1P5/4K3 w - - 0 1");
        let mut correction = Correction::new();
        assert_eq!(correction.of(&seen, None, None), 0);
        for _ in 0..50 {
            let eval = Score(100 + correction.of(&seen, None, None));
            correction.learn(&seen, None, None, eval, Score(160), 8);
        }
        let corrected = correction.of(&seen, None, None);
        assert!((45..=65).contains(&corrected), "the error was 60: {corrected}");
        let by_pawns = correction.of(&like, None, None);
        assert!(by_pawns > 10 && by_pawns < corrected, "{by_pawns}");
        assert_eq!(correction.of(&unlike, None, None), 0);
    }
}
