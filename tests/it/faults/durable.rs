//! A private Postgres that keeps what it confirmed, and can be killed with everything it started, which is found in
//! `/proc`.

use std::path::PathBuf;

use memory_lifecycle::embedded::{APP_ROLE, Cluster, ClusterOptions, DataDir, Durability, OWNER_ROLE};
use memory_lifecycle::storage::schema;
use rustix::process::{Pid, Signal};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, PgConnection};
use tempfile::TempDir;

use crate::embedded::{kept, options, until};

const DATABASE: &str = "durable";

pub(super) struct Postgres {
    cluster: Option<Cluster>,
    data: PathBuf,
    _folder: TempDir,
}

impl Postgres {
    /// A new one, its schema migrated.
    pub(super) async fn start() -> Self {
        let (folder, data) = kept();
        let mut postgres = Self { cluster: None, data, _folder: folder };
        postgres.start_again().await;
        let cluster = postgres.cluster();
        cluster.prepare_roles().await.unwrap();
        cluster.create_database(DATABASE, None).await.unwrap();
        let mut owner = cluster.options_for(OWNER_ROLE, DATABASE).connect().await.unwrap();
        schema::migrate(&mut owner, APP_ROLE).await.unwrap();
        postgres
    }

    /// Starts it in the same folder, so on the same socket; it recovers from its write-ahead log.
    pub(super) async fn start_again(&mut self) {
        // Postgres' defaults write what is not waited for at the latest after 200 ms, so that most of what a crash
        // would cost a server that does not wait is saved by chance. These make nobody but a COMMIT that waits write
        // it, and matter to no such COMMIT.
        let settings = [("wal_writer_delay", "10s"), ("wal_writer_flush_after", "1GB")];
        let options = ClusterOptions {
            durability: Durability::Durable,
            settings: settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            ..options(DataDir::Kept(self.data.clone()))
        };
        assert!(self.cluster.is_none(), "it runs already");
        self.cluster = Some(Cluster::start(options).await.unwrap());
    }

    fn cluster(&self) -> &Cluster {
        self.cluster.as_ref().expect("it runs")
    }

    /// How servers connect: as the runtime role.
    pub(super) fn app(&self) -> PgConnectOptions {
        self.cluster().options_for(APP_ROLE, DATABASE)
    }

    pub(super) async fn superuser(&self) -> PgConnection {
        self.cluster().connect_options(DATABASE).connect().await.unwrap()
    }

    /// Kills it and all its processes, so that what only its memory held is gone.
    pub(super) async fn kill(&mut self) {
        let cluster = self.cluster.take().expect("it runs");
        let postmaster = cluster.pid();
        // Stopped first: it starts nothing any more while its processes are looked for, and learns nothing of their end.
        signal(postmaster, Signal::STOP);
        until("it to be stopped", || stat(postmaster).is_some_and(|(state, _)| state == "T")).await;
        let started = started_by(postmaster);
        assert!(!started.is_empty(), "a Postgres that runs has started others");
        for process in &started {
            signal(*process, Signal::KILL);
        }
        signal(postmaster, Signal::KILL);
        cluster.ended().await;
        cluster.stop().await.unwrap();
        until("its processes to end", || started.iter().all(|process| has_ended(*process))).await;
    }

    pub(super) async fn stop(mut self) {
        self.cluster.take().expect("it runs").stop().await.unwrap();
    }
}

fn signal(process: u32, signal: Signal) {
    let process = Pid::from_raw(process.try_into().unwrap()).unwrap();
    // One that ended by itself in the meantime is as good as killed.
    let _ = rustix::process::kill_process(process, signal);
}

/// The processes of this parent.
fn started_by(parent: u32) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap();
    let all = all.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    all.filter(|process| stat(*process).is_some_and(|(_, of)| of == parent)).collect()
}

/// Ended, whether or not anybody has taken note of it.
fn has_ended(process: u32) -> bool {
    stat(process).is_none_or(|(state, _)| state == "Z" || state == "X")
}

/// A process' state and parent.
fn stat(process: u32) -> Option<(String, u32)> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may hold anything.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}
