//! The time of a change is the database's clock under the head's lock, and never goes back.

use memory_lifecycle::domain::Timestamp;
use memory_lifecycle::domain::policy::Retention;
use memory_lifecycle::proto::v1::{ForgetMode, Outcome};

use super::stranger::Stranger;
use super::{one_lane, until_waiting};
use crate::harness::{Database, Server, ServerSettings};

fn micros(time: Option<prost_types::Timestamp>) -> i64 {
    let time = time.unwrap();
    time.seconds * 1_000_000 + i64::from(time.nanos) / 1000
}

#[tokio::test]
async fn a_change_that_waited_has_the_time_after_the_wait() {
    let database = Database::migrated().await;
    let server = Server::start_with(&database, one_lane()).await;
    server.caller().remember("memory", "content").await.unwrap();
    let mut holder = Stranger::holding_head(&database, "default").await;
    let caller = server.caller();
    let waiter = tokio::spawn(async move { caller.forget("memory", ForgetMode::Soft).await });
    until_waiting(&database).await;
    let after_wait: Timestamp =
        sqlx::query_scalar("SELECT clock_timestamp()").fetch_one(&mut holder.0).await.unwrap();
    holder.let_go().await;
    let answer = waiter.await.unwrap().unwrap();
    assert!(
        micros(answer.commit_time) >= after_wait.timestamp_micros(),
        "not the time of BEGIN, before the wait"
    );
    assert_eq!(micros(answer.results[0].forget_time), micros(answer.commit_time));
}

#[tokio::test]
async fn no_record_is_before_the_one_before_it() {
    let database = Database::migrated().await;
    let server = Server::start_with(&database, one_lane()).await;
    let caller = server.caller();
    caller.remember("memory", "content").await.unwrap();
    // As after a fail-over to a machine whose clock is an hour behind.
    database.execute("UPDATE tenants SET last_time = last_time + interval '1 hour'").await;
    let last: Timestamp = database.value("SELECT last_time FROM tenants").await;
    let forgotten = caller.forget("memory", ForgetMode::Soft).await.unwrap();
    assert_eq!(micros(forgotten.commit_time), last.timestamp_micros());
    let restored = caller.restore(&["memory"]).await.unwrap();
    assert_eq!(micros(restored.commit_time), last.timestamp_micros());
    super::verified_log(&server, &database, "default").await;
}

#[tokio::test]
async fn what_is_past_its_purge_time_is_erased_before_a_command_meets_it() {
    let database = Database::migrated().await;
    let retention = Retention::For(chrono::TimeDelta::seconds(1));
    let server = Server::start_with(&database, ServerSettings { retention, ..one_lane() }).await;
    let caller = server.caller();
    caller.remember("memory", "content").await.unwrap();
    caller.forget("memory", ForgetMode::Soft).await.unwrap();
    // On the database's own clock; the sweeper comes in an hour.
    database.execute("SELECT pg_sleep_until(purge_time) FROM memories").await;
    let restored = caller.restore(&["memory"]).await.unwrap();
    assert_eq!(restored.results[0].outcome(), Outcome::NotFound);
    caller.remember("memory", "content").await.unwrap();
    let actions: Vec<i16> =
        database.value("SELECT array_agg(action ORDER BY sequence) FROM audit_records").await;
    assert_eq!(actions, [1, 2, 5, 1], "expired, and the id free again");
}
