//! Where the server is, and the token that says who we are to it.

use super::error::Error;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use serde::Deserialize;
use std::fmt;
use std::net::IpAddr;

/// Section `[lichess]` of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LichessOptions {
    /// Address of the server, without a path.
    pub url: String,
    /// The bot account's API token.
    pub token: Token,
    /// Moves sent in a minute, all games together; 0 for no limit.
    pub moves_per_minute: u32,
}

impl Default for LichessOptions {
    fn default() -> Self {
        Self {
            url: "https://lichess.org".to_string(),
            token: Token::default(),
            // What the site's author named as the limit on requests (lila issue 7074).
            moves_per_minute: 180,
        }
    }
}

/// A Lichess API token. Never printed.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Token(String);

impl Token {
    pub fn new(token: impl Into<String>) -> Token {
        Token(token.into())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Letters, digits and underscores, at most 512 of them: the server's own rule.
    pub fn is_well_formed(&self) -> bool {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        (1..=512).contains(&self.0.len()) && self.0.bytes().all(is_allowed)
    }

    /// The text with the token struck out.
    pub(super) fn strike_out(&self, text: &str) -> String {
        text.replace(&self.0, "(token)")
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// # Errors
/// `Malformed`, without the address: somebody's password may stand in it.
pub(super) fn base_url(text: &str) -> Result<Url, Error> {
    let refused = |reason: &str| Error::Malformed(format!("lichess.url: {reason}"));
    let url = Url::parse(text).map_err(|error| refused(&error.to_string()))?;
    let is_bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
    let is_anonymous = url.username().is_empty() && url.password().is_none();
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        Err(refused("an http or https address is needed, such as https://lichess.org"))
    } else if !is_bare || !is_anonymous {
        Err(refused("only scheme, host and port are allowed, such as https://lichess.org"))
    } else {
        Ok(url)
    }
}

/// Whether the server runs beside us.
pub(super) fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// The header that says who we are, marked so that no log shows it.
pub(super) fn authorization(token: &Token) -> Result<HeaderMap, Error> {
    let refused =
        || Error::Malformed("lichess.token: letters, digits and _ are allowed, up to 512".to_string());
    if !token.is_well_formed() {
        return Err(refused());
    }
    let mut value = HeaderValue::from_str(&format!("Bearer {}", token.0)).map_err(|_| refused())?;
    value.set_sensitive(true);
    Ok(HeaderMap::from_iter([(AUTHORIZATION, value)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lichess::Client;

    #[test]
    fn only_a_bare_http_address_is_taken() {
        for url in ["https://lichess.org", "https://lichess.org/", "http://127.0.0.1:8080", "http://[::1]:9"]
        {
            assert!(base_url(url).is_ok(), "{url}");
        }
        for url in [
            "",
            "lichess.org",
            "ftp://lichess.org",
            "https://lichess.org/api",
            "https://a:b@lichess.org",
            "https://lichess.org/?x",
            "http://",
            "http://a:b@",
        ] {
            let error = base_url(url).expect_err(url);
            assert!(matches!(&error, Error::Malformed(text) if !text.contains("a:b")), "{url}: {error}");
        }
    }

    #[test]
    fn this_machine_is_known_by_name_and_address() {
        for (url, expected) in [
            ("http://localhost:8080", true),
            ("http://127.0.0.1:8080", true),
            ("http://127.1.2.3", true),
            ("http://[::1]:8080", true),
            ("https://lichess.org", false),
            ("http://192.168.0.7", false),
            ("http://localhost.example", false),
        ] {
            assert_eq!(is_this_machine(&base_url(url).expect(url)), expected, "{url}");
        }
    }

    #[test]
    fn tokens_are_checked_and_never_shown() {
        for (token, expected) in
            [("lip_abcDEF123", true), ("", false), ("lip abc", false), ("lip_é", false), ("lip_x\n", false)]
        {
            assert_eq!(Token::new(token).is_well_formed(), expected, "{token:?}");
        }
        assert!(
            Token::new("x".repeat(512)).is_well_formed() && !Token::new("x".repeat(513)).is_well_formed()
        );
        let options = LichessOptions { token: Token::new("lip_secret"), ..LichessOptions::default() };
        assert!(!format!("{options:?}").contains("secret"));
        let broken = LichessOptions { token: Token::new("lip_secret\n"), ..options };
        let error = Client::new(&broken).err().expect("a broken token");
        assert!(!format!("{error} {error:?}").contains("secret"), "{error}");
    }
}
