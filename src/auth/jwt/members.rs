//! JSON in which no object has two members of one name: which of them counts would be a matter of who reads it.

use std::fmt;

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// The members of an object.
pub(super) struct Members(pub(super) Map<String, Value>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_any(Whole)? {
            Value::Object(members) => Ok(Self(members)),
            _ => Err(D::Error::custom("not an object")),
        }
    }
}

/// A value within.
struct Inner(Value);

impl<'de> Deserialize<'de> for Inner {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Whole).map(Self)
    }
}

/// Reads a value with all that is in it.
struct Whole;

impl<'de> Visitor<'de> for Whole {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Inner(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = object.next_key::<String>()? {
            let Inner(value) = object.next_value()?;
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom("two members of one name"));
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Value> {
        serde_json::from_str(text).ok().map(|Members(members)| Value::Object(members))
    }

    #[test]
    fn an_object_is_read_as_it_is() {
        for text in
            ["{}", r#"{"a": [1, -1, 1.5, 18446744073709551615, true, null, "x\n", {"a": {}}], "b": "é"}"#]
        {
            assert_eq!(read(text), serde_json::from_str(text).unwrap(), "{text}");
        }
    }

    #[test]
    fn two_members_of_one_name_are_refused_wherever_they_are() {
        for text in [
            r#"{"a": 1, "a": 1}"#,
            r#"{"a": 1, "b": 2, "\u0061": 1}"#,
            r#"{"b": [{"a": 1, "a": 2}]}"#,
            r#"{"b": {"a": 1, "a": 2}}"#,
        ] {
            assert!(serde_json::from_str::<Value>(text).is_ok() && read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in ["", "[]", "null", "\"a\"", "7", "{", "{} {}", "{\"a\": 1e400}", &"[".repeat(8000)] {
            assert!(read(text).is_none(), "{text}");
        }
    }
}
