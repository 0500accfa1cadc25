//! A server with some memories, and the rule for every bad call: a clear error, and nothing changed.

use memory_lifecycle::config::ServerSettings;
use memory_lifecycle::proto::v1::{ForgetMode, MemoryKind, RememberRequest};
use prost::Message;
use tonic::{Response, Status};
use tonic_types::StatusExt;

use super::published::code_of;
use super::tables::Tables;
use super::wire::{self, CHANGES};
use crate::harness::caller::Identity;
use crate::harness::{Caller, Database, Server, reason, settings, violations};

/// Stands in every text that no error may repeat.
pub(super) const CANARY: &str = "canary-4f1d";
pub(super) const INVALID_FIELD: &str = "INVALID_FIELD";

pub(super) struct Stage {
    pub(super) database: Database,
    pub(super) server: Server,
    pub(super) tables: Tables,
}

impl Stage {
    pub(super) async fn new() -> Self {
        Self::with(settings()).await
    }

    pub(super) async fn with(settings: ServerSettings) -> Self {
        let database = Database::migrated().await;
        let server = Server::start_with(&database, settings).await;
        let tables = Tables::of(&database).await;
        Self { database, server, tables }
    }

    /// With memories of the default caller, `kept` (active) and `stored` (archived), and others out of its reach:
    /// `foreign` of another tenant, `another` of another agent, and the settled fact `settled`.
    pub(super) async fn furnished() -> Self {
        let mut stage = Self::new().await;
        let content = format!("{CANARY} content");
        let caller = stage.caller();
        caller.remember("kept", &content).await.unwrap();
        caller.remember("stored", &content).await.unwrap();
        caller.forget("stored", ForgetMode::Soft).await.unwrap();
        stage.server.caller_of("foreigners", "default").remember("foreign", &content).await.unwrap();
        stage.server.caller_of("default", "another").remember("another", &content).await.unwrap();
        remember_fact(&stage.admin("default"), "settled", &content).await;
        stage.tables.note().await;
        stage
    }

    pub(super) fn caller(&self) -> Caller {
        self.server.caller()
    }

    /// The administrator of the default tenant who is this agent.
    pub(super) fn admin(&self, agent: &str) -> Caller {
        Caller::admin(self.server.channel.clone(), "default", agent)
    }

    /// Calls as the default caller.
    pub(super) async fn call(
        &self,
        path: &'static str,
        message: &impl Message,
    ) -> Result<Response<Vec<u8>>, Status> {
        self.call_as(&self.caller().identity, path, message.encode_to_vec()).await
    }

    pub(super) async fn call_as(
        &self,
        identity: &Identity,
        path: &'static str,
        message: Vec<u8>,
    ) -> Result<Response<Vec<u8>>, Status> {
        wire::call(&self.server.channel, wire::metadata(identity), path, message).await
    }

    /// Makes a call that must be refused for this reason, naming just these fields, and change nothing.
    pub(super) async fn refused(
        &mut self,
        path: &'static str,
        message: &impl Message,
        wanted: &str,
        fields: &[&str],
    ) -> Status {
        let identity = self.caller().identity;
        self.refused_as(&identity, path, message.encode_to_vec(), wanted, fields).await
    }

    pub(super) async fn refused_as(
        &mut self,
        identity: &Identity,
        path: &'static str,
        message: Vec<u8>,
        wanted: &str,
        fields: &[&str],
    ) -> Status {
        let status = self.call_as(identity, path, message).await.map(|_| ()).expect_err(path);
        assert_eq!((reason(&status).as_str(), violations(&status)), (wanted, texts(fields)), "{path}");
        assert_well_told(path, &status);
        self.tables.assert_unchanged(path).await;
        status
    }
}

/// Saves a settled fact.
pub(super) async fn remember_fact(admin: &Caller, id: &str, content: &str) {
    let request = RememberRequest {
        memory_id: id.to_owned(),
        content: content.to_owned(),
        kind: MemoryKind::Fact.into(),
        ..RememberRequest::default()
    };
    admin.store.clone().remember(request).await.unwrap();
}

/// What holds for every error: the code of its reason, small details, the operation's name where the method changes
/// something and only there, and nothing of what was sent or stored.
pub(super) fn assert_well_told(path: &str, status: &Status) {
    let info = status.get_details_error_info().unwrap();
    assert_eq!(status.code(), code_of(&info.reason), "{path}: {}", info.reason);
    assert!(status.details().len() < 4096, "{path}: {} bytes of details", status.details().len());
    assert!(!status.message().is_empty(), "{path}");
    let sent = status.metadata().get("x-operation-id").map(|id| id.to_str().unwrap().to_owned());
    assert_eq!(info.metadata.get("operation_id"), sent.as_ref(), "{path}");
    assert_eq!(sent.is_some(), CHANGES.contains(&path), "{path}");
    for violation in status.get_details_bad_request().into_iter().flat_map(|request| request.field_violations)
    {
        assert!(!violation.description.is_empty(), "{path}: {}", violation.field);
    }
    assert_not_in(status, CANARY);
    for word in ["SQL", "sqlx", "audit_records", "memory_contents", "constraint", "panicked"] {
        assert_not_in(status, word);
    }
}

/// Fails if a text stands anywhere in an error.
pub(super) fn assert_not_in(status: &Status, text: &str) {
    assert!(!status.message().contains(text), "{status:?}");
    let details = String::from_utf8_lossy(status.details());
    assert!(!details.contains(text), "{details:?}");
    let metadata = format!("{:?}", status.metadata());
    assert!(!metadata.contains(text), "{metadata}");
}

pub(super) fn texts(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}
