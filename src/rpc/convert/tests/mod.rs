//! The rules of conversion, each by an example.

mod answers;
mod changes;
mod metadata;
mod reads;
mod saves;

use uuid::Uuid;

use super::{Caller, Needs};
use crate::clock::Clock;
use crate::domain::capability::{Capabilities, Capability};
use crate::domain::ids::{AgentId, OperationId, PrincipalId, TenantId};
use crate::domain::principal::Principal;
use crate::domain::refusal::Refusal;
use crate::layers::context::CallContext;

fn caller(admin: bool) -> Caller {
    Caller {
        principal: Principal {
            tenant: TenantId::parse("t").unwrap(),
            agent: AgentId::parse("a").unwrap(),
            id: PrincipalId::parse("a").unwrap(),
            capabilities: if admin {
                Capabilities::ALL
            } else {
                Capabilities::ALL.without(Capability::MemoryAdmin)
            },
        },
        context: CallContext {
            operation_id: OperationId(Uuid::from_u128(1)),
            expiry_operation_id: OperationId(Uuid::from_u128(2)),
            trace_id: None,
            changes: true,
        },
        clock: Clock::system(),
    }
}

/// The paths of the fields at fault.
#[track_caller]
fn faulty<T: std::fmt::Debug>(read: Result<T, Refusal>) -> Vec<String> {
    match read {
        Err(Refusal::InvalidFields(found)) => found.into_iter().map(|fault| fault.field).collect(),
        other => panic!("no field is at fault: {other:?}"),
    }
}

#[track_caller]
fn refusal<T: std::fmt::Debug>(read: Result<T, Refusal>) -> Refusal {
    read.expect_err("it should have been refused")
}

/// Why this caller may not send the request.
#[track_caller]
fn not_allowed(caller: &Caller, request: &impl Needs) -> Refusal {
    refusal(caller.principal.capabilities.require(request.needs()))
}

fn admin_missing() -> Refusal {
    Refusal::CapabilityMissing(Capability::MemoryAdmin)
}
