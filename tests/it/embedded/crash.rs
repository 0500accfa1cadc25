//! What crashes leave behind, and that they leave no Postgres.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use memory_lifecycle::embedded::{Cluster, DataDir};

use super::{alive, ask, kept, kill, options, pgdata, run, until};

/// Tells [`owner_process`] where to report to, and that it is meant.
const REPORT: &str = "MEMORY_LIFECYCLE_TEST_OWNER_REPORT";

/// Tells [`owner_process`] its data folder; a temporary one without.
const DATA: &str = "MEMORY_LIFECYCLE_TEST_OWNER_DATA";

#[tokio::test]
#[ignore = "the process that other tests start and kill"]
async fn owner_process() {
    let Some(report) = std::env::var_os(REPORT).map(PathBuf::from) else { return };
    let data_dir = std::env::var_os(DATA).map_or(DataDir::Temporary, |dir| DataDir::Kept(dir.into()));
    let cluster = Cluster::start(options(data_dir)).await.unwrap();
    let unfinished = report.with_extension("unfinished");
    std::fs::write(&unfinished, format!("{}\n{}", cluster.pid(), cluster.data_dir().display())).unwrap();
    std::fs::rename(unfinished, report).unwrap();
    std::future::pending::<()>().await;
}

/// Starts an owner in another process, kills it, and returns what it reported: Postgres' process id and data folder.
async fn killed_owner(data: Option<&PathBuf>) -> (u32, PathBuf) {
    let (guard, report) = kept();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "embedded::crash::owner_process"]).env(REPORT, &report);
    if let Some(data) = data {
        command.env(DATA, data);
    }
    let mut owner = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    until("the owner's report", || report.exists()).await;
    let text = std::fs::read_to_string(&report).unwrap();
    let (pid, dir) = text.split_once('\n').unwrap();
    let pid = pid.parse().unwrap();
    assert!(alive(pid));
    kill(owner.id());
    owner.wait().unwrap();
    drop(guard);
    (pid, dir.into())
}

#[tokio::test]
async fn a_killed_owner_leaves_no_postgres_and_no_temporary_folder() {
    let (pid, dir) = killed_owner(None).await;
    until("Postgres to end", || !alive(pid)).await;
    until("the folder to go", || !dir.exists()).await;
}

#[tokio::test]
async fn the_folder_of_a_killed_owner_serves_at_once() {
    let (_guard, data) = kept();
    let (pid, _) = killed_owner(Some(&data)).await;
    // No waiting here: Postgres may still be shutting down.
    let next = Cluster::start(options(DataDir::Kept(data))).await.unwrap();
    assert_ne!(next.pid(), pid);
    assert_eq!(ask(&next, "SELECT 'served'").await, "served");
    next.stop().await.unwrap();
}

#[tokio::test]
async fn a_dropped_cluster_ends() {
    let cluster = Cluster::start(options(DataDir::Temporary)).await.unwrap();
    let (pid, dir) = (cluster.pid(), cluster.data_dir().to_owned());
    drop(cluster);
    until("Postgres to end", || !alive(pid)).await;
    until("the folder to go", || !dir.exists()).await;
}

#[tokio::test]
async fn a_killed_postgres_is_noticed_and_recovers() {
    let (_guard, data) = kept();
    let first = Cluster::start(options(DataDir::Kept(data.clone()))).await.unwrap();
    run(&first, "CREATE TABLE kept AS SELECT 'committed' AS word").await;
    kill(first.pid());
    let ended = first.ended().await.to_string();
    assert!(ended.starts_with("Postgres has ended (exit status 137)"), "{ended}");
    first.stop().await.unwrap();
    // Its pid file and its socket are still there.
    assert!(pgdata(&data).join("postmaster.pid").exists());
    assert!(data.join("socket/.s.PGSQL.5432").exists());
    let second = Cluster::start(options(DataDir::Kept(data))).await.unwrap();
    assert_eq!(ask(&second, "SELECT word FROM kept").await, "committed");
    second.stop().await.unwrap();
}

#[tokio::test]
async fn a_process_id_that_now_belongs_to_another_process_does_not_hinder() {
    let (_guard, data) = kept();
    Cluster::start(options(DataDir::Kept(data.clone()))).await.unwrap().stop().await.unwrap();
    let mut stranger = Command::new("sleep").arg("600").spawn().unwrap();
    let text = format!("{}\n{}\n0\n5432\n\n\n", stranger.id(), pgdata(&data).display());
    std::fs::write(pgdata(&data).join("postmaster.pid"), &text).unwrap();
    std::fs::write(data.join("socket/.s.PGSQL.5432.lock"), &text).unwrap();
    std::fs::write(data.join("socket/.s.PGSQL.5432"), "").unwrap();
    std::fs::create_dir_all(data.join("postgres.new/half")).unwrap();
    let cluster = Cluster::start(options(DataDir::Kept(data))).await.unwrap();
    assert_eq!(ask(&cluster, "SELECT 'served'").await, "served");
    cluster.stop().await.unwrap();
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}
