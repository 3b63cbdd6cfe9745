//! What can go wrong between us and the server, and whether trying again helps.

use super::read::{seconds, text};
use super::retry::DEFAULT_PAUSE;
use serde_json::Value;
use std::time::Duration;
use thiserror::Error;
use tokio::time::Instant;

/// Longest text of the server that an error carries, in characters.
const LONGEST_TEXT: usize = 200;

/// Why a call or a stream failed. None of them ever contains the token.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Error {
    /// No answer, or half of one: weather. Trying again helps.
    #[error("cannot reach the server: {0}")]
    Offline(String),
    /// Too many requests (429): trying again is pointless before `until`. A `quota` is the server's
    /// name, such as `bot.vsBot.day`, for a limit on only some of the calls of a kind, which may last
    /// for the rest of the day.
    #[error("the server asks us to wait {} s: {reason}", seconds_until(until))]
    RateLimited { until: Instant, reason: String, quota: Option<String> },
    /// The other side has played as many games today as it may (400 with the numbers of a quota):
    /// trying again is pointless before `until`.
    #[error("the opponent has to pause for {} s: {reason}", seconds_until(until))]
    OpponentLimited { until: Instant, reason: String },
    /// The status is 401 or 403. Final: only a person with a new token can help.
    #[error("the server refuses the token: {0}")]
    Unauthorized(String),
    /// Any other refusal. Trying again helps only if it is the server's own trouble (5xx).
    #[error("the server answered {status}: {text}")]
    Rejected { status: u16, text: String },
    /// The answer or an option cannot be read.
    #[error("{0}")]
    Malformed(String),
}

impl Error {
    /// Whether the same call may get through later.
    pub fn is_retriable(&self) -> bool {
        match self {
            Error::Offline(_) | Error::RateLimited { .. } => true,
            Error::Rejected { status, .. } => *status >= 500,
            Error::OpponentLimited { .. } | Error::Unauthorized(_) | Error::Malformed(_) => false,
        }
    }

    /// Whether a move was refused because it is not our turn: most often it is in already.
    pub fn is_out_of_turn(&self) -> bool {
        matches!(self, Error::Rejected { status: 400, text } if text.starts_with("Not your turn"))
    }

    /// Whether we have played as many games against bots as we may for today; humans are not meant.
    pub fn is_bot_quota(&self) -> bool {
        matches!(self, Error::RateLimited { quota: Some(key), .. } if key == BOT_QUOTA)
    }

    /// From a status that is no success. The status counts; the body, in whatever shape, only explains.
    pub(super) fn from_response(status: u16, retry_after: Option<Duration>, body: &str) -> Error {
        let json: Value = serde_json::from_str(body).unwrap_or_default();
        let reason = explanation(&json, body);
        let quota = json.get("ratelimit").and_then(|limit| text(limit, "key"));
        let pause = json.get("ratelimit").and_then(|limit| seconds(limit, "seconds"));
        let after = |pause: Duration| Instant::now() + pause.clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
        match (status, pause) {
            (401 | 403, _) => Error::Unauthorized(reason),
            (429, _) => {
                let until = after(pause.or(retry_after).unwrap_or(DEFAULT_PAUSE));
                Error::RateLimited { until, reason, quota }
            }
            (400, Some(pause)) => Error::OpponentLimited { until: after(pause), reason },
            _ => Error::Rejected { status, text: reason },
        }
    }
}

/// The server's name for its limit on games between bots.
const BOT_QUOTA: &str = "bot.vsBot.day";
/// "Come back at once" is no answer to too many requests …
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
/// … and a longer pause is believed up to a day and a bit.
const LONGEST_PAUSE: Duration = Duration::from_secs(30 * 3_600);

/// The header `Retry-After`: seconds, or a moment as HTTP writes it. One that has passed is no pause.
pub(super) fn retry_after(header: &str) -> Option<Duration> {
    let moment = || {
        let until = jiff::fmt::rfc2822::parse(header).ok()?.timestamp();
        Some(Duration::try_from(until.duration_since(jiff::Timestamp::now())).unwrap_or_default())
    };
    header.trim().parse().map(Duration::from_secs).ok().or_else(moment)
}

fn seconds_until(moment: &Instant) -> u64 {
    moment.saturating_duration_since(Instant::now()).as_secs_f64().ceil() as u64
}

/// The server's `error` (a string, or an object of lists of strings), else the body's beginning.
fn explanation(json: &Value, body: &str) -> String {
    let text = match json.get("error") {
        Some(Value::String(text)) => text.clone(),
        Some(other) if !other.is_null() => other.to_string(),
        _ if body.trim_start().starts_with('<') => "a web page instead of an answer".to_string(),
        _ => body.trim().to_string(),
    };
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match one_line.is_empty() {
        true => "no reason given".to_string(),
        false => one_line.chars().take(LONGEST_TEXT).collect(),
    }
}

