//! What every call that changes something says beside what it asks.

use super::faults::Faults;
use super::values::digest;
use crate::clock::Clock;
use crate::domain::answer::Answer;
use crate::domain::command::{Body, Call, Command, Request, SaltedReason};
use crate::domain::ids::RequestId;
use crate::domain::line::{self, Reason};
use crate::domain::operation::Method;
use crate::domain::principal::Principal;
use crate::layers::context::CallContext;

/// Who calls, under which names, with which source of ids and salts.
#[derive(Debug)]
pub(in crate::rpc) struct Caller {
    /// Who.
    pub(in crate::rpc) principal: Principal,
    /// The names of the call.
    pub(in crate::rpc) context: CallContext,
    /// Where made-up ids and salts come from.
    pub(in crate::rpc) clock: Clock,
}

/// A change to be carried out, or only rehearsed.
#[derive(Debug)]
pub(in crate::rpc) struct Change {
    /// What is asked.
    pub(in crate::rpc) command: Command,
    /// Whether it is only to be said what would be.
    pub(in crate::rpc) validate_only: bool,
}

/// The fields that calls share, each as sent; empty where a call has none.
#[derive(Default)]
pub(super) struct Shared<'a> {
    pub(super) request_id: &'a str,
    pub(super) reason: &'a str,
    pub(super) channel: &'a str,
}

/// A request's digest, to be taken while the message is whole. Only a request that can be repeated needs one.
pub(super) fn request_digest(method: Method, request_id: &str, message: &impl prost::Message) -> [u8; 32] {
    if request_id.is_empty() { [0; 32] } else { digest(method.name(), message) }
}

impl Caller {
    /// Reads the shared fields and names the call.
    pub(super) fn call(
        &self,
        faults: &mut Faults,
        method: Method,
        shared: &Shared<'_>,
        digest: [u8; 32],
    ) -> Call {
        let Shared { request_id, reason, channel } = *shared;
        Call {
            principal: self.principal.clone(),
            method,
            operation_id: self.context.operation_id,
            expiry_operation_id: self.context.expiry_operation_id,
            request: faults
                .plain("request_id", request_id, RequestId::parse)
                .map(|id| Request { id, digest }),
            reason: faults
                .take("reason", Reason::parse(reason))
                .flatten()
                .map(|text| SaltedReason { text, salt: self.clock.random_bytes() }),
            channel: faults.take("channel", line::parse_channel(channel)).flatten(),
            trace_id: self.context.trace_id.clone(),
        }
    }
}

impl Change {
    /// A change that every call of its kind carries out.
    pub(super) fn new(call: Call, body: Body) -> Self {
        Self { command: Command { call, body }, validate_only: false }
    }

    /// A change that is only rehearsed when the caller wants that.
    pub(super) fn or_rehearsal(call: Call, body: Body, validate_only: bool) -> Self {
        Self { validate_only, ..Self::new(call, body) }
    }

    /// The answer when the outcome cannot be learnt, for the calls that answer it id by id.
    pub(in crate::rpc) fn if_unknown(&self) -> Option<Answer> {
        super::results::all_unknown(&self.command)
    }
}
