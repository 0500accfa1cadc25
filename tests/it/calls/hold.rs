//! A stranger who holds a tenant's head.

use std::time::Duration;

use sqlx::PgConnection;

use crate::harness::Database;

/// A head that is held until released or dropped.
pub(super) struct Held(PgConnection);

/// Takes the head of a tenant that has one.
pub(super) async fn head(database: &Database, tenant: &str) -> Held {
    let mut connection = database.superuser().await;
    sqlx::raw_sql("BEGIN").execute(&mut connection).await.unwrap();
    let rows = sqlx::query("SELECT FROM tenants WHERE tenant_id = $1 FOR UPDATE")
        .bind(tenant)
        .execute(&mut connection)
        .await
        .unwrap();
    assert_eq!(rows.rows_affected(), 1, "the tenant has a head");
    Held(connection)
}

impl Held {
    pub(super) async fn release(mut self) {
        sqlx::raw_sql("ROLLBACK").execute(&mut self.0).await.unwrap();
    }
}

/// Waits until somebody waits for a lock in this database.
pub(super) async fn until_awaited(database: &Database) {
    let mut connection = database.superuser().await;
    until(async || {
        sqlx::query_scalar(
            "SELECT EXISTS (SELECT FROM pg_stat_activity
                            WHERE datname = current_database() AND wait_event_type = 'Lock')",
        )
        .fetch_one(&mut connection)
        .await
        .unwrap()
    })
    .await;
}

/// Asks again and again, for half a minute at most, until the answer is yes.
pub(super) async fn until(mut holds: impl AsyncFnMut() -> bool) {
    let asked = async {
        let mut ticks = tokio::time::interval(Duration::from_millis(20));
        loop {
            ticks.tick().await;
            if holds().await {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), asked).await.expect("it holds in time");
}
