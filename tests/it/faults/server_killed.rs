//! `kill -9` of the server in mid-load.

use std::time::Duration;

use tokio::sync::watch;

use super::LIMIT;
use super::actor::Way;
use super::ledger::{Sum, assert_kept};
use super::load::Load;
use crate::harness::{Database, scaled};
use crate::process::program::{Program, channel};
use crate::process::started::{serve, url};

const CALLERS: usize = 16;

async fn ready(database: &Database) -> (Program, tonic::transport::Channel) {
    let (mut program, address) = serve(&url("memory_lifecycle_app", database.name()).await).await;
    program.logged("ready: Postgres is there").await;
    (program, channel(address))
}

/// Each round kills the server at a moment at random of its work, not of its time: after so many answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_loses_nothing_acknowledged_and_leaves_nothing_half_done() {
    let rounds = scaled(200, 4);
    let database = Database::migrated().await;
    let (mut program, first) = ready(&database).await;
    let (ways, way) = watch::channel(first);
    // A server that was killed does not come back where it was, so there is no use in trying there again.
    let way = Way { channel: way, pause: LIMIT };
    let mut load = Load::start(CALLERS, &way);
    for _ in 0..rounds {
        load.more(rand::random_range(20..200)).await;
        program.kill().await;
        let next = ready(&database).await;
        program = next.0;
        ways.send_replace(next.1);
    }
    load.more(20).await;
    let ledgers = load.stop().await;
    let sum = Sum::of(&ledgers);
    println!("{rounds} kills: {sum:?}");
    assert!(sum.lost + sum.left >= rounds, "every kill met some call on its way: {sum:?}");
    assert!(rounds < 100 || sum.lost_and_done > 0, "some were lost between COMMIT and answer: {sum:?}");
    let mut superuser = database.superuser().await;
    let last = ways.borrow().clone();
    tokio::time::timeout(Duration::from_mins(2), assert_kept(&ledgers, &last, &mut superuser))
        .await
        .expect("the server answers");
    assert_eq!(program.terminate().await.code(), Some(0));
}
