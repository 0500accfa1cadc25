//! Postgres stalls: it is stopped and goes on, its connections are cut, its disk is full, a stranger holds what it
//! guards. Each time every call is answered by its deadline and with a reason that is true, nothing acknowledged is
//! lost, nothing is half done, and the service is well again by itself when Postgres is.

mod disk;
mod frozen;
mod load;
mod locked;
mod pace;
mod probe;
mod terminated;

use std::time::Duration;

use tonic_health::pb::health_check_response::ServingStatus;

use crate::harness::server::SERVICE;
use crate::harness::{Caller, Database, Server, ServerSettings, reason, settings};

/// The deadline of every call here. Given by the server, not by the caller, whose own clock would otherwise cut the
/// answer off that is to be measured.
const DEADLINE: Duration = Duration::from_secs(1);

/// Longer than any wait here takes.
const LIMIT: Duration = Duration::from_mins(1);

/// Settings with that deadline, and a health check that is quick to notice.
fn hurried() -> ServerSettings {
    ServerSettings { default_deadline: DEADLINE, health_interval: Duration::from_millis(100), ..settings() }
}

/// Waits until the server says that it is ready and a change and a read succeed again.
async fn assert_recovers(server: &Server, caller: &Caller, id: &str) {
    server.until_health(SERVICE, ServingStatus::Serving).await;
    let mut tries = 0;
    let recovered = async {
        loop {
            tries += 1;
            match caller.remember(&format!("{id}-{tries}"), "content").await {
                Ok(saved) => return caller.get(&saved.memory_id).await.unwrap(),
                // What was on its way when Postgres stalled may still be before it.
                Err(status) => assert!(load::is_of_a_stall(&reason(&status)), "{status:?}"),
            }
        }
    };
    tokio::time::timeout(LIMIT, recovered).await.expect("the service is well again");
}

/// Fails when some operation is there in part: its records, the contents of its memories, its answer.
async fn assert_nothing_half_done(database: &Database) {
    crate::lanes::assert_log_explains_rows(database).await;
    let halves: Vec<String> = database
        .value(
            "SELECT coalesce(array_agg(what), '{}') FROM (
                 SELECT 'no content of ' || memory_id AS what FROM memories AS m
                 WHERE NOT EXISTS (SELECT FROM memory_contents AS c
                                   WHERE c.tenant_id = m.tenant_id AND c.memory_key = m.memory_key)
                 UNION ALL
                 SELECT 'content without memory ' || memory_key FROM memory_contents AS c
                 WHERE NOT EXISTS (SELECT FROM memories AS m
                                   WHERE c.tenant_id = m.tenant_id AND c.memory_key = m.memory_key)
                 UNION ALL
                 SELECT 'record without operation ' || sequence FROM audit_records AS r
                 WHERE NOT EXISTS (SELECT FROM operations AS o WHERE o.tenant_id = r.tenant_id
                                   AND o.operation_id = r.operation_id
                                   AND r.sequence BETWEEN o.first_sequence AND o.last_sequence)
                 UNION ALL
                 SELECT 'records missing of ' || operation_id FROM operations AS o
                 WHERE first_sequence > 0 AND last_sequence - first_sequence + 1 <> (
                     SELECT count(*) FROM audit_records AS r
                     WHERE r.tenant_id = o.tenant_id AND r.operation_id = o.operation_id)) AS halves",
        )
        .await;
    assert!(halves.is_empty(), "{halves:?}");
}
