//! Whether to take a challenge: pure decisions.

use crate::engine::{FenError, GameError, Position};
use crate::lichess::{Challenge, DeclineReason, Player, Side, TimeControl, UserId};
use serde::Deserialize;

/// Variants that this program plays.
pub const VARIANTS: [&str; 3] = ["standard", "chess960", "fromPosition"];
/// Speeds that can be accepted, as [`ChallengeOptions::speeds`] names them.
pub const SPEEDS: [&str; 6] = ["bullet", "blitz", "rapid", "classical", "correspondence", "unlimited"];

/// What to do with a challenge, before asking whether there is a free place for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Accept,
    Decline(DeclineReason),
}

/// Whether `challenge` is one that `options` welcome. Knows nothing of free places.
pub fn decide(challenge: &Challenge, options: &ChallengeOptions) -> Decision {
    match objection(challenge, options) {
        Some(reason) => Decision::Decline(reason),
        None => Decision::Accept,
    }
}

fn objection(challenge: &Challenge, options: &ChallengeOptions) -> Option<DeclineReason> {
    let Some(challenger) = &challenge.challenger else { return Some(DeclineReason::Generic) };
    objection_to_player(challenger, options)
        .or_else(|| objection_to_variant(challenge, options))
        .or_else(|| objection_to_mode(challenge, options))
        .or_else(|| objection_to_time(challenge, options))
}

/// Whether the lists of names let us play this user, or somebody without a name.
pub fn is_welcome(user: Option<&UserId>, options: &ChallengeOptions) -> bool {
    let is_named_in = |list: &[String]| {
        user.is_some_and(|id| list.iter().any(|name| name.eq_ignore_ascii_case(id.as_str())))
    };
    !is_named_in(&options.block) && (options.allow.is_empty() || is_named_in(&options.allow))
}

fn objection_to_player(player: &Player, options: &ChallengeOptions) -> Option<DeclineReason> {
    let rating = player.rating.unwrap_or(0);
    if !is_welcome(player.id.as_ref(), options) {
        Some(DeclineReason::Generic)
    } else if player.is_bot() && !options.accept_bots {
        Some(DeclineReason::NoBot)
    } else if !player.is_bot() && !options.accept_humans {
        Some(DeclineReason::OnlyBot)
    } else if rating < options.min_rating || rating > options.max_rating {
        Some(DeclineReason::Generic)
    } else {
        None
    }
}

fn objection_to_variant(challenge: &Challenge, options: &ChallengeOptions) -> Option<DeclineReason> {
    let variant = challenge.variant.as_str();
    let is_played = VARIANTS.contains(&variant) && options.variants.iter().any(|name| name == variant);
    let starts_well = challenge.initial_fen.as_deref().is_none_or(|fen| can_start_from(fen, challenge));
    (!is_played || !starts_well || challenge.bot_compatible == Some(false)).then_some(DeclineReason::Variant)
}

/// A start position that cannot be set up, or in which the game is over, cannot be played. With the
/// opponent to move it may be unsound: what matters is the position after that move.
fn can_start_from(fen: &str, challenge: &Challenge) -> bool {
    match Position::after(fen, "") {
        Ok(position) => position.outcome().is_none(),
        Err(GameError::Start { reason: FenError::OpponentInCheck, .. }) => {
            let white_moves = fen.split(' ').nth(1) == Some("w");
            let first = if white_moves { Side::White } else { Side::Black };
            challenge.challenger_side == Some(first)
        }
        Err(_) => false,
    }
}

fn objection_to_mode(challenge: &Challenge, options: &ChallengeOptions) -> Option<DeclineReason> {
    if challenge.rated && !options.accept_rated {
        Some(DeclineReason::Casual)
    } else if !challenge.rated && !options.accept_casual {
        Some(DeclineReason::Rated)
    } else if challenge.rules.iter().any(|rule| rule == "noAbort") {
        // Nobody could end such a game if the opponent never moved.
        Some(DeclineReason::Generic)
    } else {
        None
    }
}

fn objection_to_time(challenge: &Challenge, options: &ChallengeOptions) -> Option<DeclineReason> {
    let accepts_speed = |speed: &str| options.speeds.iter().any(|name| name == speed);
    match challenge.time_control {
        TimeControl::Clock { initial, increment } => {
            let (initial, increment) = (initial.as_secs(), increment.as_secs());
            if initial < options.min_initial.into() || increment < options.min_increment.into() {
                Some(DeclineReason::TooFast)
            } else if initial > options.max_initial.into() || increment > options.max_increment.into() {
                Some(DeclineReason::TooSlow)
            } else {
                (!accepts_speed(&challenge.speed)).then_some(DeclineReason::TimeControl)
            }
        }
        TimeControl::Correspondence { days_per_turn } if accepts_speed("correspondence") => {
            if days_per_turn < options.min_days {
                Some(DeclineReason::TooFast)
            } else {
                (days_per_turn > options.max_days).then_some(DeclineReason::TooSlow)
            }
        }
        TimeControl::Unlimited if accepts_speed("unlimited") => None,
        _ => Some(DeclineReason::TimeControl),
    }
}

