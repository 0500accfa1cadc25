//! The database of the sets.

use std::time::Instant;

use memory_lifecycle::domain::ids::TenantId;
use memory_lifecycle::domain::suppression::Fingerprinter;
use memory_lifecycle::domain::text::normalize;
use sqlx::PgConnection;

use super::texts;
use crate::ids::{Layout, Order, TENANTS};
use crate::postgres::{Database, Postgres};

/// How many memories the first tenant has.
pub(crate) const LARGE: usize = 100_000;
/// How many each of the next ones has: as many as one forget may take.
pub(crate) const SET: usize = 10_000;
/// Those tenants.
pub(crate) const SETS: std::ops::RangeInclusive<usize> = 1..=12;
/// How many each other tenant has.
const SINGLES: usize = 300;

/// How many texts one statement inserts.
const TEXTS: usize = 1000;

/// A run over the tenants that have no set.
pub(crate) fn singles() -> Order {
    let first = SETS.end() + 1;
    Order::new(first, TENANTS - first, SINGLES, 1)
}

fn memories(tenant: usize) -> usize {
    match tenant {
        0 => LARGE,
        tenant if SETS.contains(&tenant) => SET,
        _ => SINGLES,
    }
}

/// Makes and fills it.
pub(crate) async fn set_up(postgres: &Postgres) -> Database {
    let begun = Instant::now();
    let database = postgres.migrated("selection", Layout { first: LARGE, other: SINGLES }).await;
    let mut connection = postgres.connect(&database.name).await;
    // Without the check of the foreign key for every row: what is inserted here fits.
    let replica = sqlx::raw_sql("SET session_replication_role = replica; SET synchronous_commit = off");
    replica.execute(&mut connection).await.expect("a setting");
    for tenant in 0..TENANTS {
        fill_tenant(&mut connection, tenant).await;
    }
    let sequence = "CREATE SEQUENCE peer_sequence START 1000000000 CACHE 50";
    postgres.execute(&database.name, &[sequence, "VACUUM (ANALYZE, FREEZE)", "CHECKPOINT"]).await;
    eprintln!("filled {} in {:.0} s", database.name, begun.elapsed().as_secs_f64());
    database
}

async fn fill_tenant(connection: &mut PgConnection, tenant: usize) {
    let memories = memories(tenant);
    let name = format!("t-{tenant}");
    let statements = [
        "INSERT INTO tenants (tenant_id, head_sequence, last_time) VALUES ($1, $2, now())",
        "INSERT INTO memories (tenant_id, memory_key, memory_id, agent_id, graph_id, kind, origin, memory_date, state,
                               version, create_time, update_time)
         SELECT $1, k, 'm' || k, 'default', 'default', 1, 1, now(), 1, k, now() - ($2 - k) * interval '1 second', now()
         FROM generate_series(1, $2) AS k",
    ];
    for statement in statements {
        let insert = sqlx::query(statement).bind(&name).bind(i64::try_from(memories).expect("a count"));
        insert.execute(&mut *connection).await.expect("rows of a tenant");
    }
    let numbers: Vec<usize> = (1..=memories).collect();
    for numbers in numbers.chunks(TEXTS) {
        fill_texts(connection, &name, numbers).await;
    }
}

/// With their fingerprints, so that the server has nothing to add in the background.
async fn fill_texts(connection: &mut PgConnection, tenant: &str, numbers: &[usize]) {
    // The key that the server is started with.
    let fingerprinter = Fingerprinter::new([0; 32]);
    let id = TenantId::parse(tenant).expect("a tenant");
    let contents: Vec<String> = numbers.iter().map(|number| texts::of(*number)).collect();
    let normalized: Vec<String> = contents.iter().map(|text| normalize(text)).collect();
    let fingerprints: Vec<Vec<u8>> =
        normalized.iter().map(|text| fingerprinter.of(&id, None, text).0.to_vec()).collect();
    sqlx::query(
        "INSERT INTO memory_contents (tenant_id, memory_key, content, normalized, normalization_version, fingerprint)
         SELECT $1, k, content, normalized, 1, fingerprint
         FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bytea[]) AS new (k, content, normalized, fingerprint)",
    )
    .bind(tenant)
    .bind(numbers.iter().map(|number| i64::try_from(*number).expect("a count")).collect::<Vec<_>>())
    .bind(contents)
    .bind(normalized)
    .bind(fingerprints)
    .execute(connection)
    .await
    .expect("texts of a tenant");
}
