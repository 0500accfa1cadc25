//! What every handler does alike: learn who calls, read the message, have it done, write the answer or the error.

use tonic::metadata::MetadataValue;
use tonic::{Request, Response, Status};

use super::convert::{Caller, Change, Needs, Verifies};
use super::status;
use crate::clock::Clock;
use crate::domain::answer::Answer;
use crate::domain::ids::OperationId;
use crate::domain::principal::Principal;
use crate::domain::refusal::Refusal;
use crate::layers::context::{CallContext, OPERATION_ID};
use crate::ops::{Failure, Ops, Verification};

/// Messages of at most so many bytes are read where they arrive.
const READ_INLINE: usize = 16 * 1024;

/// What the services are made of. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Calls {
    /// What does the work.
    pub(super) ops: Ops,
    /// Where ids and salts come from.
    pub(super) clock: Clock,
}

impl Calls {
    /// Who calls, and the message, once the caller may send it. The layers put the caller into every request; without one
    /// nothing is done.
    pub(super) fn enter<Message: Needs>(
        &self,
        request: Request<Message>,
    ) -> Result<(Caller, Message), Status> {
        let (_, mut extensions, message) = request.into_parts();
        let context: Option<CallContext> = extensions.remove();
        let principal: Option<Principal> = extensions.remove();
        match (context, principal) {
            (Some(context), Some(principal)) => {
                let caller = Caller { principal, context, clock: self.clock.clone() };
                caller.settle(caller.principal.capabilities.require(message.needs()))?;
                Ok((caller, message))
            }
            (context, _) => {
                tracing::error!("a request came past the layers");
                Err(status::of_failure(&Failure::Internal, context.and_then(|context| context.operation())))
            }
        }
    }

    /// Carries a change out, or rehearses it, and writes the answer under the name of the operation that did it.
    pub(super) async fn change<Message: prost::Message + Needs + 'static, Answered>(
        &self,
        request: Request<Message>,
        read: fn(&Caller, Message) -> Result<Change, Refusal>,
        write: fn(&Answer) -> Answered,
    ) -> Result<Response<Answered>, Status> {
        let (_, answer) = self.answer(request, read).await?;
        Ok(named(Response::new(write(&answer)), answer.operation_id))
    }

    /// The same for a forget, which is looked at again afterwards if its caller wants that.
    pub(super) async fn forget<Message: prost::Message + Needs + Verifies + 'static, Answered>(
        &self,
        request: Request<Message>,
        read: fn(&Caller, Message) -> Result<Change, Refusal>,
        write: fn(&Answer, Option<Verification>) -> Answered,
    ) -> Result<Response<Answered>, Status> {
        let verifies = request.get_ref().verifies();
        let (caller, answer) = self.answer(request, read).await?;
        let verification = if verifies {
            // On the heap, as it is seldom needed: else every forget would be as large as a recall, and be moved so.
            Box::pin(self.ops.verify(&caller.principal, &answer)).await
        } else {
            None
        };
        Ok(named(Response::new(write(&answer, verification)), answer.operation_id))
    }

    async fn answer<Message: prost::Message + Needs + 'static>(
        &self,
        request: Request<Message>,
        read: fn(&Caller, Message) -> Result<Change, Refusal>,
    ) -> Result<(Caller, Answer), Status> {
        let (caller, message) = self.enter(request)?;
        let (caller, change) = if message.encoded_len() > READ_INLINE {
            // Normalising long texts takes a while, in which this thread could answer others.
            let reading = tokio::task::spawn_blocking(move || {
                let change = read(&caller, message);
                (caller, change)
            });
            reading.await.map_err(|_| status::of_failure(&Failure::Internal, None))?
        } else {
            let change = read(&caller, message);
            (caller, change)
        };
        let change = caller.settle(change)?;
        let answer = caller.settle(self.carry_out(change).await)?;
        Ok((caller, answer))
    }

    async fn carry_out(&self, change: Change) -> Result<Answer, Failure> {
        let if_unknown = change.if_unknown();
        let Change { command, validate_only } = change;
        if validate_only {
            // On the heap, as it is seldom needed: else every call would be as large as a rehearsal, and be moved so.
            return Box::pin(self.ops.rehearse(command)).await;
        }
        match (self.ops.change(command).await, if_unknown) {
            (Err(Failure::OutcomeUnknown), Some(answer)) => Ok(answer),
            (settled, _) => settled,
        }
    }
}

impl Caller {
    /// The value, or the error as this call answers it.
    pub(super) fn settle<Value, Error: Into<Failure>>(
        &self,
        result: Result<Value, Error>,
    ) -> Result<Value, Status> {
        result.map_err(|error| status::of_failure(&self.as_told(error.into()), self.context.operation()))
    }

    /// A read changes nothing and so has no conflict: a lock that it did not get in time is time that ran out.
    fn as_told(&self, failure: Failure) -> Failure {
        match failure {
            Failure::Conflict if !self.context.changes => Failure::DeadlineExceeded,
            failure => failure,
        }
    }
}

/// Sends the operation's id ahead of the answer. Of a replayed call it is the id of the operation that did the work.
fn named<Answered>(mut response: Response<Answered>, operation: OperationId) -> Response<Answered> {
    if let Ok(id) = MetadataValue::try_from(operation.to_string()) {
        response.metadata_mut().insert(OPERATION_ID, id);
    }
    response
}
