//! Many who ask at once: one question for the same key, few at the same time for different ones, and no endless queue.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use memory_lifecycle::auth::{AuthFault, Cause};
use memory_lifecycle::domain::principal::Principal;
use sqlx::PgConnection;
use tokio::task::JoinHandle;

use super::stage::{
    Checked, Holder, Key, LIMIT, alice, checked, count_lookups, log_statements, make, server,
};
use crate::harness::{Database, scaled};

const REMEMBERED: Duration = Duration::from_secs(5);
const REFUSED: AuthFault = AuthFault::Unauthenticated(Cause::ApiKey);

#[tokio::test]
async fn first_uses_of_a_key_at_the_same_time_are_one_lookup() {
    let database = Database::migrated().await;
    log_statements(&database).await;
    let server = server(&database).await;
    let holder = Holder::of(&server, &make(&database, &alice()).await.text);
    let ids: Vec<_> = (0..64).map(|number| format!("memory-{number}")).collect();
    let saved = join_all(ids.iter().map(|id| holder.remember(id))).await;
    assert!(saved.iter().all(Result::is_ok), "{saved:?}");
    // What is remembered for a second can be asked for again before the last has come.
    let lookups = count_lookups(&database).await;
    assert!((1..=4).contains(&lookups), "{lookups}");
    server.stop().await;
}

/// Holds the table, so that every look-up waits.
async fn hold(stranger: &mut PgConnection) {
    sqlx::raw_sql("BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE").execute(stranger).await.unwrap();
}

/// Waits until so many sessions wait for the table; answers how many do then.
async fn waiting(database: &Database, wanted: i64) -> i64 {
    let watch = async {
        loop {
            let waiting: i64 = database
                .value(
                    "SELECT count(*) FROM pg_stat_activity
                     WHERE datname = current_database() AND wait_event_type = 'Lock'",
                )
                .await;
            if waiting >= wanted {
                return waiting;
            }
        }
    };
    tokio::time::timeout(LIMIT, watch).await.expect("look-ups wait for the table")
}

type Answer = JoinHandle<Result<Principal, AuthFault>>;

fn ask_in_the_background(checked: &Arc<Checked>, key: &Key) -> Answer {
    let (checked, text) = (Arc::clone(checked), key.text.clone());
    tokio::spawn(async move { checked.ask(&text).await })
}

#[tokio::test]
async fn made_up_names_wait_in_a_bounded_queue() {
    let database = Database::migrated().await;
    let checked = Arc::new(checked(&database, REMEMBERED).await);
    let mut stranger = database.superuser().await;
    hold(&mut stranger).await;
    let mut asked: Vec<Answer> = Vec::new();
    // Those who wait give up after a while and make room, so more are sent until one is turned away at once.
    let full = async {
        loop {
            asked.push(ask_in_the_background(&checked, &Key::made_up()));
            assert!(asked.len() < 2000, "nobody was turned away");
            tokio::task::yield_now().await;
            if asked.last().is_some_and(JoinHandle::is_finished) {
                return asked.pop().unwrap().await.unwrap();
            }
        }
    };
    let answer = tokio::time::timeout(LIMIT, full).await.expect("the queue is full at some time");
    assert_eq!(answer, Err(AuthFault::Overloaded));
    assert!(asked.len() >= 256, "{} waited", asked.len());
    sqlx::raw_sql("ROLLBACK").execute(&mut stranger).await.unwrap();
    for answer in asked {
        let answer = answer.await.unwrap();
        assert!([Err(REFUSED), Err(AuthFault::Unavailable)].contains(&answer), "{answer:?}");
    }
    assert_eq!(checked.ask(&Key::made_up().text).await, Err(REFUSED), "and there is room again");
}

#[tokio::test]
async fn keys_that_are_known_do_not_wait_behind_made_up_names() {
    let database = Database::migrated().await;
    log_statements(&database).await;
    let checked = Arc::new(checked(&database, REMEMBERED).await);
    let key = make(&database, &alice()).await;
    assert_eq!(checked.ask(&key.text).await, Ok(alice()));
    checked.hands.advance(REMEMBERED * 2);
    let mut stranger = database.superuser().await;
    hold(&mut stranger).await;
    let strangers: Vec<_> = (0..20).map(|_| ask_in_the_background(&checked, &Key::made_up())).collect();
    assert_eq!(waiting(&database, 1).await, 1, "those never heard of are looked up one at a time");
    let known = ask_in_the_background(&checked, &key);
    assert_eq!(waiting(&database, 2).await, 2);
    sqlx::raw_sql("ROLLBACK").execute(&mut stranger).await.unwrap();
    assert_eq!(known.await.unwrap(), Ok(alice()));
    for answer in strangers {
        assert_eq!(answer.await.unwrap(), Err(REFUSED));
    }
    // Postgres has the questions' parameters in the order in which it carried them out.
    let parameters = database.logged("parameters: $1 = ").await;
    let place = parameters.iter().skip(1).position(|line| line.contains(&key.id)).unwrap();
    assert!(place < 10, "it came after {place} of {}", parameters.len());
}

#[tokio::test]
async fn who_goes_away_while_a_key_is_looked_up_harms_nobody() {
    let database = Database::migrated().await;
    let checked = Arc::new(checked(&database, REMEMBERED).await);
    let mut stranger = database.superuser().await;
    for round in 0..scaled(50, 5) {
        let key = make(&database, &alice()).await;
        hold(&mut stranger).await;
        let gone = ask_in_the_background(&checked, &key);
        assert_eq!(waiting(&database, 1).await, 1);
        let patient = ask_in_the_background(&checked, &key);
        tokio::task::yield_now().await;
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        sqlx::raw_sql("ROLLBACK").execute(&mut stranger).await.unwrap();
        assert_eq!(patient.await.unwrap(), Ok(alice()), "round {round}");
        assert_eq!(checked.ask(&key.text).await, Ok(alice()));
    }
}
