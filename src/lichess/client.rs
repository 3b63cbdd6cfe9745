//! One short method per endpoint; one place for authorization, route and status.

use serde::Deserialize;
use std::fmt;

/// Section `[lichess]` of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LichessOptions {
    /// Address of the server, without a path.
    pub url: String,
    /// The bot account's API token.
    pub token: Token,
}

impl Default for LichessOptions {
    fn default() -> Self {
        Self { url: "https://lichess.org".to_string(), token: Token::default() }
    }
}

/// A Lichess API token. Never printed.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
