//! Rows that cannot be, each refused by the table itself.

use sqlx::PgConnection;

use super::sqlstate;
use crate::harness::Database;

const CHECK: &str = "23514";
const NULL: &str = "23502";
const DUPLICATE: &str = "23505";
const NO_PARENT: &str = "23503";

/// One good row of every table: an active memory and an archived one, with the record and operation of the first.
const GOOD: &str = "
    INSERT INTO tenants (tenant_id, head_sequence, last_time) VALUES ('t', 3, now());
    INSERT INTO tenants (tenant_id) VALUES ('fresh');
    INSERT INTO graphs (tenant_id, graph_id) VALUES ('t', 'g');
    INSERT INTO memories (tenant_id, memory_key, memory_id, agent_id, graph_id, kind, origin, memory_date, state,
                          version, create_time, update_time)
        VALUES ('t', 1, 'active', 'a', 'default', 1, 1, '2026-01-01', 1, 1, now(), now());
    INSERT INTO memories (tenant_id, memory_key, memory_id, agent_id, graph_id, kind, origin, memory_date, state,
                          version, create_time, update_time, forget_time, purge_time, forget_operation_id)
        VALUES ('t', 2, 'archived', 'a', 'default', 1, 2, '2026-01-01', 2, 3, now(), now(), now(),
                now() + interval '30 days', gen_random_uuid());
    INSERT INTO memory_contents (tenant_id, memory_key, content, normalized, normalization_version)
        VALUES ('t', 1, 'text', 'text', 1);
    INSERT INTO audit_records (tenant_id, sequence, operation_id, memory_id, action, from_state, to_state,
                               principal_id, agent_id, commit_time, mode, graph_id, kind, previous_hash, hash)
        VALUES ('t', 1, gen_random_uuid(), 'active', 1, 0, 1, 'a', 'a', now(), 0, 'default', 1,
                decode(repeat('00', 32), 'hex'), decode(repeat('01', 32), 'hex'));
    INSERT INTO operations (tenant_id, operation_id, method, principal_id, agent_id, commit_time, first_sequence,
                            last_sequence, answer)
        VALUES ('t', gen_random_uuid(), 'm', 'a', 'a', now(), 1, 1, '{}');
    INSERT INTO operation_reasons (tenant_id, operation_id, salt, reason)
        VALUES ('t', gen_random_uuid(), decode(repeat('00', 16), 'hex'), 'why');
    INSERT INTO requests (tenant_id, principal_id, request_id, digest, operation_id, create_time)
        VALUES ('t', 'a', gen_random_uuid(), decode(repeat('00', 32), 'hex'), gen_random_uuid(), now());
    INSERT INTO api_keys (key_id, tenant_id, agent_id, principal_id, capabilities, secret_hash, create_time)
        VALUES ('abcdefgh234567zz', 't', 'a', 'a', '{memory:read,audit:read}', decode(repeat('00', 32), 'hex'), now())";

/// Table, the row meant, what it is set to, and the SQLSTATE of the refusal.
type Impossible = (&'static str, &'static str, &'static str, &'static str);

const ACTIVE: &str = "memory_id = 'active'";
const ARCHIVED: &str = "memory_id = 'archived'";

