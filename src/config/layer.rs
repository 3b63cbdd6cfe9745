//! One source of values, read and checked: a file, or the environment.

use super::mistake::{Mistakes, nearest, plain, quoted};
use super::rules;
use super::schema::{Key, Kind, Schema};
use ::config::{ConfigError, File, FileFormat, Map, Source, Value, ValueKind};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// The values of one source by key path, each with the name of where it stood.
///
/// Only values that their keys allow get in; what does not is a mistake.
#[derive(Clone, Default)]
pub struct Layer(BTreeMap<String, Value>);

/// The token is among the values, so they are not shown.
impl fmt::Debug for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Source for Layer {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, ConfigError> {
        Ok(self.0.clone().into_iter().collect())
    }
}

impl Layer {
    /// Reads a TOML file.
    pub fn of_file(file: &Path, schema: &Schema, mistakes: &mut Mistakes) -> Layer {
        let name = plain(&file.display().to_string());
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                mistakes.add(format!("{name}: cannot be read: {error}"));
                return Layer::default();
            }
        };
        let mut reader = Reader { schema, mistakes, values: BTreeMap::new() };
        match File::from_str(&text, FileFormat::Toml).collect() {
            Ok(table) => reader.read_table(&name, "", table),
            Err(error) => reader.mistakes.add(syntax_mistake(&name, error)),
        }
        Layer(reader.values)
    }

    /// Reads the variables that are meant for us.
    pub fn of_environment(
        variables: &BTreeMap<String, String>,
        schema: &Schema,
        mistakes: &mut Mistakes,
    ) -> Layer {
        let mut reader = Reader { schema, mistakes, values: BTreeMap::new() };
        for (name, text) in variables {
            reader.read_variable(name, text);
        }
        reader.read_token(variables);
        Layer(reader.values)
    }

    /// Where the value of a key stands: a file or a variable.
    pub fn origin(&self, path: &str) -> Option<&str> {
        self.0.get(path).and_then(Value::origin)
    }
}

struct Reader<'a> {
    schema: &'a Schema,
    mistakes: &'a mut Mistakes,
    values: BTreeMap<String, Value>,
}

impl Reader<'_> {
    fn read_table(&mut self, file: &str, section: &str, table: Map<String, Value>) {
        let entries: BTreeMap<String, Value> = table.into_iter().collect();
        for (name, value) in entries {
            let path = if section.is_empty() { name } else { format!("{section}.{name}") };
            match (self.schema.key(&path), value.kind) {
                (Some(key), kind) => self.accept(file, key, kind),
                (None, ValueKind::Table(table)) if self.schema.has_section(&path) => {
                    self.read_table(file, &path, table);
                }
                (None, _) if self.schema.has_section(&path) => {
                    self.mistakes.add(format!("{file}: {path}: found a value, allowed a table, [{path}]"));
                }
                (None, _) => self.refuse_key(file, &path),
            }
        }
    }

    fn accept(&mut self, origin: &str, key: &Key, kind: ValueKind) {
        match rules::check(key, &kind) {
            Ok(()) => {
                let value = Value::new(Some(&origin.to_string()), kind);
                self.values.insert(key.path.clone(), value);
            }
            Err(problem) => self.mistakes.add(format!("{origin}: {}: {problem}", key.path)),
        }
    }

    fn refuse_key(&mut self, file: &str, path: &str) {
        let key = self.schema.nearest(path).map(|key| key.path.as_str());
        let hint = match path.rsplit_once('.') {
            Some((section, _)) => hint(key, &self.schema.names_in(section)),
            None => {
                let sections = self.schema.sections();
                hint(key.or_else(|| nearest(path, &sections)), &sections)
            }
        };
        self.mistakes.add(format!("{file}: {}: unknown key, {hint}", plain(path)));
    }

    fn read_variable(&mut self, name: &str, text: &str) {
        let Some(rest) = name.strip_prefix("TABIYA_") else { return };
        // A container host with a service called "tabiya" adds these on its own.
        if rest.starts_with("SERVICE_") || rest.starts_with("PORT") {
            return;
        }
        let path = rest.to_lowercase().replace("__", ".");
        match self.schema.key(&path) {
            Some(key) => self.accept(name, key, from_text(key.kind, text)),
            None => {
                let hint = match self.schema.nearest(&path) {
                    Some(key) => format!("did you mean {}?", key.variable()),
                    None => "allowed are TABIYA_SECTION__KEY as in config.example.toml".to_string(),
                };
                self.mistakes.add(format!("{}: unknown variable, {hint}", plain(name)));
            }
        }
    }

    /// The token's own variables go before every other place it may stand in.
    fn read_token(&mut self, variables: &BTreeMap<String, String>) {
        let get = |name: &str| variables.get(name).map(|text| text.trim()).filter(|text| !text.is_empty());
        let key = self.schema.key("lichess.token").expect("the token is a key");
        if let Some(token) = get("LICHESS_BOT_TOKEN") {
            self.accept("LICHESS_BOT_TOKEN", key, token.into());
        } else if let Some(file) = get("LICHESS_BOT_TOKEN_FILE") {
            match read_token_file(file) {
                Ok(token) => self.accept("LICHESS_BOT_TOKEN_FILE", key, token.into()),
                Err(problem) => self.mistakes.add(format!("LICHESS_BOT_TOKEN_FILE: {problem}")),
            }
        }
    }
}

fn hint(meant: Option<&str>, allowed: &[&str]) -> String {
    match meant {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("allowed are {}", allowed.join(", ")),
    }
}

fn read_token_file(file: &str) -> Result<String, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("the file {} cannot be read: {error}", quoted(file)))?;
    match text.trim() {
        "" => Err(format!("the file {} is empty, allowed a Lichess token", quoted(file))),
        token => Ok(token.to_string()),
    }
}

/// A variable's text as the kind that its key wants; what does not read as that stays text and is
/// refused as such.
fn from_text(kind: Kind, text: &str) -> ValueKind {
    let text = text.trim();
    let word = text.to_lowercase();
    match kind {
        Kind::Flag if ["true", "yes", "on", "1"].contains(&word.as_str()) => true.into(),
        Kind::Flag if ["false", "no", "off", "0"].contains(&word.as_str()) => false.into(),
        Kind::Whole { .. } => word.parse::<i64>().map_or_else(|_| text.into(), ValueKind::from),
        Kind::List => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            ValueKind::from(items.map(Value::from).collect::<Vec<_>>())
        }
        Kind::Flag | Kind::Text | Kind::Word(_) => text.into(),
    }
}

/// The parser's report made one line. It repeats the line of the file, and the token may be on it,
/// so only the place and the reason are taken over.
fn syntax_mistake(file: &str, error: ConfigError) -> String {
    let report = match error {
        ConfigError::FileParse { cause, .. } => cause.to_string(),
        other => other.to_string(),
    };
    let place = report.lines().next().and_then(|line| line.strip_prefix("TOML parse error at "));
    let skipped = if place.is_some() { 4 } else { 0 };
    let reason = report.lines().skip(skipped).collect::<Vec<_>>().join(", ");
    match place {
        Some(place) => format!("{file}, {place}: not TOML: {}", plain(&reason)),
        None => format!("{file}: not TOML: {}", plain(&reason)),
    }
}
