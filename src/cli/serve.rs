//! `serve`: on a Postgres of the operator's.

use std::str::FromStr;

use secrecy::ExposeSecret;
use sqlx::postgres::PgConnectOptions;

use super::{CliError, until_asked_to_stop};
use crate::app::App;
use crate::clock::Clock;
use crate::config::{IdentitySource, ServeSettings, TokenKey};

pub(super) async fn run(settings: ServeSettings) -> Result<(), CliError> {
    let token_key = TokenKey::from_environment()?;
    let connect = connect_options(settings.database_url.expose_secret())?;
    let IdentitySource::InsecureMetadata = settings.identity;
    tracing::warn!("callers are whoever their metadata says: let only a trusted proxy connect");
    let app = App::build(settings.server, &connect, &token_key, Clock::system()).await?;
    tracing::info!(address = %app.address(), "listening");
    app.run_until(until_asked_to_stop()).await?;
    tracing::info!("stopped");
    Ok(())
}

/// Reads the URL. The driver's own error is not shown: it may quote the password.
pub(super) fn connect_options(url: &str) -> Result<PgConnectOptions, CliError> {
    PgConnectOptions::from_str(url)
        .map_err(|_| "DATABASE_URL must be of the form postgres://user:password@host:5432/database".into())
}
