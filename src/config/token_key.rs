//! The key that signs tokens of the server's own.

/// A 32-byte key. Never shown.
#[derive(Clone)]
pub struct TokenKey(pub [u8; 32]);

impl std::fmt::Debug for TokenKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("TokenKey(…)")
    }
}

/// The variable with the token key.
pub const TOKEN_KEY_VARIABLE: &str = "MEMORY_LIFECYCLE_TOKEN_KEY";

/// Why there is no token key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenKeyError {
    /// Not set.
    #[error(
        "MEMORY_LIFECYCLE_TOKEN_KEY is not set: 64 hexadecimal digits, the same on every replica, for \
             example from `openssl rand -hex 32`"
    )]
    Missing,
    /// Set to something else.
    #[error("MEMORY_LIFECYCLE_TOKEN_KEY must be exactly 64 hexadecimal digits")]
    IllFormed,
}

impl TokenKey {
    /// Reads the key from the environment.
    pub fn from_environment() -> Result<Self, TokenKeyError> {
        let text = std::env::var(TOKEN_KEY_VARIABLE).map_err(|_| TokenKeyError::Missing)?;
        Self::parse(text.trim()).ok_or(TokenKeyError::IllFormed)
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
    fn a_token_key_is_64_hexadecimal_digits() {
        let text = "0123456789abcdef".repeat(4);
        assert_eq!(TokenKey::parse(&text).map(|key| key.to_hex()), Some(text.clone()));
        assert!(TokenKey::parse(text.get(1..).unwrap()).is_none());
        assert!(TokenKey::parse(&"é".repeat(32)).is_none());
        assert_eq!(format!("{:?}", TokenKey([7; 32])), "TokenKey(…)");
    }
}
