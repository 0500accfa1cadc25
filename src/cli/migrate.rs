//! `migrate`: the schema, as its owner.

use secrecy::ExposeSecret;
use sqlx::ConnectOptions;

use super::CliError;
use super::serve::connect_options;
use crate::config::MigrateSettings;
use crate::storage::StoreError;
use crate::storage::schema::{self, SCHEMA_VERSION};

pub(super) async fn run(settings: MigrateSettings) -> Result<(), CliError> {
    let connect = connect_options(settings.database_url.expose_secret())?.disable_statement_logging();
    let mut connection = connect.connect().await.map_err(StoreError::from)?;
    schema::migrate(&mut connection, &settings.runtime_role).await?;
    tracing::info!(
        version = SCHEMA_VERSION,
        runtime_role = settings.runtime_role,
        "the schema is up to date and the runtime role has its rights"
    );
    Ok(())
}
