//! A connection that was left inside a transaction is not handed out again.

use memory_lifecycle::storage::{Store, StoreOptions};

use crate::harness::Database;

#[tokio::test]
async fn a_connection_left_in_a_transaction_is_discarded() {
    let database = Database::migrated().await;
    let options = StoreOptions { lane_connections: 1, read_connections: 1 };
    let store = Store::new(&database.app().await, options);
    store.set_usable(true);
    let pid = "SELECT pg_backend_pid()";
    let mut first = store.lane_connection().await.unwrap();
    let left: i32 = sqlx::query_scalar(pid).fetch_one(&mut *first).await.unwrap();
    // As a cancelled `begin` leaves it: the driver does not know of the transaction.
    sqlx::raw_sql("BEGIN").execute(&mut *first).await.unwrap();
    drop(first);
    let mut second = store.lane_connection().await.unwrap();
    let fresh: i32 = sqlx::query_scalar(pid).fetch_one(&mut *second).await.unwrap();
    assert_ne!(fresh, left);
    sqlx::query("INSERT INTO tenants (tenant_id) VALUES ('tenant')").execute(&mut *second).await.unwrap();
    drop(second);
    let saved: i64 = database.value("SELECT count(*) FROM tenants").await;
    assert_eq!(saved, 1, "a write that was answered well is committed");
}

#[tokio::test]
async fn a_cancelled_begin_harms_nobody() {
    let database = Database::migrated().await;
    let options = StoreOptions { lane_connections: 1, read_connections: 1 };
    let store = Store::new(&database.app().await, options);
    store.set_usable(true);
    for _ in 0..200 {
        {
            let mut connection = store.lane_connection().await.unwrap();
            let begin = memory_lifecycle::storage::tx::Unit::begin(&mut connection);
            // Polled once, so that BEGIN is on its way, and dropped.
            let _ = futures_util::FutureExt::now_or_never(begin);
        }
        let mut connection = store.lane_connection().await.unwrap();
        sqlx::query("INSERT INTO tenants (tenant_id) VALUES (gen_random_uuid()::text)")
            .execute(&mut *connection)
            .await
            .unwrap();
    }
    let saved: i64 = database.value("SELECT count(*) FROM tenants").await;
    assert_eq!(saved, 200, "every write that was answered well is committed");
}
