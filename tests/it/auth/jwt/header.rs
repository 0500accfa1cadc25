//! Tokens whose header tries to choose how they are verified.

use std::io::ErrorKind;
use std::net::TcpListener;

use serde_json::{Value, json};

use super::forge::{ED, KEYS, Key, claims, encoded, hs256, jwks, put_together};
use super::stage::Stage;

const ALGORITHM: &str = "is signed with an algorithm that this server does not accept";
const MALFORMED: &str = "is not a well-formed JSON Web Token";
const NO_KEY: &str = "must name its key with the header parameter kid";
const UNKNOWN: &str = "is signed with a key that is not known";
const SIGNATURE: &str = "has a signature that does not fit";
const CRITICAL: &str = "has the header parameter crit";

fn header_with(member: &str, value: impl Into<Value>) -> Value {
    let mut header = ED.header();
    header[member] = value.into();
    header
}

/// A token of this header that the issuer's key signed.
fn signed(header: &Value) -> String {
    ED.signs(&header.to_string(), &claims().to_string())
}

#[tokio::test]
async fn a_token_without_a_signature_is_refused() {
    let stage = Stage::start().await;
    for none in ["none", "None", "NONE", "nOnE", ""] {
        for kid in [json!(ED.id()), Value::Null] {
            let header = json!({ "alg": none, "kid": kid, "typ": "JWT" }).to_string();
            let token = put_together(&header, &claims().to_string(), |_| Vec::new());
            stage.assert_refused(&token, none, ALGORITHM).await;
        }
    }
    for key in KEYS {
        let bare = put_together(&key.header().to_string(), &claims().to_string(), |_| Vec::new());
        stage.assert_refused(&bare, "an empty signature", SIGNATURE).await;
        stage.assert_refused(bare.trim_end_matches('.'), "no signature", MALFORMED).await;
    }
    stage.stop_unchanged().await;
}

#[tokio::test]
async fn a_public_key_is_never_taken_for_a_secret() {
    let stage = Stage::start().await;
    for key in KEYS {
        let set = jwks(&KEYS);
        let jwk = key.jwk().to_string();
        for secret in
            [&key.public()[..], encoded(&key.public()).as_bytes(), jwk.as_bytes(), set.as_bytes(), b""]
        {
            for algorithm in ["HS256", "HS384", "HS512", key.algorithm()] {
                let header = json!({ "alg": algorithm, "kid": key.id(), "typ": "JWT" }).to_string();
                let token = put_together(&header, &claims().to_string(), |message| hs256(secret, message));
                let words = if algorithm == key.algorithm() { SIGNATURE } else { ALGORITHM };
                stage.assert_refused(&token, &format!("{key:?} as a secret of {algorithm}"), words).await;
            }
        }
    }
    stage.stop_unchanged().await;
}

#[tokio::test]
async fn a_key_verifies_its_own_algorithm_alone() {
    let stage = Stage::start().await;
    for named in KEYS {
        for signer in KEYS.into_iter().filter(|signer| *signer != named) {
            // Signed well by the one, and verified with the other.
            let header = json!({ "alg": signer.algorithm(), "kid": named.id() }).to_string();
            let token = signer.signs(&header, &claims().to_string());
            stage.assert_refused(&token, &format!("{signer:?} by the name of {named:?}"), ALGORITHM).await;
            let header = named.header().to_string();
            let token = signer.signs(&header, &claims().to_string());
            stage.assert_refused(&token, &format!("{signer:?} instead of {named:?}"), SIGNATURE).await;
        }
    }
    let header = ED.header().to_string();
    let stranger = Key::Ed(66).signs(&header, &claims().to_string());
    stage.assert_refused(&stranger, "a stranger by the name of the issuer's key", SIGNATURE).await;
    for algorithm in
        ["RS384", "RS512", "PS256", "ES384", "ES512", "ES256K", "EdDSA ", "eddsa", "Ed25519", "Ed448"]
    {
        let token = signed(&header_with("alg", algorithm));
        stage.assert_refused(&token, algorithm, ALGORITHM).await;
    }
    stage.stop_unchanged().await;
}

