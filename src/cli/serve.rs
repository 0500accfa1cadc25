//! `serve`: on a Postgres of the operator's.

use std::str::FromStr;

use secrecy::ExposeSecret;
use sqlx::postgres::PgConnectOptions;

use super::CliError;
use crate::app::App;
use crate::clock::Clock;
use crate::config::{IdentitySource, ServeSettings, TokenKey};
use crate::shutdown::StopRequests;

/// What to do about a missing identity. Required by the program and not by the parser, so as to say why.
const NO_IDENTITY: &str = "how callers are known is not set: this release believes what their metadata (x-tenant-id, \
     x-agent-id, x-admin) says, so whoever can connect can be anyone; if only a trusted proxy or backend can, say so with \
     --identity insecure-metadata (or MEMORY_LIFECYCLE_IDENTITY)";

pub(super) async fn run(settings: ServeSettings) -> Result<(), CliError> {
    let mut stop = StopRequests::listen()?;
    let IdentitySource::InsecureMetadata = settings.identity.ok_or(NO_IDENTITY)?;
    let token_key = TokenKey::from_environment()?;
    let connect = connect_options(settings.database_url.expose_secret())?;
    tracing::warn!("callers are whoever their metadata says: let only a trusted proxy connect");
    let app = App::build(settings.server, &connect, &token_key, Clock::system()).await?;
    tracing::info!(address = %app.address(), "listening");
    app.run_until(stop.next()).await?;
    tracing::info!("stopped");
    Ok(())
}

/// Reads the URL. The driver's own error is not shown: it may quote the password.
pub(super) fn connect_options(url: &str) -> Result<PgConnectOptions, CliError> {
    // The driver takes any scheme.
    let is_postgres = ["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme));
    let options = is_postgres.then(|| PgConnectOptions::from_str(url).ok()).flatten();
    options.ok_or_else(|| {
        "DATABASE_URL must be of the form postgres://user:password@host:5432/database, with what is special in user and \
         password percent-encoded"
            .into()
    })
}
