//! Remember, `UpdateMemory` and `ImportMemories`.

use super::super::{import, remember, update};
use super::*;
use crate::domain::command::{Body, Import, NewMemory, Update};
use crate::domain::memory::Kind;
use crate::proto::v1::{ImportItem, ImportMemoriesRequest, RememberRequest, UpdateMemoryRequest};

fn text(content: &str) -> RememberRequest {
    RememberRequest { content: content.to_owned(), ..RememberRequest::default() }
}

fn saved(request: RememberRequest) -> NewMemory {
    match remember(&caller(false), request).unwrap().command.body {
        Body::Remember(memory) => memory,
        other => panic!("{other:?}"),
    }
}

fn imported(admin: bool, request: ImportMemoriesRequest) -> Import {
    match import(&caller(admin), request).unwrap().command.body {
        Body::Import(import) => import,
        other => panic!("{other:?}"),
    }
}

fn items(items: Vec<ImportItem>) -> ImportMemoriesRequest {
    ImportMemoriesRequest { items, ..ImportMemoriesRequest::default() }
}

fn item(content: &str) -> ImportItem {
    ImportItem { content: content.to_owned(), ..ImportItem::default() }
}

#[test]
fn a_memory_without_a_name_is_given_one_and_the_defaults() {
    let memory = saved(text("x"));
    assert!(memory.id.as_str().starts_with("mem_") && memory.id.as_str().len() == 40, "{}", memory.id);
    assert!(memory.graph.is_default() && memory.subject.is_none() && memory.date.is_none());
    assert_eq!(memory.kind, Kind::Memory);
    let named = RememberRequest { memory_id: "m".to_owned(), kind: 4, ..text("x") };
    assert_eq!((saved(named.clone()).id.as_str(), saved(named).kind), ("m", Kind::Fact));
}

#[test]
fn every_fault_of_a_memory_is_told_at_once() {
    let request = RememberRequest {
        memory_id: "a b".to_owned(),
        subject_id: " ".to_owned(),
        graph_id: "g/h".to_owned(),
        kind: 5,
        memory_date: "2026-2-3".to_owned(),
        request_id: " ".to_owned(),
        ..text(" ")
    };
    let found = faulty(remember(&caller(false), request));
    assert_eq!(
        found,
        ["request_id", "memory_id", "subject_id", "graph_id", "kind", "content", "memory_date"]
    );
}

#[test]
fn a_day_is_a_day_of_the_calendar_in_just_one_form() {
    for day in ["2024-02-29", "0001-01-01", "9999-12-31"] {
        let request = RememberRequest { memory_date: day.to_owned(), ..text("x") };
        assert_eq!(saved(request).date.unwrap().to_string(), day);
    }
    for day in
        ["2026-02-29", "0000-01-01", "2026-1-01", "20260101", "+2026-01-01", "2026-01-01T", "2026/01/01"]
    {
        let request = RememberRequest { memory_date: day.to_owned(), ..text("x") };
        assert_eq!(faulty(remember(&caller(false), request)), ["memory_date"], "{day}");
    }
}

#[test]
fn a_correction_leaves_what_is_unset() {
    let read = |request| match update(&caller(false), request).unwrap().command.body {
        Body::Update(update) => update,
        other => panic!("{other:?}"),
    };
    let request = UpdateMemoryRequest { memory_id: "m".to_owned(), ..UpdateMemoryRequest::default() };
    let Update { content, metadata, .. } = read(request.clone());
    assert!(content.is_none() && metadata.is_none());
    let emptied = UpdateMemoryRequest { metadata: Some(prost_types::Struct::default()), ..request.clone() };
    assert!(read(emptied).metadata.is_some_and(|metadata| metadata.encoded().is_empty()));
    let faults = UpdateMemoryRequest {
        content: Some(String::new()),
        etag: "1".to_owned(),
        ..UpdateMemoryRequest::default()
    };
    assert_eq!(faulty(update(&caller(false), faults)), ["memory_id", "etag", "content"]);
}

#[test]
fn a_faulty_item_is_refused_in_its_place() {
    let faulty = ImportItem { graph_id: " ".to_owned(), memory_id: "m".to_owned(), ..item("") };
    let import = imported(false, items(vec![item("x"), faulty]));
    assert!(import.import_id.is_some_and(|id| id.as_str().starts_with("imp_")));
    assert!(import.items[0].memory.is_ok() && import.items[0].sent_id.is_empty());
    let found = import.items[1].memory.as_ref().unwrap_err();
    let fields: Vec<_> = found.iter().map(|fault| fault.field.as_str()).collect();
    assert_eq!(fields, ["items[1].graph_id", "items[1].content"]);
    assert_eq!(import.items[1].sent_id, "m");
}

#[test]
fn an_import_fails_for_its_size_and_its_name_only() {
    assert_eq!(faulty(import(&caller(false), items(vec![]))), ["items"]);
    assert_eq!(faulty(import(&caller(false), items(vec![item("x"); 1001]))), ["items"]);
    let named = ImportMemoriesRequest { import_id: " ".to_owned(), ..items(vec![item("x")]) };
    assert_eq!(faulty(import(&caller(false), named)), ["import_id"]);
}

#[test]
fn what_moves_a_store_in_is_an_administrators() {
    let for_another = || items(vec![item(""), ImportItem { agent_id: "b".to_owned(), ..item("x") }]);
    let of_then =
        || items(vec![ImportItem { create_time: Some(prost_types::Timestamp::default()), ..item("x") }]);
    let legacy = || ImportMemoriesRequest { legacy: true, ..items(vec![item("x")]) };
    for request in [for_another(), of_then(), legacy()] {
        assert_eq!(not_allowed(&caller(false), &request), admin_missing());
    }
    assert_eq!(imported(true, for_another()).items[1].agent.as_ref().unwrap().as_str(), "b");
    assert!(imported(true, of_then()).items[0].create_time.is_some());
    assert!(imported(true, legacy()).import_id.is_none());
    let named = ImportMemoriesRequest { import_id: "i".to_owned(), ..legacy() };
    assert_eq!(faulty(import(&caller(true), named)), ["import_id"]);
}
