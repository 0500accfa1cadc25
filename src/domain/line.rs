//! Short texts of one line: the reason and the channel of a call, the description of an API key.

use std::fmt;

/// The most characters a reason may have.
pub const MAX_REASON_CHARS: usize = 512;
/// The most characters a channel may have.
pub const MAX_CHANNEL_CHARS: usize = 128;
/// The most characters a description may have.
pub const MAX_DESCRIPTION_CHARS: usize = 256;

/// Whether a character ends a line by any of Unicode's rules, or is a control character.
pub fn breaks_line_or_controls(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

/// Why a text is not one short line. Says nothing of the text itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// Blanks only.
    #[error("must not be blank; leave it out instead")]
    Blank,
    /// Over the limit, in characters.
    #[error("must have at most {0} characters")]
    TooLong(usize),
    /// Has a line break or a control character.
    #[error("must be one line without control characters")]
    NotOneLine,
}

/// Checks one line of at most `limit` characters; empty is fine and means "none".
fn check(text: &str, limit: usize) -> Result<Option<String>, LineFault> {
    if text.is_empty() {
        return Ok(None);
    }
    if text.trim().is_empty() {
        return Err(LineFault::Blank);
    }
    if text.chars().count() > limit {
        return Err(LineFault::TooLong(limit));
    }
    if text.chars().any(breaks_line_or_controls) {
        return Err(LineFault::NotOneLine);
    }
    Ok(Some(text.to_owned()))
}

/// Why a caller did something, in its own words. Never logged: people write personal things here.
#[derive(Clone, PartialEq, Eq)]
pub struct Reason(String);

impl Reason {
    /// Takes one line of at most [`MAX_REASON_CHARS`]; an empty text is no reason.
    pub fn parse(text: &str) -> Result<Option<Self>, LineFault> {
        Ok(check(text, MAX_REASON_CHARS)?.map(Self))
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

/// Says how long it is, and nothing of it.
impl fmt::Debug for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Reason({} bytes)", self.0.len())
    }
}

/// Takes a channel of at most [`MAX_CHANNEL_CHARS`]; an empty text is no channel.
pub fn parse_channel(text: &str) -> Result<Option<String>, LineFault> {
    check(text, MAX_CHANNEL_CHARS)
}

/// Takes a description of at most [`MAX_DESCRIPTION_CHARS`]; an empty text is none.
pub fn parse_description(text: &str) -> Result<Option<String>, LineFault> {
    check(text, MAX_DESCRIPTION_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_break_of_any_kind_is_refused() {
        for character in ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}', '\0', '\u{7f}'] {
            let text = format!("a{character}b");
            assert_eq!(Reason::parse(&text), Err(LineFault::NotOneLine), "{character:?}");
        }
    }

    #[test]
    fn the_limit_counts_characters_not_bytes() {
        assert!(Reason::parse(&"é".repeat(512)).is_ok());
        assert_eq!(Reason::parse(&"é".repeat(513)), Err(LineFault::TooLong(512)));
        assert_eq!(Reason::parse("").map(|reason| reason.is_none()), Ok(true));
        assert_eq!(Reason::parse(" \t"), Err(LineFault::Blank));
    }
}
