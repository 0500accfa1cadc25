//! Says who calls.

use http::HeaderMap;
use std::convert::Infallible;

use super::around::{Around, Reply, Request, Response, at_once, refuse};
use super::context::operation_of;
use crate::domain::ids::{PrincipalId, TenantId};
use crate::domain::principal::{Principal, caller_agent};
use crate::domain::refusal::{FieldViolation, Refusal};
use crate::rpc::status;

const TENANT: &str = "x-tenant-id";
const AGENT: &str = "x-agent-id";
const ADMIN: &str = "x-admin";
/// Whom the server takes a caller for that does not say.
const DEFAULT: &str = "default";

/// How it is known who calls. Puts a [`Principal`] into the extensions of every request of the contract.
#[derive(Debug, Clone)]
pub enum Identity {
    /// The caller says it in the metadata `x-tenant-id`, `x-agent-id` and `x-admin`, and is believed: for a network where
    /// only trusted backends can call.
    FromMetadata,
}

impl Identity {
    fn principal(&self, headers: &HeaderMap) -> Result<Principal, Refusal> {
        match self {
            Self::FromMetadata => from_metadata(headers),
        }
    }
}

impl Around for Identity {
    fn around<Rest>(&self, mut request: Request, next: impl FnOnce(Request) -> Rest + Send + 'static) -> Reply
    where
        Rest: Future<Output = Result<Response, Infallible>> + Send + 'static,
    {
        match self.principal(request.headers()) {
            Ok(principal) => {
                request.extensions_mut().insert(principal);
                Box::pin(next(request))
            }
            Err(refusal) => {
                let response = refuse(status::of_refusal(&refusal, operation_of(&request)));
                at_once(response)
            }
        }
    }
}

fn from_metadata(headers: &HeaderMap) -> Result<Principal, Refusal> {
    let mut faults = Vec::new();
    let tenant = read(headers, TENANT, DEFAULT, &mut faults, |text| {
        TenantId::parse(text).map_err(|fault| fault.to_string())
    });
    let agent = read(headers, AGENT, DEFAULT, &mut faults, |text| {
        let agent = caller_agent(text).map_err(|fault| fault.to_string())?;
        let principal = PrincipalId::parse(text).map_err(|fault| fault.to_string())?;
        Ok((agent, principal))
    });
    let admin = read(headers, ADMIN, "false", &mut faults, |text| {
        text.parse::<bool>().map_err(|_| "must be true or false".to_owned())
    });
    match (tenant, agent, admin) {
        (Some(tenant), Some((agent, id)), Some(admin)) => Ok(Principal { tenant, agent, id, admin }),
        _ => Err(Refusal::InvalidFields(faults)),
    }
}

/// Reads one metadata entry; absent, the default stands for it. Its fault is noted under its key.
fn read<T>(
    headers: &HeaderMap,
    key: &str,
    default: &str,
    faults: &mut Vec<FieldViolation>,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Option<T> {
    let mut sent = headers.get_all(key).iter();
    let text = match (sent.next(), sent.next()) {
        (None, _) => Ok(default),
        (Some(value), None) => value.to_str().map_err(|_| "must be printable ASCII".to_owned()),
        (Some(_), Some(_)) => Err("must be sent once".to_owned()),
    };
    text.and_then(parse).map_err(|fault| faults.push(FieldViolation::new(key, fault))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn principal(metadata: &[(&'static str, &[u8])]) -> Result<Principal, Vec<String>> {
        let mut headers = HeaderMap::new();
        for (key, value) in metadata {
            headers.append(*key, http::HeaderValue::from_bytes(value).unwrap());
        }
        Identity::FromMetadata.principal(&headers).map_err(|refusal| match refusal {
            Refusal::InvalidFields(faults) => faults.into_iter().map(|fault| fault.field).collect(),
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn absent_metadata_means_the_defaults_without_any_right() {
        let caller = principal(&[]).unwrap();
        assert_eq!((caller.tenant.as_str(), caller.agent.as_str()), ("default", "default"));
        assert_eq!(caller.id.as_str(), "default");
        assert!(!caller.admin);
    }

    #[test]
    fn metadata_says_who_calls() {
        let caller = principal(&[(TENANT, b"acme"), (AGENT, b"auth0|alice"), (ADMIN, b"true")]).unwrap();
        assert_eq!((caller.tenant.as_str(), caller.agent.as_str()), ("acme", "auth0|alice"));
        assert!(caller.admin);
        assert!(!principal(&[(ADMIN, b"false")]).unwrap().admin);
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
        ] {
            assert_eq!(principal(&[(key, value)]), Err(vec![key.to_owned()]), "{value:?}");
        }
        assert_eq!(principal(&[(TENANT, b"a"), (TENANT, b"a")]), Err(vec![TENANT.to_owned()]));
        let all = principal(&[(ADMIN, b"x"), (AGENT, b""), (TENANT, b"")]);
        assert_eq!(all, Err(vec![TENANT.to_owned(), AGENT.to_owned(), ADMIN.to_owned()]));
    }
}
