//! A proxy between server and Postgres that notes what passes through it. It knows a COMMIT when it sees one, and can
//! lose it: before Postgres gets it, or after, before the server gets the answer.

mod pump;
mod tap;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use memory_lifecycle::embedded::APP_ROLE;
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use tokio::net::{TcpListener, UnixStream};
use tokio::sync::{Notify, watch};

pub use tap::Ran;

use crate::harness::Database;
use crate::harness::database::cluster;

/// What to do with the next COMMIT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Postgres never gets it, and the connection breaks.
    Before,
    /// Postgres carries it out; the answer is lost, and the connection breaks.
    After,
    /// The connection breaks, and Postgres gets it only when it is delivered.
    Late,
    /// Postgres never gets it, and the connection stays silent.
    BeforeInSilence,
    /// Postgres carries it out; the answer is lost, and the connection stays silent.
    AfterInSilence,
}

/// A proxy; ends with the test's runtime.
pub struct Proxy {
    address: SocketAddr,
    database: String,
    plan: Arc<Plan>,
}

/// What the connections do.
struct Plan {
    /// What to do with the next COMMIT, and whether to cut everything off after it.
    next: std::sync::Mutex<Option<(Loss, bool)>>,
    /// How many COMMITs were lost.
    lost: AtomicUsize,
    /// Whether new connections are turned away.
    down: AtomicBool,
    /// Changes when every connection is to break.
    cut: watch::Sender<u64>,
    /// Delivers what is late.
    deliver: Notify,
    /// What passes through.
    tap: tap::Tap,
    /// A statement's text, and the one that Postgres gets in its place.
    replaced: std::sync::Mutex<Option<(String, String)>>,
}

impl Plan {
    fn take(&self) -> Option<(Loss, bool)> {
        self.next.lock().unwrap().take()
    }

    /// The message, with the statement in it that is to be in its place.
    fn replaced(&self, message: Vec<u8>) -> Vec<u8> {
        let replaced = self.replaced.lock().unwrap();
        let Some((text, other)) = replaced.as_ref().filter(|_| message[0] == b'P') else { return message };
        let Some(at) = message.windows(text.len()).position(|window| window == text.as_bytes()) else {
            return message;
        };
        let mut changed = message;
        changed.splice(at..at + text.len(), other.bytes());
        let length = u32::try_from(changed.len() - 1).unwrap();
        changed[1..5].copy_from_slice(&length.to_be_bytes());
        changed
    }

    fn go_down(&self) {
        self.down.store(true, Ordering::SeqCst);
        self.cut.send_modify(|cuts| *cuts += 1);
    }
}

impl Proxy {
    /// A proxy to the database.
    pub async fn start(database: &Database) -> Self {
        let cluster = cluster().await;
        let socket: PathBuf = cluster.socket_dir().join(format!(".s.PGSQL.{}", cluster.port()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let plan = Arc::new(Plan {
            next: std::sync::Mutex::new(None),
            lost: AtomicUsize::new(0),
            down: AtomicBool::new(false),
            cut: watch::Sender::new(0),
            deliver: Notify::new(),
            tap: tap::Tap::default(),
            replaced: std::sync::Mutex::default(),
        });
        let accepting = Arc::clone(&plan);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if accepting.down.load(Ordering::SeqCst) {
                    continue;
                }
                let upstream = UnixStream::connect(&socket).await.unwrap();
                tokio::spawn(pump::run(client, upstream, Arc::clone(&accepting)));
            }
        });
        Self { address, database: database.name().to_owned(), plan }
    }

    /// How to connect through it, as the runtime role.
    pub fn connect(&self) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass()
            .host("127.0.0.1")
            .port(self.address.port())
            .username(APP_ROLE)
            .database(&self.database)
            .ssl_mode(PgSslMode::Disable)
    }

    /// Loses the next COMMIT.
    pub fn lose_next(&self, loss: Loss) {
        *self.plan.next.lock().unwrap() = Some((loss, false));
    }

    /// Loses the next COMMIT, and from then on lets nobody through.
    pub fn lose_next_and_go_down(&self, loss: Loss) {
        *self.plan.next.lock().unwrap() = Some((loss, true));
    }

    /// Breaks every connection, and from now on lets nobody through.
    pub fn go_down(&self) {
        self.plan.down.store(true, Ordering::SeqCst);
        self.plan.go_down();
    }

    /// From now on gives Postgres another statement in this one's place.
    pub fn replace(&self, text: &str, other: &str) {
        *self.plan.replaced.lock().unwrap() = Some((text.to_owned(), other.to_owned()));
    }

    /// What was run since the last time, once all of it has ended.
    pub async fn take_ran(&self) -> Vec<Ran> {
        self.plan.tap.take().await
    }

    /// How many statements have ended that begin like this, since what was run was last taken.
    pub fn ended(&self, beginning: &str) -> usize {
        self.plan.tap.ended(beginning)
    }

    /// Lets everybody through again.
    pub fn come_up(&self) {
        self.plan.down.store(false, Ordering::SeqCst);
    }

    /// Lets Postgres have the COMMIT that is late.
    pub fn deliver(&self) {
        self.plan.deliver.notify_one();
    }

    /// How many COMMITs were lost so far.
    pub fn lost(&self) -> usize {
        self.plan.lost.load(Ordering::SeqCst)
    }
}
