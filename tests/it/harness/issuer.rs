//! The issuer of the run: the servers of real processes take its tokens, as they would those of an identity provider.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use memory_lifecycle::auth::jwt::mint::Issuer;
use memory_lifecycle::config::{ClaimNames, JwtAlgorithm, JwtConfig, KeySource};
use memory_lifecycle::domain::capability::{Capabilities, Capability};
use serde_json::json;
use tempfile::TempDir;
use tonic::transport::Channel;

use super::Caller;
use super::caller::Identity;
use super::canaries::{self, Kind};

const NAME: &str = "https://issuer.example";
const AUDIENCE: &str = "memory-lifecycle";
/// In the year 2100.
const NEVER: u64 = 4_102_444_800;

struct OfTheRun {
    issuer: Issuer,
    /// Removed when the run ends, if nobody kills it.
    _dir: TempDir,
    jwks: PathBuf,
    /// Tokens by their claims.
    minted: Mutex<HashMap<String, String>>,
}

static OF_THE_RUN: LazyLock<OfTheRun> = LazyLock::new(|| {
    let issuer = Issuer::from_seed(&[42; 32]).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let jwks = dir.path().join("jwks.json");
    std::fs::write(&jwks, issuer.jwks()).unwrap();
    OfTheRun { issuer, _dir: dir, jwks, minted: Mutex::default() }
});

/// The file with its keys.
pub fn jwks() -> &'static Path {
    &OF_THE_RUN.jwks
}

/// The same for a server within the test.
pub fn config() -> JwtConfig {
    JwtConfig {
        issuer: NAME.to_owned(),
        audience: AUDIENCE.to_owned(),
        algorithms: vec![JwtAlgorithm::EdDsa],
        keys: KeySource::Inline(OF_THE_RUN.issuer.jwks()),
        claims: ClaimNames::default(),
        leeway: Duration::from_secs(1),
    }
}

/// The flags by which `serve` takes its tokens.
pub fn flags() -> Vec<String> {
    let jwks = jwks().display().to_string();
    ["--jwt-issuer", NAME, "--jwt-audience", AUDIENCE, "--jwt-algorithms", "EdDSA", "--jwks-file", &jwks]
        .map(str::to_owned)
        .to_vec()
}

/// A token for an agent, who is the principal too.
pub fn token(tenant: &str, agent: &str, capabilities: Capabilities) -> String {
    token_until(NEVER, tenant, agent, capabilities)
}

/// One that expired long ago.
pub fn expired_token(tenant: &str, agent: &str) -> String {
    token_until(1, tenant, agent, Capabilities::ALL)
}

fn token_until(expires: u64, tenant: &str, agent: &str, capabilities: Capabilities) -> String {
    let scope: Vec<_> = capabilities.iter().map(Capability::name).collect();
    let claims = json!({
        "iss": NAME,
        "aud": AUDIENCE,
        "exp": expires,
        "sub": agent,
        "tenant_id": tenant,
        "agent_id": agent,
        "scope": scope.join(" "),
    });
    // Signed once, as callers keep theirs while they last.
    let mut minted = OF_THE_RUN.minted.lock().unwrap();
    let token = minted.entry(claims.to_string()).or_insert_with(|| {
        let token = OF_THE_RUN.issuer.mint(&claims).unwrap();
        canaries::look_for(&token, Kind::Secret, "a token");
        token
    });
    token.clone()
}

/// A caller with a token for everything but `memory:admin`.
pub fn caller(channel: Channel, tenant: &str, agent: &str) -> Caller {
    with_token(channel, tenant, agent, Capabilities::ALL.without(Capability::MemoryAdmin))
}

/// A caller with a token for everything.
pub fn admin(channel: Channel, tenant: &str, agent: &str) -> Caller {
    with_token(channel, tenant, agent, Capabilities::ALL)
}

fn with_token(channel: Channel, tenant: &str, agent: &str, capabilities: Capabilities) -> Caller {
    let token = Some(token(tenant, agent, capabilities));
    Caller::with(channel, Identity { token, ..Identity::of(tenant, agent) })
}
