//! Who sits on the other side: scripted, random or greedy.

use crate::engine::{Move, Piece, Position};
use std::collections::VecDeque;

/// What an opponent may do when asked for a move.
#[derive(Clone, Debug, PartialEq)]
pub enum OpponentAction {
    Move(Move),
    /// Moves with a draw offer on the table.
    MoveOfferingDraw(Move),
    /// Moves and at once asks for that move back: the other side is already thinking.
    MoveThenProposeTakeback(Move),
    OfferDraw,
    /// Asks to take back its own last move and the answer to it.
    ProposeTakeback,
    WithdrawTakeback,
    /// Says something in the player room.
    Say(String),
    Resign,
    Abort,
    /// Leaves the game's page and does nothing more until it is brought back.
    Leave,
    /// Does nothing until the position changes.
    Silence,
}

/// An opponent: is asked off the async threads, so it may think.
pub trait Opponent: Send {
    /// What to do; it is this opponent's turn in `position`, which has at least one legal move.
    fn next(&mut self, position: &Position) -> OpponentAction;

    /// Whether to take a draw that is offered; `None` leaves the offer standing.
    fn answer_draw(&mut self, _position: &Position) -> Option<bool> {
        Some(false)
    }

    /// Whether to allow a takeback that is proposed; `None` leaves it standing.
    fn answer_takeback(&mut self, _position: &Position) -> Option<bool> {
        Some(true)
    }
}

impl<T: Opponent + ?Sized> Opponent for Box<T> {
    fn next(&mut self, position: &Position) -> OpponentAction {
        (**self).next(position)
    }

    fn answer_draw(&mut self, position: &Position) -> Option<bool> {
        (**self).answer_draw(position)
    }

    fn answer_takeback(&mut self, position: &Position) -> Option<bool> {
        (**self).answer_takeback(position)
    }
}

/// Plays a written script, one entry a turn, and is silent after its end.
#[derive(Clone, Debug, Default)]
pub struct Scripted {
    entries: VecDeque<Entry>,
    draw_answer: Option<bool>,
}

#[derive(Clone, Debug)]
enum Entry {
    /// A move in UCI notation and what to make of it.
    Uci(String, fn(Move) -> OpponentAction),
    Action(OpponentAction),
}

impl Scripted {
    /// This side's moves in UCI notation, separated by spaces.
    pub fn moves(moves: &str) -> Scripted {
        let entries = moves.split_ascii_whitespace();
        let entries = entries.map(|uci| Entry::Uci(uci.to_string(), OpponentAction::Move)).collect();
        Scripted { entries, draw_answer: Some(false) }
    }

    /// Does nothing at all.
    pub fn silent() -> Scripted {
        Scripted::moves("")
    }

    /// More moves after what is written so far.
    pub fn then_moves(mut self, moves: &str) -> Scripted {
        self.entries.extend(Scripted::moves(moves).entries);
        self
    }

    pub fn then(mut self, action: OpponentAction) -> Scripted {
        self.entries.push_back(Entry::Action(action));
        self
    }

    pub fn then_move_offering_draw(mut self, uci: &str) -> Scripted {
        self.entries.push_back(Entry::Uci(uci.to_string(), OpponentAction::MoveOfferingDraw));
        self
    }

    pub fn then_move_and_propose_takeback(mut self, uci: &str) -> Scripted {
        self.entries.push_back(Entry::Uci(uci.to_string(), OpponentAction::MoveThenProposeTakeback));
        self
    }

    /// How draw offers are answered; `None` leaves them standing.
    pub fn answering_draws(mut self, answer: Option<bool>) -> Scripted {
        self.draw_answer = answer;
        self
    }
}

impl Opponent for Scripted {
    fn next(&mut self, position: &Position) -> OpponentAction {
        match self.entries.pop_front() {
            Some(Entry::Uci(uci, action)) => match position.parse_uci(&uci) {
                Ok(mv) => action(mv),
                Err(error) => panic!("the script does not fit the game: {error}"),
            },
            Some(Entry::Action(action)) => action,
            None => OpponentAction::Silence,
        }
    }

