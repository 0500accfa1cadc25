//! Erasing what is past its purge time, by an operation of its own.

use super::super::Timestamp;
use super::super::answer::{MemoryResult, Outcome};
use super::super::command::{Call, Command};
use super::super::facts::Facts;
use super::super::memory::State;
use super::super::operation::Method;
use super::super::principal::Principal;
use super::Decision;
use super::draft::Draft;

/// Expires what the command would meet and what is past its purge time. `None`: nothing is.
///
/// Must be applied before the command is decided: past its purge time a memory is as erased.
pub(super) fn expire(facts: &Facts, command: &Command, now: Timestamp) -> Option<Decision> {
    let due = facts.due_for(command, now);
    if due.is_empty() {
        return None;
    }
    let call = expiry_call(command);
    let mut draft = Draft::new(facts, &call, now);
    let mut results = Vec::with_capacity(due.len());
    for memory in due {
        results.push(MemoryResult::of(&memory, Outcome::Erased, State::Erased));
        draft.expire(memory);
    }
    draft.answer_results(results);
    Some(draft.finish())
}

fn expiry_call(command: &Command) -> Call {
    Call {
        principal: Principal::expiry(command.tenant().clone()),
        method: Method::Expire,
        operation_id: command.call.expiry_operation_id,
        expiry_operation_id: command.call.expiry_operation_id,
        request: None,
        reason: None,
        channel: None,
        trace_id: command.call.trace_id.clone(),
    }
}
