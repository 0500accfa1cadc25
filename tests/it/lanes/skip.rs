//! A tenant whose head somebody holds makes nobody else wait.

use memory_lifecycle::proto::v1::ForgetMode;
use tokio::task::JoinSet;
use tonic::Code;

use super::direct::{self, Direct, command, remember};
use super::stranger::Stranger;
use super::{let_all_run, one_lane, until_waiting};
use crate::harness::{Database, Server, reason};

#[tokio::test]
async fn a_held_head_stalls_its_own_tenant_only() {
    let database = Database::migrated().await;
    let server = Server::start_with(&database, one_lane()).await;
    let (held, free) = (server.caller_of("held", "agent"), server.caller_of("free", "agent"));
    held.remember("memory", "content").await.unwrap();
    let holder = Stranger::holding_head(&database, "held").await;
    let waiter = {
        let held = held.clone();
        tokio::spawn(async move { held.forget("memory", ForgetMode::Soft).await })
    };
    until_waiting(&database).await;
    for number in 0..20 {
        free.remember(&format!("memory-{number}"), "content").await.unwrap();
    }
    // Reads need no head.
    held.get("memory").await.unwrap();
    assert!(!waiter.is_finished(), "the head is still held");
    holder.let_go().await;
    assert_eq!(waiter.await.unwrap().unwrap().archived, 1);
}

#[tokio::test]
async fn retries_behind_a_held_head_fail_fast_and_leave_room() {
    let database = Database::migrated().await;
    let server = Server::start_with(&database, one_lane()).await;
    let held = server.caller_of("held", "agent");
    held.remember("memory", "content").await.unwrap();
    let holder = Stranger::holding_head(&database, "held").await;
    let mut retries = JoinSet::new();
    for _ in 0..10 {
        let held = held.clone();
        retries.spawn(async move { held.forget("memory", ForgetMode::Hard).await });
    }
    until_waiting(&database).await;
    for tenant in 0..10 {
        server.caller_of(&format!("free-{tenant}"), "agent").remember("memory", "content").await.unwrap();
    }
    assert_eq!(retries.len(), 10);
    // All ten, while the head is still held: two waits of three seconds at most, for what was taken first and
    // for what queued behind it.
    let all = tokio::time::timeout(std::time::Duration::from_secs(9), retries.join_all());
    for answer in all.await.expect("they fail fast") {
        let status = answer.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::Aborted, "CONFLICT"));
    }
    holder.let_go().await;
    assert_eq!(
        held.forget("memory", ForgetMode::Hard).await.unwrap().erased,
        1,
        "none was carried out before"
    );
}

#[tokio::test]
async fn a_tenants_commands_keep_their_order() {
    let database = Database::migrated().await;
    let lanes = Direct::start(&database, direct::one_lane()).await;
    lanes.done("tenant", remember("first")).await;
    let holder = Stranger::holding_head(&database, "tenant").await;
    let ids: Vec<String> = (0..30).map(|number| format!("memory-{number:02}")).collect();
    let mut submitted = Vec::new();
    for (number, id) in ids.iter().enumerate() {
        submitted.push(lanes.submit(command("tenant", remember(id))));
        if number == 9 {
            // The first ten are in the batch that waits for the head; the others queue behind it.
            let_all_run().await;
            until_waiting(&database).await;
        }
    }
    let_all_run().await;
    holder.let_go().await;
    let mut sequences = Vec::new();
    for answer in submitted {
        sequences.push(answer.await.unwrap().unwrap().receipt.first_sequence);
    }
    assert_eq!(sequences, (2..32).collect::<Vec<i64>>());
    lanes.close().await;
}
