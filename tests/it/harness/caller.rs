//! A caller: a tenant and an agent, speaking through the generated clients.

use memory_lifecycle::proto::v1::audit_log_client::AuditLogClient;
use memory_lifecycle::proto::v1::governance_client::GovernanceClient;
use memory_lifecycle::proto::v1::memory_lifecycle_client::MemoryLifecycleClient;
use memory_lifecycle::proto::v1::memory_store_client::MemoryStoreClient;
use memory_lifecycle::proto::v1::{
    AuditRecord, BatchForgetRequest, BatchForgetResponse, ForgetMode, ForgetRequest, ForgetResponse,
    GetMemoryRequest, ListAuditRecordsRequest, ListMemoriesRequest, ListSuppressionsRequest, Memory,
    PreviewRequest, PreviewResponse, RecallMemoriesRequest, RememberRequest, RestoreRequest, RestoreResponse,
    Selector, Suppression,
};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Request, Status};

use super::canaries::{self, Kind};

/// Puts the identity's metadata on every request.
#[derive(Debug, Clone)]
pub struct Identity {
    pub tenant: String,
    pub agent: String,
    pub admin: bool,
    /// What it may do; not said: everything but what takes `memory:admin`.
    pub capabilities: Option<String>,
    /// The token that says all this in place of metadata.
    pub token: Option<String>,
}

impl Identity {
    /// An agent that says in metadata who it is.
    pub fn of(tenant: &str, agent: &str) -> Self {
        Self {
            tenant: tenant.to_owned(),
            agent: agent.to_owned(),
            admin: false,
            capabilities: None,
            token: None,
        }
    }
}

impl Interceptor for Identity {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        let metadata = request.metadata_mut();
        if let Some(token) = &self.token {
            metadata.insert("authorization", format!("Bearer {token}").parse().unwrap());
            return Ok(request);
        }
        metadata.insert("x-tenant-id", self.tenant.parse().unwrap());
        metadata.insert("x-agent-id", self.agent.parse().unwrap());
        if self.admin {
            metadata.insert("x-admin", "true".parse().unwrap());
        }
        if let Some(capabilities) = &self.capabilities {
            metadata.insert("x-capabilities", capabilities.parse().unwrap());
        }
        Ok(request)
    }
}

type Service = InterceptedService<Channel, Identity>;

#[derive(Debug, Clone)]
pub struct Caller {
    pub identity: Identity,
    pub lifecycle: MemoryLifecycleClient<Service>,
    pub store: MemoryStoreClient<Service>,
    pub governance: GovernanceClient<Service>,
    pub audit: AuditLogClient<Service>,
}

impl Caller {
    pub fn new(channel: Channel, tenant: &str, agent: &str) -> Self {
        Self::with(channel, Identity::of(tenant, agent))
    }

    pub fn with(channel: Channel, identity: Identity) -> Self {
        let service = InterceptedService::new(channel, identity.clone());
        Self {
            identity,
            lifecycle: MemoryLifecycleClient::new(service.clone()).max_decoding_message_size(16 << 20),
            store: MemoryStoreClient::new(service.clone())
                .max_encoding_message_size(64 << 20)
                .max_decoding_message_size(16 << 20),
            governance: GovernanceClient::new(service.clone()),
            audit: AuditLogClient::new(service).max_decoding_message_size(16 << 20),
        }
    }

    /// The same caller with the capability `memory:admin`.
    pub fn admin(channel: Channel, tenant: &str, agent: &str) -> Self {
        Self::with(channel, Identity { admin: true, ..Identity::of(tenant, agent) })
    }

    /// Saves a memory under this id.
    pub async fn remember(&self, id: &str, content: &str) -> Result<Memory, Status> {
        canaries::look_for(content, Kind::Content, "the content of a memory that a test saved");
        let request = RememberRequest {
            memory_id: id.to_owned(),
            content: content.to_owned(),
            ..RememberRequest::default()
        };
        let response = self.store.clone().remember(request).await?.into_inner();
        Ok(response.memory.expect("a saved memory is shown"))
    }

    pub async fn get(&self, id: &str) -> Result<Memory, Status> {
        let request = GetMemoryRequest { memory_id: id.to_owned() };
        let response = self.store.clone().get_memory(request).await?.into_inner();
        Ok(response.memory.expect("a memory that is found is shown"))
    }

