//! Who calls, and what it may do and reach.

use super::capability::{Capabilities, Capability};
use super::ids::{AgentId, IdFault, PrincipalId, TenantId};
use super::memory::{Kind, Memory};

/// Who calls. Comes from the credential, never from a request's fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The tenant it belongs to.
    pub tenant: TenantId,
    /// The agent it acts as, and whose memories it owns.
    pub agent: AgentId,
    /// Its name in the audit log.
    pub id: PrincipalId,
    /// What it may do.
    pub capabilities: Capabilities,
}

/// The principal in whose name memories expire. No credential can carry it: names that begin with
/// [`SYSTEM_PREFIX`] are not given to callers.
pub const EXPIRY_PRINCIPAL: &str = "system:expiry";
/// How the service's own principals begin.
pub const SYSTEM_PREFIX: &str = "system:";

/// Reads the name of an agent that callers may have.
pub fn caller_agent(text: &str) -> Result<AgentId, CallerFault> {
    not_of_the_system(text)?;
    Ok(AgentId::parse(text)?)
}

/// Reads the name of a principal that callers may have.
pub fn caller_principal(text: &str) -> Result<PrincipalId, CallerFault> {
    not_of_the_system(text)?;
    Ok(PrincipalId::parse(text)?)
}

fn not_of_the_system(text: &str) -> Result<(), CallerFault> {
    if text.starts_with(SYSTEM_PREFIX) { Err(CallerFault::System) } else { Ok(()) }
}

/// Why a text is no name that callers may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CallerFault {
    /// It is one of the service's own.
    #[error("must not begin with system:, which is the server's own")]
    System,
    /// It is no name.
    #[error(transparent)]
    Id(#[from] IdFault),
}

impl Principal {
    /// The one in whose name memories expire.
    pub fn expiry(tenant: TenantId) -> Self {
        let name = EXPIRY_PRINCIPAL.to_owned();
        Self {
            tenant,
            agent: AgentId::from_stored(name.clone()),
            id: PrincipalId::from_stored(name),
            capabilities: Capabilities::ALL,
        }
    }

    /// Whether it reaches all agents of its tenant and settled facts.
    pub fn is_admin(&self) -> bool {
        self.capabilities.has(Capability::MemoryAdmin)
    }

    /// Whether a memory of its own tenant exists for this principal at all.
    pub fn reaches(&self, memory: &Memory) -> bool {
        self.reaches_agent(&memory.agent) && (self.is_admin() || memory.kind != Kind::Fact)
    }

    /// The agent whose memories, settled facts aside, are all that exists for it; none: the whole tenant does. What
    /// [`reaches`](Self::reaches) says of one memory, for statements to say of all.
    pub fn confined_to(&self) -> Option<&AgentId> {
        (!self.is_admin()).then_some(&self.agent)
    }

    /// Whether memories of this agent, settled facts aside, exist for this principal.
    pub fn reaches_agent(&self, agent: &AgentId) -> bool {
        self.is_admin() || *agent == self.agent
    }
}
