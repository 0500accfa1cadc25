//! A gate in the database: while it is shut, transactions that write records of certain tenants stand still, so that a
//! test decides how long the server is busy.

use sqlx::PgConnection;

use crate::harness::Database;

/// What the gate stops: every tenant whose name begins so.
pub(super) const GATED: &str = "gated";

/// Not by waiting for the lock, which the service would give up after three seconds.
const GATE: &str = "
    CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        WHILE NOT pg_try_advisory_xact_lock_shared(7) LOOP PERFORM pg_sleep(0.01); END LOOP;
        RETURN NEW;
    END $$;
    CREATE TRIGGER gate BEFORE INSERT ON audit_records FOR EACH ROW WHEN (NEW.tenant_id LIKE 'gated%')
    EXECUTE FUNCTION gate()";

/// Builds the gate, open.
pub(super) async fn build(database: &Database) {
    database.execute(GATE).await;
}

/// A gate that is shut. A statement of the service stands before it for half a minute at most.
pub(super) struct Shut(PgConnection);

pub(super) async fn shut(database: &Database) -> Shut {
    let mut connection = database.superuser().await;
    sqlx::query("SELECT pg_advisory_lock(7)").execute(&mut connection).await.unwrap();
    Shut(connection)
}

impl Shut {
    pub(super) async fn open(mut self) {
        sqlx::query("SELECT pg_advisory_unlock(7)").execute(&mut self.0).await.unwrap();
    }
}
