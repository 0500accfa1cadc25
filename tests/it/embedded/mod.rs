//! The private Postgres: starting, reusing, crashing, stopping, downloading.

mod crash;
mod download;
mod start;

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use memory_lifecycle::embedded::{Cluster, ClusterOptions, DataDir, Durability};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use tempfile::TempDir;

/// Longer than anything here takes.
const LIMIT: Duration = Duration::from_mins(1);

/// A fast cluster in `data_dir`.
pub fn options(data_dir: DataDir) -> ClusterOptions {
    ClusterOptions {
        data_dir,
        durability: Durability::FastAndLoose,
        download_url: None,
        ..ClusterOptions::default()
    }
}

/// A folder that Postgres' user can reach, whoever runs the tests, and a path in it that does not exist.
pub fn kept() -> (TempDir, PathBuf) {
    let dir = tempfile::Builder::new().prefix("ml-").tempdir().unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o711)).unwrap();
    let data = dir.path().join("data");
    (dir, data)
}

/// One text from the superuser's database.
async fn ask(cluster: &Cluster, query: &str) -> String {
    let mut connection = cluster.connect_options("postgres").connect().await.unwrap();
    let answer =
        sqlx::query_scalar(AssertSqlSafe(query.to_owned())).fetch_one(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    answer
}

/// Runs statements in the superuser's database.
async fn run(cluster: &Cluster, statements: &str) {
    let mut connection = cluster.connect_options("postgres").connect().await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(statements.to_owned())).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

/// Waits until something is so, and fails when it never becomes so.
pub async fn until(what: &str, mut so: impl FnMut() -> bool) {
    let poll = async {
        let mut looks = tokio::time::interval(Duration::from_millis(20));
        while !so() {
            looks.tick().await;
        }
    };
    assert!(tokio::time::timeout(LIMIT, poll).await.is_ok(), "waited in vain: {what}");
}

/// Whether a process is there (also as a zombie).
pub fn alive(pid: u32) -> bool {
    let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
    !matches!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH))
}

/// Kills a process without giving it a chance to clean up.
pub fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// The data folder below which Postgres keeps its own files.
fn pgdata(data: &Path) -> PathBuf {
    data.join("postgres")
}
