//! Reading the server's JSON loosely: what is missing, null or of another shape is absent.

use serde_json::Value;
use std::time::Duration;

/// `value[key]` as text; a number or an object's `key` or `name` counts too, because the server says
/// the same thing in several shapes.
pub fn text(value: &Value, key: &str) -> Option<String> {
    match value.get(key)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(fields) => {
            fields.get("key").or(fields.get("name")).and_then(Value::as_str).map(str::to_string)
        }
        _ => None,
    }
}

pub fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// A whole number of at least zero; what is negative counts as zero.
pub fn number(value: &Value, key: &str) -> Option<u64> {
    let number = value.get(key)?;
    let rounded = || number.as_f64().filter(|n| n.is_finite()).map(|n| n.max(0.0) as u64);
    number.as_u64().or_else(rounded)
}

pub fn small(value: &Value, key: &str) -> Option<u32> {
    number(value, key).and_then(|number| u32::try_from(number).ok())
}

pub fn milliseconds(value: &Value, key: &str) -> Option<Duration> {
    number(value, key).map(Duration::from_millis)
}

pub fn seconds(value: &Value, key: &str) -> Option<Duration> {
    number(value, key).map(Duration::from_secs)
}

/// `value[key]` if it is an object with something in it.
pub fn object<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value.get(key).filter(|inner| inner.as_object().is_some_and(|fields| !fields.is_empty()))
}
