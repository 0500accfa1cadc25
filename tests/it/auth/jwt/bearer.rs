//! How tokens are sent: once, as a bearer's, and not too long.

use tonic::Code;
use tonic_health::ServingStatus;

use super::forge::{ED, claims, with};
use super::stage::{Client, Stage, assert_refused};
use crate::harness::server::SERVICE;
use crate::harness::{Caller, reason};

const SENT_WRONGLY: &str = "the metadata authorization must be sent once, as `Bearer` and a token";

#[tokio::test]
async fn authorization_is_one_bearer_token() {
    let stage = Stage::start().await;
    let token = ED.token(&claims());
    let bearer = format!("Bearer {token}");
    for sent in [
        vec![bearer.clone(), bearer.clone()],
        vec![bearer.clone(), "Bearer a.b.c".to_owned()],
        vec!["Basic dXNlcjpwYXNz".to_owned(), bearer.clone()],
        vec![format!("Basic {token}")],
        vec![format!("DPoP {token}")],
        vec![token.clone()],
        vec![format!("Bearer{token}")],
        vec![format!("Bearer: {token}")],
        vec![format!("Bearer {token} {token}")],
        vec![format!("Bearer {token},")].into_iter().map(|sent| sent.replace(',', ", x")).collect(),
        vec![format!("Bearer {}", token.replacen('.', " .", 1))],
        vec!["Bearer".to_owned()],
        vec!["Bearer ".to_owned()],
    ] {
        let metadata: Vec<_> = sent.iter().map(|value| ("authorization", value.as_str())).collect();
        let status = Client::sending(&stage.server, &metadata).remember("never").await.expect_err(&sent[0]);
        // A proxy may trim what stands at the end, so that nothing is left of a token that is missing.
        assert_refused(&status, &token, &sent[0], SENT_WRONGLY);
    }
    for sent in [format!("bearer {token}"), format!("BEARER   {token}")] {
        let client = Client::sending(&stage.server, &[("authorization", &sent)]);
        let status = client.get("nothing").await.unwrap_err();
        assert_eq!(reason(&status), "MEMORY_NOT_FOUND", "the scheme's name may be written in any case");
    }
    stage.stop_unchanged().await;
}

#[tokio::test]
async fn metadata_is_no_credential() {
    let stage = Stage::start().await;
    let channel = stage.server.channel.clone();
    for caller in [
        Caller::new(channel.clone(), "acme", "support-bot"),
        Caller::admin(channel.clone(), "acme", "support-bot"),
        Caller::new(channel, "default", "default"),
    ] {
        let status = caller.remember("never", "Likes oat milk").await.unwrap_err();
        assert_refused(&status, "", "metadata alone", "no credential was sent");
    }
    let key = Client::of(&stage.server, "mlk_abc");
    let status = key.remember("never").await.unwrap_err();
    assert_refused(&status, "", "an API key", "this server does not accept API keys");
    let health = stage.server.health(SERVICE).await;
    assert_eq!(health, ServingStatus::Serving.into(), "health needs no credential");
    stage.stop_unchanged().await;
}

/// A token of about this length.
fn of_length(length: usize) -> String {
    let bare = ED.token(&with("filler", "")).len();
    ED.token(&with("filler", "x".repeat((length - bare) * 3 / 4)))
}

#[tokio::test]
async fn a_token_that_is_too_long_is_refused_and_others_go_on() {
    let stage = Stage::start().await;
    let longest = (8170..8200).map(of_length).take_while(|token| token.len() <= 8192).last().unwrap();
    assert!(longest.len() > 8185, "{}", longest.len());
    let status = stage.client(&longest).get("nothing").await.unwrap_err();
    assert_eq!(reason(&status), "MEMORY_NOT_FOUND", "{status:?}");

    let long = (8170..8200).map(of_length).find(|token| token.len() > 8192).unwrap();
    stage.assert_refused(&long, "too long", SENT_WRONGLY).await;
    stage.assert_refused(&of_length(12_000), "far too long", SENT_WRONGLY).await;

    // More than the server takes as a request's head: that call fails, whoever makes it.
    for length in [17_000, 100_000] {
        let status = stage.client(&of_length(length)).remember("never").await.unwrap_err();
        assert_ne!(status.code(), Code::Ok, "{length}: {status:?}");
    }
    stage.stop_unchanged().await;
}
