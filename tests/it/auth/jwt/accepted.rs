//! Tokens that are accepted, and what they are accepted for.

use memory_lifecycle::config::{ClaimNames, JwtAlgorithm, JwtConfig};
use serde_json::json;

use super::forge::{AUDIENCE, ED, KEYS, claims, with, without};
use super::stage::{Client, LEEWAY, Stage, config};
use crate::harness::reason;

#[tokio::test]
async fn a_token_of_each_algorithm_is_accepted_and_says_who_calls() {
    let stage = Stage::start().await;
    for (at, key) in KEYS.into_iter().enumerate() {
        let client = stage.client(&key.token(&claims()));
        let id = format!("memory-{at}");
        let saved = client.remember(&id).await.unwrap_or_else(|status| panic!("{key:?}: {status:?}"));
        assert_eq!(saved.agent_id, "support-bot");
        let record = client.audit().await.unwrap().remove(0);
        assert_eq!(record.memory_id, id);
        assert_eq!(
            (record.principal_id.as_str(), record.agent_id.as_str()),
            ("auth0|alice", "support-bot"),
            "the audit log names those of the token"
        );
    }
    stage.server.stop().await;
}

#[tokio::test]
async fn an_algorithm_that_is_not_configured_is_refused_though_its_key_is_known_and_the_signature_fits() {
    for (key, algorithm) in KEYS.into_iter().zip(JwtAlgorithm::ALL) {
        assert_eq!(key.algorithm(), algorithm.name());
        let stage = Stage::with(JwtConfig { algorithms: vec![algorithm], ..config() }).await;
        for other in KEYS {
            let token = other.token(&claims());
            if other == key {
                stage.client(&token).get("first").await.expect_err("accepted, and not there");
            } else {
                let what = format!("{other:?} where {key:?} is wanted");
                stage.assert_refused(&token, &what, "an algorithm that this server does not accept").await;
            }
        }
        let count: i64 = stage.database.value("SELECT count(*) FROM audit_records").await;
        assert_eq!(count, 0);
        stage.client(&key.token(&claims())).remember("first").await.expect("the one that is wanted");
        stage.server.stop().await;
    }
}

#[tokio::test]
async fn what_one_tenants_token_saves_anothers_does_not_see() {
    let stage = Stage::start().await;
    let (acme, umbrella) = (ED.token(&claims()), ED.token(&with("tenant_id", "umbrella")));
    let (acme, umbrella) = (stage.client(&acme), stage.client(&umbrella));
    let saved = acme.remember("first").await.unwrap();
    assert_eq!(reason(&umbrella.get("first").await.unwrap_err()), "MEMORY_NOT_FOUND");
    assert!(umbrella.audit().await.unwrap().is_empty());
    umbrella.remember("first").await.expect("the id is free there");
    umbrella.erase("first").await.unwrap();
    assert_eq!(acme.get("first").await.unwrap(), saved);

    let other_agent = stage.client(&ED.token(&with("agent_id", "billing-bot")));
    assert_eq!(reason(&other_agent.get("first").await.unwrap_err()), "MEMORY_NOT_FOUND");
    let other_principal = stage.client(&ED.token(&with("sub", "auth0|bob")));
    assert_eq!(other_principal.get("first").await.unwrap(), saved, "who is one agent sees the same");
    stage.server.stop().await;
}

#[tokio::test]
async fn metadata_beside_a_token_changes_nothing() {
    let stage = Stage::start().await;
    let saved = stage.client(&ED.token(&claims())).remember("first").await.unwrap();
    let bearer = format!("Bearer {}", ED.token(&with("scope", "memory:read")));
    let liar = Client::sending(
        &stage.server,
        &[
            ("x-tenant-id", "umbrella"),
            ("x-agent-id", "somebody"),
            ("x-admin", "true"),
            ("x-capabilities", "memory:read memory:write memory:erase memory:admin audit:read"),
            ("authorization", &bearer),
        ],
    );
    assert_eq!(liar.get("first").await.unwrap(), saved, "it is who the token says");
    assert_eq!(reason(&liar.remember("second").await.unwrap_err()), "CAPABILITY_MISSING");
    let ill_formed = [("x-tenant-id", "a/b"), ("x-admin", "maybe"), ("authorization", &*bearer)];
    Client::sending(&stage.server, &ill_formed).get("first").await.expect("it is not even read");
    stage.server.stop().await;
}

