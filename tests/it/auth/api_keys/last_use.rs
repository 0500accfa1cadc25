//! When keys were last used: written down, at most once a minute, never backwards, and at the end.

use std::sync::Arc;
use std::time::Duration;

use memory_lifecycle::domain::Timestamp;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::stage::{Checked, Holder, Key, LIMIT, alice, alter, checked, log_statements, make, server};
use crate::harness::Database;

async fn last_use(database: &Database, key: &Key) -> Option<Timestamp> {
    sqlx::query_scalar("SELECT last_use_time FROM api_keys WHERE key_id = $1")
        .bind(&key.id)
        .fetch_one(&mut database.superuser().await)
        .await
        .unwrap()
}

/// Waits until something else than this is written down.
async fn written_after(database: &Database, key: &Key, before: Option<Timestamp>) -> Timestamp {
    let mut connection = database.superuser().await;
    let watch = async {
        loop {
            let statement = "SELECT last_use_time FROM api_keys WHERE key_id = $1";
            let found: Option<Timestamp> =
                sqlx::query_scalar(statement).bind(&key.id).fetch_one(&mut connection).await.unwrap();
            if let Some(found) = found.filter(|found| Some(*found) != before) {
                return found;
            }
        }
    };
    tokio::time::timeout(LIMIT, watch).await.expect("the use is written down")
}

/// Starts writing down; ends when the token is cancelled.
fn keep(checked: &Checked) -> (CancellationToken, JoinHandle<()>) {
    let (stop, authenticator) = (CancellationToken::new(), checked.authenticator.clone());
    let until = stop.clone();
    (stop, tokio::spawn(async move { authenticator.keep(until).await }))
}

#[tokio::test]
async fn a_use_is_written_down_at_most_once_a_minute() {
    let database = Database::migrated().await;
    let checked = checked(&database, Duration::from_hours(24)).await;
    let (key, mark) = (make(&database, &alice()).await, make(&database, &alice()).await);
    let (stop, keeping) = keep(&checked);
    checked.ask(&key.text).await.unwrap();
    let first = written_after(&database, &key, None).await;

    checked.hands.advance(Duration::from_secs(59));
    checked.ask(&key.text).await.unwrap();
    checked.ask(&mark.text).await.unwrap();
    // Whatever was due was written down together with the other key's use.
    written_after(&database, &mark, None).await;
    assert_eq!(last_use(&database, &key).await, Some(first));

    checked.hands.advance(Duration::from_secs(1));
    let second = written_after(&database, &key, Some(first)).await;
    assert!(second > first);
    stop.cancel();
    keeping.await.unwrap();
}

#[tokio::test]
async fn what_is_not_written_down_yet_is_at_the_end_and_no_time_goes_back() {
    let database = Database::migrated().await;
    log_statements(&database).await;
    let checked = Arc::new(checked(&database, Duration::from_hours(24)).await);
    let (key, ahead, refused) =
        (make(&database, &alice()).await, make(&database, &alice()).await, Key::made_up());
    let (stop, keeping) = keep(&checked);
    checked.ask(&key.text).await.unwrap();
    let first = written_after(&database, &key, None).await;
    alter(&database, &ahead, "last_use_time = now() + interval '1 hour'").await;
    let future = last_use(&database, &ahead).await;
    checked.ask(&key.text).await.unwrap();
    checked.ask(&ahead.text).await.unwrap();
    checked.ask(&refused.text).await.unwrap_err();
    stop.cancel();
    keeping.await.unwrap();
    assert!(last_use(&database, &key).await > Some(first), "though the minute is not over");
    assert_eq!(last_use(&database, &ahead).await, future, "another replica knows of a later use");
    let statements = database.logged("note_api_key_uses").await;
    assert!((2..=3).contains(&statements.len()), "a statement for all of them: {statements:#?}");
    assert!(database.logged(&refused.id).await.iter().all(|line| !line.contains("note_api_key_uses")));
}

#[tokio::test]
async fn what_could_not_be_written_down_is_later() {
    let database = Database::migrated().await;
    let checked = checked(&database, Duration::from_hours(24)).await;
    let key = make(&database, &alice()).await;
    checked.ask(&key.text).await.unwrap();
    checked.store.set_usable(false);
    let (stop, keeping) = keep(&checked);
    stop.cancel();
    keeping.await.unwrap();
    assert_eq!(last_use(&database, &key).await, None);
    checked.store.set_usable(true);
    let (stop, keeping) = keep(&checked);
    written_after(&database, &key, None).await;
    stop.cancel();
    keeping.await.unwrap();
}

#[tokio::test]
async fn a_server_writes_down_the_use_of_a_key() {
    let database = Database::migrated().await;
    let server = server(&database).await;
    let key = make(&database, &alice()).await;
    Holder::of(&server, &key.text).remember("first").await.unwrap();
    server.stop().await;
    assert!(last_use(&database, &key).await.is_some(), "at the latest when it stops");
}
