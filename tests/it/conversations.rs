//! What real conversations left, end to end: brought in, one of them forgotten and brought back, one memory erased.
//! The data is not part of the project: `MEMORY_LIFECYCLE_CONVERSATIONS` says where it is. Where it is absent, the test says
//! so and is skipped.

use std::collections::BTreeMap;
use std::path::PathBuf;

use memory_lifecycle::proto::v1::{
    AuditAction, AuditRecord, BatchForgetRequest, ForgetMode, ForgetStatus, ImportItem,
    ImportMemoriesRequest, ListMemoriesRequest, Memory, MemoryOrigin, MemoryState, Outcome, RestoreRequest,
};
use prost_types::value::Kind;
use serde_json::Value;

use crate::harness::{Caller, Database, Server, reason};
use crate::model::chain;

/// The memories of each conversation, in the order of the file. None when there is no file.
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn conversations() -> Option<BTreeMap<String, Vec<ImportItem>>> {
    let named = std::env::var_os("MEMORY_LIFECYCLE_CONVERSATIONS").map(PathBuf::from);
    let path = named.unwrap_or_else(|| {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data/conversation-memories.jsonl")
    });
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!(
            "skipped: there is no {} on this machine; MEMORY_LIFECYCLE_CONVERSATIONS says where it is",
            path.display()
        );
        return None;
    };
    let mut conversations = BTreeMap::<_, Vec<_>>::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| line[name].as_str().unwrap().to_owned();
        let Some(Kind::StructValue(metadata)) = converted(&line["metadata"]).kind else {
            panic!("an object")
        };
        let item = ImportItem {
            memory_id: field("memory_id"),
            subject_id: field("subject_id"),
            content: field("content"),
            memory_date: field("memory_date"),
            metadata: Some(metadata),
            ..ImportItem::default()
        };
        conversations.entry(field("import_id")).or_default().push(item);
    }
    Some(conversations)
}

fn converted(value: &Value) -> prost_types::Value {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(value) => Kind::BoolValue(*value),
        Value::Number(value) => Kind::NumberValue(value.as_f64().unwrap()),
        Value::String(value) => Kind::StringValue(value.clone()),
        Value::Array(values) => {
            Kind::ListValue(prost_types::ListValue { values: values.iter().map(converted).collect() })
        }
        Value::Object(fields) => Kind::StructValue(prost_types::Struct {
            fields: fields.iter().map(|(name, value)| (name.clone(), converted(value))).collect(),
        }),
    };
    prost_types::Value { kind: Some(kind) }
}

/// Everything the caller has, by id.
async fn all(caller: &Caller) -> BTreeMap<String, Memory> {
    let memories = caller.list_all().await.unwrap();
    memories.into_iter().map(|memory| (memory.memory_id.clone(), memory)).collect()
}

/// How many memories of one import are listed, active ones only.
async fn active_of(caller: &Caller, import_id: &str) -> usize {
    let request = ListMemoriesRequest {
        import_id: Some(import_id.to_owned()),
        page_size: 1000,
        ..ListMemoriesRequest::default()
    };
    caller.store.clone().list_memories(request).await.unwrap().into_inner().memories.len()
}

async fn import(caller: &Caller, conversations: &BTreeMap<String, Vec<ImportItem>>) {
    for (import_id, items) in conversations {
        for chunk in items.chunks(1000) {
            let request = ImportMemoriesRequest {
                import_id: import_id.clone(),
                items: chunk.to_vec(),
                ..ImportMemoriesRequest::default()
            };
            let answer = caller.store.clone().import_memories(request).await.unwrap().into_inner();
            let count = i64::try_from(chunk.len()).unwrap();
            assert_eq!((answer.requested, answer.saved, answer.refused), (count, count, 0));
        }
    }
}

