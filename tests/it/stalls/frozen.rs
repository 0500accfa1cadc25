//! Postgres is stopped, as by a machine that is suspended, and goes on.

use std::sync::Arc;

use memory_lifecycle::embedded::{Cluster, DataDir};
use rustix::process::Signal;
use tonic_health::pb::health_check_response::ServingStatus;

use super::load::Load;
use super::pace::Pace;
use super::probe::{CHANGES, READS, all_calls, assert_answers, prepare};
use super::{assert_recovers, hurried};
use crate::embedded::until;
use crate::harness::processes::{is_stopped, signal, started_by};
use crate::harness::server::SERVICE;
use crate::harness::{Database, Server, scaled};

/// All processes of a Postgres, stopped until this is dropped.
struct Frozen(Vec<u32>);

impl Frozen {
    async fn stop(postmaster: u32) -> Self {
        // The parent first: from then on there are no new children.
        let mut frozen = Self(vec![postmaster]);
        signal(postmaster, Signal::STOP);
        until("it to be stopped", || is_stopped(postmaster)).await;
        for child in started_by(postmaster) {
            frozen.0.push(child);
            signal(child, Signal::STOP);
        }
        frozen
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        for process in self.0.iter().rev() {
            signal(*process, Signal::CONT);
        }
    }
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
        let frozen = Frozen::stop(cluster.pid()).await;
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
