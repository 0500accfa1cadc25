//! Identifiers, each a type of its own, well-formed by construction.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The most characters an identifier or a name may have.
pub const MAX_ID_CHARS: usize = 128;

/// Why a string is not an identifier. Says nothing of the string itself, which may be anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdFault {
    /// Nothing there, or blanks only.
    #[error("must not be empty or blank")]
    Blank,
    /// Over [`MAX_ID_CHARS`].
    #[error("must have at most 128 characters")]
    TooLong,
    /// A character outside the permitted ones.
    #[error("may have only letters and digits of ASCII and the characters . _ : -")]
    IllFormed,
    /// A name with control characters, line breaks, or a blank at either end.
    #[error("must be one line without control characters and without blanks at either end")]
    NotALabel,
    /// Not a UUID.
    #[error("must be a UUID, for example 018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e")]
    NotAUuid,
    /// Not an etag this service gave out.
    #[error("must be an etag as a read returned it")]
    NotAnEtag,
}

fn check_token(text: &str) -> Result<(), IdFault> {
    if text.trim().is_empty() {
        return Err(IdFault::Blank);
    }
    if text.chars().count() > MAX_ID_CHARS {
        return Err(IdFault::TooLong);
    }
    if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b':' | b'-')) {
        return Err(IdFault::IllFormed);
    }
    Ok(())
}

fn check_label(text: &str) -> Result<(), IdFault> {
    if text.trim().is_empty() {
        return Err(IdFault::Blank);
    }
    if text.chars().count() > MAX_ID_CHARS {
        return Err(IdFault::TooLong);
    }
    if text.trim() != text || text.chars().any(super::line::breaks_line_or_controls) {
        return Err(IdFault::NotALabel);
    }
    Ok(())
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $check:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes the text if it is well-formed.
            pub fn parse(text: &str) -> Result<Self, IdFault> {
                $check(text)?;
                Ok(Self(text.to_owned()))
            }

            /// Takes what the database holds, which was checked when it was written.
            pub fn from_stored(text: String) -> Self {
                Self(text)
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    };
}

text_id!(
    /// A tenant: the wall nothing crosses.
    TenantId, check_token
);
text_id!(
    /// A memory's label: the caller's or the server's, unique in the tenant while the memory exists.
    MemoryId, check_token
);
text_id!(
    /// A graph of a tenant.
    GraphId, check_token
);
text_id!(
    /// One import, which may be added to.
    ImportId, check_token
);
text_id!(
    /// An agent: who wrote a memory and so owns it.
    AgentId, check_label
);
text_id!(
    /// The person or thing a memory is about.
    SubjectId, check_label
);
text_id!(
    /// Who called, as the credential says; the scope of a request id.
    PrincipalId, check_label
);

impl GraphId {
    /// The name of the graph that every tenant has.
    pub const DEFAULT: &'static str = "default";

    /// The graph that every tenant has.
    pub fn default_graph() -> Self {
        Self(Self::DEFAULT.to_owned())
    }

    /// Whether this is the graph that every tenant has.
    pub fn is_default(&self) -> bool {
        self.0 == Self::DEFAULT
    }
}

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// Reads the hyphenated form, in either case.
            pub fn parse(text: &str) -> Result<Self, IdFault> {
                if text.trim().is_empty() {
                    return Err(IdFault::Blank);
                }
                if text.len() != uuid::fmt::Hyphenated::LENGTH {
                    return Err(IdFault::NotAUuid);
                }
                Uuid::try_parse(text).map(Self).map_err(|_| IdFault::NotAUuid)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(formatter)
            }
        }
    };
}

uuid_id!(
    /// One call that changes something: a `UUIDv7`.
    OperationId
);
uuid_id!(
    /// The caller's name for one call, which makes it safe to repeat.
    RequestId
);

uuid_id!(
    /// A suppression.
    SuppressionId
);

/// A position in a tenant's audit log, from 1, without gaps.
pub type Sequence = i64;

/// A memory's internal key: the sequence of the record that brought it into being, so it is never used again.
pub type MemoryKey = i64;

/// The version of a memory: the audit sequence of its last change, as 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Etag(pub Sequence);

impl Etag {
    /// Reads what `Display` wrote.
    pub fn parse(text: &str) -> Result<Self, IdFault> {
        let well_formed =
            text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !well_formed {
            return Err(IdFault::NotAnEtag);
        }
        Sequence::from_str_radix(text, 16).map(Self).map_err(|_| IdFault::NotAnEtag)
    }
}

impl fmt::Display for Etag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_take_only_their_characters_and_lengths() {
        assert!(MemoryId::parse(&"a".repeat(128)).is_ok());
        assert_eq!(MemoryId::parse(&"a".repeat(129)), Err(IdFault::TooLong));
        assert_eq!(MemoryId::parse(" "), Err(IdFault::Blank));
        for text in ["a b", "%", "a/b", "é", "a\n", "a\0"] {
            assert_eq!(MemoryId::parse(text), Err(IdFault::IllFormed), "{text:?}");
        }
        assert!(AgentId::parse("auth0|user@example.com").is_ok());
        for text in ["a\nb", " a", "a ", "a\u{2028}b", "a\0"] {
            assert_eq!(AgentId::parse(text), Err(IdFault::NotALabel), "{text:?}");
        }
    }

    #[test]
    fn etags_read_back_and_nothing_else_does() {
        assert_eq!(Etag::parse(&Etag(31).to_string()), Ok(Etag(31)));
        for text in ["", "1f", "000000000000001F", "ffffffffffffffff", "+00000000000001f"] {
            assert_eq!(Etag::parse(text), Err(IdFault::NotAnEtag), "{text:?}");
        }
    }

    #[test]
    fn uuids_only_in_their_usual_form() {
        assert!(RequestId::parse("018F3A5C-7C1E-7B6A-9D2E-3F4A5B6C7D8E").is_ok());
        for text in ["018f3a5c7c1e7b6a9d2e3f4a5b6c7d8e", "{018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e}", "x"] {
            assert_eq!(RequestId::parse(text), Err(IdFault::NotAUuid), "{text:?}");
        }
    }
}
