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
    // A move that was thought of when an offer came in; the offer is answered first.
    let mut held: Option<(u64, Answer)> = None;
    loop {
        let next = shared.until(|lobby| next_step(lobby.game(&id)?, &asked, held.is_some())).await;
        let (turn, answer) = match next {
            Step::Leave => return,
            Step::Follow => held.take().expect("it is followed only when held"),
            Step::Ask(question) => {
                asked.retain(|&(_, earlier)| earlier == question.turn);
                asked.push((question.ask, question.turn));
                match think(opponent, &question).await {
                    Ok((same, answer)) => {
                        opponent = same;
                        (question.turn, answer)
                    }
                    Err(broken) => return shared.change(|lobby| lobby.note(broken_script(&id, broken))),
                }
            }
        };
        shared.change(|lobby| {
            let outcome = lobby.change(&id, |game| {
                if game.turn() != turn {
                    Ok(())
                } else if matches!(answer, Answer::Act(_)) && open_offer(game, &asked).is_some() {
                    held = Some((turn, answer));
                    Ok(())
                } else {
                    follow(game, answer, Instant::now())
                }
            });
            if let Ok(Err(refusal)) = outcome {
                lobby.note(broken_script(&id, format!("{refusal:?}")));
            }
        });
    }
}

/// Asks the opponent on a thread where it may take its time.
async fn think(
    mut opponent: Box<dyn Opponent>,
    question: &Question,
) -> Result<(Box<dyn Opponent>, Answer), String> {
    let (ask, position) = (question.ask, question.position.clone());
    let thinking = tokio::task::spawn_blocking(move || {
        let answer = answer(opponent.as_mut(), ask, &position);
        (opponent, answer)
    });
    thinking.await.map_err(|broken| broken.to_string())
}

fn broken_script(id: &str, detail: String) -> Violation {
    Violation::new(ViolationKind::BrokenScript, id, detail)
}

/// What the driver does next.
enum Step {
    Ask(Question),
    /// The held answer's time has come.
    Follow,
    /// The game is over.
    Leave,
}

/// Nothing yet while the other side is to decide.
fn next_step(game: &Game, asked: &[(Ask, u64)], holds_answer: bool) -> Option<Step> {
    if game.is_over() {
        return Some(Step::Leave);
    }
    let turn = game.turn();
    let waits_for_answer = game.offers[game.opponent().to_index()].takeback.is_some();
    let may_move = game.is_turn_of(game.opponent()) && !waits_for_answer;
    let question = |ask| Step::Ask(Question { ask, turn, position: game.position().clone() });
    match open_offer(game, asked) {
        Some(ask) => Some(question(ask)),
        None if holds_answer => Some(Step::Follow),
        None => (may_move && !asked.contains(&(Ask::Move, turn))).then(|| question(Ask::Move)),
    }
}

/// An offer of the bot's that the opponent has not been asked about.
fn open_offer(game: &Game, asked: &[(Ask, u64)]) -> Option<Ask> {
    let bot = &game.offers[game.setup.bot.to_index()];
    let offers = [(Ask::Draw, bot.draw), (Ask::Takeback, bot.takeback.is_some())];
    let open = |&(ask, stands): &(Ask, bool)| stands && !asked.contains(&(ask, game.turn()));
    offers.into_iter().find(open).map(|(ask, _)| ask)
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
