//! A server that takes tokens, and clients that send it anything.

use std::time::Duration;

use memory_lifecycle::config::{Access, ClaimNames, JwtAlgorithm, JwtConfig, KeySource};
use memory_lifecycle::proto::v1::audit_log_client::AuditLogClient;
use memory_lifecycle::proto::v1::memory_lifecycle_client::MemoryLifecycleClient;
use memory_lifecycle::proto::v1::memory_store_client::MemoryStoreClient;
use memory_lifecycle::proto::v1::{
    AuditRecord, ForgetRequest, GetMemoryRequest, ListAuditRecordsRequest, Memory, RememberRequest,
};
use tonic::metadata::{AsciiMetadataValue, MetadataKey};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

use super::forge::{AUDIENCE, ED, ISSUER, KEYS, claims, jwks};
use crate::harness::caller::by_id;
use crate::harness::{Database, Server, reason, settings};

pub const LEEWAY: Duration = Duration::from_secs(30);

/// How tokens are verified that any of the keys signed.
pub fn config() -> JwtConfig {
    JwtConfig {
        issuer: ISSUER.to_owned(),
        audience: AUDIENCE.to_owned(),
        algorithms: JwtAlgorithm::ALL.to_vec(),
        keys: KeySource::Inline(jwks(&KEYS)),
        claims: ClaimNames::default(),
        leeway: LEEWAY,
    }
}

/// Tokens and nothing else.
pub fn tokens(config: JwtConfig) -> Access {
    Access { jwt: Some(config), ..Access::default() }
}

pub struct Stage {
    pub database: Database,
    pub server: Server,
}

impl Stage {
    pub async fn start() -> Self {
        Self::with(config()).await
    }

    pub async fn with(config: JwtConfig) -> Self {
        let database = Database::migrated().await;
        let server = Server::start_accepting(&database, settings(), tokens(config)).await;
        Self { database, server }
    }

    /// Whoever sends this token.
    pub fn client(&self, token: &str) -> Client {
        Client::of(&self.server, token)
    }

    /// Fails unless a token is refused in these words, by a call that reads and by one that changes.
    pub async fn assert_refused(&self, token: &str, what: &str, words: &str) {
        let client = self.client(token);
        assert_refused(&client.get("first").await.expect_err(what), token, what, words);
        let status = client.remember("never").await.expect_err(what);
        assert_refused(&status, token, what, words);
        let info = status.get_details_error_info().unwrap();
        assert!(info.metadata.contains_key("operation_id"), "{what}: {info:?}");
    }

    /// Fails unless nobody has changed anything. A good token still works: that nothing was done is not the server's fault.
    pub async fn stop_unchanged(self) {
        let count: i64 = self.database.value("SELECT count(*) FROM audit_records").await;
        assert_eq!(count, 0, "nothing was changed by those who were refused");
        let good = self.client(&ED.token(&claims()));
        good.remember("first").await.expect("the control: a good token is accepted");
        self.server.stop().await;
    }
}

/// Fails unless the answer is the one to a credential that is not accepted, in these words and none of the token's.
pub fn assert_refused(status: &Status, token: &str, what: &str, words: &str) {
    let told = (status.code(), reason(status));
    assert_eq!(told, (Code::Unauthenticated, "UNAUTHENTICATED".to_owned()), "{what}: {status:?}");
    assert!(status.message().contains(words), "{what}: {}", status.message());
    let details = String::from_utf8_lossy(status.details()).into_owned();
    let shown = format!("{} {details} {:?}", status.message(), status.metadata());
    for part in token.as_bytes().windows(12).map(String::from_utf8_lossy) {
        assert!(!shown.contains(&*part), "{what}: the token is repeated in {shown}");
    }
}

/// Metadata that goes with every call.
#[derive(Debug, Clone)]
pub struct Sends(Vec<(&'static str, AsciiMetadataValue)>);

impl Interceptor for Sends {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        for (key, value) in &self.0 {
            request.metadata_mut().append(MetadataKey::from_static(key), value.clone());
        }
        Ok(request)
    }
}

#[derive(Debug, Clone)]
pub struct Client {
    lifecycle: MemoryLifecycleClient<InterceptedService<Channel, Sends>>,
    store: MemoryStoreClient<InterceptedService<Channel, Sends>>,
    audit: AuditLogClient<InterceptedService<Channel, Sends>>,
}

impl Client {
    /// Whoever sends this token and nothing else.
    pub fn of(server: &Server, token: &str) -> Self {
        Self::sending(server, &[("authorization", &format!("Bearer {token}"))])
    }

    /// Whoever sends this metadata.
    pub fn sending(server: &Server, metadata: &[(&'static str, &str)]) -> Self {
        let sends = metadata.iter().map(|(key, value)| (*key, value.parse().unwrap()));
        let service = InterceptedService::new(server.channel.clone(), Sends(sends.collect()));
        Self {
            lifecycle: MemoryLifecycleClient::new(service.clone()),
            store: MemoryStoreClient::new(service.clone()),
            audit: AuditLogClient::new(service),
        }
    }

    pub async fn remember(&self, id: &str) -> Result<Memory, Status> {
        let request = RememberRequest {
            memory_id: id.to_owned(),
            content: "Likes oat milk".to_owned(),
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

    /// Forgets for good.
    pub async fn erase(&self, id: &str) -> Result<(), Status> {
        let mode = memory_lifecycle::proto::v1::ForgetMode::Hard.into();
        let request = ForgetRequest { selector: by_id(id), mode, ..ForgetRequest::default() };
        self.lifecycle.clone().forget(request).await.map(|_| ())
    }

    pub async fn audit(&self) -> Result<Vec<AuditRecord>, Status> {
        let request = ListAuditRecordsRequest::default();
        Ok(self.audit.clone().list_audit_records(request).await?.into_inner().records)
    }
}
