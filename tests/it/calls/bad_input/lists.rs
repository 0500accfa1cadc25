//! Lists of ids and items: their size fails the call, what is in them is answered in its place.

use memory_lifecycle::proto::v1::{
    BatchForgetRequest, BatchForgetResponse, ForgetMode, ImportItem, ImportMemoriesRequest,
    ImportMemoriesResponse, ImportOutcome, MemoryState, Outcome, PreviewRequest, PreviewResponse,
    RestoreRequest, RestoreResponse, Selector,
};
use prost::Message;
use tonic::Status;
use tonic_types::pb;

use super::{CANARY, ill_formed_ids};
use crate::calls::stage::{INVALID_FIELD, Stage, assert_not_in};
use crate::calls::wire::{BATCH_FORGET, IMPORT, PREVIEW, RESTORE, read};
use crate::harness::{reason, violations};

fn ids(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("id-{number}")).collect()
}

fn items(count: usize) -> Vec<ImportItem> {
    ids(count)
        .into_iter()
        .map(|memory_id| ImportItem { memory_id, content: "text".to_owned(), ..ImportItem::default() })
        .collect()
}

/// The status that an entry of a list carries.
fn entry(status: Option<&pb::Status>) -> Status {
    let status = status.expect("an entry that was refused says why");
    Status::with_details(status.code.into(), status.message.clone(), status.encode_to_vec().into())
}

#[tokio::test]
async fn too_few_or_too_many_fail_the_call() {
    let mut stage = Stage::furnished().await;
    for count in [0, 101] {
        let request = BatchForgetRequest { memory_ids: ids(count), ..BatchForgetRequest::default() };
        stage.refused(BATCH_FORGET, &request, INVALID_FIELD, &["memory_ids"]).await;
    }
    let preview = |count| PreviewRequest {
        selector: Some(Selector { memory_ids: ids(count), ..Selector::default() }),
        ..PreviewRequest::default()
    };
    stage.refused(PREVIEW, &preview(0), "SELECTOR_REQUIRED", &[]).await;
    stage.refused(PREVIEW, &preview(101), INVALID_FIELD, &["selector.memory_ids"]).await;
    let restore = |count| RestoreRequest { memory_ids: ids(count), ..RestoreRequest::default() };
    stage.refused(RESTORE, &restore(0), "SELECTOR_REQUIRED", &[]).await;
    stage.refused(RESTORE, &restore(101), INVALID_FIELD, &["memory_ids"]).await;
    for count in [0, 1001] {
        let request = ImportMemoriesRequest { items: items(count), ..ImportMemoriesRequest::default() };
        stage.refused(IMPORT, &request, INVALID_FIELD, &["items"]).await;
    }
}

#[tokio::test]
async fn as_many_as_the_limit_are_taken() {
    let stage = Stage::new().await;
    let request = ImportMemoriesRequest { items: items(1000), ..ImportMemoriesRequest::default() };
    let answer: ImportMemoriesResponse = read(&stage.call(IMPORT, &request).await.unwrap());
    assert_eq!((answer.requested, answer.saved), (1000, 1000));
    let request = BatchForgetRequest { memory_ids: ids(100), ..BatchForgetRequest::default() };
    let answer: BatchForgetResponse = read(&stage.call(BATCH_FORGET, &request).await.unwrap());
    assert_eq!((answer.requested, answer.archived), (100, 100));
    let request = RestoreRequest { memory_ids: ids(100), ..RestoreRequest::default() };
    let answer: RestoreResponse = read(&stage.call(RESTORE, &request).await.unwrap());
    assert_eq!((answer.requested, answer.restored), (100, 100));
}

#[tokio::test]
async fn an_ill_formed_id_is_refused_in_its_place_and_the_others_go_on() {
    let mut stage = Stage::furnished().await;
    let mut memory_ids = ill_formed_ids();
    memory_ids.push(String::new());
    let count = memory_ids.len();

    let request = BatchForgetRequest { memory_ids: memory_ids.clone(), ..BatchForgetRequest::default() };
    let answer: BatchForgetResponse = read(&stage.call(BATCH_FORGET, &request).await.unwrap());
    assert_eq!((answer.requested, answer.refused), (to_i64(count), to_i64(count)));
    let request = RestoreRequest { memory_ids: memory_ids.clone(), ..RestoreRequest::default() };
    let restored: RestoreResponse = read(&stage.call(RESTORE, &request).await.unwrap());
    assert_eq!((restored.requested, restored.refused), (to_i64(count), to_i64(count)));
    for (at, sent) in memory_ids.iter().enumerate() {
        for result in [&answer.results[at], &restored.results[at]] {
            assert_eq!(&result.memory_id, sent, "as the caller sent it");
            assert_eq!(result.outcome(), Outcome::Refused);
            assert_eq!(result.state(), MemoryState::Unspecified);
            let status = entry(result.error.as_ref());
            assert_eq!(reason(&status), INVALID_FIELD);
            assert_eq!(violations(&status), [format!("memory_ids[{at}]")]);
            assert_not_in(&status, CANARY);
        }
    }

    let selector = Some(Selector { memory_ids: memory_ids.clone(), ..Selector::default() });
    let request = PreviewRequest { selector, ..PreviewRequest::default() };
    let preview: PreviewResponse = read(&stage.call(PREVIEW, &request).await.unwrap());
    assert_eq!((preview.matched, preview.would_refuse), (0, to_i64(count)));
    for (at, item) in preview.items.iter().enumerate() {
        assert_eq!((&item.memory_id, item.would_be()), (&memory_ids[at], Outcome::Refused));
        let status = entry(item.refusal.as_ref());
        assert_eq!(violations(&status), [format!("selector.memory_ids[{at}]")]);
        assert_not_in(&status, CANARY);
    }

    // Beside a good one: that one is carried out.
    let request = BatchForgetRequest {
        memory_ids: vec!["not/stored".to_owned(), "kept".to_owned(), String::new()],
        ..BatchForgetRequest::default()
    };
    let answer: BatchForgetResponse = read(&stage.call(BATCH_FORGET, &request).await.unwrap());
    let outcomes: Vec<_> =
        answer.results.iter().map(memory_lifecycle::proto::v1::MemoryResult::outcome).collect();
    assert_eq!(outcomes, [Outcome::Refused, Outcome::Archived, Outcome::Refused]);
    assert_eq!(
        stage.tables.with_text("not/stored").await,
        Vec::<String>::new(),
        "what was sent as an id is not stored"
    );
}

