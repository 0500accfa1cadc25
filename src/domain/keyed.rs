//! HMAC-SHA-256 with the keys of this service, which have 32 bytes; and the tokens that are signed with it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::principal::Principal;

const MAC_BYTES: usize = 32;

/// A MAC under this key, to be fed. Who makes it begins with a purpose of its own, so that what one key signs for one use
/// means nothing in another.
pub fn mac(key: &[u8; 32]) -> Hmac<Sha256> {
    // HMAC pads a short key with zeros to the hash's block; so does this, and cannot fail.
    let mut block = [0; 64];
    for (padded, byte) in block.iter_mut().zip(key) {
        *padded = *byte;
    }
    Hmac::new(&block.into())
}

/// Makes and reads tokens for one purpose: a body, signed together with who was given it and what it goes with.
#[derive(Clone)]
pub struct Signer {
    keyed: Hmac<Sha256>,
    purpose: &'static [u8],
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Signer(…)")
    }
}

impl Signer {
    /// Signs with this key, which all replicas share; the purpose keeps these signatures apart from any others made with it.
    pub fn new(key: &[u8; 32], purpose: &'static [u8]) -> Self {
        Self { keyed: mac(key), purpose }
    }

    /// The token with this body for this caller; `asked` is a digest of what it goes with.
    pub fn token(&self, principal: &Principal, asked: &[u8; 32], body: &[u8]) -> String {
        let mut token = self.mac(principal, asked, body).finalize().into_bytes().to_vec();
        token.extend_from_slice(body);
        URL_SAFE_NO_PAD.encode(token)
    }

    /// The body of a token that was made for this very caller and for what it is sent with.
    pub fn read(&self, principal: &Principal, asked: &[u8; 32], token: &str) -> Option<Vec<u8>> {
        let token = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (mac, body) = token.split_at_checked(MAC_BYTES)?;
        self.mac(principal, asked, body).verify_slice(mac).ok()?;
        Some(body.to_vec())
    }

    fn mac(&self, principal: &Principal, asked: &[u8; 32], body: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.keyed.clone();
        let parts: [&[u8]; 7] = [
            self.purpose,
            principal.tenant.as_str().as_bytes(),
            principal.id.as_str().as_bytes(),
            principal.agent.as_str().as_bytes(),
            &[u8::from(principal.is_admin())],
            asked,
            body,
        ];
        for part in parts {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac
    }
}
