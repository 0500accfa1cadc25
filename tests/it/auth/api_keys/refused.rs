//! What is no key, or no longer one: the same answer, whatever the reason.

use std::time::Duration;

use memory_lifecycle::auth::api_key::ApiKey;
use sha2::{Digest, Sha256};
use tonic::{Code, Status};

use super::stage::{Holder, Key, LIMIT, alice, alter, keys_for, make, make_for, server};
use crate::harness::{Database, Server, reason, settings};

const WORDS: &str = "the API key is unknown, was revoked or has expired";

/// Fails unless the holder was refused, and in the words for all.
fn assert_refused(answer: Result<impl std::fmt::Debug, Status>, what: &str) {
    let status = answer.expect_err(what);
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::Unauthenticated, "UNAUTHENTICATED"),
        "{what}"
    );
    assert!(status.message().contains(WORDS), "{what}: {}", status.message());
}

/// A key put together of a name and a secret, with the right characters at the end.
fn put_together(id: &str, secret: &str) -> String {
    let body = format!("mlk_{id}_{secret}");
    let alphabet = b"abcdefghijklmnopqrstuvwxyz234567";
    let check = Sha256::digest(body.as_bytes()).iter().take(8).fold(String::new(), |mut text, byte| {
        text.push(char::from(alphabet[usize::from(byte % 32)]));
        text
    });
    let text = format!("{body}_{check}");
    assert!(ApiKey::parse(&text).is_some(), "it is well-formed");
    text
}

#[tokio::test]
async fn what_is_no_key_is_refused_in_the_same_words() {
    let database = Database::migrated().await;
    let server = server(&database).await;
    let (key, other) = (make(&database, &alice()).await, make(&database, &alice()).await);
    let last = key.text.chars().last().unwrap();
    let slipped = format!("{}{}", &key.text[..key.text.len() - 1], if last == 'a' { 'b' } else { 'a' });
    let cases = [
        ("unknown", Key::made_up().text),
        ("wrong secret", put_together(&key.id, Key::made_up().secret())),
        ("another key's name", put_together(&other.id, key.secret())),
        ("unknown name with a good secret", put_together(&Key::made_up().id, key.secret())),
        ("wrong checksum", slipped),
        ("cut off", key.text[..key.text.len() - 9].to_owned()),
        ("cut off early", key.text[..20].to_owned()),
        ("the prefix alone", "mlk_".to_owned()),
        ("upper case", format!("mlk_{}", key.text[4..].to_uppercase())),
        ("twice", format!("{}{}", key.text, key.text)),
    ];
    // Before the key itself was ever used, and after: then it is remembered.
    for round in 0..2 {
        for (what, text) in &cases {
            assert_refused(Holder::of(&server, text).remember(&format!("never-{round}")).await, what);
        }
        let holder = Holder::of(&server, &key.text);
        holder.remember(&format!("memory-{round}")).await.expect("the control: the key itself is good");
    }
    let count: i64 = database.value("SELECT count(*) FROM audit_records").await;
    assert_eq!(count, 2, "nothing was changed by those who were refused");
    server.stop().await;
}

#[tokio::test]
async fn a_key_is_refused_once_it_is_revoked_though_it_is_remembered() {
    let database = Database::migrated().await;
    let server = server(&database).await;
    let (key, other) = (make(&database, &alice()).await, make(&database, &alice()).await);
    let (holder, kept) = (Holder::of(&server, &key.text), Holder::of(&server, &other.text));
    holder.remember("first").await.unwrap();
    alter(&database, &key, "revoke_time = now()").await;
    let refused = async {
        loop {
            match holder.get("first").await {
                Ok(_) => tokio::task::yield_now().await,
                refused => return refused,
            }
        }
    };
    let refused = tokio::time::timeout(LIMIT, refused).await.expect("it is refused in the end");
    assert_refused(refused, "revoked");
    assert_refused(holder.get("first").await, "and it stays so");
    kept.get("first").await.expect("another key of the same principal is not touched");
    server.stop().await;
}

#[tokio::test]
async fn a_key_that_was_revoked_or_has_expired_before_its_first_use_is_refused() {
    let database = Database::migrated().await;
    let server = server(&database).await;
    let revoked = make(&database, &alice()).await;
    alter(&database, &revoked, "revoke_time = now()").await;
    let expired = make_for(&database, &alice(), Some(Duration::from_hours(1))).await;
    let past = "create_time = create_time - interval '2 hours', expire_time = now() - interval '1 second'";
    alter(&database, &expired, past).await;
    let good = make_for(&database, &alice(), Some(Duration::from_hours(1))).await;
    assert_refused(Holder::of(&server, &revoked.text).remember("never").await, "revoked");
    assert_refused(Holder::of(&server, &expired.text).remember("never").await, "expired");
    Holder::of(&server, &good.text).remember("first").await.expect("the control: one that expires later");
    server.stop().await;
}

#[tokio::test]
async fn a_key_that_cannot_be_looked_up_is_neither_accepted_nor_refused() {
    let away = sqlx::postgres::PgConnectOptions::new_without_pgpass().host("127.0.0.1").port(1);
    let server = Server::start_unready_accepting(away, settings(), keys_for(Duration::from_secs(1))).await;
    let status = Holder::of(&server, &Key::made_up().text).remember("never").await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Unavailable, "STORE_UNAVAILABLE"));
    // What is ill-formed needs no database to be refused.
    assert_refused(Holder::of(&server, "mlk_garbage").remember("never").await, "garbage");
    server.stop().await;
}
