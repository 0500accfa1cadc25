//! Which texts a query finds: those that hold each of its pieces, literally and as whole words.

use icu_properties::props::{GeneralCategory, GeneralCategoryGroup, Script};
use icu_properties::{CodePointMapData, CodePointMapDataBorrowed};

use super::normalize;

/// The most characters of a query, as it is sent.
const MOST_CHARACTERS: usize = 512;

/// What is looked for: one or more pieces, all of which a text must hold, in any order.
#[derive(Clone, PartialEq, Eq)]
pub struct Query {
    /// All of it, normalised.
    whole: String,
    pieces: Vec<String>,
}

/// Never shows what is looked for: it is about somebody's memories.
impl std::fmt::Debug for Query {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Query({} pieces)", self.pieces.len())
    }
}

/// Why a text is no query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QueryFault {
    /// Nothing is left of it when white space and invisible characters are gone.
    #[error("must hold something to look for")]
    Empty,
    /// It holds U+0000, which no text does.
    #[error("must not hold U+0000")]
    Nul,
    /// It is too long.
    #[error("must have at most 512 characters")]
    TooLong,
}

impl Query {
    /// Reads a query: pieces between white space. Everything in a piece stands for itself.
    pub fn parse(text: &str) -> Result<Self, QueryFault> {
        if text.chars().count() > MOST_CHARACTERS {
            return Err(QueryFault::TooLong);
        }
        if text.contains('\0') {
            return Err(QueryFault::Nul);
        }
        let whole = normalize(text);
        let mut pieces: Vec<String> = Vec::new();
        for piece in whole.split(' ').filter(|piece| !piece.is_empty()) {
            // One that stands there twice asks for nothing more.
            if !pieces.iter().any(|known| known == piece) {
                pieces.push(piece.to_owned());
            }
        }
        if pieces.is_empty() { Err(QueryFault::Empty) } else { Ok(Self { whole, pieces }) }
    }

    /// A query that finds the memory whose normalised text begins like this; `is_whole`: that is all of it.
    pub fn that_finds(beginning: &str, is_whole: bool) -> Self {
        let mut pieces: Vec<String> = beginning.split(' ').map(str::to_owned).collect();
        if !is_whole && pieces.len() > 1 {
            // It may have been cut in the middle of a word.
            pieces.pop();
        }
        pieces.sort_unstable();
        pieces.dedup();
        Self { whole: beginning.to_owned(), pieces }
    }

    /// The pieces, normalised. A text that lacks one of them anywhere is not found.
    pub fn pieces(&self) -> &[String] {
        &self.pieces
    }

    /// Whether a normalised text says just this and nothing else.
    pub fn is(&self, normalized: &str) -> bool {
        self.whole == normalized
    }

    /// Whether a normalised text holds every piece.
    pub fn finds(&self, normalized: &str) -> bool {
        self.pieces.iter().all(|piece| holds(normalized, piece))
    }

    /// How many of the pieces a normalised text holds.
    pub fn held_by(&self, normalized: &str) -> usize {
        self.pieces.iter().filter(|piece| holds(normalized, piece)).count()
    }
}

/// Whether a text holds a piece at a place where it begins and ends as words do.
fn holds(text: &str, piece: &str) -> bool {
    let (Some(first), Some(last)) = (piece.chars().next(), piece.chars().next_back()) else { return false };
    let (begins_word, ends_word) = (is_of_spaced_word(first), is_of_spaced_word(last));
    let mut from = 0;
    while let Some(rest) = text.get(from..) {
        let Some(at) = rest.find(piece) else { return false };
        let (before, after) = (text.get(..from + at), rest.get(at + piece.len()..));
        let begins = !begins_word || is_boundary(before.and_then(|before| before.chars().next_back()));
        let ends = !ends_word || is_boundary(after.and_then(|after| after.chars().next()));
        if begins && ends {
            return true;
        }
        // The next place may overlap this one. A word can begin only where one does: in what is left of this word it cannot, and
        // to try would take the square of its length.
        from += at + first.len_utf8();
        if begins_word {
            let left = text.get(from..).unwrap_or_default();
            from += left.find(|next| !is_of_spaced_word(next)).unwrap_or(left.len());
        }
    }
    false
}

/// Whether a word ends where this is the neighbour: nothing, no part of a word, or a part of one in a script that needs no
/// spaces.
fn is_boundary(neighbour: Option<char>) -> bool {
    neighbour.is_none_or(|neighbour| !is_of_spaced_word(neighbour))
}

/// Whether a character is part of a word that others begin and end around.
fn is_of_spaced_word(character: char) -> bool {
    const CATEGORIES: CodePointMapDataBorrowed<'static, GeneralCategory> =
        CodePointMapData::<GeneralCategory>::new();
    const WORD: GeneralCategoryGroup =
        GeneralCategoryGroup::Letter.union(GeneralCategoryGroup::Mark).union(GeneralCategoryGroup::Number);
    if character.is_ascii() {
        return character.is_ascii_alphanumeric();
    }
    WORD.contains(CATEGORIES.get(character)) && !is_written_without_spaces(character)
}

