//! A call that changes something under a request id, and what is known of it afterwards.

use memory_lifecycle::proto::v1::{
    AuditAction, AuditReceipt, BatchForgetRequest, ForgetMode, ForgetRequest, MemoryResult, Outcome,
    RememberRequest, RestoreRequest,
};
use std::time::Duration;
use tonic::{Request, Response, Status};
use tonic_types::StatusExt;
use uuid::Uuid;

use crate::harness::Caller;
use crate::harness::caller::by_id;

/// What happens to a memory.
pub(super) type Transition = (AuditAction, String);

#[derive(Debug, Clone)]
enum Ask {
    Remember(RememberRequest),
    Forget(ForgetRequest),
    Batch(BatchForgetRequest),
    Restore(RestoreRequest),
}

/// A call that changes something, and the transitions that it must make: all of them, in this order, once.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) request_id: String,
    pub(super) transitions: Vec<Transition>,
    ask: Ask,
}

/// What was acknowledged.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub(super) operation: String,
    pub(super) transitions: Vec<Transition>,
    pub(super) audit: AuditReceipt,
    pub(super) replayed: bool,
}

/// Why a caller does not know what became of its call, as the error's reason says; or that the connection broke.
pub(super) type Lost = String;

/// The connection to the server broke, or the caller's own time was over: there is no answer.
pub(super) const NO_ANSWER: &str = "NO_ANSWER";

impl Change {
    pub(super) fn remember(id: &str) -> Self {
        let request = RememberRequest {
            memory_id: id.to_owned(),
            content: format!("content of {id}"),
            ..RememberRequest::default()
        };
        Self::new(vec![(AuditAction::Remembered, id.to_owned())], Ask::Remember(request))
    }

    pub(super) fn forget(id: &str, mode: ForgetMode) -> Self {
        let request = ForgetRequest { selector: by_id(id), mode: mode.into(), ..ForgetRequest::default() };
        Self::new(vec![(action(mode), id.to_owned())], Ask::Forget(request))
    }

    /// Restores those that are archived, among others that are not.
    pub(super) fn restore(ids: Vec<String>, changed: Vec<String>) -> Self {
        let request = RestoreRequest { memory_ids: ids, ..RestoreRequest::default() };
        let transitions = changed.into_iter().map(|id| (AuditAction::Restored, id)).collect();
        Self::new(transitions, Ask::Restore(request))
    }

    /// Forgets those that are there together with those that are not, or are forgotten already.
    pub(super) fn batch(ids: Vec<String>, changed: Vec<String>, mode: ForgetMode) -> Self {
        let request =
            BatchForgetRequest { memory_ids: ids, mode: mode.into(), ..BatchForgetRequest::default() };
        let transitions = changed.into_iter().map(|id| (action(mode), id)).collect();
        Self::new(transitions, Ask::Batch(request))
    }

    fn new(transitions: Vec<Transition>, mut ask: Ask) -> Self {
        let request_id = Uuid::new_v4().to_string();
        match &mut ask {
            Ask::Remember(request) => request.request_id.clone_from(&request_id),
            Ask::Forget(request) => request.request_id.clone_from(&request_id),
            Ask::Batch(request) => request.request_id.clone_from(&request_id),
            Ask::Restore(request) => request.request_id.clone_from(&request_id),
        }
        Self { request_id, transitions, ask }
    }

    /// Makes the call, which may take so long. A refusal fails the test: the caller's memories are its own, so it
    /// knows that there is no reason for one.
    pub(super) async fn send(&self, caller: &Caller, limit: Duration) -> Result<Answer, Lost> {
        let mut lifecycle = caller.lifecycle.clone();
        match &self.ask {
            Ask::Remember(request) => {
                let response = caller.store.clone().remember(timed(request, limit)).await;
                let response = response.map_err(|status| self.lost(&status))?;
                let (operation, body) = (operation(&response), response.into_inner());
                Ok(Answer {
                    operation,
                    transitions: vec![(AuditAction::Remembered, body.memory.unwrap().memory_id)],
                    audit: body.audit.unwrap(),
                    replayed: body.replayed,
                })
            }
            Ask::Forget(request) => {
                let response = lifecycle.forget(timed(request, limit)).await;
                let response = response.map_err(|status| self.lost(&status))?;
                let (operation, body) = (operation(&response), response.into_inner());
                answer(operation, &body.results, body.audit, body.replayed)
            }
            Ask::Batch(request) => {
                let response = lifecycle.batch_forget(timed(request, limit)).await;
                let response = response.map_err(|status| self.lost(&status))?;
                let (operation, body) = (operation(&response), response.into_inner());
                assert_eq!(body.results.len(), request.memory_ids.len());
                answer(operation, &body.results, body.audit, body.replayed)
            }
            Ask::Restore(request) => {
                let response = lifecycle.restore(timed(request, limit)).await;
                let response = response.map_err(|status| self.lost(&status))?;
                let (operation, body) = (operation(&response), response.into_inner());
                answer(operation, &body.results, body.audit, body.replayed)
            }
        }
    }

    fn lost(&self, status: &Status) -> Lost {
        let Some(info) = status.get_details_error_info() else { return NO_ANSWER.to_owned() };
        let tells_nothing = ["STORE_UNAVAILABLE", "OUTCOME_UNKNOWN", "CONFLICT", "DEADLINE_EXCEEDED"];
        assert!(tells_nothing.contains(&info.reason.as_str()), "{self:?} was refused: {status:?}");
        info.reason
    }
}

fn action(mode: ForgetMode) -> AuditAction {
    if mode == ForgetMode::Hard { AuditAction::Erased } else { AuditAction::Archived }
}

fn timed<M: Clone>(message: &M, limit: Duration) -> Request<M> {
    let mut request = Request::new(message.clone());
    request.set_timeout(limit);
    request
}

fn operation<M>(response: &Response<M>) -> String {
    response.metadata().get("x-operation-id").unwrap().to_str().unwrap().to_owned()
}

/// What results come to. Lists do not fail when their outcome is unknown: they say so of every memory.
fn answer(
    operation: String,
    results: &[MemoryResult],
    audit: Option<AuditReceipt>,
    replayed: bool,
) -> Result<Answer, Lost> {
    let audit = audit.unwrap();
    if results.iter().any(|result| result.outcome() == Outcome::Unknown) {
        assert!(results.iter().all(|result| result.outcome() == Outcome::Unknown), "{results:?}");
        assert!(!audit.confirmed);
        return Err("OUTCOME_UNKNOWN".to_owned());
    }
    let made = results.iter().filter_map(|result| {
        let action = match result.outcome() {
            Outcome::Archived => AuditAction::Archived,
            Outcome::Erased => AuditAction::Erased,
            Outcome::Restored => AuditAction::Restored,
            Outcome::AlreadyForgotten | Outcome::AlreadyActive | Outcome::NotFound => return None,
            strange => panic!("{strange:?} in {results:?}"),
        };
        Some((action, result.memory_id.clone()))
    });
    Ok(Answer { operation, transitions: made.collect(), audit, replayed })
}
