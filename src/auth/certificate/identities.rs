//! The file that says which identity a name in a certificate stands for.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::path::Path;

use serde::Deserialize;

use super::SubjectName;
use crate::domain::capability::{Capabilities, Capability};
use crate::domain::ids::TenantId;
use crate::domain::principal::{Principal, caller_agent, caller_principal};

/// Identities by the names that stand for them.
#[derive(Debug)]
pub struct Identities(HashMap<SubjectName, Principal>);

/// Why identities cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdentitiesError {
    /// The file cannot be read.
    #[error("the identities' file {file} cannot be read: {cause}")]
    File {
        /// Which.
        file: String,
        /// What the operating system says.
        cause: String,
    },
    /// The file is not what it should be; all that is wrong with it.
    #[error("the identities' file {file} cannot be used: {}", faults.join("; "))]
    Content {
        /// Which.
        file: String,
        /// What is wrong, each with its place.
        faults: Vec<String>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    identity: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    uri: Option<String>,
    dns: Option<String>,
    tenant: String,
    agent: String,
    principal: Option<String>,
    capabilities: Vec<String>,
}

impl Identities {
    /// Reads the text of a file.
    pub(super) fn parse(file: &Path, text: &str) -> Result<Self, IdentitiesError> {
        let wrong = |faults| IdentitiesError::Content { file: file.display().to_string(), faults };
        let read: File = toml::from_str(text).map_err(|error| wrong(vec![one_line(&error)]))?;
        let mut faults = Vec::new();
        let mut identities = HashMap::new();
        if read.identity.is_empty() {
            faults.push("it has no [[identity]]".to_owned());
        }
        for (number, entry) in (1..).zip(read.identity) {
            let mut own = Vec::new();
            if let Some((name, principal)) = identity(entry, &mut own) {
                match identities.entry(name) {
                    Place::Vacant(place) => _ = place.insert(principal),
                    Place::Occupied(_) => own.push("its name stands for another already".to_owned()),
                }
            }
            faults.extend(own.into_iter().map(|fault| format!("[[identity]] number {number}: {fault}")));
        }
        if faults.is_empty() { Ok(Self(identities)) } else { Err(wrong(faults)) }
    }

    /// Whom a name stands for.
    pub(super) fn of(&self, name: &SubjectName) -> Option<&Principal> {
        self.0.get(name)
    }
}

fn identity(entry: Entry, faults: &mut Vec<String>) -> Option<(SubjectName, Principal)> {
    let Entry { uri, dns, tenant, agent, principal, capabilities } = entry;
    let name = match (uri, dns) {
        (Some(uri), None) if uri.contains(':') && !uri.contains(char::is_whitespace) => {
            Some(SubjectName::Uri(uri))
        }
        (Some(_), None) => noted(faults, "uri must be a URI, for example spiffe://example.org/agent/support"),
        (None, Some(dns)) if is_host(&dns) => Some(SubjectName::Dns(dns.to_ascii_lowercase())),
        (None, Some(_)) => noted(faults, "dns must be a whole DNS name, without wildcards"),
        (None, None) | (Some(_), Some(_)) => noted(faults, "exactly one of uri and dns must be there"),
    };
    let mut take = |field: &str, fault: String| faults.push(format!("{field} {fault}"));
    let tenant = TenantId::parse(&tenant).map_err(|fault| take("tenant", fault.to_string())).ok();
    let id = caller_principal(principal.as_deref().unwrap_or(&agent))
        .map_err(|fault| take("principal", fault.to_string()))
        .ok();
    let agent = caller_agent(&agent).map_err(|fault| take("agent", fault.to_string())).ok();
    let mut held = Capabilities::NONE;
    for name in &capabilities {
        match Capability::from_name(name) {
            Some(capability) => held = held.with(capability),
            None => take(
                "capabilities",
                format!("must be among {}", Capability::ALL.map(Capability::name).join(", ")),
            ),
        }
    }
    Some((name?, Principal { tenant: tenant?, agent: agent?, id: id?, capabilities: held }))
}

