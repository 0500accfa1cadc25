//! A command whose caller left before it began is never carried out, and holds up no shutdown.

use std::time::Duration;

use super::direct::{self, Direct, command, remember};
use super::stranger::Stranger;
use super::{let_all_run, until_waiting};
use crate::harness::Database;

#[tokio::test]
async fn a_command_abandoned_before_it_began_never_runs() {
    let database = Database::migrated().await;
    let lanes = Direct::start(&database, direct::one_lane()).await;
    lanes.done("tenant", remember("first")).await;
    let holder = Stranger::holding_head(&database, "tenant").await;
    let waiting = lanes.submit(command("tenant", remember("waiting-for-the-head")));
    until_waiting(&database).await;
    let queued = lanes.submit(command("tenant", remember("queued-behind-it")));
    let_all_run().await;
    waiting.abort();
    queued.abort();
    let_all_run().await;
    holder.let_go().await;
    // In order behind the two, so that they are over once this is.
    lanes.done("tenant", remember("last")).await;
    let saved: Vec<String> =
        database.value("SELECT array_agg(memory_id ORDER BY sequence) FROM audit_records").await;
    assert_eq!(saved, ["first", "last"]);
    lanes.close().await;
}

#[tokio::test]
async fn lanes_close_when_all_that_is_left_was_abandoned() {
    let database = Database::migrated().await;
    let lanes = Direct::start(&database, direct::one_lane()).await;
    lanes.done("tenant", remember("first")).await;
    let holder = Stranger::holding_head(&database, "tenant").await;
    let waiting = lanes.submit(command("tenant", remember("waiting-for-the-head")));
    until_waiting(&database).await;
    let queued = lanes.submit(command("tenant", remember("queued-behind-it")));
    let_all_run().await;
    let closing = {
        let lanes = lanes.lanes.clone();
        tokio::spawn(async move { lanes.close().await })
    };
    let_all_run().await;
    queued.abort();
    let_all_run().await;
    holder.let_go().await;
    tokio::time::timeout(Duration::from_secs(10), closing).await.expect("they close").unwrap();
    waiting.await.unwrap().expect("what had been taken in was done");
    lanes.close().await;
}