#[rustfmt::skip] // A table is read by its columns.
const IMPOSSIBLE: &[Impossible] = &[
    // States and their times.
    ("memories", ACTIVE,   "forget_time = now()",                                   CHECK),
    ("memories", ACTIVE,   "purge_time = now()",                                    CHECK),
    ("memories", ACTIVE,   "forget_operation_id = gen_random_uuid()",               CHECK),
    ("memories", ACTIVE,   "state = 2",                                             CHECK),
    ("memories", ARCHIVED, "state = 1",                                             CHECK),
    ("memories", ARCHIVED, "forget_time = NULL",                                    CHECK),
    ("memories", ARCHIVED, "forget_operation_id = NULL",                            CHECK),
    ("memories", ARCHIVED, "update_time = update_time + interval '1 second'",       CHECK),
    ("memories", ARCHIVED, "purge_time = forget_time",                              CHECK),
    ("memories", ARCHIVED, "purge_time = forget_time - interval '1 second'",        CHECK),
    ("memories", ARCHIVED, "state = 3",                                             CHECK),
    ("memories", ARCHIVED, "state = 4",                                             CHECK),
    ("memories", ACTIVE,   "state = 0",                                             CHECK),
    // Keys and labels.
    ("memories", ACTIVE,   "memory_id = 'archived'",                                DUPLICATE),
    ("memories", ACTIVE,   "memory_key = 2, version = 2",                           DUPLICATE),
    ("memories", ACTIVE,   "memory_key = 0",                                        CHECK),
    ("memories", ACTIVE,   "version = 0",                                           CHECK),
    ("memories", ACTIVE,   "memory_id = ''",                                        CHECK),
    ("memories", ACTIVE,   "memory_id = repeat('x', 129)",                          CHECK),
    ("memories", ACTIVE,   "subject_id = ''",                                       CHECK),
    ("memories", ACTIVE,   "agent_id = ''",                                         CHECK),
    ("memories", ACTIVE,   "kind = 0",                                              CHECK),
    ("memories", ACTIVE,   "kind = 5",                                              CHECK),
    ("memories", ACTIVE,   "origin = 3",                                            CHECK),
    ("memories", ACTIVE,   "import_id = 'saved ones have none'",                    CHECK),
    ("memories", ACTIVE,   "memory_date = NULL",                                    NULL),
    ("memories", ACTIVE,   "tenant_id = NULL",                                      NULL),
    // Contents.
    ("memory_contents", "true", "content = ''",                                     CHECK),
    ("memory_contents", "true", "content = repeat('x', 65537)",                     CHECK),
    ("memory_contents", "true", "memory_key = 9",                                   NO_PARENT),
    ("memory_contents", "true", "tenant_id = 'fresh'",                              NO_PARENT),
    // Heads.
    ("tenants", "tenant_id = 't'",     "last_time = NULL",                          CHECK),
    ("tenants", "tenant_id = 'fresh'", "last_time = now()",                         CHECK),
    ("tenants", "tenant_id = 'fresh'", "head_sequence = 1",                         CHECK),
    ("tenants", "tenant_id = 't'",     "head_sequence = -1",                        CHECK),
    ("tenants", "tenant_id = 't'",     "head_hash = '\\x00'",                       CHECK),
    ("tenants", "tenant_id = 't'",     "tenant_id = ''",                            CHECK),
    ("graphs",  "true",                "graph_id = ''",                             CHECK),
    // The record.
    ("audit_records", "true", "kind = 5",                                           CHECK),
    ("audit_records", "true", "sequence = 0",                                       CHECK),
    ("audit_records", "true", "hash = '\\x00'",                                     CHECK),
    ("audit_records", "true", "previous_hash = ''",                                 CHECK),
    ("audit_records", "true", "reason_digest = '\\x00'",                            CHECK),
    ("audit_records", "true", "commit_time = NULL",                                 NULL),
    ("operations", "true", "first_sequence = 0",                                    CHECK),
    ("operations", "true", "last_sequence = 0",                                     CHECK),
    ("operations", "true", "first_sequence = 2",                                    CHECK),
    ("operations", "true", "commit_time = NULL",                                    NULL),
    ("operation_reasons", "true", "salt = '\\x00'",                                 CHECK),
    ("operation_reasons", "true", "reason = ''",                                    CHECK),
    ("operation_reasons", "true", "reason = repeat('x', 513)",                      CHECK),
    ("requests", "true", "digest = '\\x00'",                                        CHECK),
    // API keys.
    ("api_keys", "true", "key_id = 'abcdefgh234567z'",                              CHECK),
    ("api_keys", "true", "key_id = 'ABCDEFGH234567ZZ'",                             CHECK),
    ("api_keys", "true", "key_id = 'abcdefgh234567z' || chr(10)",                   CHECK),
    ("api_keys", "true", "tenant_id = ''",                                          CHECK),
    ("api_keys", "true", "agent_id = 'system:expiry'",                              CHECK),
    ("api_keys", "true", "principal_id = 'system:expiry'",                          CHECK),
    ("api_keys", "true", "capabilities = '{}'",                                     CHECK),
    ("api_keys", "true", "capabilities = '{memory:read,memory:all}'",               CHECK),
    ("api_keys", "true", "capabilities = '{memory:read,NULL}'",                     CHECK),
    ("api_keys", "true", "capabilities = '{{memory:read},{memory:read}}'",          CHECK),
    ("api_keys", "true", "capabilities = NULL",                                     NULL),
    ("api_keys", "true", "secret_hash = '\\x00'",                                   CHECK),
    ("api_keys", "true", "description = ''",                                        CHECK),
    ("api_keys", "true", "description = repeat('x', 257)",                          CHECK),
    ("api_keys", "true", "create_time = NULL",                                      NULL),
    ("api_keys", "true", "expire_time = create_time",                               CHECK),
    ("api_keys", "true", "revoke_time = create_time - interval '1 second'",         CHECK),
    ("schema_version", "true", "only_row = false",                                  CHECK),
    ("schema_version", "true", "oldest_supported = version + 1",                    CHECK),
];

async fn refused(connection: &mut PgConnection, impossible: &Impossible) -> Result<(), String> {
    let (table, row, change, expected) = impossible;
    // The row is there: what would change nothing is not refused either.
    let count: i64 =
        sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table} WHERE {row}")))
            .fetch_one(&mut *connection)
            .await
            .unwrap();
    let statement = format!("UPDATE {table} SET {change} WHERE {row}");
    let code = sqlstate(connection, &statement).await;
    if count == 1 && code.as_deref() == Some(expected) {
        return Ok(());
    }
    Err(format!("{statement}: {count} rows, {code:?}, not {expected}"))
}

#[tokio::test]
async fn every_impossible_row_is_refused() {
    let database = Database::migrated().await;
    database.execute(GOOD).await;
    let mut connection = database.superuser().await;
    let mut faults = Vec::new();
    for impossible in IMPOSSIBLE {
        faults.extend(refused(&mut connection, impossible).await.err());
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let second = "INSERT INTO schema_version (version, oldest_supported) VALUES (1, 1)";
    assert_eq!(sqlstate(&mut connection, second).await.as_deref(), Some(DUPLICATE));
    assert_eq!(
        sqlstate(&mut connection, "DELETE FROM memories WHERE memory_key = 1").await.as_deref(),
        Some(NO_PARENT)
    );

    // The controls: what can be is let in.
    for possible in [
        "UPDATE memories SET purge_time = NULL WHERE memory_id = 'archived'",
        "UPDATE memories SET import_id = 'import' WHERE memory_id = 'archived'",
        "UPDATE memories SET state = 2, forget_time = update_time, forget_operation_id = gen_random_uuid()
            WHERE memory_id = 'active'",
    ] {
        assert_eq!(sqlstate(&mut connection, possible).await, None, "{possible}");
    }
}