#[tokio::test]
async fn a_repeated_id_answers_each_time() {
    use Outcome::{AlreadyActive, AlreadyForgotten, Archived, Erased, NotFound, Refused, Restored};

    let stage = Stage::furnished().await;
    let caller = stage.caller();
    let ids = ["kept", "unknown", "kept", "unknown", "a b", "a b", "stored", "stored"];
    let answer = caller.batch_forget(&ids, ForgetMode::Soft).await.unwrap();
    let outcomes: Vec<_> =
        answer.results.iter().map(memory_lifecycle::proto::v1::MemoryResult::outcome).collect();
    assert_eq!(
        outcomes,
        [
            Archived,
            NotFound,
            AlreadyForgotten,
            NotFound,
            Refused,
            Refused,
            AlreadyForgotten,
            AlreadyForgotten
        ]
    );
    assert_eq!(
        (answer.requested, answer.archived, answer.already_forgotten, answer.not_found, answer.refused),
        (8, 1, 3, 2, 2)
    );
    let answer = caller.restore(&["kept", "kept", "unknown", "unknown"]).await.unwrap();
    let outcomes: Vec<_> =
        answer.results.iter().map(memory_lifecycle::proto::v1::MemoryResult::outcome).collect();
    assert_eq!(outcomes, [Restored, AlreadyActive, NotFound, NotFound]);
    let answer = caller.batch_forget(&["kept", "kept", "stored"], ForgetMode::Hard).await.unwrap();
    let outcomes: Vec<_> =
        answer.results.iter().map(memory_lifecycle::proto::v1::MemoryResult::outcome).collect();
    assert_eq!(outcomes, [Erased, AlreadyForgotten, Erased]);
    assert_eq!(answer.results[1].state(), MemoryState::Erased);
}

#[tokio::test]
async fn a_faulty_item_is_refused_in_its_place_with_every_fault_of_it() {
    use ImportOutcome::{AlreadyExists, Refused, Saved};

    let mut stage = Stage::furnished().await;
    let faulty = ImportItem {
        memory_id: "not/stored".to_owned(),
        subject_id: " ".to_owned(),
        graph_id: "a/b".to_owned(),
        kind: 9,
        content: format!("{CANARY}\0"),
        memory_date: "2026-02-30".to_owned(),
        ..ImportItem::default()
    };
    let good =
        ImportItem { memory_id: "good".to_owned(), content: "text".to_owned(), ..ImportItem::default() };
    let taken = ImportItem { memory_id: "kept".to_owned(), ..good.clone() };
    let fact = ImportItem { memory_id: "fact".to_owned(), kind: 4, ..good.clone() };
    let items = vec![faulty, good.clone(), good, taken, fact];
    let request = ImportMemoriesRequest { items, ..ImportMemoriesRequest::default() };
    let answer: ImportMemoriesResponse = read(&stage.call(IMPORT, &request).await.unwrap());
    let outcomes: Vec<_> =
        answer.results.iter().map(memory_lifecycle::proto::v1::ImportResult::outcome).collect();
    assert_eq!(outcomes, [Refused, Saved, AlreadyExists, AlreadyExists, Refused]);
    assert_eq!((answer.requested, answer.saved, answer.already_exists, answer.refused), (5, 1, 2, 2));
    let reasons: Vec<_> = [0, 2, 3, 4].map(|at| reason(&entry(answer.results[at].error.as_ref()))).to_vec();
    assert_eq!(reasons, [INVALID_FIELD, "ALREADY_EXISTS", "ALREADY_EXISTS", "PROTECTED_KIND"]);
    let status = entry(answer.results[0].error.as_ref());
    let fields = ["memory_id", "subject_id", "graph_id", "kind", "content", "memory_date"];
    assert_eq!(violations(&status), fields.map(|field| format!("items[0].{field}")));
    assert_not_in(&status, CANARY);
    assert_eq!(stage.tables.with_text("not/stored").await, Vec::<String>::new());
}

fn to_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap()
}
