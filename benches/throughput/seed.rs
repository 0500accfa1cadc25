//! What is in a database: tenants `t-0…99` with memories `m1…`, which both sides use in turn, each from the same state.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use memory_lifecycle::domain::ids::TenantId;
use memory_lifecycle::domain::suppression::Fingerprinter;
use memory_lifecycle::domain::text::normalize;
use sqlx::PgConnection;

use crate::ids::{Order, TENANTS};
use crate::postgres::{Database, Postgres};
use crate::text;

/// Fills a migrated database; without texts where nothing reads or writes them.
pub(crate) async fn fill(postgres: &Postgres, database: &Database, with_texts: bool) {
    let begun = Instant::now();
    let memories: usize = (0..TENANTS).map(|tenant| database.layout.of(tenant)).sum();
    eprintln!("filling {} with {memories} memories", database.name);
    let next = AtomicUsize::new(0);
    let worker = async || {
        let mut connection = postgres.connect(&database.name).await;
        // Without the check of the foreign key for every row: what is inserted here fits.
        let replica = sqlx::raw_sql("SET session_replication_role = replica; SET synchronous_commit = off");
        replica.execute(&mut connection).await.expect("a setting");
        loop {
            let tenant = next.fetch_add(1, Ordering::Relaxed);
            if tenant >= TENANTS {
                break;
            }
            fill_tenant(&mut connection, tenant, database.layout.of(tenant), with_texts).await;
        }
    };
    tokio::join!(worker(), worker());
    // The peer numbers its audit records by a sequence, far from the service's: it has no head to take them from.
    let sequence = "CREATE SEQUENCE peer_sequence START 1000000000 CACHE 50";
    postgres.execute(&database.name, &[sequence, "VACUUM (ANALYZE, FREEZE)", "CHECKPOINT"]).await;
    eprintln!("filled {} in {:.0} s", database.name, begun.elapsed().as_secs_f64());
}

async fn fill_tenant(connection: &mut PgConnection, tenant: usize, memories: usize, with_texts: bool) {
    let (tenant, memories) = (format!("t-{tenant}"), count(memories));
    let mut statements = vec![
        "INSERT INTO tenants (tenant_id, head_sequence, last_time) VALUES ($1, $2, now())",
        "INSERT INTO memories (tenant_id, memory_key, memory_id, agent_id, graph_id, kind, origin, memory_date, state,
                               version, create_time, update_time)
         SELECT $1, k, 'm' || k, 'default', 'default', 1, 1, now(), 1, k, now(), now()
         FROM generate_series(1, $2) AS k",
    ];
    for statement in statements.drain(..) {
        let insert = sqlx::query(statement).bind(&tenant).bind(memories);
        insert.execute(&mut *connection).await.expect("rows of a tenant");
    }
    if with_texts {
        let content = text::one_kib();
        let normalized = normalize(&content);
        // With fingerprints: the server would add what is missing, while it is measured. The key is that it is started with.
        let id = TenantId::parse(&tenant).expect("a tenant");
        let fingerprint = Fingerprinter::new([0; 32]).of(&id, None, &normalized);
        sqlx::query(
            "INSERT INTO memory_contents (tenant_id, memory_key, content, normalized, normalization_version, fingerprint)
             SELECT $1, k, $3, $4, 1, $5 FROM generate_series(1, $2) AS k",
        )
        .bind(&tenant)
        .bind(memories)
        .bind(content)
        .bind(normalized)
        .bind(fingerprint.0.to_vec())
        .execute(connection)
        .await
        .expect("texts of a tenant");
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).expect("a count")
}

/// Before the rounds of a case: a checkpoint, and then a first touch of the pages that the case will change. Postgres
/// writes a page in full at its first change after a checkpoint; else the first round alone would pay for that.
pub(crate) async fn settle(postgres: &Postgres, database: &Database, order: Order, calls: usize) {
    postgres.execute(&database.name, &["CHECKPOINT"]).await;
    archive(postgres, database, order, calls).await;
    reset(postgres, database).await;
}

/// Makes everything active again that the last run archived, and lets the dead rows go.
pub(crate) async fn reset(postgres: &Postgres, database: &Database) {
    let activate =
        "UPDATE memories SET state = 1, forget_time = NULL, purge_time = NULL, forget_operation_id = NULL
         WHERE state = 2";
    postgres.execute(&database.name, &[activate, "VACUUM memories, tenants"]).await;
}

/// Archives what so many calls of this order are about, as that many forgets would have.
pub(crate) async fn archive(postgres: &Postgres, database: &Database, order: Order, calls: usize) {
    let calls = calls.min(order.calls * order.tenants);
    let mut connection = postgres.connect(&database.name).await;
    sqlx::query(
        "UPDATE memories SET state = 2, update_time = now(), forget_time = now(),
                             purge_time = now() + interval '30 days', forget_operation_id = gen_random_uuid()
         FROM generate_series(0, $1 - 1) AS n, generate_series(1, $5) AS part
         WHERE tenant_id = 't-' || (n % $2 + $6)
           AND memory_id = 'm' || (n / $2) * $3 % $4 * $5 + part",
    )
    .bind(count(calls))
    .bind(count(order.tenants))
    .bind(count(order.step))
    .bind(count(order.calls))
    .bind(count(order.size))
    .bind(count(order.from))
    .execute(&mut connection)
    .await
    .expect("memories are archived");
    postgres.execute(&database.name, &["VACUUM memories"]).await;
}