#[tokio::test]
async fn capabilities_are_those_named_and_no_others() {
    let stage = Stage::start().await;
    stage.client(&ED.token(&claims())).remember("first").await.unwrap();
    let read = [
        json!("memory:read"),
        json!("openid memory:read  profile memory:everything"),
        json!(["memory:read"]),
    ];
    let both = [json!("memory:read memory:write"), json!(["offline_access", "memory:write", "memory:read"])];
    for (scopes, writes) in [(read.to_vec(), false), (both.to_vec(), true)] {
        for (at, scope) in scopes.into_iter().enumerate() {
            let client = stage.client(&ED.token(&with("scope", scope.clone())));
            client.get("first").await.unwrap_or_else(|status| panic!("{scope}: {status:?}"));
            let saved = client.remember(&format!("memory-{at}")).await;
            assert_eq!(saved.is_ok(), writes, "{scope}: {saved:?}");
            assert_eq!(reason(&client.erase("first").await.unwrap_err()), "CAPABILITY_MISSING", "{scope}");
            assert_eq!(reason(&client.audit().await.unwrap_err()), "CAPABILITY_MISSING", "{scope}");
        }
    }
    for none in [without("scope"), with("scope", ""), with("scope", json!([])), with("scope", "MEMORY:READ")]
    {
        let client = stage.client(&ED.token(&none));
        assert_eq!(reason(&client.get("first").await.unwrap_err()), "CAPABILITY_MISSING", "{none}");
        assert_eq!(reason(&client.remember("third").await.unwrap_err()), "CAPABILITY_MISSING", "{none}");
    }
    stage.server.stop().await;
}

#[tokio::test]
async fn claims_have_the_configured_names() {
    let names = ClaimNames {
        tenant: "https://example.com/tenant".to_owned(),
        agent: "/app/a~1gent".to_owned(),
        principal: "email".to_owned(),
        capabilities: "/app/may".to_owned(),
    };
    let stage = Stage::with(JwtConfig { claims: names, ..config() }).await;
    let mut own = claims();
    own["https://example.com/tenant"] = json!("umbrella");
    own["app"] = json!({ "a/gent": "billing-bot", "may": ["memory:write", "audit:read"] });
    own["email"] = json!("bob@example.com");
    let client = stage.client(&ED.token(&own));
    assert_eq!(client.remember("first").await.unwrap().agent_id, "billing-bot");
    assert_eq!(client.audit().await.unwrap().remove(0).principal_id, "bob@example.com");
    let tenant: String = stage.database.value("SELECT DISTINCT tenant_id FROM audit_records").await;
    assert_eq!(tenant, "umbrella");
    assert_eq!(reason(&client.get("first").await.unwrap_err()), "CAPABILITY_MISSING");
    let usual = ED.token(&claims());
    let missing = "lacks the claim https://example.com/tenant";
    super::stage::assert_refused(
        &stage.client(&usual).get("first").await.unwrap_err(),
        &usual,
        "usual",
        missing,
    );
    stage.server.stop().await;
}

#[tokio::test]
async fn what_a_token_may_say_beside_is_of_no_matter() {
    let stage = Stage::start().await;
    let now = super::claims::now();
    let within = LEEWAY.as_secs() / 2;
    for (what, good) in [
        ("an audience among several", with("aud", json!(["https://other.example", AUDIENCE]))),
        ("an audience that is a list of one", with("aud", json!([AUDIENCE]))),
        ("it ends with a fraction", with("exp", super::claims::in_seconds(3600.5))),
        ("it ends beyond all times", with("exp", 1e300)),
        ("it has just ended, give or take", with("exp", now - within)),
        ("it has begun", with("nbf", now)),
        ("it has begun before all times", with("nbf", -1)),
        ("it is about to begin, give or take", with("nbf", now + within)),
        ("other claims", with("nested", json!({ "a": [1, 2, { "b": null }] }))),
        ("issued in the future", with("iat", now + 3600)),
    ] {
        let status = stage.client(&ED.token(&good)).get("nothing").await.unwrap_err();
        assert_eq!(reason(&status), "MEMORY_NOT_FOUND", "{what}: {status:?}");
    }
    for header in [
        json!({ "alg": "EdDSA", "kid": ED.id() }),
        json!({ "alg": "EdDSA", "kid": ED.id(), "typ": "at+jwt", "cty": "x", "more": { "a": 1 } }),
        json!({ "alg": "EdDSA", "kid": ED.id(), "b64": true }),
    ] {
        let token = ED.signs(&header.to_string(), &claims().to_string());
        let status = stage.client(&token).get("nothing").await.unwrap_err();
        assert_eq!(reason(&status), "MEMORY_NOT_FOUND", "{header}: {status:?}");
    }
    stage.server.stop().await;
}
