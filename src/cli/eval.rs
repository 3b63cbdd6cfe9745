//! `tabiya eval FEN`: what each term of the evaluation says about a position.

use super::{exit, fail};
use crate::engine::classical::{Breakdown, FULL_PHASE, FULL_SCALE, Tapered};
use crate::engine::position::START_FEN;
use crate::engine::{Color, Position};
use clap::Args;
use std::fmt::Write;
use std::process::ExitCode;

/// Print what each term of the evaluation says about a position.
#[derive(Args, Clone, Debug)]
pub struct EvalArguments {
    /// The position, in quotes or without; the start position if not given
    #[arg(value_name = "FEN")]
    pub fen: Vec<String>,
}

/// Exit status 0, or 2 if the FEN is not one.
pub fn run(arguments: &EvalArguments) -> ExitCode {
    let fen = match arguments.fen.as_slice() {
        [] => START_FEN.to_string(),
        parts => parts.join(" "),
    };
    match Position::from_fen(&fen) {
        Ok(position) => {
            print!("{}", table(&position));
            ExitCode::SUCCESS
        }
        Err(reason) => fail(exit::CONFIGURATION, format!("tabiya eval: {fen:?}: {reason}")),
    }
}

/// Width of the column of names.
const NAME: usize = 30;

/// The table of terms in centipawns, and the sums below it.
fn table(position: &Position) -> String {
    let breakdown = Breakdown::of(position);
    let taper = |value: Tapered| {
        (value.middlegame() * breakdown.phase + value.endgame() * (FULL_PHASE - breakdown.phase)) / FULL_PHASE
    };
    let cells = |value: Tapered| format!("{:>7} {:>6}", value.middlegame(), value.endgame());
    let mut text = format!("{:NAME$} {:^14} {:^14} {:^22}\n", "", "White", "Black", "White - Black");
    let column = "     mg     eg";
    let _ = writeln!(text, "{:NAME$} {column} {column} {column} {:>7}", "", "tapered");
    for row in breakdown.rows() {
        let difference = row.white - row.black;
        let [white, black, net] = [row.white, row.black, difference].map(cells);
        let _ = writeln!(text, "{:NAME$} {white} {black} {net} {:>7}", row.term.name, taper(difference));
    }
    let _ = writeln!(
        text,
        "{:NAME$} {:29} {} {:>7}",
        "sum",
        "",
        cells(breakdown.balance),
        taper(breakdown.balance)
    );
    let score = f64::from(breakdown.score) / 100.0;
    let mover = if position.side_to_move() == Color::White { "White" } else { "Black" };
    let own = if position.side_to_move() == Color::White { score } else { -score };
    let _ = writeln!(
        text,
        "\nphase {} of {FULL_PHASE}, endgame counts {} of {FULL_SCALE}",
        breakdown.phase, breakdown.scale
    );
    let _ = writeln!(text, "total {score:+.2} for White, {own:+.2} for the side to move ({mover})");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::classical::TERMS;

    #[test]
    fn the_table_has_a_line_for_every_term_and_ends_with_the_total() {
        let position = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1").expect("a FEN");
        let table = table(&position);
        for term in TERMS {
            assert!(table.lines().any(|line| line.starts_with(term.name)), "{} in\n{table}", term.name);
        }
        let own = crate::engine::evaluate(&position).0;
        let wanted = format!("{:+.2} for the side to move (Black)", f64::from(own) / 100.0);
        assert!(own < 0 && table.trim_end().ends_with(&wanted), "{wanted} in\n{table}");
        assert!(table.is_ascii() && table.lines().all(|line| line.len() <= 100), "{table}");
    }
}
