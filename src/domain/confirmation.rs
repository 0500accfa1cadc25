//! The token that Preview gives for a set and Forget takes: what was seen, signed together with who saw it and what for.
//!
//! It is the caller's to keep: the server stores nothing of it, and every replica with the same key can read it.

use chrono::TimeDelta;
use sha2::{Digest, Sha256};

use super::Timestamp;
use super::ids::{MemoryKey, Sequence};
use super::keyed::Signer;
use super::principal::Principal;
use super::refusal::Refusal;

/// How long a token can be used, by the database's clock.
pub const LIFE: TimeDelta = TimeDelta::minutes(10);

/// Keeps these signatures apart from any others made with the same key.
const PURPOSE: &[u8] = b"memorylifecycle.v1 confirmation token 1";
const BODY_BYTES: usize = 8 + 8 + 32;

/// A token as a caller gave it back. Not shown: with it a set can be forgotten.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Takes what was sent, which may be anything.
    pub fn new(sent: String) -> Self {
        Self(sent)
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Token(…)")
    }
}

/// What a caller saw of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confirmation {
    /// The last change of the tenant that was seen.
    pub sequence: Sequence,
    /// When the token's life is over.
    pub expire_time: Timestamp,
    /// Which memories, each in which version: [`digest`].
    pub set: [u8; 32],
}

/// Signs and reads tokens.
#[derive(Debug, Clone)]
pub struct Confirmer(Signer);

impl Confirmer {
    /// Signs with this key, which all replicas share.
    pub fn new(key: &[u8; 32]) -> Self {
        Self(Signer::new(key, PURPOSE))
    }

    /// The token for what this caller saw; `asked` is a digest of the selector, the mode and all else that decides what
    /// becomes of the set.
    pub fn token(&self, principal: &Principal, asked: &[u8; 32], seen: &Confirmation) -> String {
        self.0.token(principal, asked, &body(seen))
    }

    /// What the caller saw, by a token that was made for this very caller and request; its life may be over.
    pub fn read(
        &self,
        principal: &Principal,
        asked: &[u8; 32],
        token: &Token,
    ) -> Result<Confirmation, Refusal> {
        let body = self.0.read(principal, asked, &token.0);
        body.and_then(|body| confirmation(&body)).ok_or(Refusal::ConfirmationInvalid)
    }
}

fn body(seen: &Confirmation) -> [u8; BODY_BYTES] {
    let mut body = [0; BODY_BYTES];
    let parts =
        [&seen.sequence.to_be_bytes()[..], &seen.expire_time.timestamp_micros().to_be_bytes(), &seen.set];
    for (place, byte) in body.iter_mut().zip(parts.concat()) {
        *place = byte;
    }
    body
}

fn confirmation(body: &[u8]) -> Option<Confirmation> {
    let (sequence, rest) = body.split_first_chunk::<8>()?;
    let (micros, rest) = rest.split_first_chunk::<8>()?;
    Some(Confirmation {
        sequence: Sequence::from_be_bytes(*sequence),
        expire_time: Timestamp::from_timestamp_micros(i64::from_be_bytes(*micros))?,
        set: rest.try_into().ok()?,
    })
}

/// The digest of a set: its memories by key, each with its version, whatever order they are given in.
pub fn digest(members: &[(MemoryKey, Sequence)]) -> [u8; 32] {
    let mut sorted = members.to_vec();
    sorted.sort_unstable();
    let mut hasher = Sha256::new();
    for (key, version) in sorted {
        hasher.update(key.to_be_bytes());
        hasher.update(version.to_be_bytes());
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::capability::{Capabilities, Capability};
    use crate::domain::ids::{AgentId, PrincipalId, TenantId};

    fn principal(tenant: &str, name: &str, agent: &str, capabilities: Capabilities) -> Principal {
        Principal {
            tenant: TenantId::parse(tenant).unwrap(),
            agent: AgentId::parse(agent).unwrap(),
            id: PrincipalId::parse(name).unwrap(),
            capabilities,
        }
    }

    fn given(token: &str) -> Token {
        Token::new(token.to_owned())
    }

    fn seen() -> Confirmation {
        let expire_time = Timestamp::from_timestamp_micros(1_800_000_000_000_001).unwrap();
        Confirmation { sequence: 7, expire_time, set: digest(&[(1, 2), (3, 4)]) }
    }

    #[test]
    fn a_token_says_what_was_seen_to_whom_it_was_given_and_for_what() {
        let confirmer = Confirmer::new(&[1; 32]);
        let plain = Capabilities::ALL.without(Capability::MemoryAdmin);
        let caller = principal("t", "p", "a", plain);
        let token = confirmer.token(&caller, &[9; 32], &seen());
        assert_eq!(confirmer.read(&caller, &[9; 32], &given(&token)), Ok(seen()));
        let invalid = Err(Refusal::ConfirmationInvalid);
        for other in [
            principal("u", "p", "a", plain),
            principal("t", "q", "a", plain),
            principal("t", "p", "b", plain),
            principal("t", "p", "a", Capabilities::ALL),
            principal("tp", "a", "a", plain),
        ] {
            assert_eq!(confirmer.read(&other, &[9; 32], &given(&token)), invalid, "{other:?}");
        }
        assert_eq!(confirmer.read(&caller, &[8; 32], &given(&token)), invalid);
        assert_eq!(Confirmer::new(&[2; 32]).read(&caller, &[9; 32], &given(&token)), invalid);
    }

    #[test]
    fn no_bit_of_a_token_can_be_changed() {
        let confirmer = Confirmer::new(&[1; 32]);
        let caller = principal("t", "p", "a", Capabilities::ALL);
        let token = confirmer.token(&caller, &[9; 32], &seen());
        for at in 0..token.len() {
            for bit in 0..8 {
                let mut bytes = token.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let Ok(forged) = String::from_utf8(bytes) else { continue };
                assert!(confirmer.read(&caller, &[9; 32], &given(&forged)).is_err(), "{at} {bit}");
            }
        }
        for shorter in 0..token.len() {
            assert!(confirmer.read(&caller, &[9; 32], &given(token.get(..shorter).unwrap())).is_err());
        }
        assert!(confirmer.read(&caller, &[9; 32], &given(&format!("{token}AA"))).is_err());
    }

    proptest! {
        #[test]
        fn a_digest_is_of_the_set_and_not_of_its_order(members in prop::collection::vec((1_i64..9, 1_i64..9), 0..6)) {
            let mut reversed = members.clone();
            reversed.reverse();
            prop_assert_eq!(digest(&members), digest(&reversed));
            let mut more = members.clone();
            more.push((9, 9));
            prop_assert_ne!(digest(&members), digest(&more));
        }
    }
}
