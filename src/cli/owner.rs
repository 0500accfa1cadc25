//! For the subcommands that work on the database as the schema's owner.

use secrecy::{ExposeSecret, SecretString};
use sqlx::{ConnectOptions, PgConnection};

use super::CliError;
use super::serve::connect_options;
use crate::storage::StoreError;

/// Postgres' code for what a role may not do.
const DENIED: &str = "42501";

/// Connects, once.
pub(super) async fn connect(database_url: &SecretString) -> Result<PgConnection, CliError> {
    let options = connect_options(database_url.expose_secret())?.disable_statement_logging();
    Ok(options.connect().await.map_err(StoreError::from)?)
}

/// What is most often wrong with the URL, said where Postgres says it with a number: the role may not do `what`.
pub(super) fn with_advice(error: &StoreError, what: &str, more: &str) -> CliError {
    match error {
        StoreError::Rejected { code, .. } if code == DENIED => {
            format!("{error}: the role in DATABASE_URL may not {what}; connect as the schema's owner{more}")
                .into()
        }
        _ => error.clone().into(),
    }
}
