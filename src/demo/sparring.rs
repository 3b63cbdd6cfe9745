//! Our own engine, held back so that it can be beaten.

use crate::engine::{Caller, Engine, EngineOptions, Limits, Position, SearchReport};
use crate::practice::{Opponent, OpponentAction};

/// What it may look at for one move.
const NODES: u64 = 1_000;

/// An opponent that thinks with [`Engine`], for a moment only.
pub struct SparringEngine {
    engine: Engine,
}

impl SparringEngine {
    pub fn new() -> SparringEngine {
        let options = EngineOptions { hash_mb: 1, ..EngineOptions::default() };
        SparringEngine { engine: Engine::new(&options) }
    }
}

impl Opponent for SparringEngine {
    fn next(&mut self, position: &Position) -> OpponentAction {
        let limits = Limits { nodes: Some(NODES), ..Limits::default() };
        OpponentAction::Move(self.engine.search(position, &limits, &Patient).best_move())
    }
}

/// Never in a hurry and not curious: the node cap ends the search.
struct Patient;

impl Caller for Patient {
    fn should_stop(&self) -> bool {
        false
    }

    fn report(&self, _report: &SearchReport) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_plays_legal_moves_and_sees_a_mate_in_one() {
        let start = Position::default();
        let OpponentAction::Move(mv) = SparringEngine::new().next(&start) else { panic!("it moves") };
        assert!(start.is_legal(mv), "{mv}");
        let mate = Position::from_fen("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").expect("legal");
        let OpponentAction::Move(mv) = SparringEngine::new().next(&mate) else { panic!("it moves") };
        assert_eq!(mv.to_string(), "a1a8");
    }
}
