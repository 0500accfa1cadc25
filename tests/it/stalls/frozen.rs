//! Postgres is stopped, as by a machine that is suspended, and goes on.

use std::sync::Arc;

use memory_lifecycle::embedded::{Cluster, DataDir};
use rustix::process::{Pid, Signal, kill_process};
use tonic_health::pb::health_check_response::ServingStatus;

use super::load::Load;
use super::pace::Pace;
use super::probe::{CHANGES, READS, all_calls, assert_answers, prepare};
use super::{assert_recovers, hurried};
use crate::harness::server::SERVICE;
use crate::harness::{Database, Server, scaled};

/// All processes of a Postgres, stopped until this is dropped.
struct Frozen(Vec<Pid>);

impl Frozen {
    fn stop(postmaster: u32) -> Self {
        let parent = Pid::from_raw(postmaster.try_into().unwrap()).unwrap();
        // The parent first: from then on there are no new children.
        let mut frozen = Self(vec![parent]);
        kill_process(parent, Signal::STOP).unwrap();
        while stat(parent.as_raw_nonzero().get()).is_some_and(|(state, _)| state != "T") {
            std::thread::yield_now();
        }
        for child in children(postmaster) {
            // It may have ended meanwhile.
            if kill_process(child, Signal::STOP).is_ok() {
                frozen.0.push(child);
            }
        }
        frozen
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        for pid in self.0.iter().rev() {
            let _ = kill_process(*pid, Signal::CONT);
        }
    }
}

fn children(parent: u32) -> Vec<Pid> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| stat(*pid).is_some_and(|(_, of)| of == parent)).filter_map(Pid::from_raw).collect()
}

/// A process's state and parent.
fn stat(pid: i32) -> Option<(String, u32)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Behind the name, which may hold anything.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_postgres_is_stopped_every_call_is_answered_in_time_and_afterwards_all_is_well() {
    let cluster = Arc::new(Cluster::start(crate::embedded::options(DataDir::Temporary)).await.unwrap());
    let database = Database::alone_in(Arc::clone(&cluster)).await;
    let server = [Server::start_with(&database, hurried()).await];
    let caller = server[0].caller();
    let pace = Pace::start();
    let mut load = Load::start(&server, 8, 2, &pace);
    for round in 0..scaled(12, 1) {
        prepare(&caller, &format!("probe-{round}")).await;
        load.until_done(60).await;
        let frozen = Frozen::stop(cluster.pid());
        let answers = all_calls(&pace, &caller, &format!("probe-{round}")).await;
        for calls in [&CHANGES[..], &READS[..]] {
            assert_answers(&answers, calls, &["DEADLINE_EXCEEDED", "STORE_UNAVAILABLE"]);
        }
        server[0].until_health(SERVICE, ServingStatus::NotServing).await;
        assert_eq!(server[0].health("").await, ServingStatus::Serving, "the process itself is well");
        drop(frozen);
        assert_recovers(&server[0], &caller, &format!("after-{round}")).await;
    }
    load.until_done(60).await;
    let outcomes = load.stop().await;
    assert!(outcomes.refused.contains_key("DEADLINE_EXCEEDED"), "{:?}", outcomes.refused);
    outcomes.verify(&server[0], &database).await;
    let [server] = server;
    server.stop().await;
}
