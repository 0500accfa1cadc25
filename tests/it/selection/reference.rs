//! What words should find, said once more and as plainly as can be: by a table of the characters that these tests write, and
//! not by Unicode's data, so that nothing is shared with the rules that are tested.

/// One way to read, and the ways in which the tests write it. Each begins with a character that nothing before it composes with.
pub struct Glyph {
    pub normal: &'static str,
    pub writings: &'static [&'static str],
}

const fn glyph(normal: &'static str, writings: &'static [&'static str]) -> Glyph {
    Glyph { normal, writings }
}

/// Everything that is written beside ASCII, and some of ASCII in its other forms.
pub const GLYPHS: &[Glyph] = &[
    // White space.
    glyph(" ", &[" ", "  ", "\t", "\n", "\r\n", "\u{a0}", "\u{2003}", "\u{3000}"]),
    // What is not seen.
    glyph("", &["\u{200b}", "\u{200d}", "\u{ad}", "\u{feff}"]),
    // Letters and digits.
    glyph("a", &["a", "A", "ａ", "Ａ"]),
    glyph("b", &["b", "B", "Ｂ", "ⓑ"]),
    glyph("e", &["e", "E"]),
    glyph("é", &["é", "É", "e\u{301}", "E\u{301}", "e\u{200b}\u{301}"]),
    glyph("å", &["å", "Å", "\u{212b}", "a\u{30a}", "A\u{200d}\u{30a}"]),
    glyph("ñ", &["ñ", "Ñ", "n\u{303}"]),
    glyph("ü", &["ü", "Ü", "u\u{308}", "U\u{308}"]),
    glyph("ø", &["ø", "Ø"]),
    glyph("x", &["x", "X"]),
    glyph("x\u{301}", &["x\u{301}", "X\u{301}"]),
    glyph("ss", &["ss", "SS", "ß", "ẞ", "s\u{ad}S"]),
    glyph("fi", &["fi", "ﬁ", "FI", "f\u{feff}i"]),
    glyph("i\u{307}", &["İ", "i\u{307}"]),
    glyph("σ", &["σ", "ς", "Σ"]),
    glyph("к", &["к", "К"]),
    glyph("ق", &["ق", "ﻗ", "ﻕ"]),
    glyph("لا", &["لا", "ﻻ"]),
    glyph("क", &["क"]),
    glyph("क\u{93c}", &["\u{958}", "क\u{93c}"]),
    glyph("ी", &["ी"]),
    glyph("1", &["1", "１", "①", "¹"]),
    glyph("3", &["3", "３", "③", "³"]),
    glyph("1⁄2", &["½", "1⁄2"]),
    glyph("\u{20dd}", &["\u{20dd}"]),
    // Scripts without spaces, and Hangul.
    glyph("我", &["我"]),
    glyph("喜", &["喜"]),
    glyph("欢", &["欢"]),
    glyph("咖", &["咖"]),
    glyph("啡", &["啡"]),
    glyph("馆", &["馆"]),
    glyph("茶", &["茶"]),
    glyph("カ", &["カ", "ｶ"]),
    glyph("ガ", &["ガ", "カ\u{3099}", "ｶﾞ"]),
    glyph("ー", &["ー", "ｰ"]),
    glyph("の", &["の"]),
    glyph("커", &["커", "\u{110f}\u{1165}"]),
    glyph("한", &["한", "\u{1112}\u{1161}\u{11ab}"]),
    glyph("ก", &["ก"]),
    glyph("\u{e4d}า", &["ำ", "\u{e4d}า"]),
    // All else.
    glyph("_", &["_", "＿"]),
    glyph("%", &["%", "％"]),
    glyph("\\", &["\\", "＼"]),
    glyph("*", &["*"]),
    glyph(".", &[".", "．"]),
    glyph("...", &["...", "…"]),
    glyph("'", &["'"]),
    glyph("’", &["’"]),
    glyph("-", &["-"]),
    glyph("@", &["@"]),
    glyph("🎉", &["🎉"]),
    glyph("❤", &["❤", "❤\u{fe0f}"]),
    glyph("👩👧", &["👩👧", "👩\u{200d}👧"]),
];

/// The parts of words that stand between other characters, beside those of ASCII.
const OF_WORDS: &str = "éåñüøσкقلاकी\u{301}\u{307}\u{93c}\u{20dd}";

/// A text as it is compared.
pub fn normal(text: &str) -> Vec<char> {
    let mut result = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let writings = GLYPHS.iter().flat_map(|glyph| glyph.writings.iter().map(|&way| (way, glyph.normal)));
        let longest = writings.filter(|(way, _)| rest.starts_with(way)).max_by_key(|(way, _)| way.len());
        if let Some((way, normal)) = longest {
            result.extend(normal.chars());
            rest = &rest[way.len()..];
        } else {
            assert!(first.is_ascii(), "{first:?} is not in the table");
            result.push(first.to_ascii_lowercase());
            rest = &rest[1..];
        }
    }
    result
}

/// What a query looks for: each piece once.
pub fn pieces(query: &str) -> Vec<Vec<char>> {
    let normal = normal(query);
    let mut pieces: Vec<Vec<char>> =
        normal.split(|&character| character == ' ').map(<[char]>::to_vec).collect();
    pieces.retain(|piece| !piece.is_empty());
    pieces.sort();
    pieces.dedup();
    pieces
}

/// How many of the pieces a normal text holds.
pub fn held(pieces: &[Vec<char>], text: &[char]) -> usize {
    pieces.iter().filter(|piece| holds(text, piece)).count()
}

fn holds(text: &[char], piece: &[char]) -> bool {
    (0..text.len()).any(|start| {
        let end = start + piece.len();
        let before = start.checked_sub(1).map(|before| text[before]);
        text[start..].starts_with(piece)
            && !one_word(before, piece[0])
            && !one_word(text.get(end).copied(), piece[piece.len() - 1])
    })
}

/// Whether the end of a piece and its neighbour in the text are of one word.
fn one_word(neighbour: Option<char>, end: char) -> bool {
    is_of_word(end) && neighbour.is_some_and(is_of_word)
}

fn is_of_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || OF_WORDS.contains(character)
}