    /// All the caller's memories, archived ones too, newest first.
    pub async fn list_all(&self) -> Result<Vec<Memory>, Status> {
        let mut memories = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = ListMemoriesRequest {
                show_archived: true,
                page_size: 1000,
                page_token,
                ..ListMemoriesRequest::default()
            };
            let response = self.store.clone().list_memories(request).await?.into_inner();
            memories.extend(response.memories);
            page_token = response.next_page_token;
            if page_token.is_empty() {
                return Ok(memories);
            }
        }
    }

    pub async fn forget(&self, id: &str, mode: ForgetMode) -> Result<ForgetResponse, Status> {
        let request = ForgetRequest { selector: by_id(id), mode: mode.into(), ..ForgetRequest::default() };
        Ok(self.lifecycle.clone().forget(request).await?.into_inner())
    }

    pub async fn batch_forget(&self, ids: &[&str], mode: ForgetMode) -> Result<BatchForgetResponse, Status> {
        let request =
            BatchForgetRequest { memory_ids: texts(ids), mode: mode.into(), ..BatchForgetRequest::default() };
        Ok(self.lifecycle.clone().batch_forget(request).await?.into_inner())
    }

    pub async fn restore(&self, ids: &[&str]) -> Result<RestoreResponse, Status> {
        let request = RestoreRequest { memory_ids: texts(ids), ..RestoreRequest::default() };
        Ok(self.lifecycle.clone().restore(request).await?.into_inner())
    }

    /// The first page of what a forget of a set would do.
    pub async fn preview(&self, selector: Selector, mode: ForgetMode) -> Result<PreviewResponse, Status> {
        let request = PreviewRequest {
            selector: Some(selector),
            mode: mode.into(),
            page_size: 1000,
            ..PreviewRequest::default()
        };
        Ok(self.lifecycle.clone().preview(request).await?.into_inner())
    }

    /// Forgets a set with the token of a preview of it.
    pub async fn forget_set(
        &self,
        selector: Selector,
        mode: ForgetMode,
        token: &str,
    ) -> Result<ForgetResponse, Status> {
        let request = ForgetRequest {
            selector: Some(selector),
            mode: mode.into(),
            confirmation_token: token.to_owned(),
            ..ForgetRequest::default()
        };
        Ok(self.lifecycle.clone().forget(request).await?.into_inner())
    }

    /// The ids that a query recalls, the first page of them.
    pub async fn recall(&self, query: &str) -> Result<Vec<String>, Status> {
        let request = RecallMemoriesRequest { query: query.to_owned(), ..RecallMemoriesRequest::default() };
        let page = self.store.clone().recall_memories(request).await?.into_inner();
        Ok(page.memories.into_iter().map(|memory| memory.memory_id).collect())
    }

    /// The suppressions the caller sees, newest first.
    pub async fn suppressions(&self) -> Result<Vec<Suppression>, Status> {
        let request = ListSuppressionsRequest::default();
        Ok(self.governance.clone().list_suppressions(request).await?.into_inner().suppressions)
    }

    /// All audit records the caller may see, oldest first.
    pub async fn audit_records(&self) -> Result<Vec<AuditRecord>, Status> {
        let mut records = Vec::new();
        let mut page_token = String::new();
        loop {
            let request =
                ListAuditRecordsRequest { page_size: 1000, page_token, ..ListAuditRecordsRequest::default() };
            let response = self.audit.clone().list_audit_records(request).await?.into_inner();
            records.extend(response.records);
            page_token = response.next_page_token;
            if page_token.is_empty() {
                records.reverse();
                return Ok(records);
            }
        }
    }
}

/// A selector of the memories that hold these words.
pub fn by_words(words: &str) -> Selector {
    Selector { r#match: Some(words.to_owned()), ..Selector::default() }
}

/// A selector of one memory.
#[expect(clippy::unnecessary_wraps, reason = "as the requests' field takes it")]
pub fn by_id(id: &str) -> Option<Selector> {
    Some(Selector { memory_id: Some(id.to_owned()), ..Selector::default() })
}

pub fn texts(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}
