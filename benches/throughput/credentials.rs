//! The tokens that the calls carry: those of an issuer of the benchmark's own, one a tenant.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use memory_lifecycle::auth::jwt::mint::Issuer;
use serde_json::json;
use tempfile::TempDir;
use tonic::metadata::{Ascii, MetadataValue};

const NAME: &str = "https://issuer.example";
const AUDIENCE: &str = "memory-lifecycle";
/// In the year 2100.
const NEVER: u64 = 4_102_444_800;

type Header = MetadataValue<Ascii>;

static ISSUER: LazyLock<Issuer> = LazyLock::new(|| Issuer::from_seed(&[42; 32]).expect("a seed"));
static KEYS: LazyLock<TempDir> = LazyLock::new(|| {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("jwks.json"), ISSUER.jwks()).expect("a file");
    dir
});
/// Made once, as callers keep theirs while they last.
static MADE: LazyLock<Mutex<HashMap<usize, Header>>> = LazyLock::new(Mutex::default);

/// The flags by which the server takes these tokens.
pub(crate) fn flags() -> Vec<String> {
    let jwks = KEYS.path().join("jwks.json").display().to_string();
    ["--jwt-issuer", NAME, "--jwt-audience", AUDIENCE, "--jwt-algorithms", "EdDSA", "--jwks-file", &jwks]
        .map(str::to_owned)
        .to_vec()
}

/// What a caller of the tenant sends as `authorization`.
pub(crate) fn of(tenant: usize) -> Header {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(tenant).or_insert_with(|| mint(tenant)).clone()
}

fn mint(tenant: usize) -> Header {
    let claims = json!({
        "iss": NAME,
        "aud": AUDIENCE,
        "exp": NEVER,
        "sub": "default",
        "tenant_id": format!("t-{tenant}"),
        "agent_id": "default",
        "scope": "memory:read memory:write memory:erase",
    });
    let token = ISSUER.mint(&claims).expect("a token");
    format!("Bearer {token}").parse().expect("a header")
}
