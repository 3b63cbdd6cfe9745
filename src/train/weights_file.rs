//! The weights as the source file that the engine compiles.

use super::samples::Pair;
use crate::engine::classical::TERMS;
use std::fmt::Write;

/// The text of `src/engine/classical/weights.rs`. `origin` says where the weights come from: each of its
/// lines becomes a line of the file's comment.
pub fn source(weights: &[Pair], origin: &str) -> String {
    let origin: String =
        origin.lines().map(|line| format!("//! {line}").trim_end().to_string() + "\n").collect();
    let mut text = HEAD.replace("//! ORIGIN\n", &origin);
    for term in TERMS {
        let _ = writeln!(text, "    // {}", term.name);
        for line in weights[term.weights()].chunks(8) {
            let pair = |pair: &Pair| format!("({:.0}, {:.0}),", pair[0].round() + 0.0, pair[1].round() + 0.0);
            let line: Vec<String> = line.iter().map(pair).collect();
            let _ = writeln!(text, "    {}", line.join(" "));
        }
    }
    text + "];\n"
}

const HEAD: &str = "\
//! Weights of the classical evaluation, in centipawns: (middlegame, endgame), in the order of the terms.
//!
//! The squares begin with a1 and end with h8, as the side whose man it is sees the board; other runs go
//! by rank, count or kind of man as the terms say. `tabiya tune` writes this file.
//!
//! ORIGIN

use super::tapered::Tapered;
use super::terms::WEIGHT_COUNT;

/// One weight for each index of the terms.
pub static WEIGHTS: [Tapered; WEIGHT_COUNT] = {
    let mut weights = [Tapered::ZERO; WEIGHT_COUNT];
    let mut i = 0;
    while i < WEIGHT_COUNT {
        weights[i] = Tapered::new(PAIRS[i].0, PAIRS[i].1);
        i += 1;
    }
    weights
};

#[rustfmt::skip]
const PAIRS: [(i32, i32); WEIGHT_COUNT] = [
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::fit::compiled;

    #[test]
    fn the_engine_was_compiled_from_such_a_file() {
        let here = include_str!("../engine/classical/weights.rs");
        let marker = "writes this file.\n//!\n";
        let origin: Vec<&str> = here[here.find(marker).expect("the comment") + marker.len()..]
            .lines()
            .take_while(|line| line.starts_with("//!"))
            .map(|line| line.trim_start_matches("//!").trim_start())
            .collect();
        assert!(!origin.is_empty());
        assert_eq!(source(&compiled(), &origin.join("\n")), here);
    }
}
