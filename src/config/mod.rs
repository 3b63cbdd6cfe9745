//! The configuration: built-in defaults, then a TOML file, then the environment; checked once.
//!
//! The parts own their options, this file only composes them. Which keys there are is read off
//! the structs (`schema`), what each allows stands in one table (`rules`), each source is read
//! and checked by itself so that a mistake can be named by its place (`layer`), and the crate
//! `config` lays them over each other.

mod layer;
mod mistake;
mod rules;
mod schema;

pub use mistake::Mistakes;

use crate::book::BookOptions;
use crate::bot::game::GameOptions;
use crate::bot::policy::ChallengeOptions;
use crate::bot::{MatchmakingOptions, StoreOptions};
use crate::engine::{EngineKind, EngineOptions, Strength};
use crate::lichess::LichessOptions;
use crate::logging::LogOptions;
use ::config::builder::{ConfigBuilder, DefaultState};
use layer::Layer;
use schema::Schema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Everything a user can set. `config.example.toml` explains each key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    pub lichess: LichessOptions,
    pub challenge: ChallengeOptions,
    pub matchmaking: MatchmakingOptions,
    pub game: GameOptions,
    pub engine: EngineOptions,
    pub book: BookOptions,
    pub store: StoreOptions,
    pub log: LogOptions,
}

/// `config.toml` in the working directory, if there is one.
pub fn usual_file() -> Option<PathBuf> {
    Some(PathBuf::from("config.toml")).filter(|file| file.exists())
}

/// The page where a token is made, with what we need already filled in.
pub fn token_form(server: &str) -> String {
    let server = server.trim_end_matches('/');
    format!("{server}/account/oauth/token/create?scopes[]=bot:play&description=Tabiya")
}

