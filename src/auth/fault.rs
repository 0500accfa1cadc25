//! Why it is not known who calls.

use crate::domain::refusal::FieldViolation;

/// Why a call has no principal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthFault {
    /// The credential is missing or not accepted.
    Unauthenticated(Cause),
    /// The metadata that stands for a credential in `dev` is at fault.
    Metadata(Vec<FieldViolation>),
    /// What it takes to check the credential is not there at the moment: the database, or keys that were never loaded.
    Unavailable,
    /// More credentials are being looked up than the server takes.
    Overloaded,
}

/// What is wrong with a credential, in words for its owner: they name claims and rules, and never repeat a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// There is none.
    #[error("no credential was sent: send the metadata `authorization: Bearer` with a token or API key")]
    Missing,
    /// `authorization` is not of the form `Bearer` and a token.
    #[error(
        "the metadata authorization must be sent once, as `Bearer` and a token of at most 8192 visible ASCII characters"
    )]
    IllFormedHeader,
    /// This server does not take credentials of this kind.
    #[error("this server does not accept {0}")]
    KindNotAccepted(&'static str),
    /// Anything about a JSON Web Token.
    #[error("the token {0}")]
    Token(TokenFault),
    /// No such key; the same words for one that never was, was revoked or has expired.
    #[error("the API key is unknown, was revoked or has expired")]
    ApiKey,
    /// No identity is configured for the certificate.
    #[error("no identity is configured for the client certificate's subject alternative names")]
    CertificateUnknown,
    /// Several identities are configured for it.
    #[error("the client certificate's subject alternative names stand for more than one identity")]
    CertificateAmbiguous,
}

/// What is wrong with a JSON Web Token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenFault {
    /// Not three parts of base64url, or not JSON in them.
    #[error("is not a well-formed JSON Web Token")]
    Malformed,
    /// Signed with an algorithm that is not one of those configured.
    #[error("is signed with an algorithm that this server does not accept")]
    Algorithm,
    /// The header names an extension that must be understood and is not.
    #[error("has the header parameter crit, and its extensions are not known")]
    Critical,
    /// The header names no key.
    #[error("must name its key with the header parameter kid")]
    NoKeyId,
    /// No key of that name is known.
    #[error("is signed with a key that is not known")]
    UnknownKey,
    /// The signature does not fit.
    #[error("has a signature that does not fit")]
    Signature,
    /// `exp` has passed.
    #[error("has expired")]
    Expired,
    /// `nbf` has not come yet.
    #[error("is not valid yet")]
    NotYetValid,
    /// `iss` is another.
    #[error("is of another issuer")]
    Issuer,
    /// `aud` names others only.
    #[error("is for another audience")]
    Audience,
    /// A claim is missing.
    #[error("lacks the claim {0}")]
    ClaimMissing(String),
    /// A claim is of the wrong type, or no valid name.
    #[error("has a claim {claim} that {fault}")]
    ClaimFault {
        /// The claim's configured name.
        claim: String,
        /// What is wrong with it.
        fault: String,
    },
}

impl From<Cause> for AuthFault {
    fn from(cause: Cause) -> Self {
        Self::Unauthenticated(cause)
    }
}

impl From<TokenFault> for AuthFault {
    fn from(fault: TokenFault) -> Self {
        Self::Unauthenticated(Cause::Token(fault))
    }
}
