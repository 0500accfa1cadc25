//! A migration that landed stays as it is, and the numbers agree.

use memory_lifecycle::storage::schema::{MIGRATIONS, SCHEMA_VERSION};

use crate::harness::Database;

/// The migrations that landed: number, name, and the beginning of the SHA-384 of the file, which is what the databases
/// that have it remember. A line is added with a migration and never changed.
const LANDED: &[(i64, &str, &str)] = &[
    (1, "memories", "c6e6fc58b26c9e887f75c06f"),
    (2, "api keys", "fce34263df69cfd3eee30875"),
    (3, "suppressions", "1de850f7bd6888fce2645e17"),
];

#[test]
fn a_landed_migration_is_never_edited() {
    let found: Vec<_> = MIGRATIONS
        .iter()
        .map(|migration| {
            let beginning = migration.checksum.iter().take(12);
            let checksum = beginning.fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
            (migration.version, migration.description.to_string(), checksum)
        })
        .collect();
    let landed: Vec<_> = LANDED
        .iter()
        .map(|(number, name, checksum)| (*number, (*name).to_owned(), (*checksum).to_owned()))
        .collect();
    assert_eq!(found, landed, "write a new migration instead; a new one gets a line here");
}

#[test]
fn migrations_are_numbered_without_gaps() {
    let numbers: Vec<_> = MIGRATIONS.iter().map(|migration| migration.version).collect();
    let expected: Vec<_> = (1..=i64::try_from(numbers.len()).unwrap()).collect();
    assert_eq!(numbers, expected);
}

#[tokio::test]
async fn the_schema_is_of_the_newest_migrations_version() {
    let newest = MIGRATIONS.iter().map(|migration| migration.version).max().unwrap();
    assert_eq!(i64::from(SCHEMA_VERSION), newest);
    let database = Database::migrated().await;
    assert_eq!(database.value::<i32>("SELECT version FROM schema_version").await, SCHEMA_VERSION);
    // The migrator's book is the owner's; the runtime role cannot read it.
    let applied: i64 = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations WHERE success")
        .fetch_one(&mut database.owner().await)
        .await
        .unwrap();
    assert_eq!(applied, newest);
}
