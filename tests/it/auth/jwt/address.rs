//! Keys at an address: exchanged, away, slow, and anything else that an address can do.

use std::time::Duration;

use futures_util::FutureExt;
use memory_lifecycle::domain::principal::Principal;
use tonic::Code;

use super::forge::{ED, Key, claims, jwks};
use super::key_server::{Answer, KeyServer, config_at};
use super::stage::{Client, Stage, assert_refused, tokens};
use super::verifier::Verifier;
use crate::harness::{Database, Server, reason, settings};

const UNKNOWN: &str = "is signed with a key that is not known";
const NEW: Key = Key::Ed(8);
/// Longer than anything here takes.
const LIMIT: Duration = Duration::from_mins(1);

fn keys(keys: &[Key]) -> Answer {
    Answer::Text(jwks(keys))
}

fn token(key: Key) -> String {
    key.token(&claims())
}

/// A token that names a key that nobody has.
fn unknown(count: u8) -> String {
    token(Key::Ed(100 + count))
}

fn is_accepted(answer: &Result<Principal, String>) -> bool {
    answer.as_ref().is_ok_and(|principal| principal.tenant.as_str() == "acme")
}

#[tokio::test]
async fn a_new_key_is_fetched_when_a_token_names_it_and_a_withdrawn_one_is_no_longer_accepted() {
    let issuer = KeyServer::start(keys(&[ED])).await;
    let stage = Stage::with(issuer.config()).await;
    let (old, new) = (stage.client(&token(ED)), stage.client(&token(NEW)));
    old.remember("first").await.unwrap();
    assert_eq!(issuer.asked(), 1, "at the start, and not for a known key");
    issuer.answer(keys(&[NEW]));
    new.get("first").await.expect("the new key is found");
    assert_eq!(issuer.asked(), 2);
    assert_refused(&old.get("first").await.unwrap_err(), &token(ED), "withdrawn", UNKNOWN);
    assert_eq!(issuer.asked(), 2, "it was asked a moment ago");
    stage.server.stop().await;
}

#[tokio::test]
async fn unknown_keys_are_asked_for_once_in_thirty_seconds_however_many_there_are() {
    let issuer = KeyServer::start(keys(&[ED])).await;
    let verifier = Verifier::start(issuer.config()).await;
    for (round, asked) in [(0, 2), (1, 3)] {
        for seconds in [0, 15, 14] {
            verifier.hands.pass(Duration::from_secs(seconds));
            for count in 0..70 {
                let answer = verifier.ask(&unknown(count)).await.unwrap_err();
                assert!(answer.contains(UNKNOWN), "{round}: {answer}");
            }
            assert_eq!(issuer.asked(), asked, "{round}: {seconds}");
            assert!(is_accepted(&verifier.ask(&token(ED)).await));
        }
        verifier.hands.pass(Duration::from_secs(1));
    }
    // At once, too.
    let many = (0..140).map(|count| token(Key::Ed(count + 100)));
    let answers = futures_util::future::join_all(many.map(|token| {
        let verifier = verifier.clone();
        async move { verifier.ask(&token).await }
    }))
    .await;
    for answer in answers {
        let answer = answer.unwrap_err();
        assert!(answer.contains(UNKNOWN) || answer == "overloaded", "{answer}");
    }
    assert_eq!(issuer.asked(), 4);
}

#[tokio::test]
async fn while_an_address_hangs_known_keys_are_accepted_and_few_wait() {
    let issuer = KeyServer::start(keys(&[ED])).await;
    let verifier = Verifier::start(issuer.config()).await;
    issuer.answer(Answer::Hang);
    let tokens: Vec<_> = (0..65).map(unknown).collect();
    let mut calls: Vec<_> = tokens.iter().map(|token| Box::pin(verifier.ask(token))).collect();
    let mut surplus = calls.pop().unwrap();
    for (at, call) in calls.iter_mut().enumerate() {
        assert!(call.now_or_never().is_none(), "number {at} waits for the address");
    }
    let answer = (&mut surplus).now_or_never().expect("there is no place to wait");
    assert_eq!(answer, Err("overloaded".to_owned()));
    let good = verifier.ask(&token(ED)).now_or_never().expect("a known key waits for nothing");
    assert!(is_accepted(&good));
    for call in calls {
        let answer = tokio::time::timeout(LIMIT, call).await.expect("nobody waits for ever");
        assert!(answer.unwrap_err().contains(UNKNOWN));
    }
    assert_eq!(issuer.asked(), 2, "one asks for all");
    assert!(is_accepted(&verifier.ask(&token(ED)).await), "the keys stay");
}

