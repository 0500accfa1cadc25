//! Who may call, and over what: the credentials that a server takes, and TLS.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::ConfigFaults;
use super::parse::{parse_duration, parse_names};

const TENANT_CLAIM: &str = "tenant_id";
const AGENT_CLAIM: &str = "agent_id";
const PRINCIPAL_CLAIM: &str = "sub";
const CAPABILITIES_CLAIM: &str = "scope";

/// Which credentials a server takes. Any set of them may be on, and at least one must be.
#[derive(Debug, Clone, Args)]
pub struct AccessSettings {
    /// JSON Web Tokens: the issuer that tokens must name (`iss`). With it go --jwt-audience, --jwt-algorithms, and
    /// --jwks-file or --jwks-url.
    #[arg(long, env = "MEMORY_LIFECYCLE_JWT_ISSUER")]
    pub jwt_issuer: Option<String>,
    /// The audience that tokens must be for (`aud`).
    #[arg(long, env = "MEMORY_LIFECYCLE_JWT_AUDIENCE")]
    pub jwt_audience: Option<String>,
    /// The algorithms that tokens may be signed with, between commas.
    #[arg(long, env = "MEMORY_LIFECYCLE_JWT_ALGORITHMS", value_enum, value_delimiter = ',')]
    pub jwt_algorithms: Vec<JwtAlgorithm>,
    /// A file with the issuer's keys, a JSON Web Key Set. Read again when it changes.
    #[arg(long, env = "MEMORY_LIFECYCLE_JWKS_FILE")]
    pub jwks_file: Option<PathBuf>,
    /// Where the issuer publishes its keys: https, or http on a loopback address. Asked every five minutes, and for an
    /// unknown key at most every 30 seconds.
    #[arg(long, env = "MEMORY_LIFECYCLE_JWKS_URL")]
    pub jwks_url: Option<String>,
    /// The claim with the tenant. Like the other claims' names: a name, or a JSON pointer (`/app/tenant`) to one within.
    #[arg(long, env = "MEMORY_LIFECYCLE_JWT_TENANT_CLAIM", default_value = TENANT_CLAIM)]
    pub jwt_tenant_claim: String,
    /// The claim with the agent.
    #[arg(long, env = "MEMORY_LIFECYCLE_JWT_AGENT_CLAIM", default_value = AGENT_CLAIM)]
    pub jwt_agent_claim: String,
    /// The claim with the principal, the caller's name in the audit log.
    #[arg(long, env = "MEMORY_LIFECYCLE_JWT_PRINCIPAL_CLAIM", default_value = PRINCIPAL_CLAIM)]
    pub jwt_principal_claim: String,
    /// The claim with the capabilities: a text with names between spaces, or a list. Names of others are passed over.
    #[arg(long, env = "MEMORY_LIFECYCLE_JWT_CAPABILITIES_CLAIM", default_value = CAPABILITIES_CLAIM)]
    pub jwt_capabilities_claim: String,
    /// How far the issuer's clock may be from this machine's.
    #[arg(long, env = "MEMORY_LIFECYCLE_JWT_LEEWAY", default_value = "30s", value_parser = parse_duration)]
    pub jwt_leeway: Duration,
    /// Take API keys, which `memory-lifecycle api-key` makes and revokes.
    #[arg(long, env = "MEMORY_LIFECYCLE_API_KEYS")]
    pub api_keys: bool,
    /// How long a replica believes what the database said of an API key: so long can a revoked one still be used.
    #[arg(long, env = "MEMORY_LIFECYCLE_API_KEY_REMEMBERED", default_value = "5s", value_parser = parse_duration)]
    pub api_key_remembered: Duration,
    /// Take client certificates: a file that says which identity a certificate's subject alternative name stands for. Needs
    /// --tls-client-ca.
    #[arg(long, env = "MEMORY_LIFECYCLE_MTLS_IDENTITIES")]
    pub mtls_identities: Option<PathBuf>,
    /// The server's certificate chain, PEM. With --tls-key the server speaks TLS. Read again when it changes, like every
    /// file of TLS.
    #[arg(long, env = "MEMORY_LIFECYCLE_TLS_CERTIFICATE")]
    pub tls_certificate: Option<PathBuf>,
    /// The certificate's private key, PEM.
    #[arg(long, env = "MEMORY_LIFECYCLE_TLS_KEY")]
    pub tls_key: Option<PathBuf>,
    /// The authorities that client certificates must come from, PEM.
    #[arg(long, env = "MEMORY_LIFECYCLE_TLS_CLIENT_CA")]
    pub tls_client_ca: Option<PathBuf>,
    /// Listen without TLS on an address that others can reach: for a network that encrypts by itself, as a service mesh.
    #[arg(long, env = "MEMORY_LIFECYCLE_ALLOW_PLAINTEXT")]
    pub allow_plaintext: bool,
}

