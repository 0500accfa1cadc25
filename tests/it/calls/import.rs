//! ImportMemories.

use memory_lifecycle::proto::v1::{
    ImportItem, ImportMemoriesRequest, ImportMemoriesResponse, ImportOutcome, ListMemoriesRequest,
    MemoryKind, MemoryOrigin,
};
use prost_types::Timestamp;

use super::stage::Stage;
use crate::harness::{Caller, reason};

async fn import(caller: &Caller, request: ImportMemoriesRequest) -> ImportMemoriesResponse {
    caller.store.clone().import_memories(request).await.unwrap().into_inner()
}

fn item(id: &str) -> ImportItem {
    ImportItem { memory_id: id.to_owned(), content: format!("{id} text"), ..ImportItem::default() }
}

fn items(ids: &[&str]) -> ImportMemoriesRequest {
    let items = ids.iter().map(|id| item(id)).collect();
    ImportMemoriesRequest { items, ..ImportMemoriesRequest::default() }
}

async fn brought(caller: &Caller, import_id: &str) -> Vec<String> {
    let request =
        ListMemoriesRequest { import_id: Some(import_id.to_owned()), ..ListMemoriesRequest::default() };
    let answer = caller.store.clone().list_memories(request).await.unwrap().into_inner();
    answer.memories.into_iter().map(|memory| memory.memory_id).collect()
}

#[tokio::test]
async fn an_import_without_a_name_is_given_one() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    let answer = import(&caller, items(&["one", "", "two"])).await;
    let uuid = answer.import_id.strip_prefix("imp_").unwrap();
    assert_eq!(uuid::Uuid::parse_str(uuid).unwrap().get_version_num(), 7);
    assert_eq!((answer.requested, answer.saved, answer.already_exists, answer.refused), (3, 3, 0, 0));
    let made = answer.results[1].memory_id.clone();
    assert!(made.starts_with("mem_"), "{made}");
    let audit = answer.audit.unwrap();
    assert_eq!((audit.first_sequence, audit.last_sequence, audit.confirmed), (1, 3, true));
    assert_eq!(brought(&caller, &answer.import_id).await, ["two", &made, "one"]);
    let memory = caller.get("two").await.unwrap();
    assert_eq!((memory.origin(), &memory.import_id), (MemoryOrigin::Imported, &answer.import_id));
    assert_eq!((memory.content.as_str(), memory.kind()), ("two text", MemoryKind::Memory));
    let records = caller.audit_records().await.unwrap();
    assert!(records.iter().all(|record| record.import_id == answer.import_id));
}

#[tokio::test]
async fn an_import_can_be_added_to() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    for ids in [["one", "two"], ["two", "three"]] {
        let request = ImportMemoriesRequest { import_id: "mine".to_owned(), ..items(&ids) };
        assert_eq!(import(&caller, request).await.import_id, "mine");
    }
    assert_eq!(brought(&caller, "mine").await, ["three", "two", "one"]);
    assert_eq!(brought(&caller, "unknown").await, Vec::<String>::new());
}

#[tokio::test]
async fn a_taken_id_stays_as_it_is() {
    use ImportOutcome::{AlreadyExists, Saved};

    let stage = Stage::new().await;
    let caller = stage.caller();
    let before = caller.remember("taken", "before").await.unwrap();
    let answer = import(&caller, items(&["taken", "new", "new"])).await;
    let outcomes: Vec<_> =
        answer.results.iter().map(memory_lifecycle::proto::v1::ImportResult::outcome).collect();
    assert_eq!(outcomes, [AlreadyExists, Saved, AlreadyExists]);
    assert_eq!(caller.get("taken").await.unwrap(), before);
}

#[tokio::test]
async fn an_administrator_moves_an_existing_store_in() {
    let stage = Stage::new().await;
    let created = Timestamp { seconds: 946_684_799, nanos: 123_456_789 };
    let moved = ImportItem {
        agent_id: "auth0|alice".to_owned(),
        create_time: Some(created),
        kind: MemoryKind::Fact.into(),
        ..item("old")
    };
    let request =
        ImportMemoriesRequest { items: vec![moved], legacy: true, ..ImportMemoriesRequest::default() };
    let answer = import(&stage.admin("mover"), request).await;
    assert_eq!((answer.import_id.as_str(), answer.saved), ("", 1));
    let memory = stage.admin("mover").get("old").await.unwrap();
    assert_eq!((memory.agent_id.as_str(), memory.import_id.as_str()), ("auth0|alice", ""));
    assert_eq!(memory.origin(), MemoryOrigin::Imported);
    assert_eq!(memory.create_time, Some(Timestamp { nanos: 123_456_000, ..created }));
    let today =
        chrono::DateTime::from_timestamp(memory.update_time.unwrap().seconds, 0).unwrap().date_naive();
    assert_eq!(memory.memory_date, today.to_string(), "the day of saving, for want of one");
    assert!(memory.update_time.unwrap().seconds > created.seconds);
}

#[tokio::test]
async fn moving_a_store_in_needs_the_capability() {
    let mut stage = Stage::furnished().await;
    let for_another = ImportItem { agent_id: "another".to_owned(), ..item("id") };
    let of_old = ImportItem { create_time: Some(Timestamp::default()), ..item("id") };
    let requests = [
        ImportMemoriesRequest { items: vec![item("good"), for_another], ..ImportMemoriesRequest::default() },
        ImportMemoriesRequest { items: vec![of_old], ..ImportMemoriesRequest::default() },
        ImportMemoriesRequest { legacy: true, ..items(&["id"]) },
    ];
    for request in requests {
        let status = stage.caller().store.import_memories(request).await.unwrap_err();
        assert_eq!(reason(&status), "CAPABILITY_MISSING");
        stage.tables.assert_unchanged("an import without the capability").await;
    }
}

#[tokio::test]
async fn a_faulty_owner_or_time_refuses_its_item_only() {
    let stage = Stage::new().await;
    let faulty = [
        ImportItem { agent_id: " ".to_owned(), ..item("one") },
        ImportItem { create_time: Some(Timestamp { seconds: i64::MAX, nanos: 0 }), ..item("two") },
    ];
    let request = ImportMemoriesRequest {
        items: faulty.into_iter().chain([item("three")]).collect(),
        ..ImportMemoriesRequest::default()
    };
    let answer = import(&stage.admin("mover"), request).await;
    let outcomes: Vec<_> =
        answer.results.iter().map(memory_lifecycle::proto::v1::ImportResult::outcome).collect();
    assert_eq!(outcomes, [ImportOutcome::Refused, ImportOutcome::Refused, ImportOutcome::Saved]);
}
