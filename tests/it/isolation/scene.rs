//! Two tenants with the same agents, and memories of every kind that is out of the reach of one of them.

use std::time::Duration;

use memory_lifecycle::config::ServerSettings;
use memory_lifecycle::proto::v1::{
    ForgetMode, ImportItem, ImportMemoriesRequest, MemoryKind, RememberRequest, UpdateMemoryRequest,
};

use crate::harness::server::SERVICE;
use crate::harness::{Caller, Database, Server, settings};
use crate::proxy::{Proxy, Ran};
use tonic_health::pb::health_check_response::ServingStatus;

pub(super) const HOME: &str = "home";
pub(super) const ABROAD: &str = "abroad";
pub(super) const AGENT: &str = "agent";
pub(super) const ANOTHER: &str = "another";

/// A server behind a proxy that notes its statements.
pub(super) struct Scene {
    pub(super) database: Database,
    pub(super) proxy: Proxy,
    pub(super) server: Server,
}

/// One lane, and nothing that happens by itself, so that what is run is the calls'.
pub(super) fn quiet() -> ServerSettings {
    let hour = std::time::Duration::from_hours(1);
    ServerSettings { lanes: Some(1), health_interval: hour, ..settings() }
}

impl Scene {
    pub(super) async fn new() -> Self {
        let database = Database::migrated().await;
        let proxy = Proxy::start(&database).await;
        let server = Server::start_unready(proxy.connect(), quiet()).await;
        server.until_health(SERVICE, ServingStatus::Serving).await;
        let swept = async {
            // What the sweeper asks at the start is nobody's call.
            while proxy.ended("-- due_tenants") == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), swept).await.unwrap();
        Self { database, proxy, server }
    }

    pub(super) fn caller(&self, tenant: &str, agent: &str) -> Caller {
        self.server.caller_of(tenant, agent)
    }

    pub(super) fn admin(&self, tenant: &str, agent: &str) -> Caller {
        Caller::admin(self.server.channel.clone(), tenant, agent)
    }

    /// What was run since the last time, without what a connection is asked when it changes hands.
    pub(super) async fn ran(&self) -> Vec<Ran> {
        let of_pool = ["SELECT now() = statement_timestamp()", "DISCARD PLANS"];
        let ran = self.proxy.take_ran().await;
        ran.into_iter().filter(|ran| !of_pool.contains(&ran.text.as_str())).collect()
    }

    /// Moves an archived memory's times back, so that its purge time is over.
    pub(super) async fn pass_purge_time(&self, tenant: &str, id: &str) {
        let statement = "UPDATE memories SET purge_time = now() - interval '1 day',
                forget_time = now() - interval '2 days', update_time = now() - interval '2 days'
            WHERE tenant_id = $1 AND memory_id = $2";
        let mut connection = self.database.superuser().await;
        let done = sqlx::query(statement).bind(tenant).bind(id).execute(&mut connection).await.unwrap();
        assert_eq!(done.rows_affected(), 1, "{id} is there");
    }
}

/// Saves a memory of a kind, about a subject, under a request id.
pub(super) async fn keep(caller: &Caller, id: &str, kind: MemoryKind, name: Option<&str>) {
    let name = name.unwrap_or_default().to_owned();
    let request = RememberRequest {
        memory_id: id.to_owned(),
        subject_id: name.clone(),
        content: "text".to_owned(),
        kind: kind.into(),
        request_id: name,
        ..RememberRequest::default()
    };
    caller.store.clone().remember(request).await.unwrap();
}

/// Imports a memory.
pub(super) async fn bring(caller: &Caller, id: &str, import: &str) {
    let item = ImportItem { memory_id: id.to_owned(), content: "text".to_owned(), ..ImportItem::default() };
    let request =
        ImportMemoriesRequest { import_id: import.to_owned(), items: vec![item], ..Default::default() };
    caller.store.clone().import_memories(request).await.unwrap();
}

pub(super) async fn correct(caller: &Caller, id: &str, content: &str) {
    let content = Some(content.to_owned());
    let request = UpdateMemoryRequest { memory_id: id.to_owned(), content, ..UpdateMemoryRequest::default() };
    caller.store.clone().update_memory(request).await.unwrap();
}

/// Archives a memory and answers the operation's id.
pub(super) async fn archive(caller: &Caller, id: &str) -> String {
    caller.forget(id, ForgetMode::Soft).await.unwrap().operation_id
}
