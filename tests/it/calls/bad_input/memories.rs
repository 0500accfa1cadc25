//! What a memory says: its text, its metadata and its day.

use memory_lifecycle::proto::v1::{
    ImportItem, ImportMemoriesRequest, ImportMemoriesResponse, RememberRequest, UpdateMemoryRequest,
};
use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value};
use tonic_types::pb;

use super::{CANARY, filter_refused};
use crate::calls::stage::{INVALID_FIELD, Stage};
use crate::calls::values::{list, nested, number, object, text};
use crate::calls::wire::{IMPORT, REMEMBER, UPDATE, read};

fn remember(content: &str) -> RememberRequest {
    RememberRequest { content: content.to_owned(), ..RememberRequest::default() }
}

fn update(content: &str) -> UpdateMemoryRequest {
    UpdateMemoryRequest {
        memory_id: "kept".to_owned(),
        content: Some(content.to_owned()),
        ..UpdateMemoryRequest::default()
    }
}

#[tokio::test]
async fn a_text_that_is_blank_too_long_or_has_nul_is_refused() {
    let mut stage = Stage::furnished().await;
    let over = format!("{CANARY}{}", "a".repeat(65_537 - CANARY.len()));
    let over_in_bytes = "é".repeat(32_769);
    let with_nul = format!("{CANARY}\0");
    for content in ["", " ", "\n\t\u{3000}", &over, &over_in_bytes, &with_nul] {
        stage.refused(REMEMBER, &remember(content), INVALID_FIELD, &["content"]).await;
        stage.refused(UPDATE, &update(content), INVALID_FIELD, &["content"]).await;
    }
}

#[tokio::test]
async fn a_text_of_just_the_limit_comes_back_whole() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    for content in ["a".repeat(65_536), "é".repeat(32_768), "\u{1f9e0}".repeat(16_384)] {
        let saved = caller.remember("", &content).await.unwrap();
        assert_eq!(caller.get(&saved.memory_id).await.unwrap().content, content);
    }
    // What normalises to more than it is: every character becomes eighteen.
    let content = "\u{fdfa}".repeat(21_845);
    let saved = caller.remember("", &content).await.unwrap();
    assert_eq!(caller.get(&saved.memory_id).await.unwrap().content, content);
}

/// Metadata that must not be taken.
fn faulty_metadata() -> Vec<(&'static str, Struct)> {
    let none = Value { kind: None };
    // {"k":"…"} is eight bytes beside the text.
    let over = "a".repeat(16 * 1024 + 1 - 8);
    vec![
        ("NaN", object("k", number(f64::NAN))),
        ("Infinity", object("k", number(f64::INFINITY))),
        ("-Infinity in a list", object("k", list(vec![number(1.0), number(f64::NEG_INFINITY)]))),
        ("NUL in a value", object("k", text(&format!("{CANARY}\0")))),
        ("NUL in a key", object(&format!("{CANARY}\0"), number(1.0))),
        ("NUL in an inner key", object("k", nested("\0", number(1.0)))),
        ("a value of no kind", object("k", none.clone())),
        ("a value of no kind in a list", object("k", list(vec![none]))),
        ("a byte too many", object("k", text(&over))),
        ("a byte too many once escaped", object("k", text(&format!("{}\n", &over[..over.len() - 2])))),
        ("33 levels of objects", levels(33, |inner| Kind::StructValue(object("k", inner)))),
        ("33 levels of lists", levels(33, |inner| Kind::ListValue(ListValue { values: vec![inner] }))),
    ]
}

/// A Struct of so many levels, the outermost being the first.
fn levels(depth: usize, around: impl Fn(Value) -> Kind) -> Struct {
    let mut value = number(1.0);
    for _ in 1..depth {
        value = Value { kind: Some(around(value)) };
    }
    object("k", value)
}