/// Section `[challenge]` of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChallengeOptions {
    pub accept_humans: bool,
    pub accept_bots: bool,
    pub accept_rated: bool,
    pub accept_casual: bool,
    /// Of `standard`, `chess960`, `fromPosition`.
    pub variants: Vec<String>,
    /// Of `bullet`, `blitz`, `rapid`, `classical`, `correspondence`, `unlimited`.
    pub speeds: Vec<String>,
    /// Seconds on the clock at the start.
    pub min_initial: u32,
    pub max_initial: u32,
    /// Seconds added by a move.
    pub min_increment: u32,
    pub max_increment: u32,
    /// Days for a move in correspondence.
    pub min_days: u32,
    pub max_days: u32,
    /// Rating of the challenger at the speed and variant of the challenge.
    pub min_rating: u32,
    pub max_rating: u32,
    /// Games with a running clock at the same time.
    pub concurrency: usize,
    /// Correspondence and unlimited games at the same time; they take no place of `concurrency`.
    pub slow_games: usize,
    /// Games at the same time against one user.
    pub games_per_user: usize,
    /// Of `concurrency`, places that bots never take.
    pub reserved_for_humans: usize,
    /// Challenges that may wait for a free place.
    pub queue: usize,
    /// If not empty, only these users may challenge.
    pub allow: Vec<String>,
    /// These users never may.
    pub block: Vec<String>,
}

