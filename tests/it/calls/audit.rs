//! ListAuditRecords.

use memory_lifecycle::proto::v1::{
    AuditAction, AuditRecord, ForgetMode, ListAuditRecordsRequest, RestoreRequest,
};
use tonic::Request;

use super::stage::{Stage, texts};
use crate::harness::Caller;

async fn list(caller: &Caller, request: ListAuditRecordsRequest) -> Vec<AuditRecord> {
    caller.audit.clone().list_audit_records(request).await.unwrap().into_inner().records
}

fn sequences(records: &[AuditRecord]) -> Vec<i64> {
    records.iter().map(|record| record.sequence).collect()
}

/// Records 1 and 2 of `kept` and `stored`, 3 the archiving of `stored`, 4 of `another`, 5 of the fact; then these.
async fn stage() -> (Stage, String) {
    let stage = Stage::furnished().await;
    let admin = stage.admin("administrator");
    let operation = admin.batch_forget(&["kept", "another", "settled"], ForgetMode::Soft).await.unwrap();
    stage.caller().restore(&["stored"]).await.unwrap();
    (stage, operation.operation_id)
}

#[tokio::test]
async fn a_caller_sees_what_concerns_its_own_memories_and_calls() {
    let (stage, _) = stage().await;
    let all = ListAuditRecordsRequest::default();
    // The fact is the caller's own agent's, saved by an administrator of the same name.
    assert_eq!(sequences(&list(&stage.caller(), all.clone()).await), [9, 8, 6, 5, 3, 2, 1]);
    let another = stage.server.caller_of("default", "another");
    assert_eq!(sequences(&list(&another, all.clone()).await), [7, 4]);
    let administrator = stage.server.caller_of("default", "administrator");
    assert_eq!(
        sequences(&list(&administrator, all.clone()).await),
        [8, 7, 6],
        "its calls, without the right too"
    );
    let admin = stage.admin("administrator");
    assert_eq!(sequences(&list(&admin, all.clone()).await), [9, 8, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(sequences(&list(&stage.server.caller_of("foreigners", "default"), all).await), [1]);
}

#[tokio::test]
async fn every_condition_narrows_and_all_must_fit() {
    let (stage, operation) = stage().await;
    let admin = stage.admin("administrator");
    let all = list(&admin, ListAuditRecordsRequest::default()).await;
    let none = ListAuditRecordsRequest::default;
    let memory_id = Some("stored".to_owned());
    let of_memory = ListAuditRecordsRequest { memory_id, ..none() };
    assert_eq!(sequences(&list(&admin, of_memory.clone()).await), [9, 3, 2]);
    let of_operation = ListAuditRecordsRequest { operation_id: Some(operation), ..none() };
    assert_eq!(sequences(&list(&admin, of_operation.clone()).await), [8, 7, 6]);
    assert_eq!(sequences(&list(&stage.caller(), of_operation.clone()).await), [8, 6]);
    let of_principal = ListAuditRecordsRequest { principal_id: Some("administrator".to_owned()), ..none() };
    assert_eq!(sequences(&list(&admin, of_principal).await), [8, 7, 6]);
    let actions = vec![AuditAction::Archived.into(), AuditAction::Restored.into()];
    let of_actions = ListAuditRecordsRequest { actions: actions.clone(), ..none() };
    assert_eq!(sequences(&list(&admin, of_actions).await), [9, 8, 7, 6, 3]);
    let both = ListAuditRecordsRequest { actions, ..of_memory };
    assert_eq!(sequences(&list(&admin, both).await), [9, 3]);
    let nothing = ListAuditRecordsRequest { memory_id: Some("stored".to_owned()), ..of_operation };
    assert_eq!(list(&admin, nothing).await, []);
    // From is inclusive, to is exclusive. Records 6 to 8 are of one commit.
    let time = all.iter().find(|record| record.sequence == 6).unwrap().commit_time;
    let from = ListAuditRecordsRequest { start_time: time, ..none() };
    assert_eq!(sequences(&list(&admin, from.clone()).await), [9, 8, 7, 6]);
    let to = ListAuditRecordsRequest { end_time: time, ..none() };
    assert_eq!(sequences(&list(&admin, to).await), [5, 4, 3, 2, 1]);
    assert_eq!(list(&admin, ListAuditRecordsRequest { end_time: time, ..from }).await, []);
}

#[tokio::test]
async fn pages_go_back_through_the_log_while_it_grows() {
    let (stage, _) = stage().await;
    let admin = stage.admin("administrator");
    let mut seen = Vec::new();
    let mut request = ListAuditRecordsRequest { page_size: 4, ..ListAuditRecordsRequest::default() };
    loop {
        let page = admin.audit.clone().list_audit_records(request.clone()).await.unwrap().into_inner();
        seen.push(sequences(&page.records));
        request.page_token = page.next_page_token;
        if request.page_token.is_empty() {
            break;
        }
        admin.remember("", "meanwhile").await.unwrap();
    }
    assert_eq!(seen, [vec![9, 8, 7, 6], vec![5, 4, 3, 2], vec![1]]);
}

#[tokio::test]
async fn the_log_is_a_chain_without_gaps_and_times_never_go_back() {
    let (stage, _) = stage().await;
    let records = stage.admin("administrator").audit_records().await.unwrap();
    assert_eq!(sequences(&records), (1..=9).collect::<Vec<_>>());
    let mut previous = vec![0; 32];
    let mut time = (0, 0);
    for record in &records {
        assert_eq!(record.previous_hash, previous);
        assert_eq!(record.hash.len(), 32);
        previous.clone_from(&record.hash);
        let commit_time = record.commit_time.unwrap();
        assert!((commit_time.seconds, commit_time.nanos) >= time);
        time = (commit_time.seconds, commit_time.nanos);
    }
    let head: Vec<u8> =
        stage.database.value("SELECT head_hash FROM tenants WHERE tenant_id = 'default'").await;
    assert_eq!(previous, head);
}

#[tokio::test]
async fn the_trace_of_a_call_stands_in_its_records() {
    let stage = Stage::furnished().await;
    let caller = stage.caller();
    let mut request =
        Request::new(RestoreRequest { memory_ids: texts(&["stored"]), ..RestoreRequest::default() });
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    request.metadata_mut().insert("traceparent", trace.parse().unwrap());
    caller.lifecycle.clone().restore(request).await.unwrap();
    let records = caller.audit_records().await.unwrap();
    assert_eq!(records.last().unwrap().trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(records[0].trace_id, "");
}

#[tokio::test]
async fn the_history_of_a_label_outlives_the_memory() {
    use AuditAction::{Erased, Remembered};

    let stage = Stage::new().await;
    let caller = stage.caller();
    for _ in 0..2 {
        caller.remember("id", "text").await.unwrap();
        caller.forget("id", ForgetMode::Hard).await.unwrap();
    }
    let request = ListAuditRecordsRequest { memory_id: Some("id".to_owned()), ..Default::default() };
    let actions: Vec<_> =
        list(&caller, request).await.iter().map(memory_lifecycle::proto::v1::AuditRecord::action).collect();
    assert_eq!(actions, [Erased, Remembered, Erased, Remembered]);
}
