//! One call of every sort, all at once, each answered in time.

use std::collections::BTreeMap;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use memory_lifecycle::proto::v1::{
    ForgetMode, GetOperationRequest, ImportItem, ImportMemoriesRequest, ListOperationsRequest,
    PreviewRequest, UpdateMemoryRequest,
};
use tonic::Status;
use uuid::Uuid;

use super::pace::Pace;
use crate::harness::caller::by_id;
use crate::harness::{Caller, reason};

/// What each sort of call was answered: its error's reason, or "OK".
pub(super) type Answers = BTreeMap<&'static str, String>;

/// The calls that change something, and the look-up that waits for those.
pub(super) const CHANGES: [&str; 7] =
    ["BatchForget", "Forget", "GetOperation", "ImportMemories", "Remember", "Restore", "UpdateMemory"];
/// The calls that only read.
pub(super) const READS: [&str; 5] =
    ["GetMemory", "ListAuditRecords", "ListMemories", "ListOperations", "Preview"];

/// Makes one call of every sort on memories whose ids begin so; [`prepare`] saved them.
pub(super) async fn all_calls(pace: &Pace, caller: &Caller, prefix: &str) -> Answers {
    let calls = calls(caller, prefix).into_iter().map(|(name, call)| async move {
        let answer = pace.measure(name, call).await;
        (name, answer.map_or_else(|status| reason(&status), |()| "OK".to_owned()))
    });
    join_all(calls).await.into_iter().collect()
}

/// Saves what [`all_calls`] works on.
pub(super) async fn prepare(caller: &Caller, prefix: &str) {
    for name in ["batch", "forget", "restore", "update", "read"] {
        caller.remember(&format!("{prefix}-{name}"), "content").await.unwrap();
    }
    caller.forget(&format!("{prefix}-restore"), ForgetMode::Soft).await.unwrap();
}

/// Fails unless these calls were answered with one of these.
pub(super) fn assert_answers(answers: &Answers, calls: &[&str], wanted: &[&str]) {
    for call in calls {
        assert!(wanted.contains(&answers[call].as_str()), "{call} is to be {wanted:?}: {answers:?}");
    }
}

type Call<'a> = (&'static str, BoxFuture<'a, Result<(), Status>>);

fn calls<'a>(caller: &'a Caller, prefix: &str) -> Vec<Call<'a>> {
    let id = |name: &str| format!("{prefix}-{name}");
    let item = ImportItem { memory_id: id("import"), content: "content".to_owned(), ..ImportItem::default() };
    let import = ImportMemoriesRequest { items: vec![item], ..ImportMemoriesRequest::default() };
    let update = UpdateMemoryRequest {
        memory_id: id("update"),
        content: Some("other".to_owned()),
        ..UpdateMemoryRequest::default()
    };
    let unknown = GetOperationRequest {
        operation_id: Some(Uuid::now_v7().to_string()),
        ..GetOperationRequest::default()
    };
    let preview = PreviewRequest { selector: by_id(&id("read")), ..PreviewRequest::default() };
    let [mut store, mut importer] = [caller.store.clone(), caller.store.clone()];
    let [mut lifecycle, mut previewer, mut lister] =
        [caller.lifecycle.clone(), caller.lifecycle.clone(), caller.lifecycle.clone()];
    let [remembered, forgotten, batch, restored, read] =
        [id("remember"), id("forget"), id("batch"), id("restore"), id("read")];
    vec![
        ("Remember", async move { caller.remember(&remembered, "content").await.map(drop) }.boxed()),
        ("ImportMemories", async move { importer.import_memories(import).await.map(drop) }.boxed()),
        ("UpdateMemory", async move { store.update_memory(update).await.map(drop) }.boxed()),
        ("Forget", async move { caller.forget(&forgotten, ForgetMode::Soft).await.map(drop) }.boxed()),
        (
            "BatchForget",
            async move { caller.batch_forget(&[&batch], ForgetMode::Hard).await.map(drop) }.boxed(),
        ),
        ("Restore", async move { caller.restore(&[&restored]).await.map(drop) }.boxed()),
        ("GetOperation", async move { lifecycle.get_operation(unknown).await.map(drop) }.boxed()),
        ("Preview", async move { previewer.preview(preview).await.map(drop) }.boxed()),
        (
            "ListOperations",
            async move { lister.list_operations(ListOperationsRequest::default()).await.map(drop) }.boxed(),
        ),
        ("GetMemory", async move { caller.get(&read).await.map(drop) }.boxed()),
        ("ListMemories", async move { caller.list_all().await.map(drop) }.boxed()),
        ("ListAuditRecords", async move { caller.audit_records().await.map(drop) }.boxed()),
    ]
}
