//! A challenge to the bot: its life from `created` to an answer, and its JSON.

use super::setup::{ChallengeRequest, PlayerInfo, Start, TimeControl};
use super::wire;
use crate::engine::Color;
use serde_json::{Value, json};
use std::time::Duration;

/// What has become of a challenge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChallengeEnd {
    Accepted,
    /// With the key of the reason, in the lower case that events have.
    Declined(String),
    /// By the one who made it.
    Canceled,
}

/// Reasons for declining: the key in requests, and what the challenger reads.
const REASONS: [(&str, &str); 11] = [
    ("generic", "I'm not accepting challenges at the moment."),
    ("later", "This is not the right time for me, please ask again later."),
    ("tooFast", "This time control is too fast for me, please challenge again with a slower game."),
    ("tooSlow", "This time control is too slow for me, please challenge again with a faster game."),
    ("timeControl", "I'm not accepting challenges with this time control."),
    ("rated", "Please send me a rated challenge instead."),
    ("casual", "Please send me a casual challenge instead."),
    ("standard", "I'm not accepting variant challenges right now."),
    ("variant", "I'm not willing to play this variant right now."),
    ("noBot", "I'm not accepting challenges from bots."),
    ("onlyBot", "I'm only accepting challenges from bots."),
];

pub struct Challenge {
    pub id: String,
    pub request: ChallengeRequest,
    pub start: Start,
    /// The colour that the challenger gets.
    pub challenger_color: Color,
    pub end: Option<ChallengeEnd>,
}

impl Challenge {
    /// `canceled`, `declined`, … as the server calls it.
    fn status(&self) -> &'static str {
        match self.end {
            None => "created",
            Some(ChallengeEnd::Accepted) => "accepted",
            Some(ChallengeEnd::Declined(_)) => "declined",
            Some(ChallengeEnd::Canceled) => "canceled",
        }
    }

    /// An unknown reason counts as the first; whether it was known.
    pub fn decline(&mut self, reason: &str) -> bool {
        let is_known = REASONS.iter().any(|(key, _)| *key == reason);
        let key = if is_known { reason } else { REASONS[0].0 };
        self.end = Some(ChallengeEnd::Declined(key.to_ascii_lowercase()));
        is_known
    }

    /// A line of the event stream about this challenge. `compat` comes with new ones alone, and not
    /// in the burst on connecting.
    pub fn event(&self, kind: &str, host: &str, bot: &PlayerInfo, with_compat: bool) -> Value {
        let mut line = json!({"type": kind, "challenge": self.json(host, bot)});
        if with_compat {
            let is_playable = self.request.time_control.speed() != "ultraBullet";
            line["compat"] = json!({"bot": is_playable, "board": is_playable});
        }
        line
    }

    /// The challenge itself, with times in seconds.
    pub fn json(&self, host: &str, bot: &PlayerInfo) -> Value {
        let request = &self.request;
        let mut challenge = json!({
            "id": self.id,
            "url": format!("{host}/{}", self.id),
            "status": self.status(),
            "challenger": user(&request.opponent),
            "destUser": user(bot),
            "variant": wire::variant(self.start.variant),
            "rated": request.rated,
            "speed": request.time_control.speed(),
            "timeControl": time_control(request.time_control),
            "color": request.color.map_or("random", wire::color_name),
            "finalColor": wire::color_name(self.challenger_color),
            "perf": {"icon": "\u{e01d}", "name": wire::perf_name(self.start.variant, request.time_control)},
        });
        if self.start.initial_fen != "startpos" {
            challenge["initialFen"] = json!(self.start.initial_fen);
        }
        if !request.rules.is_empty() {
            challenge["rules"] = json!(request.rules);
        }
        if let Some(game) = &request.rematch_of {
            challenge["rematchOf"] = json!(game);
        }
        if let Some(ChallengeEnd::Declined(reason)) = &self.end {
            let text = REASONS.iter().find(|(key, _)| key.to_ascii_lowercase() == *reason);
            challenge["declineReasonKey"] = json!(reason);
            challenge["declineReason"] = json!(text.map_or("", |(_, text)| text));
        }
        challenge
    }
}

