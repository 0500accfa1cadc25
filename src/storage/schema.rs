//! The schema: how it is made, and whether this binary may use the one it finds.

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{Executor, PgConnection};

use super::error::StoreError;

/// The migrations, forward only. One that landed is never edited: its checksum is compared.
pub static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

/// The version of the schema that this binary is made for: the number of its newest migration.
pub const SCHEMA_VERSION: i32 = 3;

/// What the runtime role may do. It can alter nothing, neither update nor delete an audit record, and of an
/// API key change nothing but when it was last used.
const RUNTIME_GRANTS: &[(&str, &str)] = &[
    ("SELECT", "schema_version"),
    ("SELECT, INSERT, UPDATE", "tenants"),
    ("SELECT, INSERT", "graphs"),
    ("SELECT, INSERT, UPDATE, DELETE", "memories"),
    ("SELECT, INSERT, UPDATE, DELETE", "memory_contents"),
    ("SELECT, INSERT, DELETE", "suppressions"),
    ("SELECT, INSERT", "audit_records"),
    ("SELECT, INSERT", "operations"),
    ("SELECT, INSERT", "operation_reasons"),
    ("SELECT, INSERT, DELETE", "requests"),
    ("SELECT, UPDATE (last_use_time)", "api_keys"),
];

/// Whether this binary may use the schema it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaState {
    /// Yes.
    Usable,
    /// There is none, or it is of an older version than the binary needs: run `migrate`.
    TooOld,
    /// It no longer supports binaries as old as this one.
    TooNew,
}

/// Why a schema could not be brought up to date.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// The database failed.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// A migration that was applied is not the one this binary has under that number.
    #[error(
        "migration {0} was applied in another form than this binary has; it was edited, or the database belongs to \
         another program"
    )]
    Differs(i64),
    /// A migration that this binary does not know was applied: it is older than the schema.
    #[error("the database has migration {0}, which this binary does not know: use a newer binary")]
    Unknown(i64),
    /// A migration failed half way before.
    #[error("migration {0} failed half way before: restore the database from a backup taken before it")]
    Dirty(i64),
    /// The role to grant rights to does not exist.
    #[error(
        "the role {0:?} does not exist: create it first (CREATE ROLE … LOGIN), or name another runtime role"
    )]
    NoRuntimeRole(String),
    /// Anything else the migrator says.
    #[error("the migrations cannot be applied: {0}")]
    Other(String),
}

/// Applies what is missing, on a connection of the schema's owner, and grants the runtime role its rights.
///
/// To be run on a direct connection: the migrator takes a session's lock.
pub async fn migrate(connection: &mut PgConnection, runtime_role: &str) -> Result<(), MigrationError> {
    MIGRATIONS.run(&mut *connection).await.map_err(|error| match error {
        MigrateError::VersionMismatch(version) => MigrationError::Differs(version),
        MigrateError::VersionMissing(version) => MigrationError::Unknown(version),
        MigrateError::Dirty(version) => MigrationError::Dirty(version),
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
            MigrationError::Store(error.into())
        }
        other => MigrationError::Other(other.to_string()),
    })?;
    grant(connection, runtime_role).await
}

async fn grant(connection: &mut PgConnection, runtime_role: &str) -> Result<(), MigrationError> {
    // GRANT takes no parameters, so the server itself quotes the role's name.
    let role: Option<String> =
        sqlx::query_scalar("SELECT quote_ident(rolname) FROM pg_roles WHERE rolname = $1")
            .bind(runtime_role)
            .fetch_optional(&mut *connection)
            .await
            .map_err(StoreError::from)?;
    let role = role.ok_or_else(|| MigrationError::NoRuntimeRole(runtime_role.to_owned()))?;
    for (rights, table) in RUNTIME_GRANTS {
        let statement = format!("GRANT {rights} ON {table} TO {role}");
        connection.execute(sqlx::AssertSqlSafe(statement)).await.map_err(StoreError::from)?;
    }
    Ok(())
}

/// Looks at the schema as the runtime role sees it.
pub async fn schema_state(connection: &mut PgConnection) -> Result<SchemaState, StoreError> {
    let found: Result<(i32, i32), StoreError> = sqlx::query_as(include_str!("sql/read_schema_version.sql"))
        .fetch_one(connection)
        .await
        .map_err(StoreError::from);
    match found {
        Ok((version, _)) if version < SCHEMA_VERSION => Ok(SchemaState::TooOld),
        Ok((_, oldest_supported)) if oldest_supported > SCHEMA_VERSION => Ok(SchemaState::TooNew),
        Ok(_) => Ok(SchemaState::Usable),
        // No such table, or none that this role may read: nobody migrated this database for us.
        Err(StoreError::Rejected { code, .. }) if code == "42P01" || code == "42501" => {
            Ok(SchemaState::TooOld)
        }
        Err(error) => Err(error),
    }
}
