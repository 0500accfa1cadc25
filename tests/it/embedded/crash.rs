//! What crashes leave behind, and that they leave no Postgres. `process::crash` kills the owner itself.

use std::process::Command;

use memory_lifecycle::embedded::{Cluster, DataDir};

use super::{alive, ask, kept, kill, options, pgdata, run, until};

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
