//! The same request, under the same request_id, at both replicas at the same moment: done once, and both are told so.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use memory_lifecycle::domain::policy::Retention;
use memory_lifecycle::proto::v1::{
    AuditReceipt, BatchForgetRequest, BatchForgetResponse, ForgetRequest, ForgetResponse, RememberRequest,
    RememberResponse, RestoreRequest, RestoreResponse,
};
use tokio::sync::Barrier;
use tonic::Status;
use uuid::Uuid;

use super::meet::Replicas;
use crate::harness::caller::by_id;
use crate::harness::{Caller, scaled};
use crate::lanes::{assert_log_explains_rows, verified_log};

/// What an answer says when whether it was repeated is left out.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "two of them at a time")]
enum Answer {
    Remember(RememberResponse),
    Forget(ForgetResponse),
    Batch(BatchForgetResponse),
    Restore(RestoreResponse),
}

/// Makes one of these calls, in turn by `number`. Answers whether it was a repetition, beside the rest.
async fn call(caller: &Caller, number: usize, request_id: &str) -> Result<(bool, Answer), Status> {
    let request_id = request_id.to_owned();
    let id = format!("memory-{number}");
    let (mut store, mut lifecycle) = (caller.store.clone(), caller.lifecycle.clone());
    Ok(match number % 4 {
        0 => {
            let (memory_id, content) = (format!("new-{number}"), "content".to_owned());
            let request = RememberRequest { memory_id, content, request_id, ..RememberRequest::default() };
            let answer = store.remember(request).await?.into_inner();
            (answer.replayed, Answer::Remember(RememberResponse { replayed: false, ..answer }))
        }
        1 => {
            let request = ForgetRequest { selector: by_id(&id), request_id, ..ForgetRequest::default() };
            let answer = lifecycle.forget(request).await?.into_inner();
            (answer.replayed, Answer::Forget(ForgetResponse { replayed: false, ..answer }))
        }
        2 => {
            let memory_ids = vec![id, "nobody-has-this".to_owned()];
            let request = BatchForgetRequest { memory_ids, request_id, ..BatchForgetRequest::default() };
            let answer = lifecycle.batch_forget(request).await?.into_inner();
            (answer.replayed, Answer::Batch(BatchForgetResponse { replayed: false, ..answer }))
        }
        _ => {
            // Nothing is archived: an answer without a record, which is stored all the same.
            let request = RestoreRequest { memory_ids: vec![id], request_id, ..RestoreRequest::default() };
            let answer = lifecycle.restore(request).await?.into_inner();
            (answer.replayed, Answer::Restore(RestoreResponse { replayed: false, ..answer }))
        }
    })
}

fn receipt(answer: &Answer) -> AuditReceipt {
    let receipt = match answer {
        Answer::Remember(answer) => &answer.audit,
        Answer::Forget(answer) => &answer.audit,
        Answer::Batch(answer) => &answer.audit,
        Answer::Restore(answer) => &answer.audit,
    };
    receipt.clone().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_arrives_at_both_replicas_at_once_is_done_once() {
    let count = scaled(1000, 40);
    let replicas = Replicas::start(Retention::Never, Duration::from_hours(1)).await;
    let [one, other] = replicas.pair("tenant");
    let mut repeated_at = [0, 0];
    let mut expected: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    // Which of them comes first is chance: some more, if it was always the same.
    for number in 0..5 * count {
        if number >= count && !repeated_at.contains(&0) {
            break;
        }
        if number % 4 != 0 {
            one.remember(&format!("memory-{number}"), "content").await.unwrap();
        }
        let request_id = Uuid::new_v4().to_string();
        let start = Arc::new(Barrier::new(2));
        let at_once = async |caller: &Caller| {
            start.wait().await;
            call(caller, number, &request_id).await.unwrap()
        };
        let (first, second) = tokio::join!(at_once(&one), at_once(&other));
        assert_eq!(first.1, second.1, "both are told the same of {number}");
        assert_ne!(first.0, second.0, "one of them is the repetition: {first:?}");
        repeated_at[usize::from(second.0)] += 1;
        let receipt = receipt(&first.1);
        if receipt.first_sequence > 0 {
            expected.insert(request_id, (receipt.first_sequence, receipt.last_sequence));
        }
    }
    assert!(repeated_at.iter().all(|times| *times > 0), "either comes first at times: {repeated_at:?}");
    let mut recorded: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for record in verified_log(&replicas.servers[0], &replicas.database, "tenant").await {
        if !record.request_id.is_empty() {
            let range = recorded.entry(record.request_id).or_insert((record.sequence, record.sequence));
            range.1 = record.sequence;
        }
    }
    assert_eq!(recorded, expected, "each has the records that were answered, and no more");
    assert_log_explains_rows(&replicas.database).await;
}
