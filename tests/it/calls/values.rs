//! Values of metadata, said shortly.

use std::collections::BTreeMap;

use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value};

pub(super) fn number(number: f64) -> Value {
    Value { kind: Some(Kind::NumberValue(number)) }
}

pub(super) fn text(text: &str) -> Value {
    Value { kind: Some(Kind::StringValue(text.to_owned())) }
}

pub(super) fn list(values: Vec<Value>) -> Value {
    Value { kind: Some(Kind::ListValue(ListValue { values })) }
}

pub(super) fn nested(key: &str, value: Value) -> Value {
    Value { kind: Some(Kind::StructValue(object(key, value))) }
}

pub(super) fn object(key: &str, value: Value) -> Struct {
    Struct { fields: BTreeMap::from([(key.to_owned(), value)]) }
}
