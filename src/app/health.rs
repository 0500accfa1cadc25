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

/// Reports, now and at every interval, until told to stop; then says NOT_SERVING for good.
pub(super) async fn follow(
    reporter: HealthReporter,
    store: Store,
    interval: Duration,
    stop: CancellationToken,
) {
    reporter.set_service_status("", ServingStatus::Serving).await;
    let mut last = None;
    let mut ticks = tokio::time::interval(interval);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            _ = ticks.tick() => {}
        }
        let readiness = readiness(&store).await;
        if last.as_ref() == Some(&readiness) {
            continue;
        }
        readiness.log();
        // While Postgres does not answer, what was known of its schema stands.
        if !matches!(readiness, Readiness::Store(_)) {
            store.set_usable(readiness == Readiness::Ready);
        }
        let status = match readiness {
            Readiness::Ready => ServingStatus::Serving,
            _ => ServingStatus::NotServing,
        };
        for name in SERVICES {
            reporter.set_service_status(name, status).await;
        }
        last = Some(readiness);
    }
    for name in SERVICES.into_iter().chain([""]) {
        reporter.set_service_status(name, ServingStatus::NotServing).await;
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
