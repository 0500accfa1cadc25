//! JSON Web Tokens (RFC 7519) of one issuer, for one audience.

mod claims;
mod held;
mod keys;
mod members;
pub mod mint;
mod provider;
mod source;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Validation};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub use keys::KeySetFault;
pub use source::KeysError;

use super::fault::{AuthFault, TokenFault};
use crate::clock::Clock;
use crate::config::{JwtAlgorithm, JwtConfig};
use crate::domain::principal::Principal;
use claims::Claims;
use held::{HeldKeys, Missing};
use members::Members;

/// The most characters of a key's id.
const MOST_KEY_ID: usize = 256;

/// Verifies tokens.
pub struct JwtVerifier {
    config: JwtConfig,
    keys: Arc<HeldKeys>,
    clock: Clock,
}

/// Names the keys and shows nothing of them.
impl fmt::Debug for JwtVerifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { config: JwtConfig { issuer, audience, algorithms, .. }, keys, .. } = self;
        let mut shown = formatter.debug_struct("JwtVerifier");
        shown.field("issuer", issuer).field("audience", audience).field("algorithms", algorithms);
        shown.field("keys", keys).finish_non_exhaustive()
    }
}

impl JwtVerifier {
    /// Gets the keys. A file must be there and hold some; an address that does not answer yet is asked again later.
    pub async fn start(config: JwtConfig, clock: Clock) -> Result<Self, KeysError> {
        provider::install();
        let keys = HeldKeys::start(config.keys.clone(), clock.clone()).await?;
        Ok(Self { config, keys, clock })
    }

    /// Who has this token.
    pub(super) async fn principal(&self, token: &str) -> Result<Principal, AuthFault> {
        let (algorithm, key_id) = self.header(token)?;
        let key = self.keys.find(&key_id).await.map_err(|missing| match missing {
            Missing::Unknown => TokenFault::UnknownKey.into(),
            Missing::NeverRead => AuthFault::Unavailable,
            Missing::TooMany => AuthFault::Overloaded,
        })?;
        // The issuer's key says what it signs with; the token does not get to choose.
        if key.algorithm != algorithm {
            return Err(TokenFault::Algorithm.into());
        }
        let verified = jsonwebtoken::decode::<Members>(token, &key.decoding, &self.validation(algorithm));
        let Members(claims) = verified.map_err(|error| fault(error.kind()))?.claims;
        // The library also takes a list that holds the issuer. There is one, or it is not known who says all this.
        if !claims.get("iss").is_some_and(Value::is_string) {
            return Err(TokenFault::Issuer.into());
        }
        self.check_time(&claims)?;
        Ok(claims::principal(&claims, &self.config.claims)?)
    }

    /// Keeps the keys fresh until told to stop.
    pub(super) async fn keep(&self, stop: &CancellationToken) {
        self.keys.keep(stop).await;
    }

    /// The algorithm and the key that a token names. Nothing else of it is looked at before its signature is.
    fn header(&self, token: &str) -> Result<(JwtAlgorithm, String), TokenFault> {
        let encoded = token.split('.').next().unwrap_or_default();
        let decoded = URL_SAFE_NO_PAD.decode(encoded).map_err(|_| TokenFault::Malformed)?;
        let Members(header) = serde_json::from_slice(&decoded).map_err(|_| TokenFault::Malformed)?;
        let named = header.get("alg").and_then(Value::as_str).and_then(JwtAlgorithm::from_name);
        let accepted = named.filter(|named| self.config.algorithms.contains(named));
        let algorithm = accepted.ok_or(TokenFault::Algorithm)?;
        if header.contains_key("crit") {
            return Err(TokenFault::Critical);
        }
        match header.get("kid") {
            Some(Value::String(id)) if (1..=MOST_KEY_ID).contains(&id.len()) => Ok((algorithm, id.clone())),
            _ => Err(TokenFault::NoKeyId),
        }
    }

    /// What the library checks beside the signature. Time is not among it: it comes from the clock that everything here asks.
    fn validation(&self, algorithm: JwtAlgorithm) -> Validation {
        let mut validation = Validation::new(match algorithm {
            JwtAlgorithm::Rs256 => Algorithm::RS256,
            JwtAlgorithm::Es256 => Algorithm::ES256,
            JwtAlgorithm::EdDsa => Algorithm::EdDSA,
        });
        validation.set_issuer(&[&self.config.issuer]);
        validation.set_audience(&[&self.config.audience]);
        validation.set_required_spec_claims(&["iss", "aud"]);
        validation.validate_exp = false;
        validation
    }

    /// Whether the token has begun to be valid and has not ended, give or take what the clocks may differ by.
    fn check_time(&self, claims: &Claims) -> Result<(), TokenFault> {
        let now = self.clock.unix_time();
        let leeway = self.config.leeway;
        let end = moment(claims, "exp")?.ok_or_else(|| TokenFault::ClaimMissing("exp".to_owned()))?;
        if end.saturating_add(leeway) <= now {
            return Err(TokenFault::Expired);
        }
        match moment(claims, "nbf")? {
            Some(begin) if begin > now.saturating_add(leeway) => Err(TokenFault::NotYetValid),
            _ => Ok(()),
        }
    }
}

/// A claim that is a time: seconds since 1970, and maybe a fraction. What is before then, or beyond all times, is at the end.
fn moment(claims: &Claims, name: &str) -> Result<Option<Duration>, TokenFault> {
    let Some(value) = claims.get(name) else { return Ok(None) };
    let seconds = value.as_f64().filter(|seconds| seconds.is_finite()).ok_or_else(|| {
        TokenFault::ClaimFault { claim: name.to_owned(), fault: "must be a number of seconds".to_owned() }
    })?;
    Ok(Some(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)))
}

/// What is wrong, told from what the library says; its own words may quote the token.
fn fault(kind: &ErrorKind) -> TokenFault {
    match kind {
        ErrorKind::InvalidSignature => TokenFault::Signature,
        ErrorKind::InvalidIssuer => TokenFault::Issuer,
        ErrorKind::InvalidAudience => TokenFault::Audience,
        ErrorKind::MissingRequiredClaim(name) => TokenFault::ClaimMissing(name.clone()),
        ErrorKind::InvalidAlgorithm | ErrorKind::InvalidKeyFormat => TokenFault::Algorithm,
        _ => TokenFault::Malformed,
    }
}
