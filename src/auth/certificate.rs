//! Client certificates: which identity stands behind a certificate's subject alternative names.

mod identities;

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rustls_pki_types::CertificateDer;
use tokio_util::sync::CancellationToken;

pub use identities::{Identities, IdentitiesError};

use super::fault::{AuthFault, Cause};
use super::told::Told;
use crate::domain::principal::Principal;

/// How often the file is looked at.
const LOOKED_AT: Duration = Duration::from_secs(2);

/// A name that a certificate is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SubjectName {
    /// A URI, for example a SPIFFE id.
    Uri(String),
    /// A DNS name, in lower case.
    Dns(String),
}

/// The subject alternative names of the client certificate of a connection, which was verified in the handshake. None where
/// the client showed no certificate. In the extensions of every request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Peer(Option<Arc<[SubjectName]>>);

impl Peer {
    /// A client without a certificate.
    pub const UNKNOWN: Self = Self(None);

    /// The client with this certificate, which must have been verified. Its common name says nothing: it never meant one
    /// kind of name.
    pub fn verified(certificate: &CertificateDer<'_>) -> Self {
        let Ok(certificate) = webpki::EndEntityCert::try_from(certificate) else {
            return Self(Some([].into()));
        };
        let uris = certificate.valid_uri_names().map(|uri| SubjectName::Uri(uri.to_owned()));
        let names = certificate.valid_dns_names().map(|name| SubjectName::Dns(name.to_ascii_lowercase()));
        Self(Some(uris.chain(names).collect()))
    }

    /// The names, if there is a certificate.
    pub(super) fn names(&self) -> Option<&[SubjectName]> {
        self.0.as_deref()
    }
}

/// The identities that certificates stand for, as a file has them.
#[derive(Debug)]
pub struct CertificateIdentities {
    file: PathBuf,
    /// The text that the file was last found to hold.
    text: RwLock<String>,
    current: RwLock<Arc<Identities>>,
    told: Told,
}

impl CertificateIdentities {
    /// Reads them from a file.
    pub fn load(file: &Path) -> Result<Self, IdentitiesError> {
        let text = read(file)?;
        let identities = Identities::parse(file, &text)?;
        Ok(Self {
            told: Told::default(),
            file: file.to_owned(),
            text: RwLock::new(text),
            current: RwLock::new(Arc::new(identities)),
        })
    }

    /// Who has a certificate with these names.
    pub(super) fn principal(&self, names: &[SubjectName]) -> Result<Principal, AuthFault> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner).clone();
        let mut found = names.iter().filter_map(|name| current.of(name));
        let first = found.next().ok_or(Cause::CertificateUnknown)?;
        // Several names of one identity are one identity.
        if found.any(|other| other != first) {
            return Err(Cause::CertificateAmbiguous.into());
        }
        Ok(first.clone())
    }

    /// Reads the file again when it changed, until told to stop.
    pub(super) async fn keep(&self, stop: &CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOKED_AT) => {}
            }
            match self.look() {
                Ok(false) => self.told.is_well(),
                Ok(true) => {
                    self.told.is_well();
                    tracing::info!(file = %self.file.display(), "read the identities of certificates again");
                }
                Err(error) if self.told.is_new(&error) => {
                    tracing::warn!(%error, "the identities of certificates cannot be used; those before stay in use");
                }
                Err(_) => {}
            }
        }
    }

    /// Takes the file over if it changed; a version that cannot be used is told of once.
    fn look(&self) -> Result<bool, IdentitiesError> {
        let text = read(&self.file)?;
        if *self.text.read().unwrap_or_else(PoisonError::into_inner) == text {
            return Ok(false);
        }
        let parsed = Identities::parse(&self.file, &text);
        *self.text.write().unwrap_or_else(PoisonError::into_inner) = text;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(parsed?);
        Ok(true)
    }
}

fn read(file: &Path) -> Result<String, IdentitiesError> {
    std::fs::read_to_string(file)
        .map_err(|cause| IdentitiesError::File { file: file.display().to_string(), cause: cause.to_string() })
}
