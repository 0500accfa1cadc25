//! What became of memories, and the proof of it.

use super::values::{origin_sent, state_sent, timestamp_sent};
use crate::domain::Timestamp;
use crate::domain::answer::{Answer, AnswerBody, MemoryResult, Outcome, Receipt};
use crate::domain::command::{Body, Command, Restore, RestoreSelection, Target};
use crate::domain::forget::{Forget, Named};
use crate::domain::ids::{AgentId, ImportId, OperationId};
use crate::proto::v1;
use crate::rpc::status;

/// Writes every result of an answer.
pub(super) fn results_sent(answer: &Answer) -> Vec<v1::MemoryResult> {
    answer.body.results().iter().map(|result| result_sent(result, answer.operation_id)).collect()
}

fn result_sent(result: &MemoryResult, operation: OperationId) -> v1::MemoryResult {
    let MemoryResult { memory_id, outcome, state, purge_time, forget_time, error, agent, origin, import } =
        result;
    v1::MemoryResult {
        memory_id: memory_id.clone(),
        outcome: outcome_sent(*outcome),
        state: state_sent(*state),
        purge_time: purge_time.map(timestamp_sent),
        error: error.as_ref().map(|refusal| status::of_entry(refusal, Some(operation))),
        agent_id: agent.as_ref().map(AgentId::to_string).unwrap_or_default(),
        origin: origin_sent(*origin),
        import_id: import.as_ref().map(ImportId::to_string).unwrap_or_default(),
        forget_time: forget_time.map(timestamp_sent),
    }
}

/// Writes an outcome.
pub(super) fn outcome_sent(outcome: Outcome) -> i32 {
    match outcome {
        Outcome::Archived => v1::Outcome::Archived,
        Outcome::Erased => v1::Outcome::Erased,
        Outcome::AlreadyForgotten => v1::Outcome::AlreadyForgotten,
        Outcome::NotFound => v1::Outcome::NotFound,
        Outcome::Refused => v1::Outcome::Refused,
        Outcome::Unknown => v1::Outcome::Unknown,
        Outcome::Restored => v1::Outcome::Restored,
        Outcome::AlreadyActive => v1::Outcome::AlreadyActive,
    }
    .into()
}

/// The whole of a forget in one word. What was only rehearsed has none.
pub(super) fn status_sent(answer: &Answer) -> i32 {
    let forgotten = [Outcome::Archived, Outcome::Erased, Outcome::AlreadyForgotten];
    let forgotten: usize = forgotten.into_iter().map(|outcome| answer.count(outcome)).sum();
    match forgotten {
        _ if answer.validate_only => v1::ForgetStatus::Unspecified,
        0 => v1::ForgetStatus::NotForgotten,
        all if all == answer.body.results().len() => v1::ForgetStatus::Forgotten,
        _ => v1::ForgetStatus::PartiallyForgotten,
    }
    .into()
}

/// Writes the proof. The records are confirmed unless nothing was carried out or nothing is known of it.
pub(super) fn receipt_sent(answer: &Answer) -> v1::AuditReceipt {
    let Receipt { first_sequence, last_sequence, head_hash } = answer.receipt;
    let committed = !answer.validate_only && answer.count(Outcome::Unknown) == 0;
    if answer.validate_only || !changed(answer) {
        return v1::AuditReceipt { confirmed: committed, ..v1::AuditReceipt::default() };
    }
    v1::AuditReceipt { first_sequence, last_sequence, head_hash: head_hash.to_vec(), confirmed: committed }
}

/// Writes when the change was committed; what changed nothing never was.
pub(super) fn commit_time_sent(answer: &Answer) -> Option<prost_types::Timestamp> {
    (changed(answer) && !answer.validate_only).then(|| timestamp_sent(answer.commit_time))
}

fn changed(answer: &Answer) -> bool {
    answer.receipt.last_sequence != 0
}

/// The answer of a list of ids whose commit was lost: nothing is known of any.
pub(super) fn all_unknown(command: &Command) -> Option<Answer> {
    let targets: &[Target] = match &command.body {
        Body::Forget(Forget { named: Named::ById, targets, single: false, .. })
        | Body::Restore(Restore { selection: RestoreSelection::Ids(targets), .. }) => targets,
        _ => return None,
    };
    let unknown = |target: &Target| MemoryResult::without_memory(target.sent.clone(), Outcome::Unknown, None);
    Some(Answer {
        operation_id: command.call.operation_id,
        commit_time: Timestamp::default(),
        receipt: Receipt::default(),
        body: AnswerBody::Results(targets.iter().map(unknown).collect()),
        suppressed: 0,
        lifted: 0,
        kept: Vec::new(),
        memory: None,
        suppression_reason: None,
        replayed: false,
        validate_only: false,
    })
}
