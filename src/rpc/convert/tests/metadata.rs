//! The structured attachment.

use prost::Message;
use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value};

use super::super::faults::Faults;
use super::super::metadata::{metadata, metadata_sent};
use super::*;
use crate::proto::v1::RememberRequest;

fn object(entries: &[(&str, Kind)]) -> Struct {
    let value = |kind: &Kind| Value { kind: Some(kind.clone()) };
    Struct { fields: entries.iter().map(|(key, kind)| ((*key).to_owned(), value(kind))).collect() }
}

fn text(text: impl Into<String>) -> Kind {
    Kind::StringValue(text.into())
}

fn read(sent: &Struct) -> Result<(), Refusal> {
    let mut faults = Faults::default();
    let metadata = metadata(&mut faults, "metadata", Some(sent));
    faults.settle(metadata).map(drop)
}

fn nested(levels: usize) -> Struct {
    let mut inner = object(&[]);
    for _ in 1..levels {
        inner = object(&[("a", Kind::StructValue(inner))]);
    }
    inner
}

#[test]
fn what_is_allowed_comes_back_equal() {
    let list = ListValue { values: vec![Value { kind: Some(Kind::BoolValue(true)) }] };
    let sent = object(&[
        ("null", Kind::NullValue(0)),
        ("number", Kind::NumberValue(-1.5e300)),
        ("text", text("é\n")),
        ("list", Kind::ListValue(list)),
        ("object", Kind::StructValue(nested(3))),
        ("", text("")),
    ]);
    let kept = metadata(&mut Faults::default(), "metadata", Some(&sent)).unwrap();
    assert_eq!(metadata_sent(Some(&kept)), Some(sent));
    assert_eq!(metadata_sent(None), None);
    let empty = metadata(&mut Faults::default(), "metadata", Some(&Struct::default()));
    assert_eq!(metadata_sent(empty.as_ref()), None);
}

#[test]
fn what_json_or_postgres_cannot_keep_is_a_fault() {
    let nothing = Struct { fields: [("a".to_owned(), Value { kind: None })].into() };
    let deep = object(&[("a", Kind::StructValue(object(&[("b", text("\0"))])))]);
    for sent in [
        nothing,
        deep,
        object(&[("a\0", text("x"))]),
        object(&[("a", Kind::NumberValue(f64::NAN))]),
        object(&[("a", Kind::NumberValue(f64::INFINITY))]),
    ] {
        assert_eq!(faulty(read(&sent)), ["metadata"], "{sent:?}");
    }
}

#[test]
fn thirty_two_levels_are_allowed_and_can_be_decoded() {
    assert!(read(&nested(32)).is_ok());
    assert_eq!(faulty(read(&nested(33))), ["metadata"]);
    let mut list = Kind::ListValue(ListValue::default());
    for _ in 2..32 {
        list = Kind::ListValue(ListValue { values: vec![Value { kind: Some(list) }] });
    }
    assert!(read(&object(&[("a", list.clone())])).is_ok());
    let deeper = Kind::ListValue(ListValue { values: vec![Value { kind: Some(list) }] });
    assert_eq!(faulty(read(&object(&[("a", deeper)]))), ["metadata"]);

    let request = RememberRequest { metadata: Some(nested(32)), ..RememberRequest::default() };
    assert!(RememberRequest::decode(request.encode_to_vec().as_slice()).is_ok());
}

#[test]
fn the_size_is_that_of_compact_json() {
    // {"a":"…"} has 8 bytes beside the text; a quotation mark takes two, é as many as in UTF-8.
    assert!(read(&object(&[("a", text("x".repeat(16_384 - 8)))])).is_ok());
    assert_eq!(faulty(read(&object(&[("a", text("x".repeat(16_384 - 7)))]))), ["metadata"]);
    assert!(read(&object(&[("a", text("\"".repeat(8192 - 4)))])).is_ok());
    assert_eq!(faulty(read(&object(&[("a", text("\"".repeat(8192 - 3)))]))), ["metadata"]);
    assert!(read(&object(&[("a", text("é".repeat(8192 - 4)))])).is_ok());

    // {"a":[3,3,…]}: a whole number is written without a fraction.
    let numbers = |count: usize| {
        let three = Value { kind: Some(Kind::NumberValue(3.0)) };
        object(&[("a", Kind::ListValue(ListValue { values: vec![three; count] }))])
    };
    // 7 bytes around, two for each number but the last.
    assert!(read(&numbers((16_384 - 7) / 2)).is_ok());
    assert_eq!(faulty(read(&numbers(8190))), ["metadata"]);
}
