//! How games end: the server's names and numbers for it, and what it claims by itself.

use crate::engine::{Color, Outcome, Piece, Position};

/// How far a game is, with the server's names and numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Started,
    Aborted,
    Mate,
    Resign,
    Stalemate,
    /// A player left and the other claimed the game.
    Timeout,
    Draw,
    /// A flag fell.
    OutOfTime,
    InsufficientMaterialClaim,
}

impl Status {
    pub fn name(self) -> &'static str {
        self.parts().0
    }

    pub fn id(self) -> u8 {
        self.parts().1
    }

    fn parts(self) -> (&'static str, u8) {
        match self {
            Status::Started => ("started", 20),
            Status::Aborted => ("aborted", 25),
            Status::Mate => ("mate", 30),
            Status::Resign => ("resign", 31),
            Status::Stalemate => ("stalemate", 32),
            Status::Timeout => ("timeout", 33),
            Status::Draw => ("draw", 34),
            Status::OutOfTime => ("outoftime", 35),
            Status::InsufficientMaterialClaim => ("insufficientMaterialClaim", 39),
        }
    }
}

/// The end that a move brings about by itself, in one state with the move.
///
/// Threefold repetition is not among them: the server claims it in a second step.
pub fn automatic(position: &Position) -> Option<(Status, Option<Color>)> {
    match position.outcome()? {
        Outcome::Checkmate { winner } => Some((Status::Mate, Some(winner))),
        Outcome::Stalemate => Some((Status::Stalemate, None)),
        Outcome::InsufficientMaterial | Outcome::FiftyMoves => Some((Status::Draw, None)),
        Outcome::Threefold => None,
    }
}

/// Whether `color` can never mate, whatever both sides play.
///
/// The rule of the server's chess library: a bare king; a lone knight against nothing but queens;
/// bishops of one colour of squares when nobody could block the way of the enemy king.
pub fn cannot_mate(position: &Position, color: Color) -> bool {
    use Piece::{Bishop, Knight, Pawn, Queen, Rook};
    let men = |color: Color, kinds: &[Piece]| -> u32 {
        kinds.iter().map(|&kind| position.pieces(color, kind).popcnt()).sum()
    };
    if men(color, &[Pawn, Rook, Queen]) > 0 {
        return false;
    }
    match (men(color, &[Knight]), men(color, &[Bishop])) {
        (0, 0) => true,
        (1, 0) => men(!color, &[Pawn, Knight, Bishop, Rook]) == 0,
        (0, _) => men(!color, &[Pawn, Knight]) == 0 && bishops_share_a_color(position),
        _ => false,
    }
}

fn bishops_share_a_color(position: &Position) -> bool {
    let on_light = |square: crate::engine::Square| {
        (square.get_file().to_index() + square.get_rank().to_index()) % 2 == 1
    };
    let mut bishops = position.of_kind(Piece::Bishop);
    let first = bishops.next().map(on_light);
    bishops.all(|square| Some(on_light(square)) == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_can_never_mate_is_known() {
        for (fen, white, black) in [
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true, true),
            ("4k3/4p3/8/8/8/8/8/4K3 w - - 0 1", true, false),
            ("4k3/8/8/8/8/8/8/3NK3 w - - 0 1", true, true),
            ("3qk3/8/8/8/8/8/8/3NK3 w - - 0 1", true, false),
            ("4k3/4p3/8/8/8/8/8/3NK3 w - - 0 1", false, false),
            ("4k3/8/8/8/8/8/8/2NNK3 w - - 0 1", false, true),
            ("3rk3/8/8/8/8/8/8/2B1K3 w - - 0 1", true, false),
            ("2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", false, false),
            ("3bk3/8/8/8/8/8/8/2B1K3 w - - 0 1", true, true),
            ("3nk3/8/8/8/8/8/8/2B1K3 w - - 0 1", false, false),
        ] {
            let position = Position::from_fen(fen).expect("a legal position");
            assert_eq!(cannot_mate(&position, Color::White), white, "White in {fen}");
            assert_eq!(cannot_mate(&position, Color::Black), black, "Black in {fen}");
        }
    }

    #[test]
    fn moves_that_end_a_game_are_known() {
        for (fen, expected) in [
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Some((Status::Stalemate, None))),
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Some((Status::Mate, Some(Color::White)))),
            ("4k3/8/8/8/8/8/8/3NK3 b - - 0 1", Some((Status::Draw, None))),
            ("4k3/8/8/8/8/8/8/3RK3 b - - 100 80", Some((Status::Draw, None))),
            ("4k3/8/8/8/8/8/8/3RK3 b - - 99 80", None),
        ] {
            let position = Position::from_fen(fen).expect("a legal position");
            assert_eq!(automatic(&position), expected, "{fen}");
        }
    }
}
