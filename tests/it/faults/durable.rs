//! A private Postgres that keeps what it confirmed, and can be killed with everything it started.

use std::path::PathBuf;

use memory_lifecycle::embedded::{APP_ROLE, Cluster, ClusterOptions, DataDir, Durability, OWNER_ROLE};
use memory_lifecycle::storage::schema;
use rustix::process::Signal;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, PgConnection};
use tempfile::TempDir;

use crate::embedded::{kept, options, until};
use crate::harness::processes::{has_ended, is_stopped, signal, started_by};

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
        until("it to be stopped", || is_stopped(postmaster)).await;
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
