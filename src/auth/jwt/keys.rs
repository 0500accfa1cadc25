//! A JSON Web Key Set (RFC 7517): the keys that an issuer signs with.

use std::collections::HashMap;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::DecodingKey;
use serde::Deserialize;

use crate::config::JwtAlgorithm;

/// The most keys of a set.
const MOST_KEYS: usize = 100;
/// The fewest bytes of an RSA key's modulus: 2048 bits.
const RSA_BYTES: usize = 256;

/// Keys by their ids.
pub(super) struct Keys(HashMap<String, Key>);

/// A key, and the one algorithm it is for.
#[derive(Clone)]
pub(super) struct Key {
    pub(super) algorithm: JwtAlgorithm,
    pub(super) decoding: DecodingKey,
}

/// Names the keys and shows nothing of them.
impl fmt::Debug for Keys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

/// Why a text is no key set that can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeySetFault {
    /// Not JSON, or JSON of another form.
    #[error("is not a JSON Web Key Set: an object with a list `keys`")]
    Form,
    /// More keys than a set may have.
    #[error("has more than {MOST_KEYS} keys")]
    TooMany,
    /// Two keys with one id.
    #[error("has two keys with the same kid")]
    Duplicate,
    /// None of its keys can be used.
    #[error(
        "has no key to verify with: each needs a kid, and to be of RSA (2048 bits or more), EC P-256, or OKP Ed25519"
    )]
    NoKey,
}

