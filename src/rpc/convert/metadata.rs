//! The structured attachment of a memory: checked, and kept as the bytes of its message.

use std::io;

use prost::Message;
use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::faults::Faults;
use crate::domain::content::Metadata;

/// The most bytes it may have as compact JSON.
const MAX_JSON_BYTES: usize = 16 * 1024;
/// How deep objects and lists may be nested, the outermost object being the first level.
const MAX_DEPTH: usize = 32;

/// Reads an attachment. An empty one is kept as such: to an update it means "leave none".
pub(super) fn metadata(faults: &mut Faults, field: &str, sent: Option<&Struct>) -> Option<Metadata> {
    let sent = sent?;
    let checked = check_fields(sent, 1).and_then(|()| {
        let size = json_bytes(sent);
        if size > MAX_JSON_BYTES { Err("must have at most 16384 bytes as JSON") } else { Ok(()) }
    });
    faults.take(field, checked.map(|()| Metadata::from_encoded(sent.encode_to_vec())))
}

/// Writes an attachment; an empty one is none.
pub(super) fn metadata_sent(metadata: Option<&Metadata>) -> Option<Struct> {
    let encoded = metadata.map(Metadata::encoded).filter(|encoded| !encoded.is_empty())?;
    // What is stored was encoded here.
    Struct::decode(encoded).ok()
}

fn check_fields(sent: &Struct, depth: usize) -> Result<(), &'static str> {
    check_depth(depth)?;
    let Struct { fields } = sent;
    fields.iter().try_for_each(|(key, value)| {
        check_text(key)?;
        check_value(value, depth)
    })
}

fn check_value(value: &Value, depth: usize) -> Result<(), &'static str> {
    match &value.kind {
        // A Value of no kind is no JSON, and would come back as something else than it was sent as.
        None => Err("must not hold a Value without a kind; send null_value for null"),
        Some(Kind::NullValue(_) | Kind::BoolValue(_)) => Ok(()),
        Some(Kind::NumberValue(number)) if number.is_finite() => Ok(()),
        Some(Kind::NumberValue(_)) => Err("must not hold NaN or Infinity"),
        Some(Kind::StringValue(text)) => check_text(text),
        Some(Kind::StructValue(inner)) => check_fields(inner, depth + 1),
        Some(Kind::ListValue(ListValue { values })) => {
            check_depth(depth + 1)?;
            values.iter().try_for_each(|value| check_value(value, depth + 1))
        }
    }
}

fn check_depth(depth: usize) -> Result<(), &'static str> {
    if depth > MAX_DEPTH { Err("must not be nested deeper than 32 levels") } else { Ok(()) }
}

fn check_text(text: &str) -> Result<(), &'static str> {
    if text.contains('\0') { Err("must not contain the character U+0000") } else { Ok(()) }
}

/// The length of an attachment as JSON without white space.
fn json_bytes(sent: &Struct) -> usize {
    let mut length = Length(0);
    // Counting never fails, and neither does writing what was checked.
    let written = serde_json::to_writer(&mut length, &Json(sent));
    written.map_or(usize::MAX, |()| length.0)
}

/// Counts what is written.
struct Length(usize);

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Shows a message of `google.protobuf.Struct` as the JSON it stands for.
struct Json<'a, T>(&'a T);

impl Serialize for Json<'_, Struct> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.fields.len()))?;
        for (key, value) in &self.0.fields {
            map.serialize_entry(key, &Json(value))?;
        }
        map.end()
    }
}

impl Serialize for Json<'_, Value> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0.kind {
            None | Some(Kind::NullValue(_)) => serializer.serialize_unit(),
            Some(Kind::BoolValue(value)) => serializer.serialize_bool(*value),
            Some(Kind::NumberValue(number)) => serialize_number(*number, serializer),
            Some(Kind::StringValue(text)) => serializer.serialize_str(text),
            Some(Kind::StructValue(inner)) => Json(inner).serialize(serializer),
            Some(Kind::ListValue(ListValue { values })) => {
                let mut list = serializer.serialize_seq(Some(values.len()))?;
                for value in values {
                    list.serialize_element(&Json(value))?;
                }
                list.end()
            }
        }
    }
}

/// Writes 3 and not 3.0, as JSON is written elsewhere.
fn serialize_number<S: Serializer>(number: f64, serializer: S) -> Result<S::Ok, S::Error> {
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2⁵³: every integer up to it is a number of its own.
    if number.fract() == 0.0 && number.abs() <= EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number within the range of an i64")]
        return serializer.serialize_i64(number as i64);
    }
    serializer.serialize_f64(number)
}
