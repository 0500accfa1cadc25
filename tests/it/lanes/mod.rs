//! The rules of the lanes, each with a test that fails when the rule is broken: what is committed together, in
//! which order, on which facts, at what time; and what holds when transactions fail, callers leave, connections
//! break and Postgres goes away.
//!
//! Nothing here waits for time to pass: a stranger holds a lock until Postgres says who waits for it.

mod abandon;
mod cancel;
mod coalesce;
mod direct;
mod fail;
mod fresh;
mod hammer;
mod lost;
mod outage;
mod overlay;
mod plans;
mod pooled;
mod retry;
mod silent;
mod skip;
pub mod stranger;
mod time;
mod unknown;

use std::time::Duration;

use memory_lifecycle::proto::v1::AuditRecord;
use sqlx::ConnectOptions;

use crate::harness::{Database, Server, ServerSettings, settings};
use crate::model::logged;

/// Longer than any wait here takes.
const LIMIT: Duration = Duration::from_secs(30);

/// Waits until the answer to a question about the database `$1` is yes. Asked from another database, so that the
/// asking leaves no trace in its numbers.
pub async fn until(database: &Database, what: &str, question: &'static str) {
    let mut connection = database.cluster().await.connect_options("postgres").connect().await.unwrap();
    let poll = async {
        let mut looks = tokio::time::interval(Duration::from_millis(10));
        loop {
            looks.tick().await;
            let yes: bool =
                sqlx::query_scalar(question).bind(database.name()).fetch_one(&mut connection).await.unwrap();
            if yes {
                return;
            }
        }
    };
    assert!(tokio::time::timeout(LIMIT, poll).await.is_ok(), "waited in vain: {what}");
}

/// Waits until one of the server's connections waits for a lock.
pub async fn until_waiting(database: &Database) {
    let question = "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = $1
                    AND application_name = 'memory-lifecycle' AND wait_event_type = 'Lock'";
    until(database, "a connection of the server waits for a lock", question).await;
}

/// Waits until no connection of the server is left.
pub async fn until_disconnected(database: &Database) {
    let question = "SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = $1
                    AND application_name = 'memory-lifecycle'";
    until(database, "the server's connections are closed", question).await;
}

/// Lets every task that can go on do so. In these tests' runtimes of one thread that brings what was spawned
/// before into the lane.
async fn let_all_run() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

/// Settings with a single lane, so that all tenants share it.
fn one_lane() -> ServerSettings {
    ServerSettings { lanes: Some(1), ..settings() }
}

/// What must hold of a tenant whatever happened: the chain verifies, nothing is missing, the head is its end.
pub async fn verified_log(server: &Server, database: &Database, tenant: &str) -> Vec<AuditRecord> {
    logged::verified(server.channel.clone(), &mut database.superuser().await, tenant).await
}

/// Fails when some tenant's log has a gap or the rows of memories are not what the log comes to.
pub async fn assert_log_explains_rows(database: &Database) {
    logged::assert_explains_rows(&mut database.superuser().await).await;
}
