//! JSON Web Tokens (RFC 7519) of one issuer, for one audience.

use tokio_util::sync::CancellationToken;

use super::fault::{AuthFault, TokenFault};
use crate::clock::Clock;
use crate::config::JwtConfig;
use crate::domain::principal::Principal;

/// Verifies tokens.
#[derive(Debug)]
pub struct JwtVerifier {}

/// Why the keys cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {}

impl JwtVerifier {
    /// Gets the keys. A file must be there and hold some; an address that does not answer yet is asked again later.
    pub async fn start(_config: JwtConfig, _clock: Clock) -> Result<Self, KeysError> {
        Ok(Self {})
    }

    /// Who has this token.
    pub(super) async fn principal(&self, _token: &str) -> Result<Principal, AuthFault> {
        Err(TokenFault::Malformed.into())
    }

    /// Keeps the keys fresh until told to stop.
    pub(super) async fn keep(&self, stop: &CancellationToken) {
        stop.cancelled().await;
    }
}
