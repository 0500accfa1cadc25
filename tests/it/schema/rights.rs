//! The runtime role: the one the server runs as, and what it may not do.

use super::sqlstate;
use crate::harness::{Database, Server};

/// The tables that are only ever added to.
const APPEND_ONLY: [&str; 3] = ["audit_records", "operations", "operation_reasons"];

/// Insufficient privilege; also said of a table that another role owns.
const DENIED: &str = "42501";

#[tokio::test]
async fn the_server_runs_as_the_runtime_role() {
    let database = Database::migrated().await;
    let server = Server::start(&database).await;
    server.caller().remember("first", "Likes oat milk").await.unwrap();
    let roles: String = database
        .value(
            "SELECT string_agg(DISTINCT usename, ' ') FROM pg_stat_activity
             WHERE datname = current_database() AND application_name = 'memory-lifecycle'",
        )
        .await;
    assert_eq!(roles, "memory_lifecycle_app");
    let rights: String = database
        .value(
            "SELECT format('%s %s %s %s %s', rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls)
             FROM pg_roles WHERE rolname = 'memory_lifecycle_app'",
        )
        .await;
    assert_eq!(rights, "f f f f f");
    let memberships: i64 = database
        .value("SELECT count(*) FROM pg_auth_members WHERE member = 'memory_lifecycle_app'::regrole")
        .await;
    assert_eq!(memberships, 0, "it gets no rights from elsewhere");
    server.stop().await;
}

#[tokio::test]
async fn the_runtime_role_cannot_rewrite_what_was_recorded() {
    let database = Database::migrated().await;
    let server = Server::start(&database).await;
    let caller = server.caller();
    caller.remember("first", "Likes oat milk").await.unwrap();
    let mut connection = database.app_connection().await;
    for table in APPEND_ONLY {
        for statement in [
            format!("UPDATE {table} SET operation_id = operation_id"),
            format!("UPDATE {table} SET tenant_id = 'other' WHERE false"),
            format!("DELETE FROM {table}"),
            format!("DELETE FROM {table} WHERE tenant_id = 'none'"),
            format!("TRUNCATE {table}"),
            format!("SELECT 1 FROM {table} FOR UPDATE"),
        ] {
            assert_eq!(sqlstate(&mut connection, &statement).await.as_deref(), Some(DENIED), "{statement}");
        }
    }
    assert_eq!(caller.audit_records().await.unwrap().len(), 1);
    server.stop().await;
}

#[tokio::test]
async fn of_an_api_key_the_runtime_role_can_change_nothing_but_its_last_use() {
    let database = Database::migrated().await;
    let row = "(key_id, tenant_id, agent_id, principal_id, capabilities, secret_hash, create_time, revoke_time)
               VALUES ('aaaaaaaaaaaaaaaa', 't', 'a', 'a', '{memory:read}', decode(repeat('00', 32), 'hex'), now(), now())";
    let insert = format!("INSERT INTO api_keys {row}");
    assert_eq!(sqlstate(&mut database.owner().await, &insert).await, None);
    let columns: Vec<String> = {
        let statement = "SELECT attname::text FROM pg_attribute
                         WHERE attrelid = 'api_keys'::regclass AND attnum > 0 AND attname <> 'last_use_time'";
        sqlx::query_scalar(statement).fetch_all(&mut database.superuser().await).await.unwrap()
    };
    assert!(columns.len() > 9, "{columns:?}");
    let mut connection = database.app_connection().await;
    let updates = columns.iter().map(|column| format!("UPDATE api_keys SET {column} = {column}"));
    let others = [
        "INSERT INTO api_keys (key_id, last_use_time) VALUES ('b', now())",
        "INSERT INTO api_keys SELECT * FROM api_keys ON CONFLICT (key_id) DO UPDATE SET last_use_time = now()",
        "UPDATE api_keys SET last_use_time = now(), revoke_time = NULL",
        "DELETE FROM api_keys WHERE false",
        "TRUNCATE api_keys",
    ];
    for statement in updates.chain([insert]).chain(others.map(str::to_owned)) {
        assert_eq!(sqlstate(&mut connection, &statement).await.as_deref(), Some(DENIED), "{statement}");
    }
    // The control: what it may.
    let noted = "UPDATE api_keys SET last_use_time = now() WHERE key_id = 'aaaaaaaaaaaaaaaa'";
    assert_eq!(sqlstate(&mut connection, noted).await, None);
}

#[tokio::test]
async fn the_runtime_role_can_alter_nothing() {
    let database = Database::migrated().await;
    let tables: Vec<String> = {
        let mut connection = database.superuser().await;
        let statement = "SELECT relname::text FROM pg_class
                         WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace";
        sqlx::query_scalar(statement).fetch_all(&mut connection).await.unwrap()
    };
    assert!(tables.len() > 9, "{tables:?}");
    let mut connection = database.app_connection().await;
    let mut statements = Vec::new();
    for table in &tables {
        statements.extend([
            format!("ALTER TABLE {table} ADD COLUMN more text"),
            format!("ALTER TABLE {table} DISABLE TRIGGER ALL"),
            format!("ALTER TABLE {table} OWNER TO memory_lifecycle_app"),
            format!("COMMENT ON TABLE {table} IS 'mine'"),
            format!("CREATE INDEX ON {table} ((1))"),
            format!("CREATE TRIGGER t BEFORE INSERT ON {table} EXECUTE FUNCTION suppress_redundant_updates_trigger()"),
            format!("TRUNCATE {table} CASCADE"),
            format!("DROP TABLE {table} CASCADE"),
        ]);
    }
    statements.extend(
        [
            "UPDATE schema_version SET version = 9",
            "DELETE FROM schema_version",
            "DELETE FROM tenants",
            "DELETE FROM graphs",
            "UPDATE requests SET digest = digest",
            "DELETE FROM api_keys",
            "UPDATE api_keys SET revoke_time = NULL",
            "SELECT 1 FROM _sqlx_migrations",
            "CREATE TABLE mine (x int)",
            "CREATE SCHEMA mine",
            "SET ROLE memory_lifecycle_owner",
        ]
        .map(str::to_owned),
    );
    for statement in statements {
        let code = sqlstate(&mut connection, &statement).await;
        assert_eq!(code.as_deref(), Some(DENIED), "{statement}");
    }
}
