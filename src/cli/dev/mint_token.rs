//! `dev mint-token`: a token of the issuer that `dev` is, for trying the real thing.

use std::io::Write;
use std::time::Duration;

use serde_json::json;

use super::super::CliError;
use super::keys;
use crate::clock::Clock;
use crate::config::{Access, ClaimNames, JwtAlgorithm, JwtConfig, KeySource, MintTokenSettings};
use crate::domain::capability::{Capabilities, Capability};
use crate::embedded::default_data_dir;

const ISSUER: &str = "memory-lifecycle-dev";
const AUDIENCE: &str = "memory-lifecycle";

/// Who may call a server of `dev`: whoever says so in its metadata, or has a token of the folder's issuer.
pub(super) fn access(jwks: String) -> Access {
    let jwt = JwtConfig {
        issuer: ISSUER.to_owned(),
        audience: AUDIENCE.to_owned(),
        algorithms: vec![JwtAlgorithm::EdDsa],
        keys: KeySource::Inline(jwks),
        claims: ClaimNames::default(),
        leeway: Duration::from_secs(1),
    };
    Access { jwt: Some(jwt), metadata: true, ..Access::default() }
}

/// Prints the token, alone on standard output.
pub(super) fn run(settings: MintTokenSettings) -> Result<(), CliError> {
    let MintTokenSettings { data_dir, tenant, agent, principal, capabilities, lifetime } = settings;
    let issuer = keys::kept_issuer(&data_dir.unwrap_or_else(default_data_dir))?;
    let capabilities: Capabilities = if capabilities.is_empty() {
        Capabilities::ALL.without(Capability::MemoryAdmin)
    } else {
        capabilities.into_iter().collect()
    };
    let scope: Vec<_> = capabilities.iter().map(Capability::name).collect();
    let now = Clock::system().unix_time();
    let principal = principal.map_or_else(|| agent.to_string(), |principal| principal.to_string());
    let token = issuer.mint(&json!({
        "iss": ISSUER,
        "aud": AUDIENCE,
        "iat": now.as_secs(),
        "exp": now.saturating_add(lifetime).as_secs(),
        "sub": principal,
        "tenant_id": tenant.to_string(),
        "agent_id": agent.to_string(),
        "scope": scope.join(" "),
    }))?;
    writeln!(std::io::stdout(), "{token}")?;
    Ok(())
}
