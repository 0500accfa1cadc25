//! The keys that only the environment holds.

/// A 32-byte key. Never shown.
#[derive(Clone)]
pub struct SecretKey(pub [u8; 32]);

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("SecretKey(…)")
    }
}

/// The keys of a server, the same on every replica.
#[derive(Debug, Clone)]
pub struct Keys {
    /// Signs page and confirmation tokens. Changed, it makes those that are out invalid.
    pub tokens: SecretKey,
    /// Takes the fingerprints of suppressed contents. Changed, what was suppressed before can be saved again.
    pub fingerprints: SecretKey,
}

/// The variable with the key that signs tokens.
pub const TOKEN_KEY_VARIABLE: &str = "MEMORY_LIFECYCLE_TOKEN_KEY";
/// The variable with the key that takes fingerprints.
pub const FINGERPRINT_KEY_VARIABLE: &str = "MEMORY_LIFECYCLE_FINGERPRINT_KEY";

/// Why there is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SecretKeyError {
    /// Not set.
    #[error(
        "{0} is not set: 64 hexadecimal digits, the same on every replica, for example from `openssl rand -hex 32`"
    )]
    Missing(&'static str),
    /// Set to something else.
    #[error("{0} must be exactly 64 hexadecimal digits")]
    IllFormed(&'static str),
}

impl SecretKey {
    /// Reads the key from a variable of the environment.
    pub fn from_environment(variable: &'static str) -> Result<Self, SecretKeyError> {
        let text = std::env::var(variable).map_err(|_| SecretKeyError::Missing(variable))?;
        Self::parse(text.trim()).ok_or(SecretKeyError::IllFormed(variable))
    }

    /// Reads 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mut key = [0; 32];
        for (byte, pair) in key.iter_mut().zip(text.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(key))
    }

    /// The key as 64 hexadecimal digits.
    pub fn to_hex(&self) -> String {
        use std::fmt::Write;
        self.0.iter().fold(String::with_capacity(64), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_64_hexadecimal_digits() {
        let text = "0123456789abcdef".repeat(4);
        assert_eq!(SecretKey::parse(&text).map(|key| key.to_hex()), Some(text.clone()));
        assert!(SecretKey::parse(text.get(1..).unwrap()).is_none());
        assert!(SecretKey::parse(&"é".repeat(32)).is_none());
        assert_eq!(format!("{:?}", SecretKey([7; 32])), "SecretKey(…)");
    }
}
