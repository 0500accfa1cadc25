//! TLS of the listener: who gets through, certificates that are exchanged while it runs, and those who only keep it busy.

use std::net::SocketAddr;
use std::time::Duration;

use memory_lifecycle::config::Access;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::harness::certificates::{CertificateAuthority, TlsFolder, endpoint};
use crate::harness::{Database, Server, issuer, settings};

/// Longer than anything here takes.
const LIMIT: Duration = Duration::from_mins(1);

pub(super) struct Stage {
    pub(super) authority: CertificateAuthority,
    pub(super) folder: TlsFolder,
    pub(super) server: Server,
}

impl Stage {
    pub(super) async fn start() -> Self {
        let authority = CertificateAuthority::new();
        let folder = TlsFolder::new(&authority);
        let access = Access { jwt: Some(issuer::config()), tls: Some(folder.files()), ..Access::default() };
        let server =
            Server::start_encrypted(&Database::migrated().await, settings(), access, &authority.pem(), None)
                .await;
        Self { authority, folder, server }
    }

    fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// A new connection, if it comes about.
    async fn connect(&self, authority: &str) -> Option<Channel> {
        endpoint(self.address(), authority, None).connect().await.ok()
    }
}

pub(super) async fn is_serving(channel: Channel) -> bool {
    let answer = HealthClient::new(channel).check(HealthCheckRequest::default()).await;
    answer.is_ok_and(|answer| answer.into_inner().status() == ServingStatus::Serving)
}

/// Tries until it is so.
pub(super) async fn until<T>(mut attempt: impl AsyncFnMut() -> Option<T>) -> T {
    let tries = async {
        loop {
            if let Some(done) = attempt().await {
                return done;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, tries).await.expect("it is so in time")
}

#[tokio::test]
async fn calls_and_health_checks_go_over_tls() {
    let stage = Stage::start().await;
    let caller = issuer::caller(stage.server.channel.clone(), "acme", "agent");
    let saved = caller.remember("first", "Likes oat milk").await.unwrap();
    assert_eq!(caller.get("first").await.unwrap(), saved);
    assert!(is_serving(stage.server.channel.clone()).await, "health needs no credential");
    stage.server.stop().await;
}

#[tokio::test]
async fn who_does_not_trust_the_certificate_or_does_not_speak_tls_gets_nowhere() {
    let stage = Stage::start().await;
    assert!(
        stage.connect(&CertificateAuthority::new().pem()).await.is_none(),
        "another authority vouches for it"
    );
    let plain = Endpoint::from_shared(format!("http://{}", stage.address())).unwrap();
    let answer = match plain.connect().await {
        Ok(channel) => is_serving(channel).await,
        Err(_) => false,
    };
    assert!(!answer, "plain HTTP/2 is not answered");
    let mut stream = TcpStream::connect(stage.address()).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    // It ends, with an alert of TLS or by a reset.
    let ended = tokio::time::timeout(LIMIT, stream.read_to_end(&mut answer)).await;
    assert!(ended.is_ok() && !answer.starts_with(b"HTTP"), "{answer:?}");
    assert!(is_serving(stage.server.channel.clone()).await);
    stage.server.stop().await;
}

#[tokio::test]
async fn a_server_without_tls_ends_what_begins_a_handshake() {
    let server = Server::start(&Database::migrated().await).await;
    let authority = CertificateAuthority::new();
    let connecting = endpoint(server.address, &authority.pem(), None);
    let connected = tokio::time::timeout(LIMIT, connecting.connect()).await.expect("it ends");
    assert!(connected.is_err());
    assert!(is_serving(server.channel.clone()).await);
    server.stop().await;
}

#[tokio::test]
async fn new_connections_meet_the_new_certificate_and_open_ones_go_on() {
    let stage = Stage::start().await;
    let open = stage.connect(&stage.authority.pem()).await.unwrap();
    assert!(is_serving(open.clone()).await);
    let next = CertificateAuthority::new();
    stage.folder.certify(&next.server());
    let new = until(async || stage.connect(&next.pem()).await).await;
    assert!(is_serving(new).await);
    assert!(stage.connect(&stage.authority.pem()).await.is_none(), "the old one is not shown any more");
    assert!(is_serving(open).await, "what was open stays open");

    // What cannot be used is left alone: half of an exchange, and no certificate at all.
    stage.folder.write("server.key", &CertificateAuthority::new().server().key);
    stage.folder.write("server.pem", "-----BEGIN NONSENSE-----");
    let third = CertificateAuthority::new();
    assert!(is_serving(stage.connect(&next.pem()).await.unwrap()).await);
    stage.folder.certify(&third.server());
    until(async || stage.connect(&third.pem()).await).await;
    stage.server.stop().await;
}

#[tokio::test]
async fn those_who_connect_and_say_nothing_keep_nobody_out() {
    let stage = Stage::start().await;
    let mut silent = Vec::new();
    // More than may be at it at once.
    for _ in 0..crate::harness::scaled(3000, 1100) {
        silent.push(TcpStream::connect(stage.address()).await.unwrap());
    }
    let channel = tokio::time::timeout(LIMIT, stage.connect(&stage.authority.pem())).await;
    assert!(is_serving(channel.expect("it is let in").unwrap()).await);
    // With them still there, the server stops in time.
    tokio::time::timeout(LIMIT, stage.server.stop()).await.expect("it stops");
    drop(silent);
}
