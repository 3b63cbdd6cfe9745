//! The keys of the configuration, read off the option structs themselves.
//!
//! A struct is deserialized once from a source that has nothing to give: whatever it asks serde
//! for on the way is a key, and how it asks tells the kind. So no second list of keys can fall
//! behind the first. (Idea: the crate serde-reflection traces formats in the same way.)

use super::mistake::nearest;
use serde::de::value::{Error, SeqDeserializer, StrDeserializer};
use serde::de::{self, Deserialize, DeserializeSeed, IntoDeserializer, MapAccess, Visitor};

/// What a key holds, as its Rust type asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Flag,
    /// A whole number within what the type can hold.
    Whole {
        least: i64,
        most: i64,
    },
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of texts.
    List,
}

/// One key of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Section and name, `engine.hash_mb`.
    pub path: String,
    pub kind: Kind,
}

impl Key {
    /// The environment variable that sets it, `TABIYA_ENGINE__HASH_MB`.
    pub fn variable(&self) -> String {
        format!("TABIYA_{}", self.path.replace('.', "__").to_uppercase())
    }

    fn section(&self) -> &str {
        section_of(&self.path)
    }

    fn name(&self) -> &str {
        name_of(&self.path)
    }
}

fn section_of(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(section, _)| section)
}

fn name_of(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(_, name)| name)
}

/// All keys of a configuration, in the order of its structs.
#[derive(Clone, Debug)]
pub struct Schema {
    pub keys: Vec<Key>,
}

impl Schema {
    pub fn of<T: for<'de> Deserialize<'de>>() -> Schema {
        let mut keys = Vec::new();
        T::deserialize(Probe { path: String::new(), keys: &mut keys })
            .expect("options hold flags, whole numbers, texts, words and lists of texts");
        Schema { keys }
    }

    pub fn key(&self, path: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.path == path)
    }

    pub fn has_section(&self, path: &str) -> bool {
        self.keys.iter().any(|key| key.section() == path)
    }

    /// Names of the sections, each once.
    pub fn sections(&self) -> Vec<&str> {
        let mut sections: Vec<&str> = self.keys.iter().map(Key::section).collect();
        sections.dedup();
        sections
    }

    /// Names of the keys of one section, without the section.
    pub fn names_in(&self, section: &str) -> Vec<&str> {
        self.keys.iter().filter(|key| key.section() == section).map(Key::name).collect()
    }

    /// The key that a path was probably meant to be: near in both section and name, or else
    /// the same but for a dot, or else of the same name in another section.
    pub fn nearest(&self, path: &str) -> Option<&Key> {
        let flat = |path: &str| path.replace(['.', '_'], "");
        let section = nearest(section_of(path), &self.sections());
        section
            .and_then(|section| {
                let name = nearest(name_of(path), &self.names_in(section))?;
                self.key(&format!("{section}.{name}"))
            })
            .or_else(|| self.keys.iter().find(|key| flat(&key.path) == flat(path)))
            .or_else(|| self.keys.iter().find(|key| key.name() == name_of(path)))
    }
}

/// A source with nothing to give, which notes what it is asked for.
struct Probe<'a> {
    path: String,
    keys: &'a mut Vec<Key>,
}

impl Probe<'_> {
    fn note(self, kind: Kind) {
        self.keys.push(Key { path: self.path, kind });
    }
}

/// Whole numbers are all noted alike; one that TOML cannot write is out of bounds for us too.
macro_rules! whole_numbers {
    ($($deserialize:ident $visit:ident $number:ty;)*) => {$(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let least = i64::try_from(<$number>::MIN).unwrap_or(i64::MIN);
            let most = i64::try_from(<$number>::MAX).unwrap_or(i64::MAX);
            self.note(Kind::Whole { least, most });
            visitor.$visit(0)
        }
    )*};
}

impl<'de> de::Deserializer<'de> for Probe<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(Fields { names: fields.iter(), current: "", probe: self })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note(Kind::Flag);
        visitor.visit_bool(false)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note(Kind::Text);
        visitor.visit_str("")
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.note(Kind::Word(variants));
        let first: StrDeserializer<'_, Error> = variants[0].into_deserializer();
        visitor.visit_enum(first)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note(Kind::List);
        visitor.visit_seq(SeqDeserializer::new(std::iter::empty::<&str>()))
    }

    whole_numbers! {
        deserialize_i8 visit_i8 i8;
        deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32;
        deserialize_i64 visit_i64 i64;
        deserialize_u8 visit_u8 u8;
        deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(de::Error::custom(format!("{}: a kind that no key has yet", self.path)))
    }

    serde::forward_to_deserialize_any! {
        f32 f64 char bytes byte_buf option unit unit_struct tuple tuple_struct map identifier
        ignored_any
    }
}

/// The fields of one struct, each given to a probe of its own.
struct Fields<'a> {
    names: std::slice::Iter<'static, &'static str>,
    current: &'static str,
    probe: Probe<'a>,
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(name) = self.names.next() else { return Ok(None) };
        self.current = name;
        seed.deserialize(StrDeserializer::<Error>::new(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let path = match self.probe.path.as_str() {
            "" => self.current.to_string(),
            section => format!("{section}.{}", self.current),
        };
        seed.deserialize(Probe { path, keys: self.probe.keys })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    #[allow(dead_code, reason = "read by the probe only")]
    struct Whole {
        part: Part,
        other: Other,
    }

    #[derive(Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    #[allow(dead_code, reason = "read by the probe only")]
    struct Part {
        flag: bool,
        small: u8,
        large: u64,
        signed: i32,
        text: String,
        word: Word,
        list: Vec<String>,
    }

    #[derive(Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    #[allow(dead_code, reason = "read by the probe only")]
    struct Other {
        text: String,
        hash_mb: usize,
    }

    #[derive(Default, Deserialize)]
    #[serde(rename_all = "lowercase")]
    #[allow(dead_code, reason = "read by the probe only")]
    enum Word {
        #[default]
        Red,
        Green,
    }

    #[test]
    fn keys_and_kinds_are_those_of_the_structs() {
        let keys: Vec<(String, Kind)> =
            Schema::of::<Whole>().keys.into_iter().map(|key| (key.path, key.kind)).collect();
        let expected = [
            ("part.flag", Kind::Flag),
            ("part.small", Kind::Whole { least: 0, most: 255 }),
            ("part.large", Kind::Whole { least: 0, most: i64::MAX }),
            ("part.signed", Kind::Whole { least: i32::MIN.into(), most: i32::MAX.into() }),
            ("part.text", Kind::Text),
            ("part.word", Kind::Word(&["red", "green"])),
            ("part.list", Kind::List),
            ("other.text", Kind::Text),
            ("other.hash_mb", Kind::Whole { least: 0, most: i64::MAX }),
        ];
        assert_eq!(keys, expected.map(|(path, kind)| (path.to_string(), kind)));
    }

    #[test]
    fn the_nearest_key_is_found_across_slips_of_section_and_separator() {
        let schema = Schema::of::<Whole>();
        let cases = [
            ("part.smal", Some("part.small")),
            ("prat.small", Some("part.small")),
            ("other.hashmb", Some("other.hash_mb")),
            ("other_hash_mb", Some("other.hash_mb")),
            ("hash_mb", Some("other.hash_mb")),
            ("part.hash_mb", Some("other.hash_mb")),
            ("part.quite_different", None),
            ("nothing", None),
        ];
        for (path, expected) in cases {
            assert_eq!(schema.nearest(path).map(|key| key.path.as_str()), expected, "{path}");
        }
    }
}
