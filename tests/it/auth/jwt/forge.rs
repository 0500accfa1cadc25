//! Keys of an issuer, and tokens put together by hand: good ones, and such as no issuer would sign.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};
use sha2::Sha256;

pub const ISSUER: &str = "https://issuer.example";
pub const AUDIENCE: &str = "memory-lifecycle";
/// In the year 2100.
pub const NEVER: u64 = 4_102_444_800;

/// The key is of no worth: it is published here.
static RSA: LazyLock<RsaKeyPair> =
    LazyLock::new(|| RsaKeyPair::from_pkcs8(include_bytes!("worthless-rsa.pk8.der")).unwrap());
static EC: LazyLock<EcdsaKeyPair> = LazyLock::new(|| {
    let random = SystemRandom::new();
    let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap()
});

/// A key of the issuer. Its id is its algorithm's name in lower case; of several Ed25519 keys, their seed goes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Rsa,
    Ec,
    Ed(u8),
}

pub const ED: Key = Key::Ed(7);
pub const KEYS: [Key; 3] = [Key::Rsa, Key::Ec, ED];

impl Key {
    pub fn algorithm(self) -> &'static str {
        match self {
            Self::Rsa => "RS256",
            Self::Ec => "ES256",
            Self::Ed(_) => "EdDSA",
        }
    }

    pub fn id(self) -> String {
        match self {
            Self::Rsa => "rs256".to_owned(),
            Self::Ec => "es256".to_owned(),
            Self::Ed(seed) => format!("eddsa-{seed}"),
        }
    }

    fn ed(seed: u8) -> Ed25519KeyPair {
        Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap()
    }

    pub fn sign(self, message: &str) -> Vec<u8> {
        let (random, message) = (SystemRandom::new(), message.as_bytes());
        match self {
            Self::Rsa => {
                let mut signature = vec![0; RSA.public().modulus_len()];
                RSA.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).unwrap();
                signature
            }
            Self::Ec => EC.sign(&random, message).unwrap().as_ref().to_vec(),
            Self::Ed(seed) => Self::ed(seed).sign(message).as_ref().to_vec(),
        }
    }

    /// The public key, as whoever wants to misuse it has it: the bytes that are in the key set.
    pub fn public(self) -> Vec<u8> {
        match self {
            Self::Rsa => RSA.public_key().as_ref().to_vec(),
            Self::Ec => EC.public_key().as_ref().to_vec(),
            Self::Ed(seed) => Self::ed(seed).public_key().as_ref().to_vec(),
        }
    }

    pub fn jwk(self) -> Value {
        let public = self.public();
        let mut jwk = match self {
            Self::Rsa => {
                let components = ring::rsa::PublicKeyComponents::<Vec<u8>>::from(RSA.public());
                json!({ "kty": "RSA", "n": encoded(&components.n), "e": encoded(&components.e) })
            }
            Self::Ec => {
                let (x, y) = public[1..].split_at(32);
                json!({ "kty": "EC", "crv": "P-256", "x": encoded(x), "y": encoded(y) })
            }
            Self::Ed(_) => json!({ "kty": "OKP", "crv": "Ed25519", "x": encoded(&public) }),
        };
        jwk["kid"] = self.id().into();
        jwk["use"] = "sig".into();
        jwk
    }

    pub fn header(self) -> Value {
        json!({ "alg": self.algorithm(), "kid": self.id(), "typ": "JWT" })
    }

    /// A token with these claims that this key signed.
    pub fn token(self, claims: &Value) -> String {
        self.signs(&self.header().to_string(), &claims.to_string())
    }

    /// A token with this header, whatever it says, and these claims, that this key signed.
    pub fn signs(self, header: &str, claims: &str) -> String {
        put_together(header, claims, |message| self.sign(message))
    }
}

/// A key set of these.
pub fn jwks(keys: &[Key]) -> String {
    let keys: Vec<_> = keys.iter().map(|key| key.jwk()).collect();
    json!({ "keys": keys }).to_string()
}

pub fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

pub fn put_together(header: &str, claims: &str, sign: impl FnOnce(&str) -> Vec<u8>) -> String {
    let message = format!("{}.{}", encoded(header.as_bytes()), encoded(claims.as_bytes()));
    let signature = encoded(&sign(&message));
    format!("{message}.{signature}")
}

/// HMAC with SHA-256, as HS256 signs.
pub fn hs256(secret: &[u8], message: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).unwrap();
    mac.update(message.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

/// What a good token says: alice of tenant acme, with everything but `memory:admin`.
pub fn claims() -> Value {
    json!({
        "iss": ISSUER,
        "aud": AUDIENCE,
        "exp": NEVER,
        "sub": "auth0|alice",
        "tenant_id": "acme",
        "agent_id": "support-bot",
        "scope": "memory:read memory:write memory:erase memory:hold audit:read",
    })
}

/// The same, but for one.
pub fn with(member: &str, value: impl Into<Value>) -> Value {
    let mut claims = claims();
    claims[member] = value.into();
    claims
}

/// The same, without one.
pub fn without(member: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().unwrap().remove(member).unwrap();
    claims
}