fn user(player: &PlayerInfo) -> Value {
    let mut user = json!({
        "id": player.id(),
        "name": player.name,
        "rating": player.rating,
        "online": true,
        "lag": 4,
    });
    if let Some(title) = &player.title {
        user["title"] = json!(title);
    }
    user
}

fn time_control(time_control: TimeControl) -> Value {
    match time_control {
        TimeControl::Clock { initial, increment } => json!({
            "type": "clock",
            "limit": initial.as_secs(),
            "increment": increment.as_secs(),
            "show": format!("{}+{}", minutes(initial), increment.as_secs()),
        }),
        TimeControl::Correspondence { days } => json!({"type": "correspondence", "daysPerTurn": days}),
        TimeControl::Unlimited => json!({"type": "unlimited"}),
    }
}

/// Minutes as the site writes them: `¼`, `½`, `¾`, `1.5`, `3`.
fn minutes(initial: Duration) -> String {
    match initial.as_secs() {
        15 => "¼".to_string(),
        30 => "½".to_string(),
        45 => "¾".to_string(),
        90 => "1.5".to_string(),
        seconds if seconds % 60 == 0 => (seconds / 60).to_string(),
        seconds => format!("{:.2}", seconds as f64 / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::practice::Scripted;
    use crate::practice::setup::Variant;

    fn challenge(change: impl FnOnce(&mut ChallengeRequest)) -> Challenge {
        let mut request = ChallengeRequest::new(PlayerInfo::human("Ada", 1712), Scripted::silent());
        change(&mut request);
        let start = Start::of(request.variant, request.fen.as_deref(), &mut fastrand::Rng::with_seed(1));
        let start = start.expect("a legal start");
        Challenge { id: "Hb3vN0pe".to_string(), request, start, challenger_color: Color::White, end: None }
    }

    fn json_of(challenge: &Challenge) -> Value {
        challenge.json("http://127.0.0.1:1", &PlayerInfo::bot("MyBot", 2010))
    }

    #[test]
    fn a_plain_challenge_has_exactly_the_fields_of_the_server() {
        let json = json_of(&challenge(|_| ()));
        let expected = json!({
            "id": "Hb3vN0pe", "url": "http://127.0.0.1:1/Hb3vN0pe", "status": "created",
            "challenger": {"id": "ada", "name": "Ada", "rating": 1712, "online": true, "lag": 4},
            "destUser": {"id": "mybot", "name": "MyBot", "rating": 2010, "title": "BOT", "online": true, "lag": 4},
            "variant": {"key": "standard", "name": "Standard", "short": "Std"}, "rated": false, "speed": "blitz",
            "timeControl": {"type": "clock", "limit": 180, "increment": 2, "show": "3+2"},
            "color": "random", "finalColor": "white", "perf": {"icon": "\u{e01d}", "name": "Blitz"},
        });
        assert_eq!(json, expected);
    }

    #[test]
    fn what_is_set_is_told() {
        let json = json_of(&challenge(|request| {
            request.variant = Variant::Chess960;
            request.time_control = TimeControl::Correspondence { days: 3 };
            request.color = Some(Color::Black);
            request.rules = vec!["noAbort".to_string()];
            request.rematch_of = Some("q7ZkTfLb".to_string());
        }));
        assert_eq!(json["variant"]["key"], "chess960");
        assert_eq!(json["timeControl"], json!({"type": "correspondence", "daysPerTurn": 3}));
        assert_eq!(json["color"], "black");
        assert_eq!(json["rules"], json!(["noAbort"]));
        assert_eq!(json["rematchOf"], "q7ZkTfLb");
        assert!(json["initialFen"].as_str().is_some_and(|fen| fen.ends_with("KQkq - 0 1")), "{json}");
    }

    #[test]
    fn reasons_come_back_in_lower_case_and_unknown_ones_as_generic() {
        for (reason, key) in [("tooFast", "toofast"), ("noBot", "nobot"), ("whim", "generic")] {
            let mut challenge = challenge(|_| ());
            challenge.decline(reason);
            let json = json_of(&challenge);
            assert_eq!(json["declineReasonKey"], key, "{reason}");
            assert_eq!(json["status"], "declined", "{reason}");
            assert_ne!(json["declineReason"], "", "{reason}");
        }
    }
}
