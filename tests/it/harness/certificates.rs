//! An authority of a test's own, and what it certifies.

use std::path::{Path, PathBuf};

use memory_lifecycle::config::TlsFiles;
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    SanType, date_time_ymd,
};
use tempfile::TempDir;
use tonic::transport::{Certificate as Authority, ClientTlsConfig, Endpoint, Identity};

/// A certificate and its key, in PEM.
#[derive(Debug, Clone)]
pub struct Pair {
    pub certificate: String,
    pub key: String,
}

/// What a certificate is to say.
#[derive(Debug, Clone, Default)]
pub struct Wanted<'a> {
    pub uris: &'a [&'a str],
    pub names: &'a [&'a str],
    pub common_name: Option<&'a str>,
    /// Whether it is a server's rather than a client's.
    pub of_server: bool,
    /// The years it is valid from and until; not said: now.
    pub years: Option<(i32, i32)>,
}

/// An authority, in memory.
pub struct CertificateAuthority {
    certificate: Certificate,
    issuer: Issuer<'static, KeyPair>,
}

impl CertificateAuthority {
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "a test's own authority");
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self { certificate, issuer: Issuer::new(params, key) }
    }

    pub fn pem(&self) -> String {
        self.certificate.pem()
    }

    pub fn certify(&self, wanted: &Wanted<'_>) -> Pair {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        let uris = wanted.uris.iter().map(|uri| SanType::URI((*uri).try_into().unwrap()));
        let names = wanted.names.iter().map(|name| SanType::DnsName((*name).try_into().unwrap()));
        params.subject_alt_names = uris.chain(names).collect();
        if let Some(name) = wanted.common_name {
            params.distinguished_name.push(DnType::CommonName, name);
        }
        if let Some((from, until)) = wanted.years {
            params.not_before = date_time_ymd(from, 1, 1);
            params.not_after = date_time_ymd(until, 1, 1);
        }
        params.extended_key_usages = vec![if wanted.of_server {
            ExtendedKeyUsagePurpose::ServerAuth
        } else {
            ExtendedKeyUsagePurpose::ClientAuth
        }];
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Pair { certificate: certificate.pem(), key: key.serialize_pem() }
    }

    /// A certificate for `localhost`.
    pub fn server(&self) -> Pair {
        self.certify(&Wanted { names: &["localhost"], of_server: true, ..Wanted::default() })
    }

    /// A client's certificate for a URI.
    pub fn client(&self, uri: &str) -> Pair {
        self.certify(&Wanted { uris: &[uri], ..Wanted::default() })
    }
}

/// A folder with the files of a server's TLS.
pub struct TlsFolder(TempDir);

impl TlsFolder {
    /// The server's certificate by this authority; clients' too, if they are to have some.
    pub fn new(authority: &CertificateAuthority) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.certify(&authority.server());
        folder.write("ca.pem", &authority.pem());
        folder
    }

    /// Puts another certificate and key of the server there.
    pub fn certify(&self, pair: &Pair) {
        self.write("server.key", &pair.key);
        self.write("server.pem", &pair.certificate);
    }

    /// Puts a file there, whole at once.
    pub fn write(&self, name: &str, text: &str) {
        let making = self.path("being-written");
        std::fs::write(&making, text).unwrap();
        std::fs::rename(making, self.path(name)).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// TLS without certificates of clients.
    pub fn files(&self) -> TlsFiles {
        TlsFiles {
            certificate: self.path("server.pem"),
            key: self.path("server.key"),
            client_ca: None,
            client_certificate_required: false,
        }
    }
}

/// How to connect to a server on this machine that an authority vouches for, with a certificate of one's own or without.
pub fn endpoint(address: std::net::SocketAddr, authority: &str, own: Option<&Pair>) -> Endpoint {
    let tls = ClientTlsConfig::new().domain_name("localhost").ca_certificate(Authority::from_pem(authority));
    let tls = match own {
        Some(pair) => tls.identity(Identity::from_pem(&pair.certificate, &pair.key)),
        None => tls,
    };
    Endpoint::from_shared(format!("https://{address}")).unwrap().tls_config(tls).unwrap()
}
