//! Log lines on stderr: text for people, JSON for hosts.

use serde::Deserialize;
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// Section `[log]` of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogOptions {
    /// One of [`LEVELS`], or a filter of the tracing kind as in `warn,tabiya=debug`.
    pub level: String,
    pub format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// One line for a reader, coloured on a terminal.
    Text,
    /// One JSON object a line.
    Json,
}

impl Default for LogOptions {
    fn default() -> Self {
        Self { level: "info".to_string(), format: LogFormat::Text }
    }
}

/// The levels, from few lines to many.
pub const LEVELS: &[&str] = &["error", "warn", "info", "debug", "trace"];

/// Whether [`LogOptions::level`] may be this text.
///
/// A bare word in a filter has to be a level: tracing would take a misspelt one for the name of
/// a module and log nothing.
pub fn is_level_or_filter(text: &str) -> bool {
    let is_sound = |part: &str| is_level(part.trim()) || part.contains(['=', '[', ']']);
    text.split(',').all(is_sound) && EnvFilter::builder().parse(filter_text(text)).is_ok()
}

fn is_level(word: &str) -> bool {
    LEVELS.contains(&word.to_lowercase().as_str())
}

/// The filter for a level: the level is about our own lines. The libraries below (hyper, rustls, …)
/// speak only when something is wrong, or when a whole filter asks for them.
fn filter_text(level: &str) -> String {
    match level.trim().to_lowercase().as_str() {
        "error" => "error".to_string(),
        word if is_level(word) => format!("warn,tabiya={word}"),
        _ => level.replace(' ', ""),
    }
}

/// Starts logging for the whole process.
///
/// # Panics
/// When it is called twice, or with a level that [`is_level_or_filter`] refuses.
pub fn start(options: &LogOptions) {
    let filter = EnvFilter::builder().parse(filter_text(&options.level)).expect("a checked level");
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match options.format {
        LogFormat::Text => lines.with_ansi(likes_colors()).compact().init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
}

/// Colours are for terminals whose owner did not ask for none (<https://no-color.org>).
fn likes_colors() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    std::io::stderr().is_terminal() && !refused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_about_our_own_lines() {
        let cases = [
            ("error", "error"),
            ("info", "warn,tabiya=info"),
            ("TRACE", "warn,tabiya=trace"),
            ("debug,hyper=debug", "debug,hyper=debug"),
        ];
        for (level, expected) in cases {
            assert_eq!(filter_text(level), expected, "{level}");
        }
    }

    #[test]
    fn levels_and_filters_are_told_from_slips() {
        let cases = [
            ("error", true),
            ("trace", true),
            ("Info", true),
            ("warn,tabiya=debug", true),
            ("warn, tabiya::bot=trace", true),
            ("warn,tabiya[game{id}]=trace", true),
            ("inof", false),
            ("", false),
            ("tabiya=inof", false),
            ("inof,tabiya=debug", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_level_or_filter(text), expected, "{text:?}");
        }
    }
}
