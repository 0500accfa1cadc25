//! Tokens that are well signed, and refused for what they say.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::forge::{AUDIENCE, ED, ISSUER, claims, with, without};
use super::stage::Stage;

pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// So many seconds from now.
pub fn in_seconds(seconds: f64) -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64() + seconds
}

#[tokio::test]
async fn a_token_out_of_its_time_is_refused() {
    let stage = Stage::start().await;
    let expired = "the token has expired";
    let early = "the token is not valid yet";
    let no_time = |claim: &str| format!("has a claim {claim} that must be a number of seconds");
    for (what, claims, words) in [
        ("ended long ago", with("exp", now() - 3600), expired),
        ("ended just beyond the leeway", with("exp", now() - 31), expired),
        ("ended with a fraction", with("exp", in_seconds(-31.5)), expired),
        ("ended at the beginning", with("exp", 0), expired),
        ("ended before it", with("exp", -1), expired),
        ("ended long before it", with("exp", -1e300), expired),
        ("ended at the smallest number", with("exp", i64::MIN), expired),
        ("without an end", without("exp"), "lacks the claim exp"),
        ("its end is a text", with("exp", "4102444800"), &no_time("exp")),
        ("its end is null", with("exp", Value::Null), &no_time("exp")),
        ("its end is true", with("exp", true), &no_time("exp")),
        ("its end is a list", with("exp", json!([4_102_444_800_u64])), "not a well-formed"),
        ("begins later", with("nbf", now() + 3600), early),
        ("begins at the end of time", with("nbf", 1e300), early),
        ("begins at the largest number", with("nbf", u64::MAX), early),
        ("its begin is a text", with("nbf", "0"), &no_time("nbf")),
        ("its begin is null", with("nbf", Value::Null), &no_time("nbf")),
    ] {
        stage.assert_refused(&ED.token(&claims), what, words).await;
    }
    let no_number = claims().to_string().replace("4102444800", "1e400");
    let token = ED.signs(&ED.header().to_string(), &no_number);
    stage.assert_refused(&token, "its end is no number that there is", "not a well-formed").await;
    stage.stop_unchanged().await;
}

#[tokio::test]
async fn a_token_of_another_issuer_or_for_another_audience_is_refused() {
    let stage = Stage::start().await;
    let issuer = "the token is of another issuer";
    let audience = "the token is for another audience";
    for (what, claims, words) in [
        ("another issuer", with("iss", "https://other.example"), issuer),
        ("the issuer in other case", with("iss", ISSUER.to_uppercase()), issuer),
        ("the issuer with a slash", with("iss", format!("{ISSUER}/")), issuer),
        ("issuers", with("iss", json!([ISSUER, "https://other.example"])), issuer),
        ("an empty issuer", with("iss", ""), issuer),
        ("no issuer", without("iss"), "lacks the claim iss"),
        ("a null issuer", with("iss", Value::Null), "the claim iss"),
        ("an issuer that is a number", with("iss", 7), "the claim iss"),
        ("another audience", with("aud", "https://other.example"), audience),
        ("another audience that begins alike", with("aud", format!("{AUDIENCE}-staging")), audience),
        ("an empty audience", with("aud", ""), audience),
        ("other audiences", with("aud", json!(["a", "b"])), audience),
        ("no one of several", with("aud", json!([])), audience),
        ("audiences within", with("aud", json!([[AUDIENCE]])), "the claim aud"),
        ("no audience", without("aud"), "lacks the claim aud"),
        ("a null audience", with("aud", Value::Null), "the claim aud"),
        ("an audience that is an object", with("aud", json!({ AUDIENCE: true })), "the claim aud"),
    ] {
        stage.assert_refused(&ED.token(&claims), what, words).await;
    }
    stage.stop_unchanged().await;
}

#[tokio::test]
async fn a_token_that_does_not_say_clearly_who_calls_is_refused() {
    let stage = Stage::start().await;
    let long = "a".repeat(129);
    for (claim, values) in [
        ("tenant_id", [json!("a/b"), json!(""), json!(" "), json!(long), json!("caf\u{e9}"), json!("a\nb")]),
        (
            "agent_id",
            [json!("system:expiry"), json!("system:"), json!(""), json!("  "), json!(long), json!("a\nb")],
        ),
        (
            "sub",
            [json!("system:expiry"), json!("system:x"), json!(""), json!(" "), json!("a\0b"), json!("a\nb")],
        ),
    ] {
        stage.assert_refused(&ED.token(&without(claim)), claim, &format!("lacks the claim {claim}")).await;
        for value in values.into_iter().chain([json!(7), json!(true), Value::Null]) {
            let what = format!("{claim} is {value}");
            let token = ED.token(&with(claim, value));
            stage.assert_refused(&token, &what, &format!("has a claim {claim} that m")).await;
        }
        for value in [json!(["acme"]), json!({ "acme": 1 })] {
            // The library of tokens finds fault with such a `sub` by itself.
            let words = if claim == "sub" { "not a well-formed" } else { "that must be a text" };
            stage.assert_refused(&ED.token(&with(claim, value)), claim, words).await;
        }
    }
    for value in [
        json!(7),
        json!(true),
        json!({ "memory:read": true }),
        json!(["memory:read", 7]),
        json!([["memory:read"]]),
    ] {
        let what = format!("scope is {value}");
        stage.assert_refused(&ED.token(&with("scope", value)), &what, "has a claim scope that must").await;
    }
    stage.stop_unchanged().await;
}

#[tokio::test]
async fn a_claim_that_is_there_twice_is_not_chosen_from() {
    let stage = Stage::start().await;
    let usual = claims().to_string();
    for (member, other) in [
        ("tenant_id", json!("umbrella")),
        ("agent_id", json!("billing-bot")),
        ("sub", json!("auth0|bob")),
        ("scope", json!("memory:admin")),
        ("exp", json!(now() - 3600)),
        ("iss", json!("https://other.example")),
        ("aud", json!("other")),
    ] {
        let more = format!("\"{member}\":{other}");
        let last = usual.replacen('}', &format!(",{more}}}"), 1);
        let first = usual.replacen('{', &format!("{{{more},"), 1);
        for text in [first, last] {
            assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
            let token = ED.signs(&ED.header().to_string(), &text);
            stage.assert_refused(&token, &text, "is not a well-formed JSON Web Token").await;
        }
    }
    for text in ["", "{", "null", "7", "[]", "[\"acme\"]", "\"acme\"", "{}{}", "{'a': 1}", "\u{feff}{}"] {
        let token = ED.signs(&ED.header().to_string(), text);
        stage.assert_refused(&token, text, "is not a well-formed JSON Web Token").await;
    }
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(2000), "]".repeat(2000));
    let token = ED.signs(&ED.header().to_string(), &deep);
    stage.assert_refused(&token, "deep", "is not a well-formed JSON Web Token").await;
    stage.stop_unchanged().await;
}
