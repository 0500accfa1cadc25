//! HMAC-SHA-256 with the keys of this service, which have 32 bytes.

use hmac::{Hmac, KeyInit};
use sha2::Sha256;

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
