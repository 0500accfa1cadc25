//! A stranger at the database holds what the service needs: a tenant's head, a table, a memory's row.

use super::pace::Pace;
use super::probe::{self, Answers, CHANGES, READS, all_calls, assert_answers};
use super::{DEADLINE, LIMIT, assert_nothing_half_done, assert_recovers, hurried};
use crate::harness::{Caller, Database, Server, reason, settings};
use crate::lanes::stranger::Stranger;
use crate::lanes::verified_log;

/// Makes one call of every sort while a stranger's transaction holds something, and afterwards checks that all is well.
async fn while_held(statement: &str) -> Answers {
    let database = Database::migrated().await;
    let server = Server::start_with(&database, hurried()).await;
    let caller = server.caller();
    let pace = Pace::start();
    probe::prepare(&caller, "probe").await;
    let mut stranger = Stranger(database.superuser().await);
    stranger.run(&format!("BEGIN; {statement}")).await;
    let answers = all_calls(&pace, &caller, "probe").await;
    // Again, now that the first ones' transactions wait before these.
    let again = all_calls(&pace, &caller, "probe").await;
    for call in CHANGES.iter().filter(|call| answers[*call] != "OK") {
        assert_answers(&again, &[call], &["DEADLINE_EXCEEDED", "CONFLICT"]);
    }
    stranger.let_go().await;
    assert_recovers(&server, &caller, "after").await;
    assert_nothing_half_done(&database).await;
    verified_log(&server, &database, "default").await;
    server.stop().await;
    answers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_held_by_a_stranger_holds_up_changes_to_their_deadline_and_reads_not_at_all() {
    let answers = while_held("SELECT FROM tenants WHERE tenant_id = 'default' FOR UPDATE").await;
    assert_answers(&answers, &CHANGES, &["DEADLINE_EXCEEDED"]);
    assert_answers(&answers, &READS, &["OK"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_locked_by_a_stranger_holds_up_whoever_needs_it_to_their_deadline() {
    let answers = while_held("LOCK TABLE memories IN ACCESS EXCLUSIVE MODE").await;
    let needs_no_memory = ["GetOperation", "ListAuditRecords", "ListOperations"];
    for calls in [&CHANGES[..], &READS[..]] {
        let needing: Vec<&str> =
            calls.iter().copied().filter(|call| !needs_no_memory.contains(call)).collect();
        assert_answers(&answers, &needing, &["DEADLINE_EXCEEDED"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_locked_by_a_stranger_holds_up_changes_to_their_deadline_and_reads_not_at_all() {
    let answers = while_held("SELECT FROM memories WHERE memory_id = 'probe-forget' FOR UPDATE").await;
    assert_answers(&answers, &["Forget"], &["DEADLINE_EXCEEDED"]);
    assert_answers(&answers, &READS, &["OK"]);
}

/// What callers with time to spare are told when a lock is not to be had.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_has_time_is_told_what_the_contract_names() {
    let database = Database::migrated().await;
    let server = Server::start_with(&database, settings()).await;
    let caller: Caller = server.caller();
    caller.remember("memory", "content").await.unwrap();
    let mut stranger = Stranger(database.superuser().await);
    stranger.run("BEGIN; LOCK TABLE memories IN ACCESS EXCLUSIVE MODE").await;
    let both = async { tokio::join!(caller.remember("never", "content"), caller.get("memory")) };
    let (change, read) = tokio::time::timeout(LIMIT, both).await.expect("nobody waits for ever");
    assert_eq!(reason(&change.unwrap_err()), "CONFLICT");
    // A read has no conflict: it names what any call can answer.
    assert_eq!(reason(&read.unwrap_err()), "DEADLINE_EXCEEDED");
    stranger.let_go().await;
    assert!(server_is_quick(&caller).await, "it is as if nothing had been");
    assert_eq!(reason(&caller.get("never").await.unwrap_err()), "MEMORY_NOT_FOUND");
}

async fn server_is_quick(caller: &Caller) -> bool {
    tokio::time::timeout(DEADLINE * 5, caller.remember("after", "content"))
        .await
        .is_ok_and(|saved| saved.is_ok())
}