#[derive(Deserialize)]
struct Set {
    // Each is read on its own: one of a kind that is not known here must not spoil the others.
    keys: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl Keys {
    /// Reads a set. Keys that cannot verify any of the algorithms known here are passed over.
    pub(super) fn parse(text: &str) -> Result<Self, KeySetFault> {
        let set: Set = serde_json::from_str(text).map_err(|_| KeySetFault::Form)?;
        if set.keys.len() > MOST_KEYS {
            return Err(KeySetFault::TooMany);
        }
        let mut keys = HashMap::new();
        for (id, key) in set.keys.into_iter().filter_map(usable) {
            if keys.insert(id, key).is_some() {
                return Err(KeySetFault::Duplicate);
            }
        }
        if keys.is_empty() { Err(KeySetFault::NoKey) } else { Ok(Self(keys)) }
    }

    /// The key of this id.
    pub(super) fn get(&self, id: &str) -> Option<&Key> {
        self.0.get(id)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// A key that can verify, with its id.
fn usable(value: serde_json::Value) -> Option<(String, Key)> {
    let jwk: Jwk = serde_json::from_value(value).ok()?;
    let is_for_signatures = jwk.usage.as_deref().is_none_or(|usage| usage == "sig")
        && jwk.key_ops.as_ref().is_none_or(|ops| ops.iter().any(|op| op == "verify"));
    let (algorithm, decoding) = match (jwk.kty.as_str(), jwk.crv.as_deref()) {
        ("RSA", _) => {
            let (n, e) = (bytes(jwk.n.as_deref())?, bytes(jwk.e.as_deref())?);
            // The library of signatures refuses shorter ones too; here they are not even taken for keys.
            let significant = n.iter().skip_while(|byte| **byte == 0).count();
            let key = DecodingKey::from_rsa_raw_components(&n, &e);
            (significant >= RSA_BYTES).then_some((JwtAlgorithm::Rs256, key))?
        }
        ("EC", Some("P-256")) => {
            let (x, y) = (bytes(jwk.x.as_deref())?, bytes(jwk.y.as_deref())?);
            let point = [&[4][..], &x, &y].concat();
            (x.len() == 32 && y.len() == 32)
                .then(|| (JwtAlgorithm::Es256, DecodingKey::from_ec_der(&point)))?
        }
        ("OKP", Some("Ed25519")) => {
            let x = bytes(jwk.x.as_deref())?;
            (x.len() == 32).then(|| (JwtAlgorithm::EdDsa, DecodingKey::from_ed_der(&x)))?
        }
        _ => return None,
    };
    let is_its_own = jwk.alg.as_deref().is_none_or(|alg| alg == algorithm.name());
    let id = jwk.kid.filter(|kid| !kid.is_empty())?;
    (is_for_signatures && is_its_own).then_some((id, Key { algorithm, decoding }))
}

fn bytes(text: Option<&str>) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn encoded(length: usize) -> String {
        URL_SAFE_NO_PAD.encode(vec![0xc5; length])
    }

    fn ed25519(id: &str) -> Value {
        json!({ "kty": "OKP", "crv": "Ed25519", "kid": id, "x": encoded(32) })
    }

    fn parse(keys: &[Value]) -> Result<Keys, KeySetFault> {
        Keys::parse(&json!({ "keys": keys }).to_string())
    }

    fn with(mut key: Value, member: &str, value: Value) -> Value {
        key[member] = value;
        key
    }

    #[test]
    fn each_kind_of_key_is_for_its_algorithm_alone() {
        let keys = parse(&[
            json!({ "kty": "RSA", "kid": "rsa", "n": encoded(256), "e": "AQAB" }),
            json!({ "kty": "EC", "crv": "P-256", "kid": "ec", "x": encoded(32), "y": encoded(32), "alg": "ES256" }),
            with(ed25519("ed"), "use", json!("sig")),
        ])
        .unwrap();
        assert_eq!(keys.get("rsa").unwrap().algorithm, JwtAlgorithm::Rs256);
        assert_eq!(keys.get("ec").unwrap().algorithm, JwtAlgorithm::Es256);
        assert_eq!(keys.get("ed").unwrap().algorithm, JwtAlgorithm::EdDsa);
        assert_eq!((keys.len(), keys.get("other").is_none()), (3, true));
        assert!(!format!("{keys:?}").contains(&encoded(32)));
    }

    #[test]
    fn what_cannot_verify_is_passed_over() {
        for key in [
            json!({ "kty": "oct", "kid": "a", "k": encoded(32) }),
            json!({ "kty": "RSA", "kid": "a", "n": encoded(128), "e": "AQAB" }),
            json!({ "kty": "RSA", "kid": "a", "n": URL_SAFE_NO_PAD.encode([vec![0; 200], vec![7; 128]].concat()), "e": "AQAB" }),
            json!({ "kty": "EC", "crv": "P-384", "kid": "a", "x": encoded(48), "y": encoded(48) }),
            json!({ "kty": "EC", "crv": "P-256", "kid": "a", "x": encoded(31), "y": encoded(32) }),
            json!({ "kty": "OKP", "crv": "X25519", "kid": "a", "x": encoded(32) }),
            with(ed25519("a"), "use", json!("enc")),
            with(ed25519("a"), "key_ops", json!(["sign"])),
            with(ed25519("a"), "alg", json!("ES256")),
            with(ed25519("a"), "x", json!("not base64url!")),
            with(ed25519("a"), "kid", Value::Null),
            with(ed25519("a"), "kid", json!("")),
            with(ed25519("a"), "kid", json!(7)),
            json!("no object"),
            json!({}),
        ] {
            assert_eq!(parse(std::slice::from_ref(&key)).err(), Some(KeySetFault::NoKey), "{key}");
            assert_eq!(parse(&[key, ed25519("b")]).unwrap().len(), 1, "the others stay");
        }
    }

    #[test]
    fn what_is_no_set_is_refused() {
        for text in ["", "[]", "{}", "{\"keys\": {}}", "{\"keys\": [}", "<html>"] {
            assert_eq!(Keys::parse(text).err(), Some(KeySetFault::Form), "{text}");
        }
        assert_eq!(parse(&[]).err(), Some(KeySetFault::NoKey));
        assert_eq!(parse(&[ed25519("a"), ed25519("a")]).err(), Some(KeySetFault::Duplicate));
        assert_eq!(parse(&vec![ed25519("a"); 101]).err(), Some(KeySetFault::TooMany));
    }
}
