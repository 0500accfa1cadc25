//! What the health service says: `""` is the process, the services follow Postgres and the schema.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::server::HealthReporter;

use crate::storage::schema::{SCHEMA_VERSION, SchemaState, schema_state};
use crate::storage::{Store, StoreError};

/// The services whose readiness is reported, by their full names.
const SERVICES: [&str; 3] =
    ["memorylifecycle.v1.MemoryLifecycle", "memorylifecycle.v1.MemoryStore", "memorylifecycle.v1.AuditLog"];

/// The service, saying NOT_SERVING of everything until more is known.
pub(super) async fn service() -> (HealthReporter, HealthServer<impl Health>) {
    let (reporter, service) = tonic_health::server::health_reporter();
    for name in ["", SERVICES[0], SERVICES[1], SERVICES[2]] {
        reporter.set_service_status(name, ServingStatus::NotServing).await;
    }
    (reporter, service)
}

/// How long Postgres may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the start waits for the first answer, so that the first caller finds the server ready.
const PATIENCE_AT_START: Duration = Duration::from_secs(1);

/// What is known, and whom it is told.
pub(super) struct Watch {
    reporter: HealthReporter,
    store: Store,
    last: Option<Readiness>,
}

impl Watch {
    /// Looks once, so that a server whose database is there is ready before it takes its first call.
    pub(super) async fn begin(reporter: HealthReporter, store: Store) -> Self {
        reporter.set_service_status("", ServingStatus::Serving).await;
        let mut watch = Self { reporter, store, last: None };
        watch.look(PATIENCE_AT_START).await;
        watch
    }

    /// Looks at every interval until told to stop; then says NOT_SERVING for good.
    pub(super) async fn follow(mut self, interval: Duration, stop: CancellationToken) {
        let mut ticks = tokio::time::interval(interval);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                _ = ticks.tick() => {}
            }
            tokio::select! {
                () = stop.cancelled() => break,
                () = self.look(PATIENCE) => {}
            }
        }
        for name in SERVICES.into_iter().chain([""]) {
            self.reporter.set_service_status(name, ServingStatus::NotServing).await;
        }
    }

    async fn look(&mut self, patience: Duration) {
        let readiness = tokio::time::timeout(patience, readiness(&self.store))
            .await
            .unwrap_or(Readiness::Store(StoreError::NoConnection));
        if self.last.as_ref() == Some(&readiness) {
            return;
        }
        readiness.log();
        // While Postgres does not answer, what was known of its schema stands.
        if !matches!(readiness, Readiness::Store(_)) {
            self.store.set_usable(readiness == Readiness::Ready);
        }
        let status = match readiness {
            Readiness::Ready => ServingStatus::Serving,
            _ => ServingStatus::NotServing,
        };
        for name in SERVICES {
            self.reporter.set_service_status(name, status).await;
        }
        self.last = Some(readiness);
    }
}

#[derive(PartialEq, Eq)]
enum Readiness {
    Ready,
    Schema(SchemaState),
    Store(StoreError),
}

async fn readiness(store: &Store) -> Readiness {
    let state = async {
        let mut connection = store.health_connection().await?;
        schema_state(&mut connection).await
    };
    match state.await {
        Ok(SchemaState::Usable) => Readiness::Ready,
        Ok(state) => Readiness::Schema(state),
        Err(error) => Readiness::Store(error),
    }
}

impl Readiness {
    fn log(&self) {
        match self {
            Self::Ready => tracing::info!("ready: Postgres is there and the schema fits"),
            Self::Schema(SchemaState::TooNew) => tracing::error!(
                ours = SCHEMA_VERSION,
                "not ready: the database's schema no longer supports this binary; use a newer one"
            ),
            Self::Schema(_) => tracing::error!(
                ours = SCHEMA_VERSION,
                "not ready: the database's schema is missing or older than this binary needs; run `migrate`"
            ),
            Self::Store(error) => tracing::warn!(%error, "not ready: Postgres does not answer"),
        }
    }
}
