//! Asks an opponent what to do, off the async threads, and does it in the game.

use super::audit::{Violation, ViolationKind};
use super::game::{Game, MoveRefusal, Room};
use super::opponent::{Opponent, OpponentAction};
use super::shared::Shared;
use crate::engine::Position;
use std::sync::Arc;
use tokio::time::Instant;

/// What an opponent has to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Draw,
    Takeback,
    Move,
}

struct Question {
    ask: Ask,
    /// The turn of the game that the question belongs to; a later one makes it void.
    turn: u64,
    position: Position,
}

/// Plays one side of a game until its end.
pub async fn drive(shared: Arc<Shared>, id: String, mut opponent: Box<dyn Opponent>) {
    let mut asked = Vec::new();
    loop {
        let next = shared.until(|lobby| next_question(lobby.game(&id)?, &asked)).await;
        let Some(Question { ask, turn, position }) = next else { return };
        asked.retain(|&(_, earlier)| earlier == turn);
        asked.push((ask, turn));
        let thinking = tokio::task::spawn_blocking(move || {
            let action = answer(opponent.as_mut(), ask, &position);
            (opponent, action)
        });
        let action = match thinking.await {
            Ok((same, action)) => {
                opponent = same;
                action
            }
            Err(broken) => {
                let violation = Violation::new(ViolationKind::BrokenScript, &id, broken.to_string());
                return shared.change(|lobby| lobby.note(violation));
            }
        };
        shared.change(|lobby| {
            let outcome = lobby.change(&id, |game| {
                if game.turn() == turn { follow(game, action, Instant::now()) } else { Ok(()) }
            });
            if let Ok(Err(refusal)) = outcome {
                let detail = format!("{refusal:?}");
                lobby.note(Violation::new(ViolationKind::BrokenScript, &id, detail));
            }
        });
    }
}

/// What to ask now; `None` at the end of the game, nothing yet while the other side is to decide.
fn next_question(game: &Game, asked: &[(Ask, u64)]) -> Option<Option<Question>> {
    if game.is_over() {
        return Some(None);
    }
    let bot = &game.offers[game.setup.bot.to_index()];
    let waits_for_answer = game.offers[game.opponent().to_index()].takeback.is_some();
    let is_open = |ask: Ask| match ask {
        Ask::Draw => bot.draw,
        Ask::Takeback => bot.takeback.is_some(),
        Ask::Move => game.is_turn_of(game.opponent()) && !waits_for_answer,
    };
    let turn = game.turn();
    let mut questions = [Ask::Draw, Ask::Takeback, Ask::Move].into_iter();
    let ask = questions.find(|&ask| is_open(ask) && !asked.contains(&(ask, turn)))?;
    Some(Some(Question { ask, turn, position: game.position().clone() }))
}

/// What the opponent makes of a question.
enum Answer {
    Draw(bool),
    Takeback(bool),
    Act(OpponentAction),
    LeaveStanding,
}

fn answer(opponent: &mut dyn Opponent, ask: Ask, position: &Position) -> Answer {
    match ask {
        Ask::Move => Answer::Act(opponent.next(position)),
        Ask::Draw => opponent.answer_draw(position).map_or(Answer::LeaveStanding, Answer::Draw),
        Ask::Takeback => opponent.answer_takeback(position).map_or(Answer::LeaveStanding, Answer::Takeback),
    }
}

fn follow(game: &mut Game, answer: Answer, now: Instant) -> Result<(), MoveRefusal> {
    let me = game.opponent();
    let action = match answer {
        Answer::LeaveStanding => return Ok(()),
        Answer::Draw(yes) => {
            game.answer_draw(me, yes, now);
            return Ok(());
        }
        Answer::Takeback(yes) => {
            game.answer_takeback(me, yes, now);
            return Ok(());
        }
        Answer::Act(action) => action,
    };
    let turn = game.turn();
    let is_final = matches!(action, OpponentAction::Silence | OpponentAction::Leave);
    act(game, action, now)?;
    // After a word or an offer the opponent still has to move.
    if !is_final && game.turn() == turn {
        game.new_turn();
    }
    Ok(())
}

/// Does something as the opponent, whoever's turn it is. What the rules do not allow has no effect,
/// as on the server; only a move is refused.
pub fn act(game: &mut Game, action: OpponentAction, now: Instant) -> Result<(), MoveRefusal> {
    let me = game.opponent();
    match action {
        OpponentAction::Move(mv) => game.play(me, &mv.to_string(), None, now)?,
        OpponentAction::MoveOfferingDraw(mv) => game.play(me, &mv.to_string(), Some(true), now)?,
        OpponentAction::MoveThenProposeTakeback(mv) => {
            game.play(me, &mv.to_string(), None, now)?;
            game.answer_takeback(me, true, now);
        }
        OpponentAction::OfferDraw => game.answer_draw(me, true, now),
        OpponentAction::ProposeTakeback => game.answer_takeback(me, true, now),
        OpponentAction::WithdrawTakeback => game.answer_takeback(me, false, now),
        OpponentAction::Say(text) => {
            let name = game.player(me).name.clone();
            game.say(&name, Room::Player, &text);
        }
        // Out of time for it, the game simply goes on.
        OpponentAction::Resign => drop(game.resign(me, now)),
        OpponentAction::Abort => drop(game.abort(now)),
        OpponentAction::Leave => game.opponent_leaves(now),
        OpponentAction::Silence => (),
    }
    Ok(())
}
