//! Preview, lists and look-ups.

use super::super::{audit_query, list_query, memory_id, operation_name, operations_query, preview_query};
use super::*;
use crate::domain::memory::State;
use crate::ops::PreviewSelection;
use crate::proto::v1::{
    Filter, GetMemoryRequest, GetOperationRequest, ListAuditRecordsRequest, ListMemoriesRequest,
    ListOperationsRequest, PreviewRequest, Selector,
};

fn list(request: ListMemoriesRequest) -> crate::ops::ListMemories {
    list_query(request).unwrap()
}

#[test]
fn page_sizes_have_a_default_a_maximum_and_no_sign() {
    for (asked, given) in [(0, 50), (1, 1), (1000, 1000), (i32::MAX, 1000)] {
        let query = list(ListMemoriesRequest { page_size: asked, ..ListMemoriesRequest::default() });
        assert_eq!(query.page.size, given);
    }
    let negative = ListMemoriesRequest { page_size: -1, ..ListMemoriesRequest::default() };
    assert_eq!(faulty(list_query(negative)), ["page_size"]);
}

#[test]
fn a_token_goes_with_all_arguments_but_the_page() {
    let first = ListMemoriesRequest { show_archived: true, ..ListMemoriesRequest::default() };
    let next = ListMemoriesRequest { page_size: 7, page_token: "x".to_owned(), ..first.clone() };
    let other = ListMemoriesRequest { show_archived: false, ..next.clone() };
    let (first, next, other) = (list(first), list(next), list(other));
    assert_eq!(first.page.arguments, next.page.arguments);
    assert_eq!(next.page.token, "x");
    assert_ne!(next.page.arguments, other.page.arguments);
}

#[test]
fn states_win_over_show_archived() {
    let states = |show_archived, states: Vec<i32>| {
        let filter = Some(Filter { states, ..Filter::default() });
        list(ListMemoriesRequest { show_archived, filter, ..ListMemoriesRequest::default() }).filter.states
    };
    assert_eq!(states(false, vec![]), [State::Active]);
    assert_eq!(states(true, vec![]), [State::Active, State::Archived]);
    assert_eq!(states(true, vec![2]), [State::Archived]);
    let query =
        list(ListMemoriesRequest { import_id: Some("i".to_owned()), ..ListMemoriesRequest::default() });
    assert_eq!(query.filter.import.unwrap().as_str(), "i");
}

#[test]
fn a_filter_by_agent_is_an_administrators() {
    let filter = Some(Filter { agent_id: Some(String::new()), ..Filter::default() });
    let request = ListMemoriesRequest { filter, page_size: -1, ..ListMemoriesRequest::default() };
    assert_eq!(not_allowed(&caller(false), &request), admin_missing());
    assert_eq!(faulty(list_query(request)), ["filter.agent_id", "page_size"]);
}

#[test]
fn a_preview_is_of_one_or_of_many() {
    let of = |memory_id: Option<&str>, ids: &[&str]| PreviewRequest {
        selector: Some(Selector {
            memory_id: memory_id.map(ToOwned::to_owned),
            memory_ids: ids.iter().map(ToString::to_string).collect(),
            ..Selector::default()
        }),
        ..PreviewRequest::default()
    };
    let read = |request| preview_query(request);
    let selection = |previewed| match previewed {
        super::super::Previewed::Ids(query) => query.selection,
        super::super::Previewed::Set(_) => panic!("a set"),
    };
    assert!(matches!(selection(read(of(Some("m"), &[])).unwrap()), PreviewSelection::One(_)));
    let PreviewSelection::Many(targets) = selection(read(of(None, &["m", "?"])).unwrap()) else { panic!() };
    assert!(targets[1].id.is_err() && targets[1].field == "selector.memory_ids[1]");
    assert_eq!(faulty(read(of(Some("?"), &[]))), ["selector.memory_id"]);
    assert_eq!(faulty(read(of(None, &["m"; 101]))), ["selector.memory_ids"]);
    assert_eq!(refusal(read(of(None, &[]))), Refusal::SelectorRequired);
    assert!(matches!(refusal(read(of(Some("m"), &["n"]))), Refusal::SelectorConflict(_)));
    let unknown = PreviewRequest { mode: 3, ..of(Some("m"), &[]) };
    assert_eq!(refusal(read(unknown)), Refusal::UnknownMode(3));
}