impl From<reqwest::Error> for Error {
    fn from(error: reqwest::Error) -> Error {
        Error::Offline(chain(error))
    }
}

/// An error with all its causes in one line, without the address.
pub(super) fn chain(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_decides_and_the_body_explains() {
        for (status, body, expected) in [
            (401, r#"{"error":"No such token"}"#, Error::Unauthorized("No such token".into())),
            (
                403,
                r#"{"error":"Missing scope: bot:play"}"#,
                Error::Unauthorized("Missing scope: bot:play".into()),
            ),
            (
                400,
                r#"{"error":{"clock.limit":["Invalid"]}}"#,
                rejected(400, r#"{"clock.limit":["Invalid"]}"#),
            ),
            (404, r#"{"error":"No such game"}"#, rejected(404, "No such game")),
            (400, r#"{"error":"x","ratelimit":null}"#, rejected(400, "x")),
            (502, "<html><body>Bad Gateway</body></html>", rejected(502, "a web page instead of an answer")),
            (500, "", rejected(500, "no reason given")),
            (418, "short\nand  stout", rejected(418, "short and stout")),
        ] {
            assert_eq!(Error::from_response(status, None, body), expected, "{status} {body}");
        }
    }

    fn rejected(status: u16, text: &str) -> Error {
        Error::Rejected { status, text: text.to_string() }
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_waits_as_long_as_the_server_says_and_else_a_minute() {
        let now = Instant::now();
        let day = r#"{"error":"x","ratelimit":{"key":"bot.vsBot.day","seconds":41234}}"#;
        for (header, body, seconds) in [
            (None, day, 41_234),
            (Some("7"), day, 41_234),
            (Some("7"), "slow down", 7),
            (Some("7"), r#"{"error":"x","ratelimit":{"key":"bot.vsBot.day"}}"#, 7),
            (Some("soon"), "", 60),
            (Some("Wed, 21 Oct 2015 07:28:00 GMT"), "", 1),
            (Some("0"), "", 1),
            (None, r#"{"error":"Too many requests. Try again later."}"#, 60),
            (None, r#"{"error":"x","ratelimit":{"seconds":"many"}}"#, 60),
            (None, "<html>Too many</html>", 60),
            (None, "", 60),
            (Some("18446744073709551615"), "", 30 * 3_600),
        ] {
            match Error::from_response(429, header.and_then(retry_after), body) {
                Error::RateLimited { until, quota, .. } => {
                    assert_eq!(until - now, Duration::from_secs(seconds), "{header:?} {body}");
                    assert_eq!(quota.is_some(), body.contains("bot.vsBot.day"), "{body}");
                }
                other => panic!("{body}: {other:?}"),
            }
        }
        let limited = Error::from_response(429, None, day).to_string();
        assert_eq!(limited, "the server asks us to wait 41234 s: x");
    }

    #[tokio::test(start_paused = true)]
    async fn only_one_quota_is_about_games_between_bots() {
        let limited = |quota: Option<&str>| Error::RateLimited {
            until: Instant::now(),
            reason: String::new(),
            quota: quota.map(str::to_string),
        };
        assert!(limited(Some("bot.vsBot.day")).is_bot_quota());
        for other in [limited(None), limited(Some("challenge.day")), rejected(429, "bot.vsBot.day")] {
            assert!(!other.is_bot_quota(), "{other:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_opponents_limit_is_told_from_our_own() {
        let body = r#"{"error":"Ada played enough","ratelimit":{"key":"bot.vsBot.day","seconds":41234}}"#;
        let until = Instant::now() + Duration::from_secs(41_234);
        let limited = Error::from_response(400, None, body);
        assert_eq!(limited, Error::OpponentLimited { until, reason: "Ada played enough".into() });
        assert_eq!(limited.to_string(), "the opponent has to pause for 41234 s: Ada played enough");
    }

    #[test]
    fn a_moment_to_come_back_is_counted_from_now() {
        let in_an_hour = jiff::Timestamp::now() + Duration::from_secs(3_600);
        let header = in_an_hour.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        let pause = retry_after(&header).unwrap_or_else(|| panic!("{header}"));
        assert!((3_000..=3_600).contains(&pause.as_secs()), "{header}: {pause:?}");
    }

    #[test]
    fn only_weather_is_worth_another_try() {
        let until = Instant::now();
        for (error, expected) in [
            (Error::Offline("reset".into()), true),
            (Error::RateLimited { until, reason: String::new(), quota: None }, true),
            (rejected(503, ""), true),
            (rejected(400, "Not your turn"), false),
            (rejected(404, "No such game"), false),
            (Error::Unauthorized(String::new()), false),
        ] {
            assert_eq!(error.is_retriable(), expected, "{error:?}");
        }
    }
}
