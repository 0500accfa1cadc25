//! Who calls: makes a [`Principal`] of a credential, or says why it cannot.
//!
//! A credential is a bearer token (a JWT, or an API key) in the metadata `authorization`, or the client certificate that the
//! connection was made with. A token says more about the call than the connection does, so it wins; a token that is not
//! accepted is never passed over in favour of a certificate.

pub mod api_key;
mod bearer;
pub mod certificate;
mod fault;
pub mod jwt;
mod metadata;
mod told;

use std::sync::Arc;

use http::HeaderMap;
use tokio_util::sync::CancellationToken;

pub use fault::{AuthFault, Cause};
pub(crate) use told::Told;

use crate::domain::principal::Principal;
use api_key::ApiKeys;
use bearer::Bearer;
use certificate::{CertificateIdentities, Peer};
use jwt::JwtVerifier;

/// The ways in which callers can say who they are.
#[derive(Debug, Default)]
pub struct Methods {
    /// JSON Web Tokens.
    pub jwt: Option<JwtVerifier>,
    /// API keys.
    pub api_keys: Option<ApiKeys>,
    /// Client certificates.
    pub certificates: Option<CertificateIdentities>,
    /// Whether a caller without any credential is believed what its metadata says. Only `dev` does.
    pub metadata: bool,
}

/// Finds out who calls. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Authenticator(Arc<Methods>);

impl Authenticator {
    /// Accepts credentials of these kinds and no others.
    pub fn new(methods: Methods) -> Self {
        Self(Arc::new(methods))
    }

    /// Who sends these headers on a connection of this peer.
    pub async fn principal(&self, headers: &HeaderMap, peer: &Peer) -> Result<Principal, AuthFault> {
        let Methods { jwt, api_keys, certificates, metadata } = &*self.0;
        match bearer::of(headers).map_err(AuthFault::Unauthenticated)? {
            Some(Bearer::ApiKey(key)) => match api_keys {
                Some(api_keys) => api_keys.principal(key).await,
                None => Err(Cause::KindNotAccepted("API keys").into()),
            },
            Some(Bearer::Token(token)) => match jwt {
                Some(jwt) => jwt.principal(token).await,
                None => Err(Cause::KindNotAccepted("JSON Web Tokens").into()),
            },
            None => match (certificates, peer.names()) {
                (Some(certificates), Some(names)) => certificates.principal(names),
                _ if *metadata => metadata::principal(headers),
                _ => Err(Cause::Missing.into()),
            },
        }
    }

    /// Keeps keys and identities fresh, and notes the use of API keys, until told to stop.
    pub async fn keep(&self, stop: CancellationToken) {
        let Methods { jwt, api_keys, certificates, metadata: _ } = &*self.0;
        tokio::join!(
            async {
                if let Some(jwt) = jwt {
                    jwt.keep(&stop).await;
                }
            },
            async {
                if let Some(api_keys) = api_keys {
                    api_keys.keep(&stop).await;
                }
            },
            async {
                if let Some(certificates) = certificates {
                    certificates.keep(&stop).await;
                }
            },
        );
    }
}