#[tokio::test]
async fn who_finds_no_place_to_wait_is_told_that_the_server_is_overloaded() {
    let issuer = KeyServer::start(keys(&[ED])).await;
    let stage = Stage::with(issuer.config()).await;
    issuer.answer(Answer::Hang);
    let calls = (0..100).map(|count| {
        let client = stage.client(&unknown(count));
        async move { client.remember("never").await.unwrap_err() }
    });
    let mut answers = futures_util::future::join_all(calls).await;
    answers.retain(|status| reason(status) != "UNAUTHENTICATED");
    assert!(!answers.is_empty(), "more than 64 wait");
    for status in answers {
        assert_eq!((status.code(), reason(&status).as_str()), (Code::ResourceExhausted, "OVERLOADED"));
    }
    stage.stop_unchanged().await;
}

#[tokio::test]
async fn whatever_an_address_answers_the_keys_stay_and_it_is_asked_again() {
    let elsewhere = KeyServer::start(keys(&[ED, NEW])).await;
    let issuer = KeyServer::start(keys(&[ED])).await;
    let verifier = Verifier::start(issuer.config()).await;
    let with = |text: &str| Answer::Text(text.to_owned());
    let to = |status: &str| Answer::Status(format!("{status}\r\nlocation: {}", elsewhere.url()));
    let ed_twice = format!("{{\"keys\": [{0}, {0}, {1}]}}", ED.jwk(), NEW.jwk());
    let secret = format!("{{\"keys\": [{{\"kty\": \"oct\", \"kid\": \"{}\", \"k\": \"AAAA\"}}]}}", NEW.id());
    let padded = format!("{}{}", jwks(&[ED, NEW]), " ".repeat(1024 * 1024));
    let cases = [
        with(""),
        with("<html>It works!</html>"),
        with("{\"keys\": []}"),
        with("{\"keys\": 7}"),
        with(&ed_twice),
        with(&secret),
        with(&padded),
        Answer::Status("500 Internal Server Error".to_owned()),
        Answer::Status("204 No Content".to_owned()),
        Answer::Status("404 Not Found".to_owned()),
        Answer::Status("nonsense".to_owned()),
        to("301 Moved Permanently"),
        to("302 Found"),
        to("307 Temporary Redirect"),
        to("308 Permanent Redirect"),
        Answer::Endless,
    ];
    for (at, answer) in cases.into_iter().enumerate() {
        verifier.hands.pass(Duration::from_secs(30));
        let what: String = format!("{answer:?}").chars().take(60).collect();
        issuer.answer(answer);
        let refused = verifier.ask(&token(NEW)).await.unwrap_err();
        assert!(refused.contains(UNKNOWN), "{what}: {refused}");
        assert_eq!(issuer.asked(), at + 2, "{what}");
        assert!(is_accepted(&verifier.ask(&token(ED)).await), "{what}: the keys stay");
    }
    assert_eq!(elsewhere.asked(), 0, "no other address is asked");
    // What is on its way in the sockets counts too.
    assert!(issuer.sent() < 16 << 20, "{} bytes were taken", issuer.sent());
    issuer.answer(keys(&[ED, NEW]));
    verifier.hands.pass(Duration::from_secs(30));
    assert!(is_accepted(&verifier.ask(&token(NEW)).await), "once it answers well, it is believed");
}

#[tokio::test]
async fn an_address_that_is_away_at_the_start_is_waited_for() {
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let database = Database::migrated().await;
    let server = Server::start_accepting(&database, settings(), tokens(config_at(address))).await;
    let client = Client::of(&server, &token(ED));
    let status = client.remember("never").await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Unavailable, "STORE_UNAVAILABLE"));
    // What can be told without keys is.
    let none = Client::of(&server, "a.b.c").remember("never").await.unwrap_err();
    assert_refused(&none, "a.b.c", "ill-formed", "is not a well-formed");

    let _issuer = KeyServer::start_on(address, keys(&[ED])).await;
    let accepted = async {
        let mut looks = tokio::time::interval(Duration::from_millis(50));
        loop {
            looks.tick().await;
            match client.remember("first").await {
                Ok(_) => return,
                Err(status) => assert_eq!(reason(&status), "STORE_UNAVAILABLE"),
            }
        }
    };
    tokio::time::timeout(LIMIT, accepted).await.expect("the keys are fetched once they can be");
    server.stop().await;
}
