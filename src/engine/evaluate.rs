//! Evaluation of a position by material and tapered piece-square tables.
//!
//! Every man has a value and a bonus for its square, each once for the middlegame and once for the
//! endgame; the phase of the game mixes the two. A bare king is driven to the edge, so that won
//! endgames are won. Source of the idea: the tapered evaluation of the Chess Programming Wiki.
//!
//! The numbers are our own. They began as simple formulas: centrality for the pieces, squared rank for
//! pawns, nearness to the home corners for the king in the middlegame and centrality in the endgame.
//! Then a logistic regression on 370,000 quiet positions of games that those formulas played
//! against themselves (2,000 nodes a move, random openings) moved them, held back by a quadratic
//! penalty, to where the results of the games want them.

use super::Score;
use super::position::{Color, EMPTY, Piece, Position, Square};
use std::ops::{Add, AddAssign, Neg};

/// The evaluation of `position` for the side to move, in centipawns.
pub fn evaluate(position: &Position) -> Score {
    let us = position.side_to_move();
    let balance = side(position, us) + -side(position, !us);
    Score(balance.taper(phase(position)) + mop_up(position, us) - mop_up(position, !us))
}

/// A value in centipawns for the middlegame and one for the endgame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tapered {
    middlegame: i32,
    endgame: i32,
}

const fn tapered(middlegame: i32, endgame: i32) -> Tapered {
    Tapered { middlegame, endgame }
}

impl Tapered {
    /// The mixture of both for a phase from 0 (only pawns left) to [`FULL_PHASE`].
    fn taper(self, phase: i32) -> i32 {
        (self.middlegame * phase + self.endgame * (FULL_PHASE - phase)) / FULL_PHASE
    }
}

impl Add for Tapered {
    type Output = Tapered;
    fn add(self, other: Tapered) -> Tapered {
        tapered(self.middlegame + other.middlegame, self.endgame + other.endgame)
    }
}

impl AddAssign for Tapered {
    fn add_assign(&mut self, other: Tapered) {
        *self = *self + other;
    }
}

impl Neg for Tapered {
    type Output = Tapered;
    fn neg(self) -> Tapered {
        tapered(-self.middlegame, -self.endgame)
    }
}

/// Phase of the start position.
const FULL_PHASE: i32 = 24;

/// How much of the middlegame is left: each knight and bishop counts 1, rook 2, queen 4, at most 24.
fn phase(position: &Position) -> i32 {
    let count = |piece| position.of_kind(piece).popcnt() as i32;
    let minors = count(Piece::Knight) + count(Piece::Bishop);
    (minors + 2 * count(Piece::Rook) + 4 * count(Piece::Queen)).min(FULL_PHASE)
}

/// Material and squares of one side.
fn side(position: &Position, color: Color) -> Tapered {
    let flip = if color == Color::White { 0 } else { 56 };
    let mut sum = Tapered::default();
    for (table, piece) in VALUES.iter().zip(PIECES) {
        for square in position.pieces(color, piece) {
            sum += table[square.to_index() ^ flip];
        }
    }
    sum
}

/// What `color` gains, when the opponent has nothing but a king, by driving it to the edge and coming
/// near with its own. With bishop and knight only the corners of the bishop's colour will do.
fn mop_up(position: &Position, color: Color) -> i32 {
    let (king, bare_king) = (position.king(color), position.king(!color));
    let others = position.occupied() & !position.of_kind(Piece::King);
    if others == EMPTY || others & position.colored(!color) != EMPTY {
        return 0;
    }
    let nearness = MOP_UP_NEAR * (7 - king_distance(king, bare_king));
    let (bishops, knights) = (position.of_kind(Piece::Bishop), position.of_kind(Piece::Knight));
    if others == bishops | knights && bishops.popcnt() == 1 && knights.popcnt() == 1 {
        let is_light = square_color(bishops.to_square()) == 1;
        return nearness + MOP_UP_CORNER * (7 - corner_distance(bare_king, is_light));
    }
    nearness + MOP_UP_EDGE * edge_push(bare_king)
}

const MOP_UP_NEAR: i32 = 8;
const MOP_UP_EDGE: i32 = 20;
const MOP_UP_CORNER: i32 = 30;

fn coordinates(square: Square) -> (i32, i32) {
    (square.get_file().to_index() as i32, square.get_rank().to_index() as i32)
}