/// Whether a script puts no spaces between words; and Hangul, where endings cling to words.
fn is_written_without_spaces(character: char) -> bool {
    const SCRIPTS: CodePointMapDataBorrowed<'static, Script> = CodePointMapData::<Script>::new();
    // Marks of Japanese that belong to several scripts and so to none: lengthening, repetition, voicing.
    if matches!(character, '\u{3031}'..='\u{3035}' | '\u{3099}' | '\u{309a}' | '\u{30fc}' | '\u{ff70}') {
        return true;
    }
    matches!(
        SCRIPTS.get(character),
        Script::Han
            | Script::Hiragana
            | Script::Katakana
            | Script::Bopomofo
            | Script::Yi
            | Script::Hangul
            | Script::Thai
            | Script::Lao
            | Script::Khmer
            | Script::Myanmar
            | Script::TaiLe
            | Script::NewTaiLue
            | Script::TaiTham
            | Script::TaiViet
            | Script::Tibetan
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(query: &str, text: &str) -> bool {
        Query::parse(query).unwrap().finds(&normalize(text))
    }

    #[test]
    fn whole_words_are_found_in_any_order() {
        for (query, text) in [
            ("nursing", "Nursing school"),
            ("coffee milk", "milk in her coffee"),
            ("foo", "foo_bar"),
            ("3", "3.5"),
            ("don", "don't"),
            ("100%", "at 100% now"),
            ("a_b", "x a_b y"),
            ("c:\\x", "in C:\\X."),
            (".*", "the regex .* here"),
            ("%", "5 % off"),
            ("na", "banana na"),
        ] {
            assert!(finds(query, text), "{query:?} in {text:?}");
        }
        for (query, text) in [
            ("nursing", "a nurse"),
            ("nurse", "Nursing school"),
            ("coffee milk", "coffee alone"),
            ("100%", "100 euros"),
            ("a_b", "axb"),
            (".*", "anything"),
            ("%", "anything"),
            ("na", "banana"),
            ("cafe", "café"),
            ("cafe", "cafe\u{301}"),
            ("x", "x\u{301}y"),
            ("1", "21"),
        ] {
            assert!(!finds(query, text), "{query:?} in {text:?}");
        }
    }

    #[test]
    fn writings_of_the_same_are_the_same() {
        for (query, text) in [
            ("CAFÉ", "café"),
            ("cafe\u{301}", "caf\u{e9}"),
            ("caf\u{e9}", "cafe\u{301}"),
            ("straße", "STRASSE"),
            ("ＡＢＣ", "abc"),
            ("abc", "ＡＢＣ"),
            ("ab", "a\u{200b}b"),
            ("a\u{200d}b", "ab"),
            ("한국", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}"),
        ] {
            assert!(finds(query, text), "{query:?} in {text:?}");
        }
    }

    #[test]
    fn scripts_without_spaces_need_no_boundary() {
        for (query, text) in [
            ("咖啡", "我喜欢咖啡馆"),
            ("커피", "커피를 좋아해"),
            ("กาแฟ", "ฉันชอบดื่มกาแฟทุกวัน"),
            ("コーヒー", "毎朝コーヒーを飲む"),
            ("メニュー", "メニューA案"),
            ("abc", "コーヒーabc"),
            ("iphone", "我的iPhone坏了"),
            ("3", "사과 3개"),
        ] {
            assert!(finds(query, text), "{query:?} in {text:?}");
        }
        assert!(!finds("phone", "我的iPhone坏了"));
    }

    #[test]
    fn scripts_with_spaces_need_one() {
        for (query, text, found) in [
            ("قهوة", "أحب قهوة الصباح", true),
            ("قهوة", "القهوة لذيذة", false),
            ("कॉफ़ी", "मुझे कॉफ़ी पसंद है", true),
            ("की", "कीमत", false),
            ("кофе", "люблю кофе с молоком", true),
            ("кофе", "кофейня", false),
        ] {
            assert_eq!(finds(query, text), found, "{query:?} in {text:?}");
        }
    }

    #[test]
    fn emoji_stand_for_themselves() {
        assert!(finds("🎉", "party🎉time"));
        assert!(!finds("🎉", "🎊"));
        // The parts of a family are joined by characters that are not looked at.
        assert!(finds("👩\u{200d}👧", "the 👩\u{200d}👧 came"));
    }

    #[test]
    fn what_holds_nothing_is_no_query() {
        for text in ["", " ", "\t\n", "\u{200b}", "\u{ad} \u{feff}"] {
            assert_eq!(Query::parse(text), Err(QueryFault::Empty), "{text:?}");
        }
        assert!(Query::parse(&"é".repeat(512)).is_ok());
        assert_eq!(Query::parse(&"é".repeat(513)), Err(QueryFault::TooLong));
        assert_eq!(Query::parse("a\0b"), Err(QueryFault::Nul));
        assert_eq!(Query::parse("a b A  b").unwrap().pieces(), ["a", "b"]);
    }

    #[test]
    fn recall_counts_the_pieces() {
        let query = Query::parse("coffee milk tea").unwrap();
        assert_eq!(query.held_by("coffee with milk"), 2);
        assert_eq!(query.held_by("water"), 0);
    }
}
