//! What a key looks like: `mlk_`, 16 characters that name it, 52 that are its secret, and 8 that check the rest, with
//! underscores between. All of them lower-case letters and digits, so that a double click takes the whole.
//!
//! 52 characters of 32 are 260 random bits. Nobody guesses those, however fast a guess can be tried, so that a plain
//! SHA-256 keeps the secret: the slow hashes made for passwords protect what people can think of, and would cost every
//! look-up milliseconds.

use std::fmt;
use std::sync::Arc;

use secrecy::SecretString;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::PREFIX;
use crate::clock::Clock;

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
const ID: usize = 16;
const SECRET: usize = 52;
const CHECK: usize = 8;

/// The public part of a key, which names it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(Arc<str>);

impl KeyId {
    /// Reads a key's name, or takes it from the beginning of a whole key, as people paste them; of that only the name is
    /// looked at.
    pub fn parse(text: &str) -> Option<Self> {
        let id = match text.strip_prefix(PREFIX) {
            Some(rest) => rest.split('_').next()?,
            None => text,
        };
        is_of(id, ID).then(|| Self(id.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A well-formed key: its name, and the hash of its secret. The secret itself is not kept.
pub struct ApiKey {
    id: KeyId,
    hash: [u8; 32],
}

/// Shows the name alone.
impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ApiKey({}, …)", self.id)
    }
}

impl ApiKey {
    /// Makes a new key. Its text is nowhere but in the answer.
    pub fn generate(clock: &Clock) -> (Self, SecretString) {
        let id = letters(&clock.random_bytes::<ID>());
        let secret = letters(&clock.random_bytes::<SECRET>());
        let body = format!("{PREFIX}{id}_{secret}");
        let text = format!("{body}_{}", check(&body));
        (Self { id: KeyId(id.into()), hash: hash(&secret) }, text.into())
    }

    /// Reads a key. Texts of another form, and those with a slip or a piece missing, are none.
    pub fn parse(text: &str) -> Option<Self> {
        let (body, checked) = text.rsplit_once('_')?;
        let (id, secret) = body.strip_prefix(PREFIX)?.split_once('_')?;
        let well_formed = is_of(id, ID) && is_of(secret, SECRET) && check(body) == checked;
        well_formed.then(|| Self { id: KeyId(id.into()), hash: hash(secret) })
    }

    /// Its name.
    pub fn id(&self) -> &KeyId {
        &self.id
    }

    /// SHA-256 of its secret, as the database has it.
    pub fn hash(&self) -> &[u8; 32] {
        &self.hash
    }

    /// Whether its secret has this hash. Takes as long whether or not it has.
    pub(super) fn has_hash(&self, hash: &[u8; 32]) -> bool {
        self.hash.ct_eq(hash).into()
    }
}

/// A character for each byte: 5 bits of it, so that every character is as likely as another.
fn letters(bytes: &[u8]) -> String {
    let letter = |byte: &u8| ALPHABET.get(usize::from(byte % 32)).copied().map(char::from);
    bytes.iter().filter_map(letter).collect()
}

fn is_of(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| ALPHABET.contains(&byte))
}

fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// Characters that tell a slip from a key, without asking anybody: they keep nobody out who means to get in.
fn check(body: &str) -> String {
    letters(hash(body).get(..CHECK).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    fn made() -> (ApiKey, String) {
        let (key, text) = ApiKey::generate(&Clock::system());
        (key, text.expose_secret().to_owned())
    }

    #[test]
    fn a_key_is_read_as_it_was_made() {
        let (key, text) = made();
        assert_eq!(text.len(), 82);
        let read = ApiKey::parse(&text).unwrap();
        assert_eq!(read.id(), key.id());
        assert!(read.has_hash(key.hash()));
        assert_eq!(KeyId::parse(&text).as_ref(), Some(key.id()));
        assert_eq!(KeyId::parse(key.id().as_str()).as_ref(), Some(key.id()));
        let (other, other_text) = made();
        assert_ne!(other_text, text);
        assert!(!other.has_hash(key.hash()));
    }

    #[test]
    fn every_single_slip_is_noticed() {
        let (_, text) = made();
        for at in 0..text.len() {
            let mut slipped = text.clone().into_bytes();
            slipped[at] = if slipped[at] == b'a' { b'b' } else { b'a' };
            assert!(ApiKey::parse(std::str::from_utf8(&slipped).unwrap()).is_none(), "at {at}");
            assert!(ApiKey::parse(text.get(..at).unwrap()).is_none(), "cut off at {at}");
        }
        for text in [format!("{text}a"), format!(" {text}"), text.to_uppercase(), text.replace('_', "-")] {
            assert!(ApiKey::parse(&text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_name_is_taken_from_what_is_left_of_a_key_and_from_nothing_else() {
        let (key, text) = made();
        assert_eq!(
            KeyId::parse(text.get(..30).unwrap()).as_ref(),
            Some(key.id()),
            "the secret is not looked at"
        );
        for text in ["", "mlk_", "mlk_abc", "abcdefghijklmnop2", "ABCDEFGHIJKLMNOP", "abcdefghijklmno1", "é"]
        {
            assert!(KeyId::parse(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn what_is_printed_of_a_key_has_nothing_of_its_secret() {
        let (key, text) = made();
        let secret = text.split('_').nth(2).unwrap();
        let shown = format!("{key:?} {:?}", key.id());
        assert!((0..=SECRET - 8).all(|at| !shown.contains(secret.get(at..at + 8).unwrap())), "{shown}");
        assert!(shown.contains(key.id().as_str()));
    }
}
