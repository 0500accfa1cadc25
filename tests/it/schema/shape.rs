//! Comments on everything, and the tenant first in every key and index.

use crate::harness::Database;

/// Tables that belong to no tenant: the schema's own version, and the migrator's book.
const NO_TENANT: &str = "('schema_version', '_sqlx_migrations')";

/// Indexes that the tenant does not lead, and why they may.
const ACROSS_TENANTS: [(&str, &str); 1] =
    [("api_keys_pkey", "a key is looked up before its tenant is known; the table is small")];

async fn listed(database: &Database, statement: String) -> Vec<String> {
    let mut connection = database.superuser().await;
    sqlx::query_scalar(sqlx::AssertSqlSafe(statement)).fetch_all(&mut connection).await.unwrap()
}

#[tokio::test]
async fn every_table_and_column_has_a_comment() {
    let database = Database::migrated().await;
    let bare = |condition: &str| {
        format!(
            "SELECT t.relname || coalesce('.' || c.attname, '')
             FROM pg_class t
             JOIN (SELECT attrelid, attname, attnum FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped
                   UNION ALL SELECT oid, NULL, 0 FROM pg_class) c ON c.attrelid = t.oid
             WHERE t.relkind IN ('r', 'p', 'v', 'm') AND t.relnamespace = 'public'::regnamespace
               AND t.relname <> '_sqlx_migrations' AND {condition}"
        )
    };
    let comment = "col_description(t.oid, c.attnum)";
    let own = "CASE c.attnum WHEN 0 THEN obj_description(t.oid, 'pg_class') ELSE col_description(t.oid, c.attnum) END";
    let without = listed(&database, bare(&format!("length(trim(coalesce({own}, ''))) < 5"))).await;
    assert_eq!(without, Vec::<String>::new(), "without a comment");
    let with = listed(&database, bare(&format!("{comment} IS NOT NULL"))).await;
    assert!(with.len() > 60, "columns were looked at: {}", with.len());

    // The control: a column without a comment is found.
    database.execute("ALTER TABLE memories ADD COLUMN more text").await;
    let without = listed(&database, bare(&format!("length(trim(coalesce({own}, ''))) < 5"))).await;
    assert_eq!(without, ["memories.more"]);
}

#[tokio::test]
async fn the_tenant_comes_first_in_every_key_and_index() {
    let database = Database::migrated().await;
    let exempt = ACROSS_TENANTS.map(|(index, _)| format!("'{index}'")).join(", ");
    // Unique and primary keys are indexes too.
    let indexes = format!(
        "SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
         LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
         WHERE t.relnamespace = 'public'::regnamespace AND t.relname NOT IN {NO_TENANT}
           AND i.indexrelid::regclass::text NOT IN ({exempt}) AND a.attname IS DISTINCT FROM 'tenant_id'"
    );
    let foreign_keys = String::from(
        "SELECT k.conname::text FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid
         JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
         JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = k.confkey[1]
         WHERE k.contype = 'f' AND t.relnamespace = 'public'::regnamespace
           AND (a.attname <> 'tenant_id' OR b.attname <> 'tenant_id')",
    );
    let without = format!(
        "SELECT t.relname::text FROM pg_class t WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace
         AND t.relname NOT IN {NO_TENANT} AND NOT EXISTS
           (SELECT FROM pg_constraint k WHERE k.conrelid = t.oid AND k.contype = 'p')"
    );
    for statement in [&indexes, &foreign_keys, &without] {
        assert_eq!(listed(&database, statement.clone()).await, Vec::<String>::new());
    }

    // The controls.
    database
        .execute(
            "CREATE INDEX by_state ON memories (state, tenant_id); CREATE INDEX by_hash ON memories (lower(tenant_id));
             CREATE TABLE loose (tenant_id text); ALTER TABLE loose ADD COLUMN other text;
             ALTER TABLE loose ADD CONSTRAINT wrong FOREIGN KEY (other) REFERENCES tenants (tenant_id)",
        )
        .await;
    assert_eq!(listed(&database, format!("{indexes} ORDER BY 1")).await, ["by_hash", "by_state"]);
    assert_eq!(listed(&database, foreign_keys).await, ["wrong"]);
    assert_eq!(listed(&database, without).await, ["loose"]);
}
