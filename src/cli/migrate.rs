//! `migrate`: the schema, as its owner.

use secrecy::ExposeSecret;
use sqlx::ConnectOptions;

use super::CliError;
use super::serve::connect_options;
use crate::config::MigrateSettings;
use crate::storage::StoreError;
use crate::storage::schema::{self, MigrationError, SCHEMA_VERSION};

/// Postgres' code for what a role may not do.
const DENIED: &str = "42501";

pub(super) async fn run(settings: MigrateSettings) -> Result<(), CliError> {
    let connect = connect_options(settings.database_url.expose_secret())?.disable_statement_logging();
    let mut connection = connect.connect().await.map_err(StoreError::from)?;
    schema::migrate(&mut connection, &settings.runtime_role).await.map_err(with_advice)?;
    tracing::info!(
        version = SCHEMA_VERSION,
        runtime_role = settings.runtime_role,
        "the schema is up to date and the runtime role has its rights"
    );
    Ok(())
}

/// What is most often wrong with the URL, said where Postgres says it with a number.
fn with_advice(error: MigrationError) -> CliError {
    match &error {
        MigrationError::Store(StoreError::Rejected { code, .. }) if code == DENIED => format!(
            "{error}: the role in DATABASE_URL may not change the schema; connect as the schema's owner, and let \
             --runtime-role name the one that serve connects as"
        )
        .into(),
        _ => error.into(),
    }
}