#[test]
fn an_operation_has_one_name() {
    let read = |operation_id: Option<&str>, request_id: Option<&str>| {
        operation_name(&GetOperationRequest {
            operation_id: operation_id.map(ToOwned::to_owned),
            request_id: request_id.map(ToOwned::to_owned),
        })
    };
    let uuid = "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e";
    assert!(read(Some(uuid), None).is_ok() && read(None, Some(uuid)).is_ok());
    assert_eq!(refusal(read(None, None)), Refusal::SelectorRequired);
    assert!(matches!(refusal(read(Some(uuid), Some(uuid))), Refusal::SelectorConflict(_)));
    assert_eq!(faulty(read(Some(""), None)), ["operation_id"]);
    assert_eq!(faulty(read(Some("x"), Some(""))), ["operation_id", "request_id"]);
}

#[test]
fn no_operation_is_of_an_unknown_method() {
    let of = |method: Option<&str>| ListOperationsRequest {
        method: method.map(ToOwned::to_owned),
        ..ListOperationsRequest::default()
    };
    assert!(operations_query(of(None)).unwrap().is_some());
    let known = operations_query(of(Some("memorylifecycle.v1.MemoryLifecycle/Forget"))).unwrap();
    assert!(known.unwrap().method.is_some());
    assert!(operations_query(of(Some("Forget"))).unwrap().is_none());
    assert_eq!(faulty(operations_query(of(Some(" ")))), ["method"]);
    let request = ListOperationsRequest { page_token: "x".to_owned(), ..of(Some("Forget")) };
    assert_eq!(faulty(operations_query(request)), ["page_token"]);
}

#[test]
fn every_fault_of_a_look_up_is_told() {
    assert_eq!(faulty(memory_id(&GetMemoryRequest::default())), ["memory_id"]);
    let request = ListAuditRecordsRequest {
        memory_id: Some(String::new()),
        operation_id: Some("x".to_owned()),
        principal_id: Some(" a".to_owned()),
        actions: vec![0, 1, 8],
        ..ListAuditRecordsRequest::default()
    };
    let found = faulty(audit_query(request));
    assert_eq!(found, ["memory_id", "operation_id", "principal_id", "actions[0]", "actions[2]"]);
}

/// Sets one of the selecting fields.
type Selecting = (&'static str, fn(&mut Selector));

const SELECTING: [Selecting; 6] = [
    ("memory_id", |selector| selector.memory_id = Some("m".to_owned())),
    ("target", |selector| selector.target = Some("m".to_owned())),
    ("match", |selector| selector.r#match = Some("m".to_owned())),
    ("import_id", |selector| selector.import_id = Some("m".to_owned())),
    ("scope", |selector| selector.scope = Some(3)),
    ("memory_ids", |selector| selector.memory_ids = vec!["m".to_owned()]),
];

#[test]
fn any_two_selecting_fields_are_seen_and_refused() {
    for (at, (one, set_one)) in SELECTING.iter().enumerate() {
        for (other, set_other) in &SELECTING[at + 1..] {
            let mut selector = Selector::default();
            set_one(&mut selector);
            set_other(&mut selector);
            let request = PreviewRequest { selector: Some(selector), ..PreviewRequest::default() };
            let names = [one, other].map(|name| format!("selector.{name}")).to_vec();
            assert_eq!(refusal(preview_query(request)), Refusal::SelectorConflict(names));
        }
    }
}

#[test]
fn a_selecting_field_that_is_there_and_empty_is_a_fault() {
    let empty: [Selecting; 5] = [
        ("memory_id", |selector| selector.memory_id = Some(String::new())),
        ("target", |selector| selector.target = Some(" ".to_owned())),
        ("match", |selector| selector.r#match = Some("\u{200b}".to_owned())),
        ("import_id", |selector| selector.import_id = Some(String::new())),
        ("scope", |selector| selector.scope = Some(0)),
    ];
    for (name, set) in empty {
        let mut selector = Selector::default();
        set(&mut selector);
        let request = PreviewRequest { selector: Some(selector), ..PreviewRequest::default() };
        assert_eq!(faulty(preview_query(request)), [format!("selector.{name}")]);
    }
}