impl Config {
    /// Lays the file over the defaults and the environment over both.
    ///
    /// The environment's names are `TABIYA_` and the path with two underscores for the dot; lists
    /// are separated by commas. The token also comes from `LICHESS_BOT_TOKEN`, or from the file
    /// that `LICHESS_BOT_TOKEN_FILE` names; without one it is empty (see [`Config::with_token`]).
    ///
    /// # Errors
    /// All mistakes that were found, one line each, none with the token in it.
    pub fn load(
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Config, Mistakes> {
        let schema = Schema::of::<Config>();
        let variables: BTreeMap<String, String> = environment.into_iter().collect();
        let mut mistakes = Mistakes::default();
        let mut layers = Vec::new();
        if let Some(file) = file {
            layers.push(Layer::of_file(file, &schema, &mut mistakes));
        }
        layers.push(Layer::of_environment(&variables, &schema, &mut mistakes));
        let layers = mistakes.or(layers)?;
        let config = merge(&layers);
        check_pairs(&config, &layers)?;
        Ok(config)
    }

    /// The configuration, if it has a token: the one thing that has no default.
    ///
    /// # Errors
    /// Two lines that say how to get one and where to put it.
    pub fn with_token(self) -> Result<Config, Mistakes> {
        let mut mistakes = Mistakes::default();
        if self.lichess.token.is_empty() {
            mistakes.add(format!(
                "No Lichess token. Signed in as the bot's account, create one here: {}",
                token_form(&self.lichess.url)
            ));
            mistakes.add(
                "Then start again with LICHESS_BOT_TOKEN=<token>, or name a file that holds it in \
                 LICHESS_BOT_TOKEN_FILE, or set lichess.token in config.toml."
                    .to_string(),
            );
        }
        mistakes.or(self)
    }
}

fn merge(layers: &[Layer]) -> Config {
    let over = |builder: ConfigBuilder<DefaultState>, layer: &Layer| builder.add_source(layer.clone());
    layers
        .iter()
        .fold(ConfigBuilder::default(), over)
        .build()
        .and_then(::config::Config::try_deserialize)
        .expect("every value was checked against the type of its key")
}

/// Bounds that lie in another key.
fn check_pairs(config: &Config, layers: &[Layer]) -> Result<(), Mistakes> {
    let challenge = &config.challenge;
    let matchmaking = &config.matchmaking;
    let windows = [
        ("challenge", "initial", challenge.min_initial, challenge.max_initial),
        ("challenge", "increment", challenge.min_increment, challenge.max_increment),
        ("challenge", "days", challenge.min_days, challenge.max_days),
        ("challenge", "rating", challenge.min_rating, challenge.max_rating),
        ("matchmaking", "rating", matchmaking.min_rating, matchmaking.max_rating),
    ];
    let mut mistakes = Mistakes::default();
    for (section, name, least, most) in windows.into_iter().filter(|(.., least, most)| least > most) {
        let (min, max) = (format!("{section}.min_{name}"), format!("{section}.max_{name}"));
        let origin = origin(layers, &[&min, &max]);
        mistakes.add(format!("{origin}: {min}: found {least}, allowed at most {max}, which is {most}"));
    }
    if let Some(allowed) = matchmaking.objection_to_clock() {
        let origin = origin(layers, &["matchmaking.initial", "matchmaking.increment"]);
        let (initial, increment) = (matchmaking.initial, matchmaking.increment);
        mistakes.add(format!("{origin}: matchmaking.initial: found {initial} with matchmaking.increment = {increment}, allowed {allowed}"));
    }
    let (reserved, places) = (challenge.reserved_for_humans, challenge.concurrency);
    if reserved > 0 && reserved >= places {
        mistakes.add(format!(
            "{}: challenge.reserved_for_humans: found {reserved}, allowed 0 or less than \
             challenge.concurrency, which is {places}; to refuse bots set challenge.accept_bots = false",
            origin(layers, &["challenge.reserved_for_humans", "challenge.concurrency"])
        ));
    }
    if config.engine.kind == EngineKind::Uci && config.engine.path.is_empty() {
        let origin = origin(layers, &["engine.path", "engine.kind"]);
        mistakes.add(format!(
            "{origin}: engine.path: found \"\", allowed the program to run, since engine.kind is \"uci\""
        ));
    }
    let (elo, least) = (config.engine.elo, Strength::WEAKEST);
    if (1..least).contains(&elo) {
        let origin = origin(layers, &["engine.elo"]);
        mistakes.add(format!("{origin}: engine.elo: found {elo}, allowed 0 or at least {least}"));
    }
    if config.engine.kind == EngineKind::Uci && elo > 0 {
        let origin = origin(layers, &["engine.elo", "engine.kind"]);
        mistakes.add(format!(
            "{origin}: engine.elo: found {elo}, allowed 0, since engine.kind is \"uci\"; set UCI_LimitStrength \
             and UCI_Elo in engine.options"
        ));
    }
    mistakes.or(())
}

/// Where the first of these keys that is set at all has its value from.
fn origin<'l>(layers: &'l [Layer], paths: &[&str]) -> &'l str {
    let of = |path: &&str| layers.iter().rev().find_map(|layer| layer.origin(path));
    paths.iter().find_map(of).expect("defaults agree with each other")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::schema::Kind;

    /// The key paths of the example with the comments above each.
    ///
    /// Keys that follow each other share the comments.
    fn example() -> Vec<(String, String)> {
        let mut found = Vec::new();
        let (mut section, mut comments, mut in_comment) = ("", String::new(), false);
        for line in include_str!("../../config.example.toml").lines() {
            if let Some(comment) = line.strip_prefix('#') {
                if !in_comment {
                    comments.clear();
                }
                comments.push_str(comment);
            } else if let Some(name) = line.strip_prefix('[') {
                section = name.trim_end_matches(']');
            } else if let Some((name, _)) = line.split_once(" = ") {
                found.push((format!("{section}.{name}"), comments.clone()));
            }
            in_comment = line.starts_with('#');
        }
        found
    }

    #[test]
    fn the_example_holds_every_key_once_and_no_other() {
        let keys: Vec<String> = Schema::of::<Config>().keys.into_iter().map(|key| key.path).collect();
        let example: Vec<String> = example().into_iter().map(|(path, _)| path).collect();
        assert_eq!(example, keys);
    }

    #[test]
    fn the_example_tells_what_each_key_allows() {
        let schema = Schema::of::<Config>();
        for (path, comments) in example() {
            let key = schema.key(&path).unwrap_or_else(|| panic!("{path} is no key"));
            let said: Vec<&str> = comments.split(|c: char| !(c.is_alphanumeric() || c == '-')).collect();
            let mut needed: Vec<String> = rules::words(key).iter().map(|word| word.to_string()).collect();
            match key.kind {
                Kind::Whole { .. } => {
                    let (least, most) = rules::bounds(key);
                    let most = if most == i64::MAX { "more".to_string() } else { most.to_string() };
                    needed.extend([least.to_string(), most]);
                }
                Kind::Flag => needed.extend(["true".to_string(), "false".to_string()]),
                Kind::Text | Kind::Word(_) | Kind::List => {}
            }
            for word in needed {
                assert!(said.contains(&word.as_str()), "{path}: {word} is not in: {comments}");
            }
        }
    }
}
