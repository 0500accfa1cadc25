//! The text rules, versioned: what it means for two texts to say the same.
//!
//! Normalised is: NFKC, full case folding, default-ignorable characters removed, runs of white space made
//! one space, none at either end. Stored beside the content with [`NORMALIZATION_VERSION`], so that a later
//! version of the rules can tell what has to be made anew.

mod matching;

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;

pub use matching::{Query, QueryFault};

/// The version of these rules, ICU's Unicode data included.
pub const NORMALIZATION_VERSION: i16 = 1;

/// Applies the rules. Applying them again changes nothing.
pub fn normalize(text: &str) -> String {
    if text.is_ascii() {
        // What the rules come to where there is nothing to compose and nothing to leave out.
        return one_spaced(&text.to_ascii_lowercase());
    }
    let mut current = pass(text);
    // Folding can undo composition and removing characters can let others compose: a second pass settles
    // all but contrived texts, and the bound keeps those from looping.
    for _ in 0..4 {
        let next = pass(&current);
        if next == current {
            break;
        }
        current = next;
    }
    current
}

fn pass(text: &str) -> String {
    let composed = ComposingNormalizerBorrowed::new_nfkc();
    let folded = CaseMapper::new().fold_string(&composed.normalize(text)).into_owned();
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let visible: String = folded.chars().filter(|&character| !ignorable.contains(character)).collect();
    one_spaced(&composed.normalize(&visible))
}

/// Runs of white space made one space, none at either end.
fn one_spaced(text: &str) -> String {
    let mut words = text.split_whitespace();
    let mut result = String::with_capacity(text.len());
    if let Some(first) = words.next() {
        result.push_str(first);
    }
    for word in words {
        result.push(' ');
        result.push_str(word);
    }
    result
}

/// The beginning of a text on one line, at most `limit` characters: white space of any kind becomes one
/// space, control characters are left out.
pub fn excerpt(text: &str, limit: usize) -> String {
    let mut result = String::new();
    let mut count = 0;
    let mut pending_space = false;
    for character in text.trim_start().chars() {
        if character.is_whitespace() || matches!(character, '\u{2028}' | '\u{2029}') {
            pending_space = true;
            continue;
        }
        if character.is_control() {
            continue;
        }
        let needed = if pending_space { 2 } else { 1 };
        if count + needed > limit {
            break;
        }
        if pending_space {
            result.push(' ');
            pending_space = false;
        }
        result.push(character);
        count += needed;
    }
    result
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_that_say_the_same_normalize_to_the_same() {
        let same = [
            ("Straße", "STRASSE"),
            ("ＡＢＣ", "abc"),
            ("cafe\u{301}", "CAFÉ"),
            ("a\u{200b}b", "ab"),
            (" a \t\n b ", "a b"),
            ("ﬁne", "FINE"),
            ("ΣΑΣ", "σας"),
        ];
        for (one, other) in same {
            assert_eq!(normalize(one), normalize(other), "{one:?} and {other:?}");
        }
        assert_ne!(normalize("cafe"), normalize("café"));
    }

    #[test]
    fn excerpts_are_one_line_within_the_limit() {
        assert_eq!(excerpt("short", 160), "short");
        assert_eq!(excerpt("  two\r\n\u{2028}lines \u{0}end", 160), "two lines end");
        assert_eq!(excerpt("abcdef", 3), "abc");
        assert_eq!(excerpt("ab cd", 3), "ab");
    }

    proptest! {
        #[test]
        fn ascii_is_normalized_as_any_text_is(text in "[ -~\t\n\r]{0,40}") {
            prop_assert_eq!(normalize(&text), pass(&text));
        }

        #[test]
        fn normalizing_twice_is_normalizing_once(text in any::<String>()) {
            let once = normalize(&text);
            prop_assert_eq!(normalize(&once), once);
        }

        #[test]
        fn no_excerpt_breaks_the_line_or_the_limit(text in any::<String>(), limit in 0_usize..200) {
            let excerpt = excerpt(&text, limit);
            prop_assert!(excerpt.chars().count() <= limit);
            prop_assert!(!excerpt.chars().any(crate::domain::line::breaks_line_or_controls));
        }
    }
}
