//! What each request needs its caller to be allowed. A message that says nothing here cannot be served: the compiler asks
//! for it.

use crate::domain::capability::{Capabilities, Capability};
use crate::proto::v1;

/// Says which capabilities a request needs, before anything of it is read or looked up.
pub(in crate::rpc) trait Needs {
    /// All of them: of the call, and of the fields that are set.
    fn needs(&self) -> Capabilities;
}

impl Needs for v1::RememberRequest {
    fn needs(&self) -> Capabilities {
        Capability::MemoryWrite.into()
    }
}

impl Needs for v1::UpdateMemoryRequest {
    fn needs(&self) -> Capabilities {
        Capability::MemoryWrite.into()
    }
}

impl Needs for v1::ImportMemoriesRequest {
    fn needs(&self) -> Capabilities {
        let for_others = |item: &v1::ImportItem| !item.agent_id.is_empty() || item.create_time.is_some();
        let write = Capability::MemoryWrite.into();
        admin_if(self.legacy || self.items.iter().any(for_others), write)
    }
}

impl Needs for v1::ForgetRequest {
    fn needs(&self) -> Capabilities {
        let filter = self.selector.as_ref().and_then(|selector| selector.filter.as_ref());
        admin_if(names_an_agent(filter), forgetting(self.mode))
    }
}

impl Needs for v1::BatchForgetRequest {
    fn needs(&self) -> Capabilities {
        admin_if(names_an_agent(self.filter.as_ref()), forgetting(self.mode))
    }
}

impl Needs for v1::RestoreRequest {
    fn needs(&self) -> Capabilities {
        Capability::MemoryWrite.into()
    }
}

/// Preview changes nothing, whatever mode it is asked about.
impl Needs for v1::PreviewRequest {
    fn needs(&self) -> Capabilities {
        let filter = self.selector.as_ref().and_then(|selector| selector.filter.as_ref());
        admin_if(names_an_agent(filter), Capability::MemoryRead.into())
    }
}

impl Needs for v1::GetOperationRequest {
    fn needs(&self) -> Capabilities {
        Capability::MemoryRead.into()
    }
}

impl Needs for v1::ListOperationsRequest {
    fn needs(&self) -> Capabilities {
        Capability::MemoryRead.into()
    }
}

impl Needs for v1::GetMemoryRequest {
    fn needs(&self) -> Capabilities {
        Capability::MemoryRead.into()
    }
}

impl Needs for v1::ListMemoriesRequest {
    fn needs(&self) -> Capabilities {
        admin_if(names_an_agent(self.filter.as_ref()), Capability::MemoryRead.into())
    }
}

impl Needs for v1::RecallMemoriesRequest {
    fn needs(&self) -> Capabilities {
        admin_if(names_an_agent(self.filter.as_ref()), Capability::MemoryRead.into())
    }
}

impl Needs for v1::ListSuppressionsRequest {
    fn needs(&self) -> Capabilities {
        Capability::MemoryRead.into()
    }
}

impl Needs for v1::LiftSuppressionRequest {
    fn needs(&self) -> Capabilities {
        Capability::MemoryWrite.into()
    }
}

impl Needs for v1::ListAuditRecordsRequest {
    fn needs(&self) -> Capabilities {
        Capability::AuditRead.into()
    }
}

/// Forgetting for good is a right of its own. A mode that does not exist is told to whoever may forget softly.
fn forgetting(mode: i32) -> Capabilities {
    match v1::ForgetMode::try_from(mode) {
        Ok(v1::ForgetMode::Hard) => Capability::MemoryErase.into(),
        Ok(v1::ForgetMode::Soft | v1::ForgetMode::Unspecified) | Err(_) => Capability::MemoryWrite.into(),
    }
}

/// Whose memories they are may be asked only by those who reach all agents.
fn names_an_agent(filter: Option<&v1::Filter>) -> bool {
    filter.is_some_and(|filter| filter.agent_id.is_some())
}

fn admin_if(asked: bool, needed: Capabilities) -> Capabilities {
    if asked { needed.with(Capability::MemoryAdmin) } else { needed }
}
