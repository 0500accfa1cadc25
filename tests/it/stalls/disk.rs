//! Postgres' disk is full: changes are refused as long as there is no room, and made again once there is.
//!
//! The disk is a small file system in memory. Where the tests may not mount one, which mostly takes root, they say so
//! and are skipped.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use memory_lifecycle::embedded::{Cluster, ClusterOptions, DataDir};
use sqlx::{AssertSqlSafe, ConnectOptions};
use tonic_health::pb::health_check_response::ServingStatus;

use super::load::{self, Load};
use super::pace::Pace;
use super::{LIMIT, assert_recovers, hurried};
use crate::embedded::{kept, options};
use crate::harness::server::SERVICE;
use crate::harness::{Caller, Database, Server, reason};

/// A small disk, mounted until this is dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts one for the user that Postgres' folder belongs to; none where that is not allowed.
    #[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
    fn mount(at: &Path, mebibytes: usize, like: &Path) -> Option<Self> {
        fs::create_dir(at).unwrap();
        let size = format!("size={mebibytes}m,mode=700");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(at).output();
        if !mounted.is_ok_and(|mounted| mounted.status.success()) {
            println!(
                "skipped: no small disk to fill can be mounted here; as root, with the right to mount, it can"
            );
            return None;
        }
        let disk = Self(at.to_owned());
        let owner = fs::metadata(like).unwrap();
        chown(at, Some(owner.uid()), Some(owner.gid())).unwrap();
        Some(disk)
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }

    /// Takes all room that is left.
    fn fill(&self) {
        let mut filler = fs::File::create(self.filler()).unwrap();
        for size in [1 << 20, 4096, 1] {
            loop {
                match filler.write_all(&vec![7; size]) {
                    Ok(()) => {}
                    Err(error) if error.kind() == ErrorKind::StorageFull => break,
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }

    fn free(&self) {
        fs::remove_file(self.filler()).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Changes something until that is refused because Postgres is not able to, each time in time.
async fn until_refused(pace: &Pace, caller: &Caller) {
    let refused = async {
        for number in 0.. {
            let id = format!("while-full-{number}");
            match pace.measure("Remember", caller.remember(&id, &"content ".repeat(500))).await {
                Err(status) if reason(&status) == "STORE_UNAVAILABLE" => return,
                Err(status) => assert!(load::is_of_a_stall(&reason(&status)), "{status:?}"),
                Ok(_) => {}
            }
        }
    };
    tokio::time::timeout(LIMIT, refused).await.expect("there is no room for ever more");
}

/// The service is well again, and nothing acknowledged is lost; then everything ends.
async fn recovers_and_ends(
    server: [Server; 1],
    caller: &Caller,
    mut load: Load,
    database: Database,
    cluster: Arc<Cluster>,
) {
    assert_recovers(&server[0], caller, "after").await;
    load.until_done(50).await;
    load.stop().await.verify(&server[0], &database).await;
    let [server] = server;
    server.stop().await;
    drop(database);
    Arc::into_inner(cluster).unwrap().stop().await.unwrap();
}

async fn run(cluster: &Cluster, statement: String) -> Result<(), sqlx::Error> {
    let mut connection = cluster.connect_options("postgres").connect().await?;
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await.map(drop)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_room_for_tables_changes_are_refused_until_there_is_some() {
    let (folder, data) = kept();
    let cluster = Arc::new(Cluster::start(options(DataDir::Kept(data.clone()))).await.unwrap());
    let Some(disk) = SmallDisk::mount(&folder.path().join("disk"), 32, &data.join("postgres")) else {
        return;
    };
    let database = Database::alone_in(Arc::clone(&cluster)).await;
    run(&cluster, format!("CREATE TABLESPACE small LOCATION '{}'", disk.0.display())).await.unwrap();
    run(&cluster, format!("ALTER DATABASE {} SET TABLESPACE small", database.name())).await.unwrap();
    let server = [Server::start_with(&database, hurried()).await];
    let caller = server[0].caller();
    let pace = Pace::start();
    caller.remember("before", "content").await.unwrap();
    let mut load = Load::start(&server, 4, 2, &pace);
    load.until_done(50).await;
    disk.fill();
    until_refused(&pace, &caller).await;
    pace.measure("GetMemory", caller.get("before")).await.expect("what is there can be read");
    assert_eq!(server[0].health(SERVICE).await, ServingStatus::Serving, "Postgres is there, for reads");
    disk.free();
    recovers_and_ends(server, &caller, load, database, cluster).await;
}

/// A cluster that keeps few segments of its write-ahead log.
async fn cluster_in(data: &Path) -> Cluster {
    let settings = [("min_wal_size", "32MB"), ("max_wal_size", "32MB")];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let options = ClusterOptions { settings, ..options(DataDir::Kept(data.to_owned())) };
    Cluster::start(options).await.unwrap()
}

/// Puts the write-ahead log of a cluster that is stopped onto another disk.
fn move_log(postgres: &Path, disk: &Path) {
    let log = postgres.join("pg_wal");
    let copied = Command::new("cp").arg("-a").arg(log.join(".")).arg(disk).status().unwrap();
    assert!(copied.success());
    fs::remove_dir_all(&log).unwrap();
    symlink(disk, &log).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_room_for_its_log_postgres_crashes_and_afterwards_nothing_acknowledged_is_lost() {
    let (folder, data) = kept();
    cluster_in(&data).await.stop().await.unwrap();
    let postgres = data.join("postgres");
    let Some(disk) = SmallDisk::mount(&folder.path().join("disk"), 96, &postgres) else { return };
    move_log(&postgres, &disk.0);
    let cluster = Arc::new(cluster_in(&data).await);
    let database = Database::alone_in(Arc::clone(&cluster)).await;
    let server = [Server::start_with(&database, hurried()).await];
    let caller = server[0].caller();
    let pace = Pace::start();
    let mut load = Load::start(&server, 4, 2, &pace);
    load.until_done(50).await;
    disk.fill();
    // Has Postgres begin one segment of its log after the other, until there is no room for the next.
    let crashed = async {
        while run(
            &cluster,
            "CREATE TABLE IF NOT EXISTS few (a int); INSERT INTO few VALUES (1); SELECT pg_switch_wal()"
                .to_owned(),
        )
        .await
        .is_ok()
        {}
    };
    tokio::time::timeout(LIMIT, crashed).await.expect("there is no room for ever more");
    // It cannot even recover: that takes a little room as well.
    tokio::time::timeout(LIMIT, cluster.ended()).await.expect("Postgres gives up");
    assert!(fs::read_to_string(cluster.log_file()).unwrap().contains("No space left on device"));
    server[0].until_health(SERVICE, ServingStatus::NotServing).await;
    until_refused(&pace, &caller).await;
    disk.free();
    let name = database.name().to_owned();
    drop(database);
    Arc::into_inner(cluster).unwrap().stop().await.unwrap();
    // Whoever runs Postgres starts it again; nobody does anything to the service.
    let cluster = Arc::new(cluster_in(&data).await);
    let database = Database::again_in(Arc::clone(&cluster), name);
    recovers_and_ends(server, &caller, load, database, cluster).await;
}
