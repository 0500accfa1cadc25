//! Forget, `BatchForget` and Restore.

use super::super::{Change, batch_forget, forget, restore};
use super::*;
use crate::domain::command::{Body, Restore, RestoreSelection};
use crate::domain::forget::{Forget, Mode};
use crate::proto::v1::{BatchForgetRequest, Filter, ForgetRequest, RestoreRequest, Selector};

const UUID: &str = "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e";

fn one(memory_id: &str) -> ForgetRequest {
    let selector = Selector { memory_id: Some(memory_id.to_owned()), ..Selector::default() };
    ForgetRequest { selector: Some(selector), ..ForgetRequest::default() }
}

fn filtered(filter: Filter) -> ForgetRequest {
    let selector = Selector { memory_id: Some("m".to_owned()), filter: Some(filter), ..Selector::default() };
    ForgetRequest { selector: Some(selector), ..ForgetRequest::default() }
}

fn body(change: Change) -> Forget {
    match change.command.body {
        Body::Forget(forget) => forget,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_unset_takes_its_default() {
    let change = forget(&caller(false), one("m")).unwrap();
    assert!(!change.validate_only);
    let call = &change.command.call;
    assert!(call.request.is_none() && call.reason.is_none() && call.channel.is_none());
    let forget = body(change);
    assert_eq!((forget.mode, forget.single, forget.etag), (Mode::Soft, true, None));
    assert_eq!(forget.filter, crate::domain::filter::Filter::default());
}

#[test]
fn every_fault_is_told_at_once() {
    let filter = Filter {
        subject_id: Some(" ".to_owned()),
        graph_id: Some(String::new()),
        memory_date: Some("2026-02-30".to_owned()),
        kinds: vec![1, 0, 9],
        states: vec![1, 4],
        origin: Some(0),
        create_time_from: Some(prost_types::Timestamp { seconds: 0, nanos: -1 }),
        create_time_to: Some(prost_types::Timestamp { seconds: 253_402_300_800, nanos: 0 }),
        agent_id: None,
    };
    let request = ForgetRequest {
        mode: 7,
        reason: "a\u{2028}b".to_owned(),
        request_id: "1".to_owned(),
        etag: "x".to_owned(),
        channel: " ".to_owned(),
        selector: Some(Selector {
            memory_id: Some(String::new()),
            filter: Some(filter),
            ..Selector::default()
        }),
        ..ForgetRequest::default()
    };
    let mut found = faulty(forget(&caller(false), request));
    found.sort();
    assert_eq!(
        found,
        [
            "channel",
            "etag",
            "mode",
            "reason",
            "request_id",
            "selector.filter.create_time_from",
            "selector.filter.create_time_to",
            "selector.filter.graph_id",
            "selector.filter.kinds[1]",
            "selector.filter.kinds[2]",
            "selector.filter.memory_date",
            "selector.filter.origin",
            "selector.filter.states[1]",
            "selector.filter.subject_id",
            "selector.memory_id",
        ]
    );
}

#[test]
fn exactly_one_selector_is_asked_for_after_the_fields() {
    let unset = ForgetRequest::default();
    assert_eq!(refusal(forget(&caller(false), unset)), Refusal::SelectorRequired);
    let mut both = one("m");
    both.selector.as_mut().unwrap().memory_ids = vec!["n".to_owned()];
    let names = vec!["selector.memory_id".to_owned(), "selector.memory_ids".to_owned()];
    assert_eq!(refusal(forget(&caller(false), both.clone())), Refusal::SelectorConflict(names));
    both.etag = "x".to_owned();
    assert_eq!(faulty(forget(&caller(false), both)), ["etag"]);

    let selector = Selector { memory_ids: vec!["n".to_owned()], ..Selector::default() };
    let list = ForgetRequest { selector: Some(selector), ..ForgetRequest::default() };
    assert_eq!(faulty(forget(&caller(false), list)), ["selector.memory_ids"]);
}

#[test]
fn a_mode_that_does_not_exist_is_never_a_guess() {
    for (number, mode) in [(0, Mode::Soft), (1, Mode::Soft), (2, Mode::Hard)] {
        let request = ForgetRequest { mode: number, ..one("m") };
        assert_eq!(body(forget(&caller(false), request).unwrap()).mode, mode);
    }
    for number in [-1, 3, i32::MAX] {
        let request = ForgetRequest { mode: number, ..one("m") };
        assert_eq!(refusal(forget(&caller(false), request)), Refusal::UnknownMode(number));
    }
}

#[test]
fn another_agents_memories_are_an_administrators() {
    let request = || ForgetRequest {
        etag: "x".to_owned(),
        ..filtered(Filter { agent_id: Some("other".to_owned()), ..Filter::default() })
    };
    assert_eq!(not_allowed(&caller(false), &request()), admin_missing());
    assert_eq!(faulty(forget(&caller(true), request())), ["etag"]);
    let batch = BatchForgetRequest {
        filter: Some(Filter { agent_id: Some("other".to_owned()), ..Filter::default() }),
        ..BatchForgetRequest::default()
    };
    assert_eq!(not_allowed(&caller(false), &batch), admin_missing());
}

#[test]
fn bounds_are_rounded_up_to_the_microsecond() {
    let bound = |nanos| {
        let sent = Some(prost_types::Timestamp { seconds: -1, nanos });
        let filter = filtered(Filter { create_time_from: sent, ..Filter::default() });
        let filter = body(forget(&caller(false), filter).unwrap()).filter;
        filter.create_time_from.unwrap().timestamp_micros()
    };
    assert_eq!([bound(0), bound(1), bound(1000), bound(999_999_999)], [-1_000_000, -999_999, -999_999, 0]);
}

#[test]
fn a_list_fails_for_its_size_only() {
    let request = |ids: Vec<String>| BatchForgetRequest { memory_ids: ids, ..BatchForgetRequest::default() };
    assert_eq!(faulty(batch_forget(&caller(false), request(vec![]))), ["memory_ids"]);
    assert_eq!(faulty(batch_forget(&caller(false), request(vec!["m".to_owned(); 101]))), ["memory_ids"]);
    let mixed = request(vec!["m".to_owned(), "a b".to_owned(), String::new()]);
    let targets = body(batch_forget(&caller(false), mixed).unwrap()).targets;
    assert!(targets[0].id.is_ok() && targets[1].id.is_err() && targets[2].id.is_err());
    assert_eq!((targets[1].sent.as_str(), targets[1].field.as_str()), ("a b", "memory_ids[1]"));
}

#[test]
fn a_request_id_stands_for_method_and_message() {
    let digest = |request: ForgetRequest| {
        forget(&caller(false), request).unwrap().command.call.request.unwrap().digest
    };
    let request = ForgetRequest { request_id: UUID.to_owned(), ..one("m") };
    assert_eq!(digest(request.clone()), digest(request.clone()));
    assert_ne!(digest(request.clone()), digest(ForgetRequest { mode: 2, ..request }));
}

#[test]
fn a_restore_is_by_ids_or_by_operation() {
    let by = |memory_ids: &[&str], operation_id: Option<&str>| RestoreRequest {
        memory_ids: memory_ids.iter().map(ToString::to_string).collect(),
        operation_id: operation_id.map(ToOwned::to_owned),
        ..RestoreRequest::default()
    };
    assert_eq!(refusal(restore(&caller(false), by(&[], None))), Refusal::SelectorRequired);
    let names = vec!["memory_ids".to_owned(), "operation_id".to_owned()];
    assert_eq!(refusal(restore(&caller(false), by(&["m"], Some(UUID)))), Refusal::SelectorConflict(names));
    assert_eq!(faulty(restore(&caller(false), by(&[], Some("")))), ["operation_id"]);
    let change = restore(&caller(false), by(&[], Some(UUID))).unwrap();
    assert!(change.if_unknown().is_none(), "which memories it means is not known");
    let Body::Restore(Restore { selection, .. }) = change.command.body else { panic!("no restore") };
    assert!(matches!(selection, RestoreSelection::Operation(_)));
    assert!(restore(&caller(false), by(&["m", "?"], None)).unwrap().if_unknown().is_some());
}
