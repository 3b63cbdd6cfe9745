//! The JSON of one game, written field by field as the server sends it.

use super::game::Game;
use super::setup::{PlayerInfo, TimeControl, Variant};
use crate::engine::{Color, Move};
use serde_json::{Value, json};
use tokio::time::Instant;

pub fn color_name(color: Color) -> &'static str {
    if color == Color::White { "white" } else { "black" }
}

/// `gameState`: the complete state, never a difference.
pub fn state(game: &Game, now: Instant) -> Value {
    let increment = game.clock.increment_millis();
    let mut line = json!({
        "type": "gameState",
        "moves": game.uci_moves().join(" "),
        "wtime": game.clock.millis(Color::White, now),
        "btime": game.clock.millis(Color::Black, now),
        "winc": increment,
        "binc": increment,
        "status": game.status().name(),
    });
    let [white, black] = &game.offers;
    let standing = [
        ("wdraw", white.draw),
        ("bdraw", black.draw),
        ("wtakeback", white.takeback.is_some()),
        ("btakeback", black.takeback.is_some()),
    ];
    for (key, _) in standing.into_iter().filter(|&(_, stands)| stands) {
        line[key] = json!(true);
    }
    if let Some(winner) = game.winner() {
        line["winner"] = json!(color_name(winner));
    }
    if let Some((waited, limit)) = game.first_move_wait(now) {
        line["expiration"] =
            json!({"idleMillis": waited.as_millis() as u64, "millisToMove": limit.as_millis() as u64});
    }
    line
}

/// `gameFull`: the first line of a game's stream.
pub fn full(game: &Game, now: Instant) -> Value {
    let setup = &game.setup;
    let mut line = json!({
        "id": setup.id,
        "variant": variant(setup.start.variant),
        "speed": setup.time_control.speed(),
        "perf": {"name": perf_name(setup.start.variant, setup.time_control)},
        "rated": setup.rated,
        "createdAt": game.created_at,
        "white": player(game.player(Color::White)),
        "black": player(game.player(Color::Black)),
        "initialFen": setup.start.initial_fen,
        "type": "gameFull",
        "state": state(game, now),
    });
    match setup.time_control {
        TimeControl::Clock { initial, increment } => {
            line["clock"] =
                json!({"initial": initial.as_millis() as u64, "increment": increment.as_millis() as u64});
        }
        TimeControl::Correspondence { days } => line["daysPerTurn"] = json!(days),
        TimeControl::Unlimited => (),
    }
    line
}

/// `gameStart` and `gameFinish`, as the bot sees its game.
pub fn event(kind: &str, game: &Game, now: Instant) -> Value {
    let mut info = info(game, now);
    let is_playable = game.setup.time_control.speed() != "ultraBullet";
    info["compat"] = json!({"bot": is_playable, "board": is_playable});
    info["id"] = json!(game.setup.id);
    json!({"type": kind, "game": info})
}

/// What `gameStart` and the list of running games have in common. Here `perf` is a string and
/// `status` an object; in `gameFull` it is the other way round.
pub fn info(game: &Game, now: Instant) -> Value {
    let setup = &game.setup;
    let opponent = game.player(game.opponent());
    let mut info = json!({
        "fullId": format!("{}{}", setup.id, if setup.bot == Color::White { "whit" } else { "blac" }),
        "gameId": setup.id,
        "fen": game.position().fen(),
        "color": color_name(setup.bot),
        "lastMove": game.moves().last().map_or(String::new(), squares_of),
        "source": "friend",
        "status": {"id": game.status().id(), "name": game.status().name()},
        "variant": {"key": setup.start.variant.key(), "name": setup.start.variant.name()},
        "speed": setup.time_control.speed(),
        "perf": perf_key(setup.start.variant, setup.time_control),
        "rated": setup.rated,
        "hasMoved": game.has_moved(setup.bot),
        "opponent": {"id": opponent.id(), "username": opponent.titled_name(), "rating": opponent.rating},
        "isMyTurn": game.is_turn_of(setup.bot),
        "rating": game.player(setup.bot).rating,
    });
    if let Some(left) = game.clock.left(setup.bot, now) {
        info["secondsLeft"] = json!(left.as_secs());
    }
    if let Some(winner) = game.winner() {
        info["winner"] = json!(color_name(winner));
    }
    info
}

/// `variant` of `gameFull` and challenges.
pub fn variant(variant: Variant) -> Value {
    json!({"key": variant.key(), "name": variant.name(), "short": variant.short_name()})
}

/// The key of the rating that counts: the variant's own, else the speed's.
pub fn perf_key(variant: Variant, time_control: TimeControl) -> &'static str {
    match variant {
        Variant::Chess960 => "chess960",
        _ => time_control.speed(),
    }
}

pub fn perf_name(variant: Variant, time_control: TimeControl) -> &'static str {
    match perf_key(variant, time_control) {
        "chess960" => "Chess960",
        "ultraBullet" => "UltraBullet",
        "bullet" => "Bullet",
        "blitz" => "Blitz",
        "rapid" => "Rapid",
        "classical" => "Classical",
        _ => "Correspondence",
    }
}

/// A player of `gameFull`; without title it says so.
fn player(player: &PlayerInfo) -> Value {
    json!({"id": player.id(), "name": player.name, "title": player.title, "rating": player.rating})
}

/// `lastMove` has the two squares and no promotion.
fn squares_of(mv: &Move) -> String {
    format!("{}{}", mv.from(), mv.to())
}
