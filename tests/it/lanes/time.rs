//! The time of a change is the database's clock under the head's lock, and never goes back.

use memory_lifecycle::domain::Timestamp;
use memory_lifecycle::proto::v1::ForgetMode;

use super::stranger::Stranger;
use super::{one_lane, until_waiting};
use crate::harness::{Database, Server};

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
    let waited: Timestamp =
        sqlx::query_scalar("SELECT clock_timestamp()").fetch_one(&mut holder.0).await.unwrap();
    holder.let_go().await;
    let answer = waiter.await.unwrap().unwrap();
    assert!(
        micros(answer.commit_time) >= waited.timestamp_micros(),
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