/// Moves of a king from one square to the other.
fn king_distance(a: Square, b: Square) -> i32 {
    let ((file_a, rank_a), (file_b, rank_b)) = (coordinates(a), coordinates(b));
    (file_a - file_b).abs().max((rank_a - rank_b).abs())
}

/// Steps from the four central squares, along files and ranks: 0 in the centre, 6 in a corner.
fn edge_push(square: Square) -> i32 {
    let (file, rank) = coordinates(square);
    (3 - file).max(file - 4) + (3 - rank).max(rank - 4)
}

/// 1 for a light square, 0 for a dark one.
fn square_color(square: Square) -> i32 {
    let (file, rank) = coordinates(square);
    (file + rank) & 1
}

/// King moves to the nearer of the two corners of the colour.
fn corner_distance(square: Square, is_light: bool) -> i32 {
    let (file, rank) = coordinates(square);
    let file = if is_light { 7 - file } else { file };
    // The corners are a1 and h8, or mirrored h1 and a8.
    file.max(rank).min((7 - file).max(7 - rank))
}

const PIECES: [Piece; 6] =
    [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];

/// Value of each man on each square for White, a1 first.
static VALUES: [[Tapered; 64]; 6] = [
    PAWN.with_material(tapered(82, 110)),
    KNIGHT.with_material(tapered(329, 298)),
    BISHOP.with_material(tapered(347, 315)),
    ROOK.with_material(tapered(475, 536)),
    QUEEN.with_material(tapered(960, 960)),
    KING.with_material(tapered(0, 0)),
];

/// Bonus for each square, as printed: White's side below, a8 first.
struct Tables {
    middlegame: [i32; 64],
    endgame: [i32; 64],
}

impl Tables {
    const fn with_material(&self, material: Tapered) -> [Tapered; 64] {
        let mut values = [tapered(0, 0); 64];
        let mut square = 0;
        while square < 64 {
            let printed = square ^ 56;
            values[square] = tapered(
                material.middlegame + self.middlegame[printed],
                material.endgame + self.endgame[printed],
            );
            square += 1;
        }
        values
    }
}

#[rustfmt::skip]
const PAWN: Tables = Tables {
    middlegame: [
           0,    0,    0,    0,    0,    0,    0,    0,
          40,   40,   37,   38,   38,   37,   38,   36,
          25,   29,   33,   29,   28,   22,   29,   21,
           0,   27,   25,   23,   17,   16,    3,    0,
         -13,   11,    6,   20,   21,   16,   -2,   -8,
          16,   12,   -1,    2,    5,   -5,   11,   -4,
          -9,    8,   -5,  -13,   -3,   23,   13,   -8,
           0,    0,    0,    0,    0,    0,    0,    0,
    ],
    endgame: [
           0,    0,    0,    0,    0,    0,    0,    0,
         108,  105,  102,  105,  102,  103,  106,   94,
          72,   78,   69,   68,   73,   63,   68,   56,
          30,   51,   33,   26,   25,   37,   33,   29,
          20,   19,   -3,    3,   14,    8,   12,   18,
          15,   17,    9,    3,   10,    2,    4,   10,
          12,   14,   10,    3,    2,   14,   13,   -3,
           0,    0,    0,    0,    0,    0,    0,    0,
    ],
};

#[rustfmt::skip]
const KNIGHT: Tables = Tables {
    middlegame: [
         -27,  -15,   -4,    7,    7,   -4,  -15,  -27,
         -16,   -5,    7,   16,   17,    6,   -6,  -17,
          -8,    3,   13,   27,   25,   14,    9,   -8,
          -1,   15,   18,   32,   41,   25,   10,    2,
          -7,    8,   26,   29,   26,   26,   11,   -5,
         -25,    0,   13,   17,   21,    7,  -10,   -4,
         -29,  -15,  -12,   -1,  -10,    6,  -16,  -27,
         -40,  -22,  -17,   -9,  -11,  -20,  -35,  -41,
    ],
    endgame: [
         -27,  -18,  -10,    0,   -1,   -9,  -18,  -28,
         -18,   -8,    2,    9,   10,    2,   -9,  -18,
          -9,    1,   10,   18,   16,    6,    2,   -8,
           0,    6,   17,   26,   35,   13,    9,    0,
           0,    9,   22,   22,   22,   17,    8,   -1,
         -12,   -1,   14,   17,   12,    4,   -2,   -7,
         -19,  -11,   -3,    0,    5,    2,  -10,  -18,
         -26,  -20,   -9,   -2,   -2,  -10,  -20,  -27,
    ],
};

