//! `migrate`: the schema, as its owner.

use super::{CliError, owner};
use crate::config::MigrateSettings;
use crate::storage::schema::{self, MigrationError, SCHEMA_VERSION};

pub(super) async fn run(settings: MigrateSettings) -> Result<(), CliError> {
    let mut connection = owner::connect(&settings.database_url).await?;
    schema::migrate(&mut connection, &settings.runtime_role).await.map_err(with_advice)?;
    tracing::info!(
        version = SCHEMA_VERSION,
        runtime_role = settings.runtime_role,
        "the schema is up to date and the runtime role has its rights"
    );
    Ok(())
}

fn with_advice(error: MigrationError) -> CliError {
    match error {
        MigrationError::Store(error) => owner::with_advice(
            &error,
            "change the schema",
            ", and let --runtime-role name the one that serve connects as",
        ),
        other => other.into(),
    }
}
