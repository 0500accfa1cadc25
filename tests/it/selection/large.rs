//! Large sets: previewed page by page, and forgotten whole by one call.

use std::collections::BTreeSet;

use memory_lifecycle::proto::v1::{
    ForgetMode, ForgetStatus, GetOperationRequest, ListAuditRecordsRequest, ListOperationsRequest,
    MemoryState, Operation, Outcome, PreviewRequest,
};

use super::reference;
use super::{Shown, confirm, holding, import, preview};
use crate::harness::{Caller, Database, Server, reason};
use crate::model::chain;

/// What a third of the texts each is made of: ASCII, accented Latin in several writings, and Chinese.
const WORDS: [[&str; 8]; 3] = [
    ["coffee", "coffees", "Tea,", "milk", "COFFEE", "100%", "a_b", "don't"],
    ["é", "e\u{301}x", "\u{c5}ngstr\u{f8}m", "STRASSE", "straße", "a\u{f1}o", "an\u{303}o", "\u{fc}ber"],
    ["咖啡", "我喜欢咖啡馆", "茶", "我喜", "欢茶", "ｶ咖", "啡", "馆a"],
];

/// The text with this number: words of one sort, and one that every text has, in one writing or another.
fn text(number: usize, common: &str) -> String {
    let words = WORDS[number % 3];
    // Steps that share no factor with the counts go through all combinations.
    let (one, two, three) = (number / 3, number / 7, number / 11);
    format!("{} {} {common} {} {number}", words[one % 8], words[(two + one) % 8], words[three % 8])
}

/// The memories saved, oldest first: ids and texts.
async fn save(
    caller: &Caller,
    count: usize,
    common: impl Fn(usize) -> &'static str,
) -> Vec<(String, String)> {
    // Ids that are not in the order of saving.
    let memories: Vec<(String, String)> = (0..count)
        .map(|number| (format!("id-{:05}", number * 7919 % count), text(number, common(number))))
        .collect();
    for part in memories.chunks(1000) {
        import(caller, part.iter().cloned()).await;
    }
    memories
}

/// Whom a query finds, newest first.
fn meant<'a>(memories: &'a [(String, String)], query: &str) -> Vec<&'a str> {
    let pieces = reference::pieces(query);
    let found = memories
        .iter()
        .filter(|(_, content)| reference::held(&pieces, &reference::normal(content)) == pieces.len());
    found.rev().map(|(id, _)| id.as_str()).collect()
}

async fn shown(caller: &Caller, query: &str, mode: ForgetMode) -> Shown {
    let request = PreviewRequest {
        selector: holding(query),
        mode: mode.into(),
        page_size: 1000,
        ..PreviewRequest::default()
    };
    preview(caller, request).await.unwrap()
}

/// Checks that a preview's pages add up to the memories meant.
async fn assert_shown(
    caller: &Caller,
    memories: &[(String, String)],
    query: &str,
    mode: ForgetMode,
) -> Shown {
    let shown = shown(caller, query, mode).await;
    let wanted = meant(memories, query);
    assert!(!wanted.is_empty(), "{query:?} finds something");
    assert!(shown.ids() == wanted, "{query:?} shows {} of {}", shown.items.len(), wanted.len());
    let each: BTreeSet<&str> = shown.ids().into_iter().collect();
    assert_eq!(each.len(), wanted.len(), "none stands there twice");
    let times: Vec<_> =
        shown.items.iter().map(|item| item.create_time.unwrap()).map(|t| (t.seconds, t.nanos)).collect();
    assert!(times.is_sorted_by(|newer, older| newer >= older), "newest first");
    shown
}

