//! For how long the database's word is believed, by a clock that the test moves.

use std::time::Duration;

use memory_lifecycle::auth::{AuthFault, Cause};

use super::stage::{Key, alice, alter, checked, count_lookups, log_statements, make, make_for};
use crate::harness::Database;

const REMEMBERED: Duration = Duration::from_secs(5);
const REFUSED: AuthFault = AuthFault::Unauthenticated(Cause::ApiKey);

#[tokio::test]
async fn what_the_database_said_is_believed_for_as_long_as_it_says_and_no_longer() {
    let database = Database::migrated().await;
    log_statements(&database).await;
    let checked = checked(&database, REMEMBERED).await;
    let key = make(&database, &alice()).await;
    assert_eq!(checked.ask(&key.text).await, Ok(alice()));
    alter(&database, &key, "revoke_time = now()").await;
    checked.hands.advance(REMEMBERED);
    assert_eq!(checked.ask(&key.text).await, Ok(alice()), "not asked again so soon");
    assert_eq!(count_lookups(&database).await, 1);
    checked.hands.advance(Duration::from_micros(1));
    assert_eq!(checked.ask(&key.text).await, Err(REFUSED));
    assert_eq!(count_lookups(&database).await, 2);
}

#[tokio::test]
async fn a_key_expires_while_it_is_remembered() {
    let database = Database::migrated().await;
    log_statements(&database).await;
    let checked = checked(&database, Duration::from_hours(24)).await;
    let key = make_for(&database, &alice(), Some(Duration::from_hours(2))).await;
    assert_eq!(checked.ask(&key.text).await, Ok(alice()));
    checked.hands.advance(Duration::from_hours(1));
    assert_eq!(checked.ask(&key.text).await, Ok(alice()));
    checked.hands.advance(Duration::from_hours(1));
    assert_eq!(checked.ask(&key.text).await, Err(REFUSED));
    assert_eq!(count_lookups(&database).await, 1, "no need to ask");
}

#[tokio::test]
async fn a_refused_key_is_not_looked_up_again_for_a_while() {
    let database = Database::migrated().await;
    log_statements(&database).await;
    let checked = checked(&database, REMEMBERED).await;
    let unknown = Key::made_up();
    for _ in 0..50 {
        assert_eq!(checked.ask(&unknown.text).await, Err(REFUSED));
    }
    assert_eq!(count_lookups(&database).await, 1);
    checked.hands.advance(REMEMBERED + Duration::from_micros(1));
    assert_eq!(checked.ask(&unknown.text).await, Err(REFUSED));
    assert_eq!(count_lookups(&database).await, 2);
}

#[tokio::test]
async fn what_is_remembered_serves_while_the_database_is_away() {
    let database = Database::migrated().await;
    let checked = checked(&database, REMEMBERED).await;
    let key = make(&database, &alice()).await;
    assert_eq!(checked.ask(&key.text).await, Ok(alice()));
    checked.store.set_usable(false);
    assert_eq!(checked.ask(&key.text).await, Ok(alice()));
    assert_eq!(checked.ask(&Key::made_up().text).await, Err(AuthFault::Unavailable));
    checked.hands.advance(REMEMBERED + Duration::from_micros(1));
    assert_eq!(checked.ask(&key.text).await, Err(AuthFault::Unavailable));
    // Nothing of it is remembered: as soon as the database is back, so is the key.
    checked.store.set_usable(true);
    assert_eq!(checked.ask(&key.text).await, Ok(alice()));
}
