//! An issuer of one's own, for `dev` and for tests.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use ring::digest::{SHA256, digest};
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

use super::provider;

/// Why there is no issuer or no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MintError {
    /// A seed that is no seed.
    #[error("a signing key cannot be made of this seed")]
    Seed,
    /// The claims are not those of a token.
    #[error("these claims cannot be signed")]
    Claims,
}

/// Signs tokens with an Ed25519 key.
pub struct Issuer {
    key: EncodingKey,
    public: Vec<u8>,
    key_id: String,
}

/// Shows the name of its key alone.
impl std::fmt::Debug for Issuer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Issuer({})", self.key_id)
    }
}

impl Issuer {
    /// The issuer with the key that this seed stands for: 32 random bytes, to be kept secret.
    pub fn from_seed(seed: &[u8; 32]) -> Result<Self, MintError> {
        provider::install();
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| MintError::Seed)?;
        let public = pair.public_key().as_ref().to_vec();
        let key_id = URL_SAFE_NO_PAD.encode(digest(&SHA256, &public)).chars().take(16).collect();
        Ok(Self { key: EncodingKey::from_ed_der(seed), public, key_id })
    }

    /// The key set by which its tokens are verified.
    pub fn jwks(&self) -> String {
        let key = json!({
            "kty": "OKP",
            "crv": "Ed25519",
            "use": "sig",
            "alg": "EdDSA",
            "kid": self.key_id,
            "x": URL_SAFE_NO_PAD.encode(&self.public),
        });
        json!({ "keys": [key] }).to_string()
    }

    /// A token with these claims and no others.
    pub fn mint(&self, claims: &Value) -> Result<String, MintError> {
        let header = Header { kid: Some(self.key_id.clone()), ..Header::new(Algorithm::EdDSA) };
        jsonwebtoken::encode(&header, claims, &self.key).map_err(|_| MintError::Claims)
    }
}