impl Default for ChallengeOptions {
    fn default() -> Self {
        let words = |list: &[&str]| list.iter().map(|word| word.to_string()).collect();
        Self {
            accept_humans: true,
            accept_bots: true,
            accept_rated: true,
            accept_casual: true,
            variants: words(&["standard", "chess960", "fromPosition"]),
            speeds: words(&["bullet", "blitz", "rapid", "classical", "correspondence", "unlimited"]),
            min_initial: 0,
            max_initial: 10_800,
            min_increment: 0,
            max_increment: 180,
            min_days: 1,
            max_days: 14,
            min_rating: 0,
            max_rating: 4_000,
            concurrency: 4,
            slow_games: 16,
            games_per_user: 2,
            reserved_for_humans: 0,
            queue: 16,
            allow: Vec::new(),
            block: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn player(id: &str, title: Option<&str>, rating: Option<u32>) -> Player {
        Player {
            id: Some(id.parse().expect("a user id")),
            name: id.to_string(),
            title: title.map(str::to_string),
            rating,
            ai_level: None,
        }
    }

    fn challenge() -> Challenge {
        Challenge {
            id: "Hb3vN0pe".parse().expect("a game id"),
            challenger: Some(player("ada", None, Some(1712))),
            destination: None,
            variant: "standard".to_string(),
            rated: true,
            speed: "blitz".to_string(),
            time_control: clock(180, 2),
            challenger_side: None,
            initial_fen: None,
            rules: Vec::new(),
            rematch_of: None,
            bot_compatible: Some(true),
            decline_reason: None,
        }
    }

    fn clock(initial: u64, increment: u64) -> TimeControl {
        TimeControl::Clock {
            initial: Duration::from_secs(initial),
            increment: Duration::from_secs(increment),
        }
    }

    fn with(change: impl FnOnce(&mut Challenge)) -> Challenge {
        let mut changed = challenge();
        change(&mut changed);
        changed
    }

    #[test]
    fn defaults_welcome_what_the_program_plays() {
        let bot = player("otherbot", Some("BOT"), Some(2400));
        let anonymous = Player::default();
        for (name, challenge) in [
            ("a human", challenge()),
            ("a bot", with(|c| c.challenger = Some(bot))),
            ("somebody anonymous", with(|c| c.challenger = Some(anonymous))),
            ("casual", with(|c| c.rated = false)),
            ("half a minute", with(|c| (c.speed, c.time_control) = ("bullet".into(), clock(30, 0)))),
            ("increment only", with(|c| (c.speed, c.time_control) = ("bullet".into(), clock(0, 1)))),
            ("three hours", with(|c| (c.speed, c.time_control) = ("classical".into(), clock(10_800, 0)))),
            ("chess960", with(|c| c.variant = "chess960".into())),
            ("unlimited", with(|c| c.time_control = TimeControl::Unlimited)),
            ("days", with(|c| c.time_control = TimeControl::Correspondence { days_per_turn: 14 })),
            ("no word about bots", with(|c| c.bot_compatible = None)),
            ("a rematch", with(|c| c.rematch_of = Some("aaaaaaaa".parse().expect("an id")))),
            (
                "a position",
                with(|c| {
                    c.variant = "fromPosition".into();
                    c.initial_fen = Some("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1".into());
                }),
            ),
        ] {
            assert_eq!(decide(&challenge, &ChallengeOptions::default()), Decision::Accept, "{name}");
        }
    }

    #[test]
    fn each_objection_has_its_reason() {
        use DeclineReason::*;
        type Change = fn(&mut Challenge);
        type Option = fn(&mut ChallengeOptions);
        let same: Option = |_| ();
        let rows: [(&str, Change, Option, DeclineReason); 24] = [
            ("nobody", |c| c.challenger = None, same, Generic),
            ("blocked", |_| (), |o| o.block = vec!["ADA".into()], Generic),
            ("not allowed", |_| (), |o| o.allow = vec!["somebody".into()], Generic),
            ("no humans", |_| (), |o| o.accept_humans = false, OnlyBot),
            (
                "no bots",
                |c| c.challenger = Some(player("b", Some("BOT"), None)),
                |o| o.accept_bots = false,
                NoBot,
            ),
            ("too weak", |_| (), |o| o.min_rating = 1713, Generic),
            (
                "unrated player",
                |c| c.challenger = Some(player("x", None, None)),
                |o| o.min_rating = 1,
                Generic,
            ),
            ("too strong", |_| (), |o| o.max_rating = 1711, Generic),
            ("atomic", |c| c.variant = "atomic".into(), same, Variant),
            (
                "atomic though configured",
                |c| c.variant = "atomic".into(),
                |o| o.variants = vec!["atomic".into()],
                Variant,
            ),
            ("standard not wanted", |_| (), |o| o.variants = vec!["chess960".into()], Variant),
            ("not for bots", |c| c.bot_compatible = Some(false), same, Variant),
            (
                "a broken position",
                |c| c.initial_fen = Some("8/8/8/8/8/8/8/8 w - - 0 1".into()),
                same,
                Variant,
            ),
            (
                "a finished game",
                |c| c.initial_fen = Some("7k/8/8/8/8/8/8/K7 w - - 0 1".into()),
                same,
                Variant,
            ),
            ("rated", |_| (), |o| o.accept_rated = false, Casual),
            ("casual", |c| c.rated = false, |o| o.accept_casual = false, Rated),
            ("noAbort", |c| c.rules = vec!["noAbort".into()], same, Generic),
            ("short", |_| (), |o| o.min_initial = 181, TooFast),
            ("small increment", |_| (), |o| o.min_increment = 3, TooFast),
            ("long", |_| (), |o| o.max_initial = 179, TooSlow),
            ("speed", |_| (), |o| o.speeds = vec!["rapid".into()], TimeControl),
            (
                "unknown clock",
                |c| c.time_control = super::TimeControl::Unknown("fischer".into()),
                same,
                TimeControl,
            ),
            (
                "few days",
                |c| c.time_control = super::TimeControl::Correspondence { days_per_turn: 1 },
                |o| o.min_days = 2,
                TooFast,
            ),
            (
                "unlimited",
                |c| c.time_control = super::TimeControl::Unlimited,
                |o| o.speeds = vec!["blitz".into()],
                TimeControl,
            ),
        ];
        for (name, change, option, reason) in rows {
            let mut options = ChallengeOptions::default();
            option(&mut options);
            assert_eq!(decide(&with(change), &options), Decision::Decline(reason), "{name}");
        }
    }

    #[test]
    fn an_unsound_start_is_taken_only_if_the_opponent_has_to_move() {
        let unsound = |side| {
            with(|c| {
                c.variant = "fromPosition".into();
                c.initial_fen = Some("7k/8/8/8/8/8/8/K6R w - - 90 100".into());
                c.challenger_side = side;
            })
        };
        let options = ChallengeOptions::default();
        assert_eq!(decide(&unsound(Some(Side::White)), &options), Decision::Accept);
        for side in [None, Some(Side::Black)] {
            assert_eq!(
                decide(&unsound(side), &options),
                Decision::Decline(DeclineReason::Variant),
                "{side:?}"
            );
        }
    }

    #[test]
    fn an_allow_list_admits_whom_it_names() {
        let options = ChallengeOptions { allow: vec!["Ada".to_string()], ..ChallengeOptions::default() };
        assert_eq!(decide(&challenge(), &options), Decision::Accept);
    }
}
