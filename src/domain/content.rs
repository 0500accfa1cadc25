//! What a memory says. Kept apart from the memory itself so that nothing prints it by accident.

use std::fmt;

use super::text;

/// The most bytes a memory's content may have.
pub const MAX_CONTENT_BYTES: usize = 64 * 1024;

/// A structured attachment, kept as the bytes it came in so that it goes out equal.
#[derive(Clone, PartialEq, Eq)]
pub struct Metadata(Vec<u8>);

impl Metadata {
    /// Takes an encoded `google.protobuf.Struct` that was checked.
    pub fn from_encoded(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The encoded `google.protobuf.Struct`.
    pub fn encoded(&self) -> &[u8] {
        &self.0
    }
}

/// Says how long it is, and nothing of it.
impl fmt::Debug for Metadata {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Metadata({} bytes)", self.0.len())
    }
}

/// Why a text cannot be a memory's content. Says nothing of the text itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ContentFault {
    /// Nothing there, or blanks and invisible characters only.
    #[error("must not be empty or blank")]
    Blank,
    /// Over [`MAX_CONTENT_BYTES`].
    #[error("must have at most 65536 bytes of UTF-8")]
    TooLong,
    /// Has U+0000, which Postgres cannot keep.
    #[error("must not contain the character U+0000")]
    HasNul,
}

/// What a memory says, with its normalised text.
#[derive(Clone, PartialEq, Eq)]
pub struct Content {
    text: String,
    metadata: Option<Metadata>,
    normalized: String,
    normalization_version: i16,
}

impl Content {
    /// Checks the text and normalises it.
    pub fn new(text: String, metadata: Option<Metadata>) -> Result<Self, ContentFault> {
        if text.trim().is_empty() {
            return Err(ContentFault::Blank);
        }
        if text.len() > MAX_CONTENT_BYTES {
            return Err(ContentFault::TooLong);
        }
        if text.contains('\0') {
            return Err(ContentFault::HasNul);
        }
        let normalized = text::normalize(&text);
        if normalized.is_empty() {
            // Characters that nobody sees: nothing could ever find it.
            return Err(ContentFault::Blank);
        }
        Ok(Self { text, metadata, normalized, normalization_version: text::NORMALIZATION_VERSION })
    }

    /// Takes what the database holds.
    pub fn from_stored(
        text: String,
        metadata: Option<Vec<u8>>,
        normalized: String,
        normalization_version: i16,
    ) -> Self {
        Self { text, metadata: metadata.map(Metadata), normalized, normalization_version }
    }

    /// This content with what an update sets in place of what it replaces; the update's own attachment is
    /// `metadata`, whatever its content carries. An attachment that encodes to nothing, an empty Struct, leaves none.
    pub fn with(&self, content: Option<&Self>, metadata: Option<&Metadata>) -> Self {
        let metadata = metadata.or(self.metadata.as_ref()).filter(|metadata| !metadata.0.is_empty()).cloned();
        match content {
            Some(content) if content.text != self.text => Self { metadata, ..content.clone() },
            _ => Self { metadata, ..self.clone() },
        }
    }

    /// Whether text and metadata are the same, whatever version normalised them.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.text == other.text && self.metadata == other.metadata
    }

    /// How many bytes text and attachment have.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.metadata.as_ref().map_or(0, |metadata| metadata.0.len())
    }

    /// The text as it was saved.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The attachment, if there is one.
    pub fn metadata(&self) -> Option<&Metadata> {
        self.metadata.as_ref()
    }

    /// The text as `domain::text` normalises it.
    pub fn normalized(&self) -> &str {
        &self.normalized
    }

    /// The version of the rules that normalised it.
    pub fn normalization_version(&self) -> i16 {
        self.normalization_version
    }
}

/// Says how long it is, and nothing of it.
impl fmt::Debug for Content {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let metadata = self.metadata.as_ref().map_or(0, |metadata| metadata.0.len());
        write!(formatter, "Content({} bytes, metadata {metadata} bytes)", self.text.len())
    }
}