/// How a token may be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub enum JwtAlgorithm {
    /// RSA with SHA-256, PKCS #1 v1.5. Keys of at least 2048 bits.
    #[value(name = "RS256")]
    Rs256,
    /// ECDSA on P-256 with SHA-256.
    #[value(name = "ES256")]
    Es256,
    /// Ed25519.
    #[value(name = "EdDSA")]
    EdDsa,
}

impl JwtAlgorithm {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Rs256, Self::Es256, Self::EdDsa];

    /// Its name in the header of tokens (RFC 7518, RFC 8037).
    pub fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }

    /// The algorithm of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }
}

/// How tokens are verified.
#[derive(Debug, Clone)]
pub struct JwtConfig {
    /// What `iss` must be.
    pub issuer: String,
    /// What `aud` must be or hold.
    pub audience: String,
    /// How tokens may be signed.
    pub algorithms: Vec<JwtAlgorithm>,
    /// Where the keys are.
    pub keys: KeySource,
    /// What the claims are called.
    pub claims: ClaimNames,
    /// How far the issuer's clock may be from this machine's.
    pub leeway: Duration,
}

/// Where an issuer's keys are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// In a file.
    File(PathBuf),
    /// At an address.
    Url(String),
    /// Here: `dev` verifies what it signs itself.
    Inline(String),
}

/// What claims are called: a name, or a JSON pointer when it begins with a slash.
#[derive(Debug, Clone)]
pub struct ClaimNames {
    /// The tenant.
    pub tenant: String,
    /// The agent.
    pub agent: String,
    /// The principal.
    pub principal: String,
    /// The capabilities.
    pub capabilities: String,
}

impl Default for ClaimNames {
    fn default() -> Self {
        Self {
            tenant: TENANT_CLAIM.to_owned(),
            agent: AGENT_CLAIM.to_owned(),
            principal: PRINCIPAL_CLAIM.to_owned(),
            capabilities: CAPABILITIES_CLAIM.to_owned(),
        }
    }
}

/// The files of TLS.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The server's certificate chain.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// The authorities of clients.
    pub client_ca: Option<PathBuf>,
    /// Whether a client without a certificate is turned away before it sends anything: nothing else would be taken of it.
    pub client_certificate_required: bool,
}

/// The credentials that a server takes, complete; and TLS.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// JSON Web Tokens.
    pub jwt: Option<JwtConfig>,
    /// API keys, and how long what is known of them is believed.
    pub api_keys: Option<Duration>,
    /// The file with the identities of client certificates.
    pub mtls_identities: Option<PathBuf>,
    /// Whether metadata is believed. Only `dev` does.
    pub metadata: bool,
    /// TLS for the listener.
    pub tls: Option<TlsFiles>,
}

impl AccessSettings {
    /// Checks that everything that belongs together is there; notes every fault.
    pub(super) fn complete(self, listen: SocketAddr, faults: &mut ConfigFaults) -> Access {
        let metadata = false;
        let api_keys = self.api_keys.then_some(self.api_key_remembered);
        let jwt_wanted = self.jwt_issuer.is_some()
            || self.jwt_audience.is_some()
            || !self.jwt_algorithms.is_empty()
            || self.jwks_file.is_some()
            || self.jwks_url.is_some();
        let takes_others = jwt_wanted || self.api_keys;
        if !takes_others && self.mtls_identities.is_none() {
            faults.note(
                "nothing says how callers are known: set one or more of JSON Web Tokens (--jwt-issuer and what goes with \
                 it), API keys (--api-keys) and client certificates (--mtls-identities)",
            );
        }
        let tls = self.tls(takes_others, listen, faults);
        let mtls_identities = self.mtls_identities.clone();
        let jwt = if jwt_wanted { self.jwt(faults) } else { None };
        Access { jwt, api_keys, mtls_identities, metadata, tls }
    }

