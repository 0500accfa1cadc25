//! What a verified token says of its holder.

use serde_json::{Map, Value};

use crate::auth::fault::TokenFault;
use crate::config::ClaimNames;
use crate::domain::capability::{Capabilities, Capability};
use crate::domain::ids::TenantId;
use crate::domain::principal::{Principal, caller_agent, caller_principal};

/// The claims of a token.
pub(super) type Claims = Map<String, Value>;

/// The claim of this name, or the one that it points to when it begins with a slash (RFC 6901).
fn claim<'claims>(claims: &'claims Claims, name: &str) -> Option<&'claims Value> {
    if !name.starts_with('/') {
        return claims.get(name);
    }
    let mut steps = name.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
    let first = claims.get(&steps.next()?)?;
    steps.try_fold(first, |value, step| value.as_object()?.get(&step))
}

fn text<T, E: std::fmt::Display>(
    claims: &Claims,
    name: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, TokenFault> {
    let value = claim(claims, name).ok_or_else(|| TokenFault::ClaimMissing(name.to_owned()))?;
    let fault = |fault: String| TokenFault::ClaimFault { claim: name.to_owned(), fault };
    let text = value.as_str().ok_or_else(|| fault("must be a text".to_owned()))?;
    parse(text).map_err(|error| fault(error.to_string()))
}

/// Who holds the token.
pub(super) fn principal(claims: &Claims, names: &ClaimNames) -> Result<Principal, TokenFault> {
    Ok(Principal {
        tenant: text(claims, &names.tenant, TenantId::parse)?,
        agent: text(claims, &names.agent, caller_agent)?,
        id: text(claims, &names.principal, caller_principal)?,
        capabilities: capabilities(claims, &names.capabilities)?,
    })
}

/// Names between spaces, or a list of names. Those that are not ours are for somebody else.
fn capabilities(claims: &Claims, name: &str) -> Result<Capabilities, TokenFault> {
    let fault = || TokenFault::ClaimFault {
        claim: name.to_owned(),
        fault: "must be a text with names between spaces, or a list of names".to_owned(),
    };
    match claim(claims, name) {
        None | Some(Value::Null) => Ok(Capabilities::NONE),
        Some(Value::String(names)) => Ok(names.split(' ').filter_map(Capability::from_name).collect()),
        Some(Value::Array(names)) => {
            let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
            Ok(names.ok_or_else(fault)?.into_iter().filter_map(Capability::from_name).collect())
        }
        Some(_) => Err(fault()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names() -> ClaimNames {
        ClaimNames {
            tenant: "tenant_id".to_owned(),
            agent: "/app/agent".to_owned(),
            principal: "https://example.com/name".to_owned(),
            capabilities: "scope".to_owned(),
        }
    }

    fn read(claims: Value) -> Result<Principal, TokenFault> {
        let Value::Object(claims) = claims else { panic!("claims are an object") };
        principal(&claims, &names())
    }

    fn whole() -> Value {
        json!({ "tenant_id": "t", "app": { "agent": "a" }, "https://example.com/name": "p", "scope": "openid memory:read" })
    }

    fn with(member: &str, value: Value) -> Value {
        let mut claims = whole();
        claims[member] = value;
        claims
    }

    #[test]
    fn names_are_of_claims_or_point_into_them() {
        let holder = read(whole()).unwrap();
        assert_eq!((holder.tenant.as_str(), holder.agent.as_str(), holder.id.as_str()), ("t", "a", "p"));
        assert_eq!(holder.capabilities, Capability::MemoryRead.into());
        let listed = read(with("scope", json!(["memory:write", "x", "audit:read"]))).unwrap();
        assert_eq!(
            listed.capabilities,
            [Capability::MemoryWrite, Capability::AuditRead].into_iter().collect()
        );
        for none in [json!(""), json!([]), Value::Null, json!("MEMORY:READ memory:*")] {
            assert_eq!(read(with("scope", none)).unwrap().capabilities, Capabilities::NONE);
        }
    }

    #[test]
    fn what_is_missing_or_no_name_is_named() {
        let missing = |name: &str| Err(TokenFault::ClaimMissing(name.to_owned()));
        assert_eq!(read(json!({})), missing("tenant_id"));
        assert_eq!(read(with("app", json!("a"))), missing("/app/agent"));
        for (member, value, name) in [
            ("tenant_id", json!(""), "tenant_id"),
            ("tenant_id", json!("a/b"), "tenant_id"),
            ("tenant_id", json!(7), "tenant_id"),
            ("tenant_id", Value::Null, "tenant_id"),
            ("tenant_id", json!(["t"]), "tenant_id"),
            ("app", json!({ "agent": "system:expiry" }), "/app/agent"),
            ("https://example.com/name", json!("system:x"), "https://example.com/name"),
            ("https://example.com/name", json!(" "), "https://example.com/name"),
            ("scope", json!(7), "scope"),
            ("scope", json!(["memory:read", 7]), "scope"),
        ] {
            match read(with(member, value.clone())) {
                Err(TokenFault::ClaimFault { claim, .. }) => assert_eq!(claim, name, "{value}"),
                other => panic!("{value}: {other:?}"),
            }
        }
    }
}
