//! Answers as they are written.

use chrono::DateTime;

use super::super::{batch_forget, batch_forget_response, forget_response, import_response, restore_response};
use super::*;
use crate::domain::answer::{
    Answer, AnswerBody, ImportOutcome, ImportResult, MemoryResult, Outcome, Receipt,
};
use crate::domain::ids::ImportId;
use crate::proto::v1::{self, BatchForgetRequest, ForgetStatus};
use crate::rpc::status;

fn answer(body: AnswerBody) -> Answer {
    Answer {
        operation_id: OperationId(Uuid::from_u128(1)),
        commit_time: DateTime::from_timestamp_micros(1_000_001).unwrap(),
        receipt: Receipt { first_sequence: 3, last_sequence: 4, head_hash: [7; 32] },
        body,
        suppressed: 0,
        lifted: 0,
        kept: Vec::new(),
        memory: None,
        suppression_reason: None,
        replayed: false,
        validate_only: false,
    }
}

fn of(outcomes: &[Outcome]) -> Answer {
    let result = |outcome: &Outcome| {
        let error = match outcome {
            Outcome::NotFound => Some(Refusal::MemoryNotFound),
            Outcome::Refused => Some(Refusal::GraphNotFound),
            _ => None,
        };
        MemoryResult::without_memory("m".to_owned(), *outcome, error)
    };
    answer(AnswerBody::Results(outcomes.iter().map(result).collect()))
}

#[test]
fn the_status_says_how_much_is_forgotten() {
    use Outcome::{AlreadyForgotten, Archived, Erased, NotFound, Refused};
    for (outcomes, wanted) in [
        (&[Archived, Erased, AlreadyForgotten][..], ForgetStatus::Forgotten),
        (&[Archived, NotFound], ForgetStatus::PartiallyForgotten),
        (&[Refused, NotFound], ForgetStatus::NotForgotten),
        (&[Outcome::Unknown], ForgetStatus::NotForgotten),
    ] {
        assert_eq!(batch_forget_response(&of(outcomes), None).status(), wanted, "{outcomes:?}");
    }
}

#[test]
fn the_counters_sum_to_what_was_asked() {
    use Outcome::{AlreadyForgotten, Archived, Erased, NotFound, Refused, Unknown};
    let all = of(&[Archived, Erased, AlreadyForgotten, NotFound, Refused, Unknown]);
    let batch = batch_forget_response(&all, None);
    let counters = [
        batch.archived,
        batch.erased,
        batch.already_forgotten,
        batch.not_found,
        batch.refused,
        batch.unknown,
    ];
    assert_eq!((batch.requested, counters), (6, [1; 6]));
    let restored =
        restore_response(&of(&[Outcome::Restored, Outcome::AlreadyActive, NotFound, Refused, Unknown]));
    let counters =
        [restored.restored, restored.already_active, restored.not_found, restored.refused, restored.unknown];
    assert_eq!((restored.requested, counters), (5, [1; 5]));
}

#[test]
fn a_change_is_confirmed_with_its_proof_and_its_time() {
    let response = forget_response(&of(&[Outcome::Archived]), None);
    let audit = response.audit.unwrap();
    assert_eq!((audit.first_sequence, audit.last_sequence, audit.confirmed), (3, 4, true));
    assert_eq!(audit.head_hash, [7; 32]);
    assert_eq!(response.commit_time.unwrap(), prost_types::Timestamp { seconds: 1, nanos: 1000 });
}

#[test]
fn what_changed_nothing_is_confirmed_without_proof_or_time() {
    let mut unchanged = of(&[Outcome::AlreadyForgotten]);
    unchanged.receipt = Receipt { head_hash: [7; 32], ..Receipt::default() };
    let response = forget_response(&unchanged, None);
    let wanted = v1::AuditReceipt { confirmed: true, ..v1::AuditReceipt::default() };
    assert_eq!(response.audit, Some(wanted));
    assert_eq!(response.commit_time, None);
}

#[test]
fn a_rehearsal_confirms_nothing() {
    let rehearsed = Answer { validate_only: true, ..of(&[Outcome::Archived]) };
    let response = forget_response(&rehearsed, None);
    assert_eq!(response.status(), ForgetStatus::Unspecified);
    assert_eq!(response.audit, Some(v1::AuditReceipt::default()));
    assert_eq!((response.archived, response.validate_only, response.commit_time), (1, true, None));
}

#[test]
fn a_lost_commit_is_unknown_for_every_id() {
    let request = BatchForgetRequest {
        memory_ids: vec!["m".to_owned(), "a b".to_owned()],
        ..BatchForgetRequest::default()
    };
    let unknown = batch_forget(&caller(false), request).unwrap().if_unknown().unwrap();
    let response = batch_forget_response(&unknown, None);
    assert_eq!((response.requested, response.unknown), (2, 2));
    assert_eq!(response.status(), ForgetStatus::NotForgotten);
    assert_eq!(response.commit_time, None);
    assert_eq!(response.audit, Some(v1::AuditReceipt::default()));
    assert_eq!(response.results[1].memory_id, "a b");
    assert!(response.results.iter().all(|result| result.outcome() == v1::Outcome::Unknown));
}

#[test]
fn a_result_carries_the_status_of_a_single_call() {
    let response =
        batch_forget_response(&of(&[Outcome::NotFound, Outcome::Refused, Outcome::Archived]), None);
    let errors: Vec<_> = response.results.into_iter().map(|result| result.error).collect();
    let operation = Some(OperationId(Uuid::from_u128(1)));
    for (error, refusal) in [(&errors[0], Refusal::MemoryNotFound), (&errors[1], Refusal::GraphNotFound)] {
        assert_eq!(error.as_ref(), Some(&status::of_entry(&refusal, operation)));
    }
    assert_eq!(errors[2], None);
}

#[test]
fn an_import_counts_its_items() {
    let result = |outcome, error| ImportResult { memory_id: "m".to_owned(), outcome, error };
    let results = vec![
        result(ImportOutcome::Saved, None),
        result(ImportOutcome::AlreadyExists, Some(Refusal::AlreadyExists)),
        result(ImportOutcome::Refused, Some(Refusal::ProtectedKind)),
    ];
    let import_id = Some(ImportId::parse("i").unwrap());
    let response = import_response(&answer(AnswerBody::Import { import_id, results }));
    assert_eq!(response.import_id, "i");
    let counters = (response.requested, response.saved, response.already_exists, response.refused);
    assert_eq!(counters, (3, 1, 1, 1));
    assert!(response.results[1].error.is_some() && response.results[2].error.is_some());
}
