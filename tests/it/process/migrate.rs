//! `migrate`: from nothing, again, and what it refuses.

use super::program::run;
use super::started::url;
use crate::harness::Database;

const OWNER: &str = "memory_lifecycle_owner";

/// What a schema is, as far as the catalogue tells, and who may do what.
const SHAPE: &str = "
    SELECT string_agg(line, E'\\n' ORDER BY line) FROM (
        SELECT format('%s.%s %s %s', table_name, column_name, data_type, is_nullable) AS line
            FROM information_schema.columns WHERE table_schema = 'public'
        UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
        UNION ALL SELECT format('%s: %s may %s', table_name, grantee, privilege_type)
            FROM information_schema.role_table_grants WHERE table_schema = 'public'
        UNION ALL SELECT format('version %s of %s', version, oldest_supported) FROM schema_version
        UNION ALL SELECT format('migration %s at %s', version, installed_on) FROM _sqlx_migrations) lines";

#[tokio::test]
async fn twice_is_the_same_as_once() {
    let database = Database::empty().await;
    let url = url(OWNER, database.name()).await;
    let first = run(&["migrate", "--database-url", &url]).await;
    assert_eq!(first.code(), Some(0), "{first:?}");
    assert!(first.err.contains("the schema is up to date"), "{}", first.err);
    let shape: String = database.value(SHAPE).await;
    assert!(shape.contains("memories.memory_id text NO"), "{shape}");
    let second = run(&["migrate", "--database-url", &url]).await;
    assert_eq!(second.code(), Some(0), "{second:?}");
    assert_eq!(database.value::<String>(SHAPE).await, shape);
}

#[tokio::test]
async fn an_unknown_runtime_role_is_named() {
    let database = Database::empty().await;
    let url = url(OWNER, database.name()).await;
    let ended = run(&["migrate", "--database-url", &url, "--runtime-role", "nobody_here"]).await;
    assert_eq!(ended.code(), Some(1));
    let sentence = "the role \"nobody_here\" does not exist: create it first (CREATE ROLE … LOGIN)";
    assert!(ended.err.contains(sentence), "{}", ended.err);
    assert_eq!(
        run(&["migrate", "--database-url", &url]).await.code(),
        Some(0),
        "and nothing is in the way later"
    );
}

#[tokio::test]
async fn the_runtime_role_cannot_migrate() {
    let database = Database::empty().await;
    let url = url("memory_lifecycle_app", database.name()).await;
    let ended = run(&["migrate", "--database-url", &url]).await;
    assert_eq!(ended.code(), Some(1));
    assert!(ended.err.contains("42501"), "{}", ended.err);
    assert!(ended.err.contains("schema's owner"), "says as whom to connect: {}", ended.err);
}

#[tokio::test]
async fn an_edited_migration_is_refused() {
    let database = Database::migrated().await;
    database.execute("UPDATE _sqlx_migrations SET checksum = '\\x00'").await;
    let ended = run(&["migrate", "--database-url", &url(OWNER, database.name()).await]).await;
    assert_eq!(ended.code(), Some(1));
    assert!(ended.err.contains("migration 1 was applied in another form"), "{}", ended.err);
}

#[tokio::test]
async fn a_migration_of_a_newer_binary_is_refused() {
    let database = Database::migrated().await;
    database
        .execute("INSERT INTO _sqlx_migrations SELECT 9999, 'later', installed_on, true, checksum, 0 FROM _sqlx_migrations LIMIT 1")
        .await;
    let ended = run(&["migrate", "--database-url", &url(OWNER, database.name()).await]).await;
    assert_eq!(ended.code(), Some(1));
    assert!(
        ended.err.contains("migration 9999, which this binary does not know: use a newer"),
        "{}",
        ended.err
    );
}

#[tokio::test]
async fn a_database_that_is_not_there_is_said_without_the_password() {
    let ended = run(&["migrate", "--database-url", "postgres://owner:hush-hush@127.0.0.1:1/db"]).await;
    assert_eq!(ended.code(), Some(1));
    assert!(ended.err.contains("the database is unavailable"), "{}", ended.err);
    assert!(!ended.err.contains("hush"), "{}", ended.err);
}