    fn jwt(self, faults: &mut ConfigFaults) -> Option<JwtConfig> {
        let issuer = faults.required(self.jwt_issuer.filter(|text| !text.trim().is_empty()), || {
            "JSON Web Tokens need --jwt-issuer: what the claim iss must be".to_owned()
        });
        let audience = faults.required(self.jwt_audience.filter(|text| !text.trim().is_empty()), || {
            "JSON Web Tokens need --jwt-audience: what the claim aud must be or hold".to_owned()
        });
        if self.jwt_algorithms.is_empty() {
            faults.note(
                "JSON Web Tokens need --jwt-algorithms: one or more of RS256, ES256 and EdDSA, as the issuer signs",
            );
        }
        let keys = match (self.jwks_file, self.jwks_url) {
            (Some(file), None) => Some(KeySource::File(file)),
            (None, Some(url)) if is_fit(&url) => Some(KeySource::Url(url)),
            (None, Some(_)) => {
                faults.note(
                    "--jwks-url must be an https address, or an http one of this machine (127.0.0.1, [::1]), without user \
                     and password",
                );
                None
            }
            (None, None) => {
                faults.note("JSON Web Tokens need --jwks-file or --jwks-url: where the issuer's keys are");
                None
            }
            (Some(_), Some(_)) => {
                faults.note("--jwks-file and --jwks-url exclude each other: the keys are in one place");
                None
            }
        };
        let mut claim = |flag: &str, name: String| {
            if let Err(fault) = parse_names(&name) {
                faults.note(format!("{flag} {fault}"));
            }
            name
        };
        let claims = ClaimNames {
            tenant: claim("--jwt-tenant-claim", self.jwt_tenant_claim),
            agent: claim("--jwt-agent-claim", self.jwt_agent_claim),
            principal: claim("--jwt-principal-claim", self.jwt_principal_claim),
            capabilities: claim("--jwt-capabilities-claim", self.jwt_capabilities_claim),
        };
        let (algorithms, leeway) = (self.jwt_algorithms, self.jwt_leeway);
        Some(JwtConfig { issuer: issuer?, audience: audience?, algorithms, keys: keys?, claims, leeway })
    }

    fn tls(&self, takes_others: bool, listen: SocketAddr, faults: &mut ConfigFaults) -> Option<TlsFiles> {
        if self.mtls_identities.is_some() && self.tls_client_ca.is_none() {
            faults.note("client certificates need --tls-client-ca: the authorities they must come from");
        }
        if self.tls_client_ca.is_some() && self.mtls_identities.is_none() {
            faults.note("--tls-client-ca needs --mtls-identities: which identity a certificate stands for");
        }
        let wanted = self.tls_client_ca.is_some() || self.mtls_identities.is_some();
        match (&self.tls_certificate, &self.tls_key) {
            (Some(certificate), Some(key)) => Some(TlsFiles {
                certificate: certificate.clone(),
                key: key.clone(),
                client_ca: self.tls_client_ca.clone(),
                client_certificate_required: !takes_others,
            }),
            (None, None) if wanted => {
                faults.note("client certificates need TLS: --tls-certificate and --tls-key");
                None
            }
            (None, None) => {
                if !listen.ip().is_loopback() && !self.allow_plaintext {
                    faults.note(format!(
                        "without TLS, credentials and memories would cross the network at {listen} for all to read: set \
                         --tls-certificate and --tls-key, or say --allow-plaintext when the network encrypts by itself"
                    ));
                }
                None
            }
            (Some(_), None) => {
                faults.note("--tls-certificate needs --tls-key: the certificate's private key");
                None
            }
            (None, Some(_)) => {
                faults.note("--tls-key needs --tls-certificate: the key's certificate chain");
                None
            }
        }
    }
}

/// Whether keys may be fetched from there: nobody on the way may exchange them, and no secret is in the address, which is
/// logged.
fn is_fit(url: &str) -> bool {
    reqwest::Url::parse(url).is_ok_and(|url| {
        let is_private = match url.scheme() {
            "https" => url.has_host(),
            "http" => url.host_str().is_some_and(|host| {
                let host = host.trim_start_matches('[').trim_end_matches(']');
                host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
            }),
            _ => false,
        };
        is_private && url.username().is_empty() && url.password().is_none()
    })
}

#[cfg(test)]
mod tests;
