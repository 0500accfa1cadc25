//! TLS for the listener: certificates, keys and clients' authorities, read again when their files change.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

use crate::auth::Told;
use crate::config::{ConfigFaults, TlsFiles};

/// How often the files are looked at.
const LOOKED_AT: Duration = Duration::from_secs(2);

/// What connections are encrypted with.
pub(super) struct Tls {
    files: TlsFiles,
    contents: RwLock<Contents>,
    current: RwLock<Arc<ServerConfig>>,
    told: Told,
}

/// Names the files and shows nothing of them.
impl std::fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Tls").field(&self.files).finish()
    }
}

/// What the files hold.
#[derive(PartialEq)]
struct Contents {
    certificate: Vec<u8>,
    key: Zeroizing<Vec<u8>>,
    client_ca: Option<Vec<u8>>,
}

impl Tls {
    /// Reads the files; notes every fault.
    pub(super) fn load(files: TlsFiles, faults: &mut ConfigFaults) -> Option<Self> {
        let contents = read(&files, faults)?;
        let config = config(&files, &contents, faults)?;
        Some(Self {
            files,
            contents: RwLock::new(contents),
            current: RwLock::new(config),
            told: Told::default(),
        })
    }

    /// What the next connection is encrypted with.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Reads the files again when they changed, until told to stop. Connections that are open stay as they are.
    pub(super) async fn keep(&self, stop: &CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOKED_AT) => {}
            }
            self.look();
        }
    }

    /// Takes the files over if they changed; a version that cannot be used is told of once.
    fn look(&self) {
        let mut faults = ConfigFaults::default();
        let Some(contents) = read(&self.files, &mut faults) else {
            if self.told.is_new(&faults) {
                tracing::warn!(%faults, "the files of TLS cannot be read; what was read before stays in use");
            }
            return;
        };
        self.told.is_well();
        if *self.contents.read().unwrap_or_else(PoisonError::into_inner) == contents {
            return;
        }
        match config(&self.files, &contents, &mut faults) {
            Some(config) => {
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = config;
                tracing::info!("read the files of TLS again");
            }
            None => {
                tracing::warn!(%faults, "the files of TLS cannot be used; what was read before stays in use");
            }
        }
        *self.contents.write().unwrap_or_else(PoisonError::into_inner) = contents;
    }
}

fn read(files: &TlsFiles, faults: &mut ConfigFaults) -> Option<Contents> {
    let mut file = |path: &PathBuf| {
        let read = std::fs::read(path);
        faults.take(read.map_err(|cause| format!("{} cannot be read: {cause}", path.display())))
    };
    let certificate = file(&files.certificate);
    let key = file(&files.key).map(Zeroizing::new);
    let client_ca = files.client_ca.as_ref().map(file);
    let client_ca = match client_ca {
        Some(read) => Some(read?),
        None => None,
    };
    Some(Contents { certificate: certificate?, key: key?, client_ca })
}

/// Puts together what the files hold; notes every fault, and nothing of what they hold.
fn config(files: &TlsFiles, contents: &Contents, faults: &mut ConfigFaults) -> Option<Arc<ServerConfig>> {
    let chain = certificates(&files.certificate, &contents.certificate, faults);
    let key = PrivateKeyDer::from_pem_slice(&contents.key);
    let key = faults.take(key.map_err(|_| {
        format!("{} holds no private key in PEM that is not encrypted itself", files.key.display())
    }));
    let authorities = match (&files.client_ca, &contents.client_ca) {
        (Some(path), Some(pem)) => Some(certificates(path, pem, faults)),
        _ => None,
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
    let builder = faults.take(builder)?;
    let builder = match authorities {
        None => builder.with_no_client_auth(),
        Some(authorities) => {
            let mut roots = RootCertStore::empty();
            for authority in authorities? {
                let path = files.client_ca.as_deref().unwrap_or(Path::new(""));
                let added = roots.add(authority);
                faults
                    .take(added.map_err(|error| format!("{} holds no authority: {error}", path.display())))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            let verifier =
                if files.client_certificate_required { verifier } else { verifier.allow_unauthenticated() };
            let verifier = verifier.build().map_err(|error| format!("clients cannot be verified: {error}"));
            builder.with_client_cert_verifier(faults.take(verifier)?)
        }
    };
    let config = builder.with_single_cert(chain?, key?).map_err(|error| {
        format!("{} and {} do not go together: {error}", files.certificate.display(), files.key.display())
    });
    let mut config = faults.take(config)?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    // Every connection shows its certificate anew: nothing is resumed.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Some(Arc::new(config))
}

fn certificates(path: &Path, pem: &[u8], faults: &mut ConfigFaults) -> Option<Vec<CertificateDer<'static>>> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let found = read.ok().filter(|found| !found.is_empty());
    faults.required(found, || format!("{} holds no certificate in PEM", path.display()))
}
