//! BatchForget.

use memory_lifecycle::proto::v1::{
    BatchForgetRequest, BatchForgetResponse, Filter, ForgetMode, ForgetStatus, MemoryState, Outcome,
};
use tonic::Status;
use tonic_types::pb;

use super::stage::{Stage, texts};
use crate::harness::{Caller, reason};

async fn batch(caller: &Caller, request: BatchForgetRequest) -> BatchForgetResponse {
    caller.lifecycle.clone().batch_forget(request).await.unwrap().into_inner()
}

fn reason_of(status: &pb::Status) -> String {
    let details = prost::Message::encode_to_vec(status);
    reason(&Status::with_details(status.code.into(), status.message.clone(), details.into()))
}

#[tokio::test]
async fn each_id_has_its_result_in_the_order_of_the_request() {
    use Outcome::{AlreadyForgotten, Archived, NotFound, Refused};

    let stage = Stage::furnished().await;
    let caller = stage.caller();
    let ids = ["unknown", "stored", "kept", "another", "settled", "foreign", "a b"];
    let request =
        BatchForgetRequest { memory_ids: texts(&ids), reason: "all".to_owned(), ..Default::default() };
    let answer = batch(&caller, request).await;
    let results: Vec<_> =
        answer.results.iter().map(|result| (result.memory_id.as_str(), result.outcome())).collect();
    let outcomes = [NotFound, AlreadyForgotten, Archived, NotFound, NotFound, NotFound, Refused];
    assert_eq!(results, ids.into_iter().zip(outcomes).collect::<Vec<_>>());
    assert_eq!(answer.status(), ForgetStatus::PartiallyForgotten);
    assert_eq!((answer.requested, answer.archived, answer.already_forgotten), (7, 1, 1));
    assert_eq!((answer.not_found, answer.refused, answer.erased, answer.unknown), (4, 1, 0, 0));
    let reasons: Vec<_> = answer.results.iter().map(|result| result.error.as_ref().map(reason_of)).collect();
    let not_found = Some("MEMORY_NOT_FOUND".to_owned());
    assert_eq!(reasons[0], not_found);
    assert_eq!((&reasons[1], &reasons[2]), (&None, &None));
    assert_eq!(reasons[3..6], [not_found.clone(), not_found.clone(), not_found]);
    assert_eq!(reasons[6].as_deref(), Some("INVALID_FIELD"));
    // Nothing but the id tells those out of reach from what does not exist.
    let told = |at: usize| {
        let mut result = answer.results[at].clone();
        result.memory_id.clear();
        result
    };
    for at in [3, 4, 5] {
        assert_eq!(told(at), told(0));
    }
    let audit = answer.audit.as_ref().unwrap();
    assert_eq!((audit.first_sequence, audit.last_sequence), (audit.first_sequence, audit.first_sequence));
    assert_eq!(caller.get("kept").await.unwrap().forget_operation_id, answer.operation_id);
}

#[tokio::test]
async fn the_status_says_whether_all_some_or_none_are_forgotten() {
    let stage = Stage::furnished().await;
    let caller = stage.caller();
    for (ids, status) in [
        (&["unknown"][..], ForgetStatus::NotForgotten),
        (&["unknown", "a b"], ForgetStatus::NotForgotten),
        (&["stored", "unknown"], ForgetStatus::PartiallyForgotten),
        (&["stored"], ForgetStatus::Forgotten),
        (&["stored", "kept"], ForgetStatus::Forgotten),
    ] {
        let answer = caller.batch_forget(ids, ForgetMode::Soft).await.unwrap();
        assert_eq!(answer.status(), status, "{ids:?}");
    }
}

#[tokio::test]
async fn a_batch_is_one_run_of_records_in_the_order_of_the_request() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    let ids: Vec<String> = (0..100).map(|number| format!("id-{number}")).collect();
    for id in &ids {
        caller.remember(id, "text").await.unwrap();
    }
    let shuffled: Vec<&str> = (0..100).map(|number| ids[number * 37 % 100].as_str()).collect();
    let answer = caller.batch_forget(&shuffled, ForgetMode::Hard).await.unwrap();
    assert_eq!((answer.requested, answer.erased), (100, 100));
    assert_eq!(answer.status(), ForgetStatus::Forgotten);
    let audit = answer.audit.unwrap();
    assert_eq!((audit.first_sequence, audit.last_sequence), (101, 200));
    let records = caller.audit_records().await.unwrap();
    let recorded: Vec<_> = records[100..].iter().map(|record| record.memory_id.as_str()).collect();
    assert_eq!(recorded, shuffled);
    assert!(records[100..].iter().all(|record| record.operation_id == answer.operation_id));
    assert!(records[100..].iter().all(|record| record.to_state() == MemoryState::Erased));
    assert_eq!(audit.head_hash, records[199].hash);
}

#[tokio::test]
async fn a_filter_is_an_assertion_on_each_id() {
    let mut stage = Stage::furnished().await;
    let caller = stage.caller();
    let archived = Filter { states: vec![MemoryState::Archived.into()], ..Filter::default() };
    let request = BatchForgetRequest {
        memory_ids: texts(&["kept", "stored"]),
        mode: ForgetMode::Hard.into(),
        filter: Some(archived),
        ..BatchForgetRequest::default()
    };
    let answer = batch(&caller, request).await;
    let outcomes: Vec<_> =
        answer.results.iter().map(memory_lifecycle::proto::v1::MemoryResult::outcome).collect();
    assert_eq!(outcomes, [Outcome::NotFound, Outcome::Erased]);

    stage.tables.note_except("operations").await;
    let unknown = Filter { graph_id: Some("unknown".to_owned()), ..Filter::default() };
    let request = BatchForgetRequest {
        memory_ids: texts(&["kept", "unknown"]),
        filter: Some(unknown),
        ..BatchForgetRequest::default()
    };
    let answer = batch(&caller, request).await;
    assert_eq!((answer.requested, answer.refused), (2, 2));
    for result in &answer.results {
        assert_eq!(reason_of(result.error.as_ref().unwrap()), "GRAPH_NOT_FOUND");
    }
    stage.tables.assert_unchanged("a batch in an unknown graph").await;
}