    fn answer_draw(&mut self, _position: &Position) -> Option<bool> {
        self.draw_answer
    }
}

/// Any legal move, all alike.
pub struct RandomMover {
    rng: fastrand::Rng,
}

impl RandomMover {
    pub fn new(seed: u64) -> RandomMover {
        RandomMover { rng: fastrand::Rng::with_seed(seed) }
    }
}

impl Opponent for RandomMover {
    fn next(&mut self, position: &Position) -> OpponentAction {
        let moves = position.legal_moves();
        OpponentAction::Move(moves[self.rng.usize(0..moves.len())])
    }
}

/// Takes the most valuable man it can, with the cheapest of its own; any move if there is nothing
/// to take.
pub struct Greedy {
    rng: fastrand::Rng,
}

impl Greedy {
    pub fn new(seed: u64) -> Greedy {
        Greedy { rng: fastrand::Rng::with_seed(seed) }
    }
}

impl Opponent for Greedy {
    fn next(&mut self, position: &Position) -> OpponentAction {
        let moves = position.legal_moves();
        let greed = |mv: Move| booty(position, mv);
        let best = moves.into_iter().map(greed).max().unwrap_or_default();
        let candidates: Vec<Move> = moves.into_iter().filter(|&mv| greed(mv) == best).collect();
        OpponentAction::Move(candidates[self.rng.usize(0..candidates.len())])
    }
}

/// What a move wins at first sight, in pawns times ten, less a little for the man that takes.
fn booty(position: &Position, mv: Move) -> i32 {
    let man = |square| position.piece_on(square).map_or(0, |(_, piece)| value(piece));
    let promoted = mv.promoted().map_or(0, |piece| value(piece) * 10);
    if !position.is_capture(mv) {
        return promoted;
    }
    let victim = if mv.is_en_passant() { value(Piece::Pawn) } else { man(mv.to()) };
    promoted + victim * 10 - man(mv.from())
}

fn value(piece: Piece) -> i32 {
    match piece {
        Piece::Pawn => 1,
        Piece::Knight | Piece::Bishop => 3,
        Piece::Rook => 5,
        Piece::Queen => 9,
        Piece::King => 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).expect("a legal position")
    }

    #[test]
    fn the_greedy_one_takes_the_dearest_man_with_the_cheapest() {
        for (fen, expected) in [
            ("4k3/8/8/3q1r2/4P3/8/8/3QK3 w - - 0 1", "e4d5"),
            ("4k3/8/8/8/2pP4/8/8/4K3 b - d3 0 1", "c4d3"),
            ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"),
        ] {
            let action = Greedy::new(7).next(&position(fen));
            let OpponentAction::Move(mv) = action else { panic!("{fen}: {action:?}") };
            assert_eq!(mv.to_string(), expected, "{fen}");
        }
    }

    #[test]
    fn the_random_one_repeats_itself_with_the_same_seed_only() {
        let game = |seed| {
            let mut position = Position::default();
            let mut mover = RandomMover::new(seed);
            for _ in 0..10 {
                let OpponentAction::Move(mv) = mover.next(&position) else { panic!("it moves") };
                position.play(mv);
            }
            position.fen()
        };
        assert_eq!(game(1), game(1));
        assert_ne!(game(1), game(2));
    }

    #[test]
    fn a_script_is_followed_and_ends_in_silence() {
        let mut script = Scripted::moves("e2e4").then(OpponentAction::Resign);
        let start = Position::default();
        assert_eq!(script.next(&start), OpponentAction::Move(start.parse_uci("e2e4").expect("legal")));
        assert_eq!(script.next(&start), OpponentAction::Resign);
        assert_eq!(script.next(&start), OpponentAction::Silence);
    }
}
