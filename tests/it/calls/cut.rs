//! A way to Postgres that breaks at COMMIT: the least a test needs to lose an answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memory_lifecycle::embedded::APP_ROLE;
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};

use crate::harness::Database;
use crate::harness::database::cluster;

/// The simple query `COMMIT` as the driver sends it.
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";

/// How to connect to the database so that the first COMMIT never arrives, and nobody is let in afterwards.
pub(super) async fn at_commit(database: &Database) -> PgConnectOptions {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let cluster = cluster().await;
    let socket = cluster.socket_dir().join(format!(".s.PGSQL.{}", cluster.port()));
    let is_cut = Arc::new(AtomicBool::new(false));
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            if is_cut.load(Ordering::SeqCst) {
                continue;
            }
            let postgres = UnixStream::connect(&socket).await.unwrap();
            tokio::spawn(carry(client, postgres, Arc::clone(&is_cut)));
        }
    });
    PgConnectOptions::new_without_pgpass()
        .host("127.0.0.1")
        .port(port)
        .username(APP_ROLE)
        .database(database.name())
        .ssl_mode(PgSslMode::Disable)
}

/// Carries bytes both ways until either side ends or a COMMIT comes.
async fn carry(client: TcpStream, postgres: UnixStream, is_cut: Arc<AtomicBool>) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_postgres, mut to_postgres) = postgres.into_split();
    let answers = tokio::spawn(async move { tokio::io::copy(&mut from_postgres, &mut to_client).await });
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = from_client.read(&mut buffer).await {
        let bytes = &buffer[..count];
        if bytes.windows(COMMIT.len()).any(|window| window == COMMIT) {
            is_cut.store(true, Ordering::SeqCst);
            break;
        }
        if to_postgres.write_all(bytes).await.is_err() {
            break;
        }
    }
    answers.abort();
}