fn noted<T>(faults: &mut Vec<String>, fault: &str) -> Option<T> {
    faults.push(fault.to_owned());
    None
}

fn is_host(name: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    name.split('.').all(is_label)
}

/// What the parser says and where, in one line; it also shows the text, which is left out.
fn one_line(error: &toml::de::Error) -> String {
    let whole = error.to_string();
    let place = whole.lines().next().and_then(|first| first.strip_prefix("TOML parse error at "));
    let message = error.message().replace('\n', " ");
    place.map_or_else(|| message.clone(), |place| format!("{place}: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Identities, Vec<String>> {
        Identities::parse(Path::new("identities.toml"), text).map_err(|error| match error {
            IdentitiesError::Content { faults, .. } => faults,
            IdentitiesError::File { .. } => panic!("no file is read here"),
        })
    }

    const WHOLE: &str = r#"
        [[identity]]
        uri = "spiffe://example.org/support"
        tenant = "acme"
        agent = "support-bot"
        principal = "alice"
        capabilities = ["memory:read", "memory:write"]

        [[identity]]
        dns = "Importer.Example.Org"
        tenant = "acme"
        agent = "importer"
        capabilities = []
    "#;

    #[test]
    fn names_stand_for_identities() {
        let identities = parse(WHOLE).unwrap();
        let support = identities.of(&SubjectName::Uri("spiffe://example.org/support".to_owned())).unwrap();
        assert_eq!((support.agent.as_str(), support.id.as_str()), ("support-bot", "alice"));
        assert_eq!(support.capabilities.iter().count(), 2);
        let importer = identities.of(&SubjectName::Dns("importer.example.org".to_owned())).unwrap();
        assert_eq!((importer.id.as_str(), importer.capabilities), ("importer", Capabilities::NONE));
        for other in
            ["spiffe://example.org/support/more", "spiffe://example.org", "SPIFFE://EXAMPLE.ORG/SUPPORT"]
        {
            assert!(identities.of(&SubjectName::Uri(other.to_owned())).is_none(), "{other}");
        }
    }

    #[test]
    fn all_that_is_wrong_is_told_with_its_place() {
        let faults = parse(
            r#"
            [[identity]]
            uri = "spiffe://a/b"
            dns = "a.b"
            tenant = "a/b"
            agent = "system:expiry"
            capabilities = ["memory:everything"]
            [[identity]]
            dns = "*.example.org"
            tenant = "t"
            agent = "a"
            capabilities = []
            [[identity]]
            uri = "spiffe://c/d"
            tenant = "t"
            agent = "a"
            capabilities = []
            [[identity]]
            uri = "spiffe://c/d"
            tenant = "t"
            agent = "b"
            capabilities = []
            "#,
        )
        .unwrap_err();
        for (number, word) in [
            (1, "exactly one"),
            (1, "tenant"),
            (1, "agent"),
            (1, "principal"),
            (1, "capabilities"),
            (2, "dns"),
            (4, "already"),
        ] {
            let place = format!("number {number}: ");
            assert!(
                faults.iter().any(|fault| fault.contains(&place) && fault.contains(word)),
                "{word}: {faults:?}"
            );
        }
        assert_eq!(faults.len(), 7, "{faults:?}");
    }

    #[test]
    fn what_is_no_such_file_is_refused() {
        assert_eq!(parse("").unwrap_err(), ["it has no [[identity]]"]);
        for text in [
            "identity",
            "[[identities]]",
            "[[identity]]\nuri = \"a:b\"\ntenant = \"t\"\nagent = \"a\"\ncapability = []",
        ] {
            let faults = parse(text).unwrap_err();
            assert!(faults[0].starts_with("line "), "{faults:?}");
        }
    }
}
