//! A stranger at the database: holds what the lanes want until told to let go.

use sqlx::{AssertSqlSafe, PgConnection};

use crate::harness::Database;

/// A superuser's transaction that holds something.
pub struct Stranger(pub PgConnection);

impl Stranger {
    /// Holds a tenant's head, as another replica would.
    pub async fn holding_head(database: &Database, tenant: &str) -> Self {
        let mut stranger = Self(database.superuser().await);
        stranger.run("BEGIN").await;
        let held: Vec<(i64,)> =
            sqlx::query_as("SELECT head_sequence FROM tenants WHERE tenant_id = $1 FOR NO KEY UPDATE")
                .bind(tenant)
                .fetch_all(&mut stranger.0)
                .await
                .unwrap();
        assert_eq!(held.len(), 1, "the tenant has a head");
        stranger
    }

    /// Holds the whole table of heads: every lane that takes up something waits in it, for less than the three
    /// seconds after which it gives up.
    pub async fn pausing_lanes(database: &Database) -> Self {
        let mut stranger = Self(database.superuser().await);
        stranger.run("BEGIN; LOCK TABLE tenants IN ACCESS EXCLUSIVE MODE").await;
        stranger
    }

    /// Runs statements in its transaction.
    pub async fn run(&mut self, statements: &str) {
        sqlx::raw_sql(AssertSqlSafe(statements.to_owned())).execute(&mut self.0).await.unwrap();
    }

    /// Commits, and so lets go.
    pub async fn let_go(mut self) {
        self.run("COMMIT").await;
    }
}
