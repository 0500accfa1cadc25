//! What a backend without the service would send, by the same driver over the same socket.

use futures_util::TryStreamExt;
use sqlx::{Connection, PgConnection, Row};

/// All rows of the set, text and all, one after the other: what the server reads.
const ROWS: &str = "SELECT m.memory_key, m.memory_id, m.version, m.state, m.create_time, c.normalized \
    FROM memories AS m JOIN memory_contents AS c USING (tenant_id, memory_key) \
    WHERE m.tenant_id = $1 AND m.agent_id = 'default' AND m.state = 1 AND c.normalized LIKE $2";

/// A page and the count, as the database alone would tell them: wherever the letters stand, as a word or not.
const PAGE: &str = "SELECT count(*) OVER () AS matched, m.memory_id, m.version, m.create_time, c.content \
    FROM memories AS m JOIN memory_contents AS c USING (tenant_id, memory_key) \
    WHERE m.tenant_id = $1 AND m.agent_id = 'default' AND m.state = 1 AND c.normalized LIKE $2 \
    ORDER BY m.create_time DESC, m.memory_key DESC LIMIT 50";

/// The set archived and a record written for each, unhashed. The versions stay: they are numbers of the service's log, which this
/// leaves alone.
const FORGET: &str = "WITH changed AS (UPDATE memories AS m SET state = 2, update_time = now(), \
    forget_time = now(), purge_time = now() + interval '30 days', forget_operation_id = $3 \
    FROM memory_contents AS c WHERE c.tenant_id = m.tenant_id AND c.memory_key = m.memory_key AND m.tenant_id = $1 \
    AND m.agent_id = 'default' AND m.state = 1 AND c.normalized LIKE $2 RETURNING m.tenant_id, m.memory_id) \
    INSERT INTO audit_records (tenant_id, sequence, operation_id, memory_id, action, from_state, to_state, principal_id, \
    agent_id, commit_time, mode, graph_id, kind, previous_hash, hash, cause) \
    SELECT tenant_id, nextval('peer_sequence'), $3, memory_id, 2, 1, 2, 'default', 'default', clock_timestamp(), 1, \
    'default', 1, decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex'), 1 FROM changed";

fn pattern(word: &str) -> String {
    format!("%{word}%")
}

/// Answers how many rows came.
pub(crate) async fn rows(connection: &mut PgConnection, tenant: usize, word: &str) -> usize {
    let mut rows = sqlx::query(ROWS).bind(format!("t-{tenant}")).bind(pattern(word)).fetch(connection);
    let mut count = 0;
    while let Some(row) = rows.try_next().await.expect("rows") {
        // Looked at, as whoever asks for it does.
        let text: &str = row.get("normalized");
        count += usize::from(!text.is_empty());
    }
    count
}

/// Answers how many match.
pub(crate) async fn page(connection: &mut PgConnection, tenant: usize, word: &str) -> usize {
    let page = sqlx::query(PAGE).bind(format!("t-{tenant}")).bind(pattern(word)).fetch_all(connection);
    let page = page.await.expect("a page");
    let matched: i64 = page.first().map_or(0, |row| row.get("matched"));
    usize::try_from(matched).expect("a count")
}

/// What it leaves in the log is not the service's: gone before the service looks there for what has changed since.
pub(crate) const CLEAR: &str = "DELETE FROM audit_records WHERE sequence >= 1000000000";

/// Answers how many were archived.
pub(crate) async fn forget(connection: &mut PgConnection, tenant: usize, word: &str) -> usize {
    let mut transaction = connection.begin().await.expect("a transaction");
    let forget = sqlx::query(FORGET)
        .bind(format!("t-{tenant}"))
        .bind(pattern(word))
        .bind(uuid::Uuid::now_v7())
        .execute(&mut *transaction);
    let records = forget.await.expect("a forget").rows_affected();
    transaction.commit().await.expect("a commit");
    usize::try_from(records).expect("a count")
}
