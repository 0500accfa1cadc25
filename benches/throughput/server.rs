//! Our side: the server's own binary in a process of its own.

use std::process::Stdio;

use memory_lifecycle::embedded::APP_ROLE;
use tokio::process::{Child, Command};
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::seed::{DATABASE, Postgres};

pub(crate) struct Server {
    process: Child,
    address: String,
    idle: u64,
}

/// Starts `serve` on a free port and waits until it is ready.
pub(crate) async fn start(postgres: &Postgres) -> Server {
    // Taken and let go again: nobody else is looking for ports on this machine during a benchmark.
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port();
    let address = format!("127.0.0.1:{port}");
    let cluster = &postgres.cluster;
    // The driver takes the socket's folder from the host parameter.
    let url = format!(
        "postgres://{APP_ROLE}@localhost/{DATABASE}?host={}&port={}",
        cluster.socket_dir().display(),
        cluster.port()
    );
    let process = Command::new(env!("CARGO_BIN_EXE_memory-lifecycle"))
        .args(["serve", "--identity", "insecure-metadata", "--listen", &address, "--log", "warn"])
        .env("DATABASE_URL", url)
        .env("MEMORY_LIFECYCLE_TOKEN_KEY", "00".repeat(32))
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("the server starts");
    let mut server = Server { process, address, idle: 0 };
    server.until_ready().await;
    server.idle = server.memory("VmRSS:");
    server
}

impl Server {
    pub(crate) fn channel(&self) -> Channel {
        Endpoint::from_shared(format!("http://{}", self.address)).expect("an address").connect_lazy()
    }

    async fn until_ready(&self) {
        let ready = async {
            let mut looks = tokio::time::interval(std::time::Duration::from_millis(20));
            loop {
                looks.tick().await;
                let service = "memorylifecycle.v1.MemoryLifecycle".to_owned();
                let answer = HealthClient::new(self.channel()).check(HealthCheckRequest { service }).await;
                if answer.is_ok_and(|answer| answer.into_inner().status() == ServingStatus::Serving) {
                    return;
                }
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(30), ready)
            .await
            .expect("the server becomes ready");
    }

    /// A line of the process's status, in KiB.
    fn memory(&self, line: &str) -> u64 {
        let pid = self.process.id().expect("the server runs");
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let value =
            status.lines().find_map(|text| text.strip_prefix(line)?.split_whitespace().next()?.parse().ok());
        value.unwrap_or(0)
    }

    /// Resident memory right after the start, in KiB.
    pub(crate) fn idle_memory(&self) -> u64 {
        self.idle
    }

    /// The most resident memory so far, in KiB.
    pub(crate) fn peak_memory(&self) -> u64 {
        self.memory("VmHWM:")
    }

    pub(crate) async fn stop(mut self) {
        self.process.kill().await.expect("the server ends");
    }
}