/// Forgets all that a query finds by one call, and looks at the answer, the operation, the audit log and the store.
async fn assert_forgotten(caller: &Caller, memories: &[(String, String)], query: &str, mode: ForgetMode) {
    let shown = assert_shown(caller, memories, query, mode).await;
    let mut wanted = meant(memories, query);
    wanted.sort_unstable();
    let count = i64::try_from(wanted.len()).unwrap();
    let (outcome, archived, erased) = match mode {
        ForgetMode::Hard => (Outcome::Erased, 0, count),
        ForgetMode::Soft | ForgetMode::Unspecified => (Outcome::Archived, count, 0),
    };
    let before = operations(caller).await;
    let answer = confirm(caller, holding(query), mode, &shown).await.unwrap();
    let ids: Vec<&str> = answer.results.iter().map(|result| result.memory_id.as_str()).collect();
    assert!(ids == wanted, "{} results for {count} memories, by memory_id", ids.len());
    assert!(answer.results.iter().all(|result| result.outcome() == outcome));
    assert_eq!(answer.status(), ForgetStatus::Forgotten);
    assert_eq!((answer.matched, answer.archived, answer.erased), (count, archived, erased));
    assert_eq!((answer.already_forgotten, answer.refused, answer.suppressions), (0, 0, 0));

    let audit = answer.audit.unwrap();
    assert!(audit.confirmed);
    assert_eq!(audit.last_sequence - audit.first_sequence + 1, count, "a record for each");
    let records = caller.audit_records().await.unwrap();
    chain::verify("default", &records).unwrap();
    let first = usize::try_from(audit.first_sequence).unwrap() - 1;
    let (earlier, own) = records.split_at(first);
    assert_eq!(i64::try_from(own.len()).unwrap(), count, "they are the last ones");
    assert!(own.iter().all(|record| record.operation_id == answer.operation_id));
    assert!(earlier.iter().all(|record| record.operation_id != answer.operation_id));
    let recorded: BTreeSet<&str> = own.iter().map(|record| record.memory_id.as_str()).collect();
    assert!(recorded.iter().eq(wanted.iter()), "each memory has its record");

    let after = operations(caller).await;
    assert_eq!(after[1..], before, "it is one operation");
    let (first, last) = (after[0].first_sequence, after[0].last_sequence);
    assert_eq!((first, last), (audit.first_sequence, audit.last_sequence));
    assert_eq!((&after[0].operation_id, after[0].memories_changed), (&answer.operation_id, count));
    let request =
        GetOperationRequest { operation_id: Some(answer.operation_id), ..GetOperationRequest::default() };
    let operation =
        caller.lifecycle.clone().get_operation(request).await.unwrap().into_inner().operation.unwrap();
    assert!(operation.results == answer.results, "GetOperation shows the results of the answer");

    let forgotten: BTreeSet<&str> = wanted.into_iter().collect();
    let listed = caller.list_all().await.unwrap();
    let kept =
        memories.iter().rev().filter(|(id, _)| mode == ForgetMode::Soft || !forgotten.contains(id.as_str()));
    assert!(kept.map(|(id, _)| id).eq(listed.iter().map(|memory| &memory.memory_id)));
    for memory in &listed {
        let is_forgotten = forgotten.contains(memory.memory_id.as_str());
        let state = if is_forgotten { MemoryState::Archived } else { MemoryState::Active };
        assert_eq!(memory.state(), state, "{}", memory.memory_id);
    }

    // What was confirmed is not there any more.
    let status = confirm(caller, holding(query), mode, &shown).await.unwrap_err();
    assert_eq!(reason(&status), "SELECTION_CHANGED");
    assert_eq!(operations(caller).await, after);
    let request = ListAuditRecordsRequest { page_size: 1, ..ListAuditRecordsRequest::default() };
    let newest = caller.audit.clone().list_audit_records(request).await.unwrap().into_inner().records;
    assert_eq!(newest[0].sequence, audit.last_sequence, "nothing was recorded since");
}

/// The caller's operations, newest first.
async fn operations(caller: &Caller) -> Vec<Operation> {
    let request = ListOperationsRequest { page_size: 1000, ..ListOperationsRequest::default() };
    caller.lifecycle.clone().list_operations(request).await.unwrap().into_inner().operations
}

#[tokio::test]
async fn ten_thousand_are_forgotten_by_one_call() {
    const WRITINGS: [&str; 4] = ["über", "ÜBER", "u\u{308}ber", "喜über茶"];

    let server = Server::start(&Database::migrated().await).await;
    let caller = server.caller();
    let memories = save(&caller, 10_000, |number| WRITINGS[number % 4]).await;
    for query in ["coffee", "E\u{301}", "咖啡", "strasse", "año über", "1234"] {
        assert_shown(&caller, &memories, query, ForgetMode::Soft).await;
    }
    // What else there is stays as it is.
    caller.remember("other", "überall").await.unwrap();
    let memories = [memories, vec![("other".to_owned(), "überall".to_owned())]].concat();
    assert_eq!(meant(&memories, "Über").len(), 10_000);
    assert_forgotten(&caller, &memories, "Über", ForgetMode::Soft).await;
    server.stop().await;
}

#[tokio::test]
async fn one_more_than_may_be_is_too_large() {
    let database = Database::migrated().await;
    let settings = crate::harness::ServerSettings { largest_selection: 250, ..crate::harness::settings() };
    let server = Server::start_with(&database, settings).await;
    let caller = server.caller();
    save(&caller, 251, |_| "a").await;
    let all = shown(&caller, "a", ForgetMode::Soft).await;
    assert_eq!(all.items.len(), 251, "Preview shows them all the same");
    let status = confirm(&caller, holding("a"), ForgetMode::Soft, &all).await.unwrap_err();
    assert_eq!(reason(&status), "SELECTION_TOO_LARGE");
    assert!(caller.list_all().await.unwrap().iter().all(|memory| memory.state() == MemoryState::Active));
    caller.forget("id-00000", ForgetMode::Hard).await.unwrap();
    let rest = shown(&caller, "a", ForgetMode::Soft).await;
    let answer = confirm(&caller, holding("a"), ForgetMode::Soft, &rest).await.unwrap();
    assert_eq!(answer.archived, 250);
    server.stop().await;
}

#[tokio::test]
async fn two_hundred_and_fifty_among_a_thousand_are_forgotten_by_one_call() {
    for mode in [ForgetMode::Soft, ForgetMode::Hard] {
        let server = Server::start(&Database::migrated().await).await;
        let caller = server.caller();
        let memories =
            save(&caller, 1000, |number| if number % 4 == 0 { "old-plan" } else { "old planet" }).await;
        assert_eq!(meant(&memories, "PLAN").len(), 250);
        assert_forgotten(&caller, &memories, "PLAN", mode).await;
        server.stop().await;
    }
}
