//! The only place that wires the parts together: one server on one database.

mod access;
mod health;
mod listener;
mod tls;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::transport::Server;

use crate::auth::Authenticator;
use crate::clock::Clock;
use crate::config::{Access, ConfigFaults, Keys, ServerSettings};
use crate::domain::policy::Policy;
use crate::domain::suppression::Fingerprinter;
use crate::lane::{LaneOptions, Lanes};
use crate::layers;
use crate::layers::deadline::Limits;
use crate::ops::{LOOK_UPS, Ops};
use crate::rpc;
use crate::storage::{Store, StoreOptions};
use crate::sweeper::Sweeper;
use tls::Tls;

/// Why a server could not start or did not stop well.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The address cannot be listened on.
    #[error(
        "cannot listen on {address}: {source}; is another server running there? choose another with --listen"
    )]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The address for health checks cannot be listened on.
    #[error("cannot listen on {address} for health checks: {source}; choose another with --admin-listen")]
    AdminListen {
        /// The address.
        address: SocketAddr,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// What the configuration says of who may call cannot be used.
    #[error(transparent)]
    Access(#[from] ConfigFaults),
    /// The reflection service cannot be made from the contract.
    #[error("cannot serve reflection: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// The server stopped by itself.
    #[error("the server failed: {0}")]
    Serve(#[from] tonic::transport::Error),
    /// Calls were still in flight when the drain timeout was over.
    #[error("calls were still in flight {0:?} after the server was asked to stop; they were cut off")]
    Drain(Duration),
}

/// A server that listens and is not serving yet.
#[derive(Debug)]
pub struct App {
    listener: TcpListener,
    address: SocketAddr,
    /// Where health alone is answered, without TLS.
    admin: Option<TcpListener>,
    tls: Option<Arc<Tls>>,
    settings: ServerSettings,
    store: Store,
    lanes: Lanes,
    ops: Ops,
    authenticator: Authenticator,
    clock: Clock,
    fingerprinter: Fingerprinter,
}

impl App {
    /// Listens, and sets everything up. Opens no connection to Postgres yet: until it is there, the server
    /// answers UNAVAILABLE.
    pub async fn build(
        settings: ServerSettings,
        connect: &PgConnectOptions,
        keys: &Keys,
        access: Access,
        clock: Clock,
    ) -> Result<Self, AppError> {
        let listen = |source| AppError::Listen { address: settings.listen, source };
        let listener = TcpListener::bind(settings.listen).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let admin = match settings.admin_listen {
            Some(address) => {
                let bound = TcpListener::bind(address).await;
                Some(bound.map_err(|source| AppError::AdminListen { address, source })?)
            }
            None => None,
        };
        let default = LaneOptions::default();
        let lane_options = LaneOptions { lanes: settings.lanes.unwrap_or(default.lanes), ..default };
        let connections = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let store = Store::new(
            connect,
            StoreOptions {
                lane_connections: connections(lane_options.lanes + lane_options.solo_batches + LOOK_UPS),
                read_connections: connections(settings.read_connections),
            },
        );
        let (authenticator, tls) = access::open(access, &store, &clock).await?;
        let fingerprinter = Fingerprinter::new(keys.fingerprints.0);
        let policy = Policy {
            retention: settings.retention,
            largest_selection: settings.largest_selection,
            fingerprinter,
        };
        let lanes = Lanes::start(&store, policy, &clock, lane_options);
        let ops = Ops::new(store.clone(), lanes.clone(), policy, &keys.tokens.0, clock.clone());
        Ok(Self {
            listener,
            address,
            admin,
            tls,
            settings,
            store,
            lanes,
            ops,
            authenticator,
            clock,
            fingerprinter,
        })
    }

    /// Where it answers health checks alone, if anywhere.
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin.as_ref().and_then(|listener| listener.local_addr().ok())
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` ends; then takes no new call, finishes those in flight and the lanes within
    /// the drain timeout, and closes every connection.
    pub async fn run_until(self, shutdown: impl Future<Output = ()> + Send) -> Result<(), AppError> {
        let stop = CancellationToken::new();
        let background = TaskTracker::new();
        let (health, health_service) = health::service().await;
        let watch = health::Watch::begin(health, self.store.clone()).await;
        background.spawn(watch.follow(self.settings.health_interval, stop.clone()));
        let sweeper = Sweeper {
            store: self.store.clone(),
            lanes: self.lanes.clone(),
            fingerprinter: self.fingerprinter,
            clock: self.clock.clone(),
            interval: self.settings.sweep_interval,
        };
        background.spawn(sweeper.run(stop.clone()));
        let (authenticator, until) = (self.authenticator.clone(), stop.clone());
        background.spawn(async move { authenticator.keep(until).await });

        if let Some(tls) = self.tls.clone() {
            let until = stop.clone();
            background.spawn(async move { tls.keep(&until).await });
        }
        if let Some(listener) = self.admin {
            let incoming = listener::incoming(listener, None, stop.clone());
            let server = transport().add_service(health_service.clone());
            let answering = server.serve_with_incoming_shutdown(incoming, stop.clone().cancelled_owned());
            background.spawn(async move {
                if let Err(error) = answering.await {
                    tracing::error!(%error, "health checks are no longer answered on their own address");
                }
            });
        }

        let serving = {
            let stop = stop.clone();
            let options = layers::Options {
                max_in_flight: self.settings.max_in_flight,
                deadline: Limits { default: self.settings.default_deadline, max: self.settings.max_deadline },
                authenticator: self.authenticator,
            };
            let services = rpc::services(self.ops, self.clock.clone(), self.settings.reflection)?;
            let routes = services.add_service(health_service);
            let server = transport().layer(layers::stack(options, &self.clock)).add_routes(routes);
            let incoming = listener::incoming(self.listener, self.tls, stop.clone());
            server.serve_with_incoming_shutdown(incoming, stop.cancelled_owned())
        };
        let mut serving = tokio::spawn(serving);
        let stopped_by_itself = tokio::select! {
            result = &mut serving => Some(result),
            () = shutdown => None,
        };
        stop.cancel();
        background.close();
        let drained = tokio::time::timeout(self.settings.drain_timeout, async {
            let result = match stopped_by_itself {
                Some(result) => result,
                None => (&mut serving).await,
            };
            background.wait().await;
            self.lanes.close().await;
            result
        })
        .await;
        serving.abort();
        match drained {
            Ok(served) => {
                self.store.close().await;
                match served {
                    Ok(result) => Ok(result?),
                    // Aborted or panicked: tonic's own task, which has nothing of ours in it.
                    Err(_) => Ok(()),
                }
            }
            Err(_) => Err(AppError::Drain(self.settings.drain_timeout)),
        }
    }
}

/// The transport with its limits.
fn transport() -> Server {
    Server::builder()
        .max_concurrent_streams(Some(1024))
        .http2_max_header_list_size(Some(16 * 1024))
        .http2_keepalive_interval(Some(Duration::from_secs(30)))
        .http2_keepalive_timeout(Some(Duration::from_secs(10)))
}
