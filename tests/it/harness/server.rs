//! A real server on a test's database, on a port of its own.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Parser;
use memory_lifecycle::app::{App, AppError};
use memory_lifecycle::clock::Clock;
use memory_lifecycle::config::{Access, Cli, Command, Keys, SecretKey, ServerSettings};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use super::certificates::{self, Pair};
use super::{Caller, Database, canaries, issuer};

/// The service whose health follows Postgres.
pub const SERVICE: &str = "memorylifecycle.v1.MemoryLifecycle";

/// The defaults of a server, but for a port that is free and a sweep that is rare.
pub fn settings() -> ServerSettings {
    let cli =
        Cli::parse_from(["memory-lifecycle", "dev", "--listen", "127.0.0.1:0", "--sweep-interval", "1h"]);
    let Command::Dev(dev) = cli.command else { panic!("dev is dev") };
    dev.server
}

pub struct Server {
    pub address: SocketAddr,
    pub channel: Channel,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<Result<(), AppError>>,
}

impl Server {
    /// A ready server on the database, with default settings.
    pub async fn start(database: &Database) -> Self {
        Self::start_with(database, settings()).await
    }

    /// A ready server on the database.
    pub async fn start_with(database: &Database, settings: ServerSettings) -> Self {
        Self::start_accepting(database, settings, Self::believing()).await
    }

    /// A ready server on the database that takes these credentials.
    pub async fn start_accepting(database: &Database, settings: ServerSettings, access: Access) -> Self {
        let server = Self::start_unready_accepting(database.app().await, settings, access).await;
        server.until_health(SERVICE, ServingStatus::Serving).await;
        server
    }

    /// What takes callers at their metadata's word, and tokens of the run's issuer, as `dev` takes its own.
    fn believing() -> Access {
        Access { metadata: true, jwt: Some(issuer::config()), ..Access::default() }
    }

    /// A server that listens, whether or not its database is there.
    pub async fn start_unready(connect: sqlx::postgres::PgConnectOptions, settings: ServerSettings) -> Self {
        Self::start_unready_accepting(connect, settings, Self::believing()).await
    }

    /// A ready server that speaks TLS; its channel is that of a client who trusts this authority and has this certificate.
    pub async fn start_encrypted(
        database: &Database,
        settings: ServerSettings,
        access: Access,
        authority: &str,
        own: Option<&Pair>,
    ) -> Self {
        let mut server = Self::start_unready_accepting(database.app().await, settings, access).await;
        server.channel = certificates::endpoint(server.address, authority, own).connect_lazy();
        server.until_health(SERVICE, ServingStatus::Serving).await;
        server
    }

    /// A server that listens, whether or not its database is there, and takes these credentials.
    pub async fn start_unready_accepting(
        connect: sqlx::postgres::PgConnectOptions,
        settings: ServerSettings,
        access: Access,
    ) -> Self {
        canaries::begin();
        let key = Keys { tokens: SecretKey([7; 32]), fingerprints: SecretKey([8; 32]) };
        let app = App::build(settings, &connect, &key, access, Clock::system()).await.unwrap();
        let address = app.address();
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(app.run_until(async {
            // A test that ends drops the sender; either way the server is to stop.
            let _ = stopped.await;
        }));
        let channel = Endpoint::from_shared(format!("http://{address}")).unwrap().connect_lazy();
        Self { address, channel, stop: Some(stop), running }
    }

    /// The caller "default" of tenant "default".
    pub fn caller(&self) -> Caller {
        Caller::new(self.channel.clone(), "default", "default")
    }

    /// A caller of a tenant and an agent.
    pub fn caller_of(&self, tenant: &str, agent: &str) -> Caller {
        Caller::new(self.channel.clone(), tenant, agent)
    }

    /// What the health service says.
    pub async fn health(&self, service: &str) -> ServingStatus {
        let request = HealthCheckRequest { service: service.to_owned() };
        let response = HealthClient::new(self.channel.clone()).check(request).await.unwrap();
        response.into_inner().status()
    }

    /// Waits until the health service says so.
    pub async fn until_health(&self, service: &str, wanted: ServingStatus) {
        let watch = async {
            let request = HealthCheckRequest { service: service.to_owned() };
            let mut updates =
                HealthClient::new(self.channel.clone()).watch(request).await.unwrap().into_inner();
            while let Some(update) = updates.message().await.unwrap() {
                if update.status() == wanted {
                    return;
                }
            }
            panic!("the health service stopped reporting");
        };
        tokio::time::timeout(Duration::from_secs(30), watch)
            .await
            .expect("the health service says so in time");
    }

    /// Stops the server and waits until it has stopped well.
    pub async fn stop(mut self) {
        drop(self.stop.take());
        let running = std::mem::replace(&mut self.running, tokio::spawn(async { Ok(()) }));
        drop(self);
        running.await.unwrap().unwrap();
    }
}