#[tokio::test]
async fn metadata_that_is_no_json_too_deep_or_too_large_is_refused() {
    let mut stage = Stage::furnished().await;
    for (what, metadata) in faulty_metadata() {
        println!("{what}");
        let request = RememberRequest { metadata: Some(metadata.clone()), ..remember("text") };
        stage.refused(REMEMBER, &request, INVALID_FIELD, &["metadata"]).await;
        let request = UpdateMemoryRequest { metadata: Some(metadata), content: None, ..update("") };
        stage.refused(UPDATE, &request, INVALID_FIELD, &["metadata"]).await;
    }
}

#[tokio::test]
async fn metadata_of_just_the_limits_comes_back_equal() {
    let stage = Stage::new().await;
    let within = [
        object("k", text(&"a".repeat(16 * 1024 - 8))),
        levels(32, |inner| Kind::StructValue(object("k", inner))),
        levels(32, |inner| Kind::ListValue(ListValue { values: vec![inner] })),
        object("", list(vec![number(-0.0), number(f64::MAX), number(5e-324), text("")])),
    ];
    for metadata in within {
        let request = RememberRequest { metadata: Some(metadata.clone()), ..remember("text") };
        let saved = stage.caller().store.remember(request).await.unwrap().into_inner().memory.unwrap();
        let shown = stage.caller().get(&saved.memory_id).await.unwrap();
        assert_eq!(shown.metadata.as_ref(), Some(&metadata));
    }
    let empty = RememberRequest { metadata: Some(Struct::default()), ..remember("text") };
    let saved = stage.caller().store.remember(empty).await.unwrap().into_inner().memory.unwrap();
    assert_eq!(saved.metadata, None, "an empty one is none");
}

/// Texts that are no day, or not in the one form of a day.
const NO_DAYS: [&str; 13] = [
    "2026-02-30",
    "2025-02-29",
    "2026-2-3",
    "10000-01-01",
    "0000-01-01",
    "-001-01-01",
    "2026-13-01",
    "2026-00-10",
    "2026/01/01",
    "20260101",
    "2026-01-01T00:00:00Z",
    " ",
    "canary-4f1d",
];

#[tokio::test]
async fn a_day_that_the_calendar_lacks_is_refused() {
    let mut stage = Stage::furnished().await;
    for day in NO_DAYS {
        let request = RememberRequest { memory_date: day.to_owned(), ..remember("text") };
        stage.refused(REMEMBER, &request, INVALID_FIELD, &["memory_date"]).await;
        let filter =
            memory_lifecycle::proto::v1::Filter { memory_date: Some(day.to_owned()), ..Default::default() };
        filter_refused(&mut stage, filter, &["memory_date"]).await;
    }
    let request = RememberRequest { memory_date: "2024-02-29".to_owned(), ..remember("text") };
    let saved = stage.caller().store.remember(request).await.unwrap().into_inner().memory.unwrap();
    assert_eq!(saved.memory_date, "2024-02-29");
}

#[tokio::test]
async fn an_item_with_a_faulty_text_or_metadata_is_refused_alone() {
    let stage = Stage::new().await;
    let mut items: Vec<ImportItem> = faulty_metadata()
        .into_iter()
        .map(|(_, metadata)| ImportItem {
            content: "text".to_owned(),
            metadata: Some(metadata),
            ..ImportItem::default()
        })
        .collect();
    items.extend(
        ["", " ", "a\0b"].map(|content| ImportItem { content: content.to_owned(), ..ImportItem::default() }),
    );
    let count = i64::try_from(items.len()).unwrap();
    items.push(ImportItem { content: "text".to_owned(), ..ImportItem::default() });
    let request = ImportMemoriesRequest { items, ..ImportMemoriesRequest::default() };
    let answer: ImportMemoriesResponse = read(&stage.call(IMPORT, &request).await.unwrap());
    assert_eq!((answer.saved, answer.refused), (1, count));
    for result in &answer.results[..answer.results.len() - 1] {
        let pb::Status { message, .. } = result.error.as_ref().unwrap();
        assert!(message.starts_with("items["), "{message}");
        assert!(!message.contains(CANARY), "{message}");
    }
}
