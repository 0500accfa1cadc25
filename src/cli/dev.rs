//! `dev`: a server on a private Postgres, with nothing to configure.

mod keys;
mod mint_token;
mod welcome;

use sqlx::ConnectOptions;

use super::CliError;
use crate::app::App;
use crate::clock::Clock;
use crate::config::{DevAction, DevSettings};
use crate::embedded::{APP_ROLE, Cluster, ClusterOptions, DataDir, OWNER_ROLE, default_data_dir};
use crate::shutdown::StopRequests;
use crate::storage::StoreError;
use crate::storage::schema;

/// The database in the private Postgres.
const DATABASE: &str = "memory_lifecycle";

pub(super) async fn run(settings: DevSettings) -> Result<(), CliError> {
    match settings.action.clone() {
        Some(DevAction::MintToken(settings)) => mint_token::run(settings),
        None => serve_until_stopped(settings).await,
    }
}

async fn serve_until_stopped(settings: DevSettings) -> Result<(), CliError> {
    let mut stop = StopRequests::listen()?;
    let options = cluster_options(&settings);
    match &options.data_dir {
        DataDir::Kept(dir) => tracing::info!(data_dir = %dir.display(), "starting a private Postgres"),
        DataDir::Temporary => tracing::info!("starting a private Postgres in a temporary folder"),
    }
    let cluster = tokio::select! {
        cluster = Cluster::start(options) => cluster?,
        () = stop.next() => return Ok(()),
    };
    let served = serve(&settings, &cluster, &mut stop).await;
    // Whatever became of the server, its Postgres is stopped in order.
    let stopped = cluster.stop().await;
    served?;
    stopped?;
    tracing::info!("stopped, and the private Postgres too");
    Ok(())
}

fn cluster_options(settings: &DevSettings) -> ClusterOptions {
    let defaults = ClusterOptions::default();
    let data_dir = if settings.temporary {
        DataDir::Temporary
    } else {
        DataDir::Kept(settings.data_dir.clone().unwrap_or_else(default_data_dir))
    };
    ClusterOptions {
        data_dir,
        binaries: settings.postgres_bin.clone(),
        download_url: settings.postgres_download_url.clone().or(defaults.download_url),
        run_as: settings.postgres_user.clone(),
        ..defaults
    }
}

async fn serve(settings: &DevSettings, cluster: &Cluster, stop: &mut StopRequests) -> Result<(), CliError> {
    let clock = Clock::system();
    cluster.prepare_roles().await?;
    cluster.create_database(DATABASE, None).await?;
    migrate(cluster).await?;
    let keys = keys::keys(cluster.data_dir(), &clock)?;
    let connect = cluster.options_for(APP_ROLE, DATABASE);
    let access = mint_token::access(keys::issuer(cluster.data_dir(), &clock)?.jwks());
    let app = App::build(settings.server.clone(), &connect, &keys, access, clock).await?;
    if let Some(address) = app.admin_address() {
        tracing::info!(%address, "answering health checks");
    }
    welcome::print(app.address(), cluster)?;
    let mut postgres_ended = None;
    let until = async {
        tokio::select! {
            () = stop.next() => {}
            error = cluster.ended() => postgres_ended = Some(error),
        }
    };
    app.run_until(until).await?;
    match postgres_ended {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}

async fn migrate(cluster: &Cluster) -> Result<(), CliError> {
    let connect = cluster.options_for(OWNER_ROLE, DATABASE).disable_statement_logging();
    let mut connection = connect.connect().await.map_err(StoreError::from)?;
    Ok(schema::migrate(&mut connection, APP_ROLE).await?)
}
