//! Client certificates: which identity stands behind a certificate's subject alternative names.

use std::path::Path;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::fault::{AuthFault, Cause};
use crate::domain::principal::Principal;

/// The subject alternative names of the verified client certificate of a connection. In the extensions of every request
/// that came over such a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerNames(pub Arc<[String]>);

/// The identities that certificates stand for.
#[derive(Debug)]
pub struct CertificateIdentities {}

/// Why the identities cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IdentitiesError {}

impl CertificateIdentities {
    /// Reads them from a file.
    pub fn load(_file: &Path) -> Result<Self, IdentitiesError> {
        Ok(Self {})
    }

    /// Who has this certificate.
    pub(super) fn principal(&self, _peer: &PeerNames) -> Result<Principal, AuthFault> {
        Err(Cause::CertificateUnknown.into())
    }

    /// Reads the file again when it changed, until told to stop.
    pub(super) async fn keep(&self, stop: &CancellationToken) {
        stop.cancelled().await;
    }
}
