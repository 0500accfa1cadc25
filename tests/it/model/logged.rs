//! What must hold of every database whatever happened to its server: asked of the log as callers see it, and of the
//! tables behind it.

use memory_lifecycle::proto::v1::AuditRecord;
use sqlx::PgConnection;
use tonic::transport::Channel;

use super::chain;
use crate::harness::issuer;

/// A tenant's whole log, oldest first: the chain verifies, nothing is missing, and the head is its end.
pub async fn verified(channel: Channel, connection: &mut PgConnection, tenant: &str) -> Vec<AuditRecord> {
    let log = issuer::admin(channel, tenant, "administrator").audit_records().await.unwrap();
    chain::verify(tenant, &log).unwrap();
    let (sequence, hash): (i64, Vec<u8>) =
        sqlx::query_as("SELECT head_sequence, head_hash FROM tenants WHERE tenant_id = $1")
            .bind(tenant)
            .fetch_one(connection)
            .await
            .unwrap();
    let last = log.last().expect("something happened");
    assert_eq!((sequence, &hash), (last.sequence, &last.hash), "the head is the log's end");
    log
}

/// Fails when some tenant's log has a gap or the rows of memories are not what the log comes to.
pub async fn assert_explains_rows(connection: &mut PgConnection) {
    let gaps: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM (SELECT tenant_id FROM audit_records GROUP BY tenant_id
         HAVING count(*) <> max(sequence)) AS gaps",
    )
    .fetch_one(&mut *connection)
    .await
    .unwrap();
    assert_eq!(gaps, 0, "the log has no gap");
    let strays: i64 = sqlx::query_scalar(
        "WITH last AS (SELECT DISTINCT ON (tenant_id, memory_id) tenant_id, memory_id, sequence, to_state
                       FROM audit_records WHERE action NOT IN (6, 7) -- Suppressions change no memory.
                       ORDER BY tenant_id, memory_id, sequence DESC)
         SELECT count(*) FROM last FULL JOIN memories AS m USING (tenant_id, memory_id)
         WHERE (m.memory_id IS NULL) <> (last.to_state = 4) OR m.state <> last.to_state
            OR m.version <> last.sequence OR last.sequence IS NULL",
    )
    .fetch_one(connection)
    .await
    .unwrap();
    assert_eq!(strays, 0, "every row is as its last record says");
}
