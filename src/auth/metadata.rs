//! The shortcut of `dev`: a caller without a credential is believed what its metadata says.

use http::HeaderMap;

use super::fault::AuthFault;
use crate::domain::capability::{Capabilities, Capability};
use crate::domain::ids::TenantId;
use crate::domain::principal::{Principal, caller_agent, caller_principal};
use crate::domain::refusal::FieldViolation;

const TENANT: &str = "x-tenant-id";
const AGENT: &str = "x-agent-id";
const ADMIN: &str = "x-admin";
const CAPABILITIES: &str = "x-capabilities";
/// Whom the server takes a caller for that does not say.
const DEFAULT: &str = "default";

/// Whom the metadata `x-tenant-id`, `x-agent-id`, `x-admin` and `x-capabilities` names. Without `x-capabilities` it may do
/// everything, what takes `memory:admin` only with `x-admin: true`.
pub(super) fn principal(headers: &HeaderMap) -> Result<Principal, AuthFault> {
    let mut faults = Vec::new();
    let tenant = read(headers, TENANT, Some(DEFAULT), &mut faults, |text| {
        TenantId::parse(text).map_err(|fault| fault.to_string())
    });
    let agent = read(headers, AGENT, Some(DEFAULT), &mut faults, |text| {
        let agent = caller_agent(text).map_err(|fault| fault.to_string())?;
        let principal = caller_principal(text).map_err(|fault| fault.to_string())?;
        Ok((agent, principal))
    });
    let admin = read(headers, ADMIN, Some("false"), &mut faults, |text| {
        text.parse::<bool>().map_err(|_| "must be true or false".to_owned())
    });
    let named = read(headers, CAPABILITIES, None, &mut faults, capabilities);
    match (tenant, agent, admin) {
        (Some(tenant), Some((agent, id)), Some(admin)) if faults.is_empty() => {
            let usual = Capabilities::ALL.without(Capability::MemoryAdmin);
            let named = named.unwrap_or(usual);
            let capabilities = if admin { named.with(Capability::MemoryAdmin) } else { named };
            Ok(Principal { tenant, agent, id, capabilities })
        }
        _ => Err(AuthFault::Metadata(faults)),
    }
}

/// Reads names between spaces or commas.
fn capabilities(text: &str) -> Result<Capabilities, String> {
    let names = text.split([' ', ',']).filter(|name| !name.is_empty());
    let known = names.map(|name| Capability::from_name(name).ok_or_else(|| "names no capability".to_owned()));
    known.collect()
}

/// Reads one metadata entry; absent, the default stands for it, if there is one. Its fault is noted under its key.
fn read<T>(
    headers: &HeaderMap,
    key: &str,
    default: Option<&str>,
    faults: &mut Vec<FieldViolation>,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Option<T> {
    let mut sent = headers.get_all(key).iter();
    let text = match (sent.next(), sent.next()) {
        (None, _) => Ok(default?),
        (Some(value), None) => value.to_str().map_err(|_| "must be printable ASCII".to_owned()),
        (Some(_), Some(_)) => Err("must be sent once".to_owned()),
    };
    text.and_then(parse).map_err(|fault| faults.push(FieldViolation::new(key, fault))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(metadata: &[(&'static str, &[u8])]) -> Result<Principal, Vec<String>> {
        let mut headers = HeaderMap::new();
        for (key, value) in metadata {
            headers.append(*key, http::HeaderValue::from_bytes(value).unwrap());
        }
        principal(&headers).map_err(|fault| match fault {
            AuthFault::Metadata(faults) => faults.into_iter().map(|fault| fault.field).collect(),
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn absent_metadata_means_the_defaults_without_the_right_to_administer() {
        let caller = read(&[]).unwrap();
        assert_eq!((caller.tenant.as_str(), caller.agent.as_str()), ("default", "default"));
        assert_eq!(caller.id.as_str(), "default");
        assert_eq!(caller.capabilities, Capabilities::ALL.without(Capability::MemoryAdmin));
    }

    #[test]
    fn metadata_says_who_calls() {
        let caller = read(&[(TENANT, b"acme"), (AGENT, b"auth0|alice"), (ADMIN, b"true")]).unwrap();
        assert_eq!((caller.tenant.as_str(), caller.agent.as_str()), ("acme", "auth0|alice"));
        assert_eq!(caller.capabilities, Capabilities::ALL);
        assert!(!read(&[(ADMIN, b"false")]).unwrap().is_admin());
    }

    #[test]
    fn whatever_is_unclear_is_refused_and_named() {
        for (key, value) in [
            (TENANT, &b""[..]),
            (TENANT, b"  "),
            (TENANT, b"a/b"),
            (TENANT, b"caf\xc3\xa9"),
            (AGENT, b""),
            (AGENT, b" "),
            (AGENT, b"caf\xc3\xa9"),
            (AGENT, b"system:expiry"),
            (ADMIN, b""),
            (ADMIN, b"TRUE"),
            (ADMIN, b"1"),
            (CAPABILITIES, b"memory:everything"),
        ] {
            assert_eq!(read(&[(key, value)]), Err(vec![key.to_owned()]), "{value:?}");
        }
        assert_eq!(read(&[(TENANT, b"a"), (TENANT, b"a")]), Err(vec![TENANT.to_owned()]));
        let all = read(&[(ADMIN, b"x"), (AGENT, b""), (TENANT, b"")]);
        assert_eq!(all, Err(vec![TENANT.to_owned(), AGENT.to_owned(), ADMIN.to_owned()]));
    }

    #[test]
    fn named_capabilities_are_those_and_no_others() {
        let named = |text: &'static [u8]| read(&[(CAPABILITIES, text)]).unwrap().capabilities;
        assert_eq!(named(b""), Capabilities::NONE);
        assert_eq!(named(b"memory:read"), Capability::MemoryRead.into());
        let both = [Capability::MemoryRead, Capability::AuditRead].into_iter().collect();
        assert_eq!(named(b"audit:read, memory:read"), both);
        let admin = read(&[(CAPABILITIES, b"memory:read"), (ADMIN, b"true")]).unwrap().capabilities;
        assert_eq!(admin, [Capability::MemoryRead, Capability::MemoryAdmin].into_iter().collect());
    }
}