#[tokio::test]
async fn a_token_must_name_a_known_key() {
    let stage = Stage::start().await;
    for (kid, words) in [
        (json!("unknown"), UNKNOWN),
        (json!(ED.id().to_uppercase()), UNKNOWN),
        (json!("../../etc/passwd"), UNKNOWN),
        (json!("' OR 1=1 --"), UNKNOWN),
        (json!("a\0b"), UNKNOWN),
        (json!(""), NO_KEY),
        (json!("k".repeat(5000)), NO_KEY),
        (json!(7), NO_KEY),
        (json!([ED.id()]), NO_KEY),
        (json!({ "kid": ED.id() }), NO_KEY),
        (Value::Null, NO_KEY),
    ] {
        let what: String = kid.to_string().chars().take(30).collect();
        stage.assert_refused(&signed(&header_with("kid", kid)), &what, words).await;
    }
    let nameless = signed(&json!({ "alg": "EdDSA" }));
    stage.assert_refused(&nameless, "no kid", NO_KEY).await;
    stage.stop_unchanged().await;
}

#[tokio::test]
async fn what_a_header_says_is_critical_is_not_passed_over() {
    let stage = Stage::start().await;
    for crit in [
        json!(["exp"]),
        json!(["b64"]),
        json!([]),
        json!([7]),
        json!("exp"),
        json!({}),
        json!(7),
        Value::Null,
    ] {
        let mut header = header_with("crit", crit.clone());
        header["exp"] = json!(0);
        header["b64"] = json!(true);
        stage.assert_refused(&signed(&header), &crit.to_string(), CRITICAL).await;
    }
    stage.assert_refused(&signed(&header_with("b64", false)), "b64", MALFORMED).await;
    stage.assert_refused(&signed(&header_with("b64", "true")), "b64", MALFORMED).await;
    stage.stop_unchanged().await;
}

#[tokio::test]
async fn keys_that_a_token_brings_along_are_not_followed() {
    let stage = Stage::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/jwks.json", listener.local_addr().unwrap());
    let stranger = Key::Ed(66);
    for (member, value) in [
        ("jwk", stranger.jwk()),
        ("jku", json!(url)),
        ("x5u", json!(url)),
        ("x5c", json!([encoded(&stranger.public())])),
    ] {
        for (kid, words) in [(stranger.id(), UNKNOWN), (ED.id(), SIGNATURE)] {
            let mut header = header_with(member, value.clone());
            header["kid"] = json!(kid);
            let token = stranger.signs(&header.to_string(), &claims().to_string());
            let status = stage.client(&token).remember("never").await.unwrap_err();
            // A library that knows the member may find fault with its form before.
            let told = status.message().contains(words) || status.message().contains(MALFORMED);
            assert!(told && status.code() == tonic::Code::Unauthenticated, "{member}: {status:?}");
        }
    }
    let asked = listener.accept().map_err(|error| error.kind());
    assert!(matches!(asked, Err(ErrorKind::WouldBlock)), "somebody was asked for keys: {asked:?}");
    stage.stop_unchanged().await;
}

#[tokio::test]
async fn a_header_that_is_none_is_refused() {
    let stage = Stage::start().await;
    let usual = ED.header().to_string();
    let twice = |member: &str| usual.replacen('{', &format!("{{{member},"), 1);
    for (text, words) in [
        ("", MALFORMED),
        ("{}", ALGORITHM),
        ("null", MALFORMED),
        ("[\"EdDSA\"]", MALFORMED),
        ("{\"alg\": 7}", ALGORITHM),
        ("{\"alg\": null}", ALGORITHM),
        ("{\"alg\": [\"EdDSA\"]}", ALGORITHM),
        (usual.trim_end_matches('}'), MALFORMED),
        (&format!("{usual}{usual}"), MALFORMED),
        (&twice("\"alg\":\"EdDSA\""), MALFORMED),
        (&twice("\"alg\":\"none\""), MALFORMED),
        (&twice(&format!("\"kid\":\"{}\"", ED.id())), MALFORMED),
        (&twice("\"kid\":\"other\""), MALFORMED),
        (&twice("\"typ\":\"JWT\""), MALFORMED),
        (&format!("{{\"a\":{}{}}}", "[".repeat(1000), "]".repeat(1000)), MALFORMED),
    ] {
        let token = ED.signs(text, &claims().to_string());
        stage.assert_refused(&token, text, words).await;
    }
    stage.stop_unchanged().await;
}
