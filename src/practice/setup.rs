//! What a game is like before its first move: players, variant, clock, start position.

use super::opponent::Opponent;
use crate::engine::position::START_FEN;
use crate::engine::{Color, FenError, Position};
use std::time::Duration;

/// Who sits at the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerInfo {
    pub name: String,
    /// `GM`, `BOT`, …
    pub title: Option<String>,
    pub rating: u32,
}

impl PlayerInfo {
    pub fn human(name: &str, rating: u32) -> PlayerInfo {
        PlayerInfo { name: name.to_string(), title: None, rating }
    }

    pub fn bot(name: &str, rating: u32) -> PlayerInfo {
        PlayerInfo { name: name.to_string(), title: Some("BOT".to_string()), rating }
    }

    /// The identity on the server: the name in lower case.
    pub fn id(&self) -> String {
        self.name.to_lowercase()
    }

    /// The name with the title in front, as `gameStart` has it.
    pub fn titled_name(&self) -> String {
        match &self.title {
            Some(title) => format!("{title} {}", self.name),
            None => self.name.clone(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    Standard,
    Chess960,
    FromPosition,
}

impl Variant {
    pub fn key(self) -> &'static str {
        match self {
            Variant::Standard => "standard",
            Variant::Chess960 => "chess960",
            Variant::FromPosition => "fromPosition",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Variant::Standard => "Standard",
            Variant::Chess960 => "Chess960",
            Variant::FromPosition => "From Position",
        }
    }

    pub fn short_name(self) -> &'static str {
        match self {
            Variant::Standard => "Std",
            Variant::Chess960 => "960",
            Variant::FromPosition => "FEN",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    Clock {
        initial: Duration,
        increment: Duration,
    },
    /// Days for each move.
    Correspondence {
        days: u32,
    },
    Unlimited,
}

impl TimeControl {
    /// Both in seconds.
    pub fn clock(initial: u64, increment: u64) -> TimeControl {
        TimeControl::Clock {
            initial: Duration::from_secs(initial),
            increment: Duration::from_secs(increment),
        }
    }

    /// The server's name for the pace, from the time a player is expected to use in 40 moves.
    pub fn speed(&self) -> &'static str {
        let TimeControl::Clock { initial, increment } = *self else { return "correspondence" };
        match (initial + 40 * increment).as_secs() {
            0..30 => "ultraBullet",
            30..180 => "bullet",
            180..480 => "blitz",
            480..1_500 => "rapid",
            1_500..21_600 => "classical",
            _ => "correspondence",
        }
    }

    pub fn increment(&self) -> Duration {
        match *self {
            TimeControl::Clock { increment, .. } => increment,
            _ => Duration::ZERO,
        }
    }

    pub fn is_clock(&self) -> bool {
        matches!(self, TimeControl::Clock { .. })
    }
}

/// A game as an opponent asks for it.
pub struct ChallengeRequest {
    pub opponent: PlayerInfo,
    /// Who decides on the opponent's moves.
    pub play: Box<dyn Opponent>,
    pub time_control: TimeControl,
    pub variant: Variant,
    /// A start position; turns `Standard` into `FromPosition`.
    pub fen: Option<String>,
    /// The colour that the opponent wants; `None` for either.
    pub color: Option<Color>,
    pub rated: bool,
    /// `noAbort`, `noEarlyDraw`, …
    pub rules: Vec<String>,
    /// The finished game that this is a rematch of.
    pub rematch_of: Option<String>,
    /// The server ends the game when a first move takes longer; direct challenges have no such limit.
    pub first_move: Option<Duration>,
}

impl ChallengeRequest {
    /// A casual standard game at 3+2 with colours by lot; the fields are there to be changed.
    pub fn new(opponent: PlayerInfo, play: impl Opponent + 'static) -> ChallengeRequest {
        ChallengeRequest {
            opponent,
            play: Box::new(play),
            time_control: TimeControl::clock(180, 2),
            variant: Variant::Standard,
            fen: None,
            color: None,
            rated: false,
            rules: Vec::new(),
            rematch_of: None,
            first_move: None,
        }
    }
}

/// Where a game starts: what the variant really is, the position, and how the server names it.
#[derive(Clone, Debug)]
pub struct Start {
    pub variant: Variant,
    pub position: Position,
    /// `startpos` or a FEN; Chess960 always gives the FEN.
    pub initial_fen: String,
}

impl Start {
    pub fn of(variant: Variant, fen: Option<&str>, rng: &mut fastrand::Rng) -> Result<Start, FenError> {
        if variant == Variant::Chess960 {
            let position = match fen {
                Some(fen) => Position::from_fen(fen)?,
                None => Position::chess960_start(rng.u16(0..960)),
            };
            let initial_fen = position.fen();
            return Ok(Start { variant, position, initial_fen });
        }
        let position = Position::from_fen(fen.unwrap_or(START_FEN))?;
        match position.fen() {
            fen if fen == START_FEN => {
                Ok(Start { variant: Variant::Standard, position, initial_fen: "startpos".to_string() })
            }
            initial_fen => Ok(Start { variant: Variant::FromPosition, position, initial_fen }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_follow_the_estimate_for_forty_moves() {
        for (initial, increment, speed) in [
            (15, 0, "ultraBullet"),
            (30, 0, "bullet"),
            (0, 1, "bullet"),
            (179, 0, "bullet"),
            (180, 0, "blitz"),
            (180, 2, "blitz"),
            (480, 0, "rapid"),
            (1_500, 0, "classical"),
        ] {
            assert_eq!(TimeControl::clock(initial, increment).speed(), speed, "{initial}+{increment}");
        }
    }

    #[test]
    fn start_positions_carry_the_name_that_the_server_gives_them() {
        let mut rng = fastrand::Rng::with_seed(1);
        let black_to_move = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        for (variant, fen, expected, initial_fen) in [
            (Variant::Standard, None, Variant::Standard, "startpos"),
            (Variant::FromPosition, Some(START_FEN), Variant::Standard, "startpos"),
            (Variant::Standard, Some(black_to_move), Variant::FromPosition, black_to_move),
            (Variant::Chess960, Some(START_FEN), Variant::Chess960, START_FEN),
        ] {
            let start = Start::of(variant, fen, &mut rng).expect("a legal start");
            assert_eq!(start.variant, expected, "{variant:?} {fen:?}");
            assert_eq!(start.initial_fen, initial_fen, "{variant:?} {fen:?}");
        }
        assert!(Start::of(Variant::FromPosition, Some("nonsense"), &mut rng).is_err());
    }
}
