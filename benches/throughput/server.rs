//! Our side: the server's own binary in a process of its own.

use std::process::Stdio;
use std::time::{Duration, Instant};

use memory_lifecycle::embedded::APP_ROLE;
use tokio::process::{Child, Command};
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::credentials;
use crate::postgres::{Database, Postgres};

/// How often to ask whether the server is ready, and how its memory is.
const LOOK: Duration = Duration::from_millis(5);

pub(crate) struct Server {
    process: Child,
    address: String,
    /// From the start of the process until it said SERVING.
    pub(crate) ready_after: Duration,
}

/// Starts `serve` on a free port, with default settings, and waits until it is ready.
pub(crate) async fn start(postgres: &Postgres, database: &Database) -> Server {
    // Taken and let go again: nobody else is looking for ports on this machine during a benchmark.
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port();
    let address = format!("127.0.0.1:{port}");
    let cluster = &postgres.cluster;
    // The driver takes the socket's folder from the host parameter.
    let url = format!(
        "postgres://{APP_ROLE}@localhost/{}?host={}&port={}",
        database.name,
        cluster.socket_dir().display(),
        cluster.port()
    );
    let begun = Instant::now();
    let process = Command::new(env!("CARGO_BIN_EXE_memory-lifecycle"))
        .args(["serve", "--listen", &address, "--log", "error"])
        .args(credentials::flags())
        .env("DATABASE_URL", url)
        .env("MEMORY_LIFECYCLE_TOKEN_KEY", "00".repeat(32))
        .env("MEMORY_LIFECYCLE_FINGERPRINT_KEY", "00".repeat(32))
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("the server starts");
    let mut server = Server { process, address, ready_after: Duration::ZERO };
    server.until_ready().await;
    server.ready_after = begun.elapsed();
    server
}

impl Server {
    pub(crate) fn channel(&self) -> Channel {
        channel(&self.address)
    }

    /// `host:port`, for a caller with a runtime of its own.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    async fn until_ready(&self) {
        let ready = async {
            let mut looks = tokio::time::interval(LOOK);
            loop {
                looks.tick().await;
                let service = "memorylifecycle.v1.MemoryLifecycle".to_owned();
                let answer = HealthClient::new(self.channel()).check(HealthCheckRequest { service }).await;
                if answer.is_ok_and(|answer| answer.into_inner().status() == ServingStatus::Serving) {
                    return;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(30), ready).await.expect("the server becomes ready");
    }

    /// Resident memory now, in MiB.
    pub(crate) fn resident(&self) -> f64 {
        self.memory("VmRSS:")
    }

    /// The most resident memory so far, in MiB, as the kernel keeps it.
    pub(crate) fn most_resident(&self) -> f64 {
        self.memory("VmHWM:")
    }

    /// A line of the process's status.
    fn memory(&self, line: &str) -> f64 {
        let pid = self.process.id().expect("the server runs");
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("Linux, and it runs");
        let kib: f64 = status
            .lines()
            .find_map(|text| text.strip_prefix(line)?.split_whitespace().next()?.parse().ok())
            .expect("a number of KiB");
        kib / 1024.0
    }

    pub(crate) async fn stop(mut self) {
        self.process.kill().await.expect("the server ends");
    }
}

/// A connection to a server.
pub(crate) fn channel(address: &str) -> Channel {
    Endpoint::from_shared(format!("http://{address}")).expect("an address").connect_lazy()
}