#[rustfmt::skip]
const BISHOP: Tables = Tables {
    middlegame: [
         -11,   -7,   -3,    1,    1,   -3,   -8,  -10,
          -7,   -3,   -1,    4,    5,   -1,   -3,   -7,
          -3,    2,    7,   12,   13,    8,    1,    3,
           2,   -4,   11,   20,   16,    9,    4,    2,
          -4,    2,    4,   17,   23,   11,    8,    5,
          -8,   -2,   15,    0,   12,    4,    6,   -4,
          -8,    7,   -1,    8,   -2,    2,   12,   -8,
         -19,  -16,  -18,   -8,   -8,  -18,  -15,  -19,
    ],
    endgame: [
         -11,   -7,   -3,    1,    0,   -3,   -8,  -11,
          -8,   -5,    1,    3,    5,   -3,   -3,   -8,
          -3,    0,    5,   12,   11,    5,   -4,   -4,
           1,    0,   11,   15,   15,    5,   10,    1,
           0,    5,    7,   17,   11,   14,    6,    0,
          -5,   -1,    7,   10,   11,    6,   -1,   -7,
         -10,   -7,   -3,    4,    6,    0,   -2,   -7,
         -13,   -9,  -10,   -3,   -3,  -12,   -9,  -11,
    ],
};

#[rustfmt::skip]
const ROOK: Tables = Tables {
    middlegame: [
          -3,   -3,   -1,    4,    4,   -1,   -3,   -8,
          15,   19,   21,   24,   21,   20,   17,   12,
          -4,   -3,    2,    4,    5,    1,   -2,   -5,
          -4,    1,    0,    5,    4,    1,   -4,   -6,
          -4,   -1,    1,    3,    2,   -3,   -2,   -9,
         -18,   -1,   -1,    3,   -6,   -4,   -7,  -14,
         -12,   -4,   -5,    4,   -4,    2,   -4,   -7,
         -16,   -6,   -3,    6,    5,    9,  -11,  -31,
    ],
    endgame: [
          12,    8,    6,   11,   11,    7,    8,    7,
           8,    7,    3,    8,    4,    5,    5,    5,
           7,    2,    4,    6,    4,    6,    6,    5,
           7,    7,    2,    3,    4,    5,    3,    2,
           1,    4,    0,    0,   -1,    1,    1,   -3,
          -3,   -3,   -4,   -3,   -3,   -3,   -5,  -11,
         -11,   -8,  -10,   -3,   -9,   -3,   -8,   -6,
         -13,  -14,   -7,   -4,   -7,   -5,  -10,  -17,
    ],
};

#[rustfmt::skip]
const QUEEN: Tables = Tables {
    middlegame: [
          -5,   -5,   -4,   -4,   -5,   -5,   -5,   -6,
          -5,   -1,   -1,   -1,   -1,   -1,   -2,   -2,
          -6,    1,    0,    4,    3,    3,    1,   -1,
          -4,   -1,    4,    7,    4,    5,   -2,   -2,
          -4,    3,    5,    4,    5,    2,   -2,   -4,
          -2,   -7,    1,    1,   10,    4,    7,    0,
           0,   -2,   -1,    5,    5,    3,    2,   -1,
           2,    0,   -4,   -2,    8,    5,    0,    2,
    ],
    endgame: [
         -20,  -12,   -4,    4,    4,   -4,  -12,  -21,
         -14,   -5,    3,   11,   11,    3,   -5,  -13,
          -7,    2,   10,   19,   18,   11,    3,   -5,
           0,    9,   17,   26,   25,   17,    9,    1,
          -1,    8,   16,   22,   23,   15,    8,   -1,
         -10,   -3,    6,   11,   17,    6,   -1,  -10,
         -19,  -12,   -3,    5,    6,   -2,  -11,  -18,
         -29,  -20,  -12,   -3,   -3,  -12,  -20,  -27,
    ],
};