/// Forgets a conversation a hundred at a time; answers the operations.
async fn forget(caller: &Caller, items: &[ImportItem]) -> Vec<String> {
    let mut operations = Vec::new();
    for chunk in items.chunks(100) {
        let request = BatchForgetRequest {
            memory_ids: chunk.iter().map(|item| item.memory_id.clone()).collect(),
            reason: "the user left".to_owned(),
            ..BatchForgetRequest::default()
        };
        let answer = caller.lifecycle.clone().batch_forget(request).await.unwrap().into_inner();
        assert_eq!(answer.status(), ForgetStatus::Forgotten);
        assert_eq!(answer.archived, i64::try_from(chunk.len()).unwrap());
        assert!(answer.results.iter().all(|result| result.outcome() == Outcome::Archived));
        operations.push(answer.operation_id);
    }
    operations
}

#[tokio::test]
async fn a_conversation_is_forgotten_and_comes_back_exactly() {
    let Some(conversations) = conversations() else { return };
    let total: usize = conversations.values().map(Vec::len).sum();
    assert_eq!((conversations.len(), total), (10, 2541));
    let database = Database::migrated().await;
    let server = Server::start(&database).await;
    let caller = server.caller();

    import(&caller, &conversations).await;
    let before = all(&caller).await;
    assert_eq!(before.len(), total);
    for (import_id, items) in &conversations {
        for item in items {
            let saved = &before[&item.memory_id];
            assert_eq!((&saved.content, &saved.metadata), (&item.content, &item.metadata));
            assert_eq!((&saved.subject_id, &saved.memory_date), (&item.subject_id, &item.memory_date));
            assert_eq!((&saved.import_id, saved.origin()), (import_id, MemoryOrigin::Imported));
            assert_eq!(saved.state(), MemoryState::Active);
        }
    }

    let (import_id, items) = conversations.iter().next().unwrap();
    let operations = forget(&caller, items).await;
    assert_eq!(active_of(&caller, import_id).await, 0);
    for (id, memory) in all(&caller).await {
        let forgotten = memory.import_id == *import_id;
        assert_eq!(memory.state() == MemoryState::Archived, forgotten, "{id}");
        assert!(forgotten || memory == before[&id], "{id} is another conversation's");
    }

    // In another order than they were forgotten in.
    let mut restored = 0;
    for operation in operations.iter().rev() {
        let request = RestoreRequest { operation_id: Some(operation.clone()), ..RestoreRequest::default() };
        restored += caller.lifecycle.clone().restore(request).await.unwrap().into_inner().restored;
    }
    assert_eq!(restored, i64::try_from(items.len()).unwrap());
    let after = all(&caller).await;
    assert_eq!(after.len(), total);
    for (id, memory) in &after {
        let Memory { etag, update_time, .. } = memory.clone();
        assert_eq!(
            memory,
            &Memory { etag, update_time, ..before[id].clone() },
            "but for etag and update_time"
        );
    }

    let erased = &items[0].memory_id;
    let answer = caller.forget(erased, ForgetMode::Hard).await.unwrap();
    assert_eq!((answer.erased, answer.status()), (1, ForgetStatus::Forgotten));
    assert_eq!(reason(&caller.get(erased).await.unwrap_err()), "MEMORY_NOT_FOUND");
    assert_eq!(all(&caller).await.len(), total - 1);
    let left: i64 = database.value("SELECT count(*) FROM memory_contents").await;
    assert_eq!(left, i64::try_from(total - 1).unwrap());

    let log = caller.audit_records().await.unwrap();
    chain::verify("default", &log).unwrap();
    let count = |action| log.iter().filter(|record| record.action() == action).count();
    assert_eq!(count(AuditAction::Remembered), total);
    assert_eq!(count(AuditAction::Archived), items.len());
    assert_eq!(count(AuditAction::Restored), items.len());
    assert_eq!(count(AuditAction::Erased), 1);
    assert_eq!(log.len(), total + 2 * items.len() + 1);
    let of_erased: Vec<_> =
        log.iter().filter(|record| record.memory_id == *erased).map(AuditRecord::action).collect();
    let whole_life =
        [AuditAction::Remembered, AuditAction::Archived, AuditAction::Restored, AuditAction::Erased];
    assert_eq!(of_erased, whole_life, "the record outlives the memory");
    server.stop().await;
}
