//! What is left of a key where it was used: nothing of its secret.

use memory_lifecycle::auth::api_key::ApiKeys;
use memory_lifecycle::clock::Clock;
use memory_lifecycle::storage::{Store, StoreOptions};

use super::stage::{Holder, Key, alice, log_statements, make, server};
use crate::harness::Database;

/// How much of a secret in a row nothing may show.
const PIECE: usize = 12;

fn shows(text: &str, key: &Key) -> bool {
    let secret = key.secret();
    (0..=secret.len() - PIECE).any(|at| text.contains(&secret[at..at + PIECE]))
}

#[tokio::test]
async fn neither_the_tables_nor_postgres_log_show_anything_of_a_secret() {
    let database = Database::migrated().await;
    log_statements(&database).await;
    let key = make(&database, &alice()).await;
    let server = server(&database).await;
    let holder = Holder::of(&server, &key.text);
    holder.remember("first").await.unwrap();
    let wrong = Key::made_up();
    Holder::of(&server, &wrong.text).remember("never").await.unwrap_err();
    server.stop().await;

    let tables: String = database
        .value(
            "SELECT string_agg(line, E'\\n') FROM (
                 SELECT k::text AS line FROM api_keys AS k
                 UNION ALL SELECT r::text FROM audit_records AS r
                 UNION ALL SELECT o::text FROM operations AS o) AS lines",
        )
        .await;
    assert!(tables.contains(&key.id), "{tables}");
    let log = database.logged("").await.join("\n");
    assert!(log.contains("find_api_key") && log.contains("note_api_key_uses"), "statements were logged");
    assert!(log.contains(&key.id) && log.contains(&wrong.id), "with their parameters");
    for key in [&key, &wrong] {
        for text in [&tables, &log] {
            assert!(!shows(text, key));
        }
        assert!(shows(&key.text, key), "the control");
    }
}

#[tokio::test]
async fn what_is_printed_of_the_part_that_checks_keys_shows_nothing() {
    let database = Database::migrated().await;
    let options = StoreOptions { lane_connections: 1, read_connections: 1 };
    let store = Store::new(&database.app().await, options);
    let keys = ApiKeys::new(store, Clock::system(), std::time::Duration::from_secs(1));
    assert_eq!(format!("{keys:?}"), "ApiKeys(…)");
}