#[rustfmt::skip]
const KING: Tables = Tables {
    middlegame: [
         -62,  -67,  -72,  -77,  -77,  -72,  -67,  -62,
         -47,  -52,  -57,  -62,  -62,  -57,  -52,  -47,
         -32,  -37,  -42,  -47,  -47,  -42,  -37,  -32,
         -17,  -21,  -28,  -35,  -35,  -27,  -21,  -17,
          -2,   -7,  -13,  -20,  -18,  -12,   -6,   -2,
          13,    6,    2,   -3,   -4,    2,    9,   13,
          50,   40,   22,   12,   13,   24,   36,   44,
          73,   50,   37,   15,   42,   33,   51,   71,
    ],
    endgame: [
         -45,  -31,  -17,   -2,   -2,  -17,  -31,  -44,
         -31,  -17,   -2,   12,   12,   -2,  -16,  -31,
         -16,   -1,   13,   25,   25,   11,   -1,  -16,
          -3,   14,   24,   26,   22,   25,   16,   -1,
          -3,   10,   23,   28,   33,   26,   14,    0,
         -16,   -5,    8,   23,   23,   13,   -3,  -15,
         -29,  -12,   -6,    8,   10,    0,   -8,  -27,
         -41,  -34,  -18,   -9,   -7,  -18,  -26,  -32,
    ],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::position::START_FEN;

    fn eval(fen: &str) -> i32 {
        evaluate(&Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))).0
    }

    /// The same position with colours changed: ranks reversed, letters' case swapped.
    fn mirrored(fen: &str) -> String {
        let fields: Vec<&str> = fen.split(' ').collect();
        let swap_case = |text: &str| -> String {
            let swap = |c: char| match c.is_ascii_uppercase() {
                true => c.to_ascii_lowercase(),
                false => c.to_ascii_uppercase(),
            };
            text.chars().map(swap).collect()
        };
        let ranks: Vec<String> = fields[0].split('/').rev().map(swap_case).collect();
        let side = if fields[1] == "w" { "b" } else { "w" };
        format!("{} {side} - - 0 1", ranks.join("/"))
    }

    #[test]
    fn a_mirrored_position_evaluates_to_exactly_the_same_for_its_mover() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut seen = 0;
        for game in 0..60 {
            let mut position = Position::chess960_start(random.u16(..960));
            for _ in 0..120 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.play(moves[random.usize(..moves.len())]);
                let fen = position.fen();
                assert_eq!(eval(&mirrored(&fen)), evaluate(&position).0, "game {game}: {fen}");
                seen += 1;
            }
        }
        assert!(seen > 3000, "{seen} positions");
    }

    #[test]
    fn passing_the_move_turns_the_sign() {
        for fen in ["8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 w - - 0 1", "8/8/8/3k4/8/3K4/3Q4/8 w - - 0 1"] {
            assert_eq!(eval(fen), -eval(&fen.replace(" w ", " b ")), "{fen}");
        }
    }

    #[test]
    fn the_start_is_near_even_and_a_queen_is_worth_about_nine_pawns() {
        assert!(eval(START_FEN).abs() <= 30, "{}", eval(START_FEN));
        let queen_up = eval("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert!((800..=1050).contains(&queen_up), "{queen_up}");
    }

    #[test]
    fn better_squares_are_worth_more() {
        for (worse, better, why) in [
            ("4k3/8/8/8/8/8/8/N3K3 w - -", "4k3/8/8/8/3N4/8/8/4K3 w - -", "a knight in the centre"),
            ("4k3/8/8/8/8/N7/PPPPPPPP/4K3 w - -", "4k3/8/8/8/8/5N2/PPPPPPPP/4K3 w - -", "Nf3 before Na3"),
            ("4k3/8/8/8/8/4P3/8/4K3 w - -", "4k3/8/4P3/8/8/8/8/4K3 w - -", "an advanced pawn"),
            ("4k3/4p3/8/8/8/8/8/4K3 b - -", "4k3/8/8/8/8/4p3/8/4K3 b - -", "an advanced black pawn"),
            (
                "rnbqkbnr/pppppppp/8/8/7P/8/PPPPPPP1/RNBQKBNR w KQkq -",
                "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -",
                "e4 before h4",
            ),
            (
                "rnbq1rk1/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1K1R w - -",
                "rnbq1rk1/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1RK1 w - -",
                "a castled king",
            ),
            ("8/8/8/3k4/8/8/4Q3/3K4 w - -", "3k4/8/8/8/8/8/4Q3/3K4 w - -", "a bare king at the edge"),
            (
                "k7/8/2K5/8/3BN3/8/8/8 w - -",
                "7k/8/5K2/8/3BN3/8/8/8 w - -",
                "the corner of the bishop's colour",
            ),
        ] {
            assert!(
                eval(worse) < eval(better),
                "{why}: {} in {worse}, {} in {better}",
                eval(worse),
                eval(better)
            );
        }
    }
}
