//! What can go wrong between us and the server, and whether trying again helps.

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
    /// 429. Calls of the same kind are pointless before `until`.
    #[error("the server asks us to wait: {reason}")]
    RateLimited { until: Instant, reason: String },
    /// 401 or 403. Final: only a person with a new token can help.
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
            Error::Unauthorized(_) | Error::Malformed(_) => false,
        }
    }

    /// From a status that is no success. The status counts; the body, in whatever shape, only explains.
    pub(super) fn from_response(status: u16, retry_after: Option<u64>, body: &str) -> Error {
        let json: Value = serde_json::from_str(body).unwrap_or_default();
        let text = explanation(&json, body);
        match status {
            401 | 403 => Error::Unauthorized(text),
            429 => {
                let told = json.pointer("/ratelimit/seconds").and_then(Value::as_u64).or(retry_after);
                let pause = told.map_or(DEFAULT_PAUSE, Duration::from_secs).min(LONGEST_PAUSE);
                Error::RateLimited { until: Instant::now() + pause, reason: text }
            }
            _ => Error::Rejected { status, text },
        }
    }
}

/// A pause that the server asks for is believed up to a day and a bit.
const LONGEST_PAUSE: Duration = Duration::from_secs(30 * 3_600);

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
    /// Keeps the chain of causes, without the address.
    fn from(error: reqwest::Error) -> Error {
        let error = error.without_url();
        let mut text = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            text = format!("{text}: {cause}");
            source = cause.source();
        }
        Error::Offline(text)
    }
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
        let limited = r#"{"error":"x","ratelimit":{"key":"bot.vsBot.day","seconds":41234}}"#;
        for (retry_after, body, seconds) in [
            (None, limited, 41_234),
            (Some(7), limited, 41_234),
            (Some(7), "slow down", 7),
            (None, r#"{"error":"Too many requests. Try again later."}"#, 60),
            (None, "<html>Too many</html>", 60),
            (None, "", 60),
            (Some(u64::MAX), "", 30 * 3_600),
        ] {
            match Error::from_response(429, retry_after, body) {
                Error::RateLimited { until, .. } => {
                    assert_eq!(until - now, Duration::from_secs(seconds), "{retry_after:?} {body}");
                }
                other => panic!("{body}: {other:?}"),
            }
        }
    }

    #[test]
    fn only_weather_is_worth_another_try() {
        let until = Instant::now();
        for (error, expected) in [
            (Error::Offline("reset".into()), true),
            (Error::RateLimited { until, reason: String::new() }, true),
            (rejected(503, ""), true),
            (rejected(400, "Not your turn"), false),
            (rejected(404, "No such game"), false),
            (Error::Unauthorized(String::new()), false),
        ] {
            assert_eq!(error.is_retriable(), expected, "{error:?}");
        }
    }
}
