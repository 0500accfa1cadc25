//! `serve`: on a Postgres of the operator's.

use std::str::FromStr;

use secrecy::ExposeSecret;
use sqlx::postgres::PgConnectOptions;

use super::CliError;
use crate::app::App;
use crate::clock::Clock;
use crate::config::{Serve, ServeSettings};
use crate::shutdown::StopRequests;

pub(super) async fn run(settings: ServeSettings) -> Result<(), CliError> {
    let mut stop = StopRequests::listen()?;
    let Serve { database_url, keys, access, server } = settings.complete()?;
    let connect = connect_options(database_url.expose_secret())?;
    let app = App::build(server, &connect, &keys, access, Clock::system()).await?;
    if let Some(address) = app.admin_address() {
        tracing::info!(%address, "answering health checks");
    }
    tracing::info!(address = %app.address(), "listening");
    app.run_until(stop.next()).await?;
    tracing::info!("stopped");
    Ok(())
}

/// The parameters of a URL that the driver knows, beside `options[…]`.
const PARAMETERS: [&str; 18] = [
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "statement-cache-capacity",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
];

/// Reads the URL. The driver's own error is not shown: it may quote the password.
pub(super) fn connect_options(url: &str) -> Result<PgConnectOptions, CliError> {
    // The driver takes any scheme.
    let is_postgres = ["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme));
    if is_postgres {
        tell_of_unknown_parameters(url);
    }
    let options = is_postgres.then(|| PgConnectOptions::from_str(url).ok()).flatten();
    options.ok_or_else(|| {
        "DATABASE_URL must be of the form postgres://user:password@host:5432/database, with what is special in user and \
         password percent-encoded"
            .into()
    })
}

/// The driver passes over a parameter that it does not know, and says so with its value, which is why its words are not shown.
/// Not even the name is: what follows a `&` can be the rest of a password.
fn tell_of_unknown_parameters(url: &str) {
    let Ok(url) = reqwest::Url::parse(url) else { return };
    for (place, (name, _)) in (1..).zip(url.query_pairs()) {
        if !PARAMETERS.contains(&&*name) && !name.starts_with("options[") {
            tracing::warn!(
                parameter = place,
                "DATABASE_URL has a parameter that is not known and is passed over, at this place after the `?`"
            );
        }
    }
}
