//! Words and what they find, by example.

use memory_lifecycle::proto::v1::PreviewRequest;

use super::{holding, import, preview};
use crate::harness::{Caller, Database, Server, violations};

async fn start(texts: &[(&str, &str)]) -> (Server, Caller) {
    let server = Server::start(&Database::migrated().await).await;
    let caller = server.caller();
    import(&caller, texts.iter().map(|&(id, content)| (id.to_owned(), content.to_owned()))).await;
    (server, caller)
}

/// Checks what each query finds, newest first.
async fn assert_found(texts: &[(&str, &str)], queries: &[(&str, &[&str])]) {
    let (server, caller) = start(texts).await;
    for (query, wanted) in queries {
        let request = PreviewRequest { selector: holding(query), ..PreviewRequest::default() };
        let shown = preview(&caller, request).await.unwrap();
        assert_eq!(shown.ids(), *wanted, "what {query:?} finds");
        assert_eq!(shown.whole.matched, i64::try_from(wanted.len()).unwrap(), "{query:?}");
        assert_eq!(shown.whole.confirmation_token.is_empty(), wanted.is_empty(), "{query:?}");
    }
    server.stop().await;
}

#[tokio::test]
async fn whole_words_in_any_order() {
    let texts = [
        ("school", "Nursing school"),
        ("both", "Milk, and then coffee"),
        ("coffee", "Coffee without anything"),
        ("milk", "milk"),
        ("banana", "banana"),
        ("na", "banana na"),
    ];
    assert_found(
        &texts,
        &[
            ("nursing", &["school"]),
            ("NURSING", &["school"]),
            ("nurse", &[]),
            ("nursing schoo", &[]),
            ("coffee milk", &["both"]),
            ("milk coffee", &["both"]),
            ("  milk\n\tcoffee  milk ", &["both"]),
            ("milk", &["milk", "both"]),
            ("coffee tea", &[]),
            ("na", &["na"]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_word_ends_where_no_letter_digit_or_mark_stands() {
    let texts = [
        ("snake", "foo_bar"),
        ("decimal", "3.5"),
        ("not", "don't"),
        ("typographic", "don’t"),
        ("mail", "<ada@example.org>"),
        ("version", "v3"),
        ("mark", "x\u{301}y foo\u{20dd}"),
        ("mixed", "我的iPhone坏了"),
        ("count", "사과 3개"),
    ];
    assert_found(
        &texts,
        &[
            ("foo", &["snake"]),
            ("bar", &["snake"]),
            ("3", &["count", "decimal"]),
            ("5", &["decimal"]),
            ("don", &["typographic", "not"]),
            ("don't", &["not"]),
            ("ada", &["mail"]),
            ("example.org", &["mail"]),
            ("v", &[]),
            ("x", &[]),
            ("iphone", &["mixed"]),
            ("phone", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn signs_mean_themselves() {
    let texts = [
        ("percent", "at 100% now"),
        ("euros", "100 euros"),
        ("snake", "the file a_b"),
        ("other", "the file axb"),
        ("path", "in c:\\x there"),
        ("plain", "in c:x there"),
        ("regex", "the regex .* is greedy"),
        ("question", "why? [really] (yes) {1,2} ^a|b$ +"),
        ("quote", "it's '; DROP TABLE memories; --"),
    ];
    assert_found(
        &texts,
        &[
            ("100%", &["percent"]),
            ("100", &["euros", "percent"]),
            ("%", &["percent"]),
            ("%%", &[]),
            ("a_b", &["snake"]),
            ("_", &["snake"]),
            ("c:\\x", &["path"]),
            ("C:\\\\x", &[]),
            ("\\", &["path"]),
            ("\\%", &[]),
            (".*", &["regex"]),
            (".", &["regex"]),
            ("*", &["regex"]),
            ("?", &["question"]),
            ("[really]", &["question"]),
            ("{1,2} |b$ +", &["question"]),
            ("'; DROP", &["quote"]),
            ("\" OR", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn writings_of_the_same_are_the_same_and_accents_count() {
    let texts = [
        ("composed", "a caf\u{e9} there"),
        ("decomposed", "a cafe\u{301} here"),
        ("plain", "a cafe everywhere"),
        ("street", "STRASSE 1"),
        ("wide", "ＡＢＣ"),
        ("ligature", "ﬁne"),
        ("greek", "ΟΔΥΣΣΕΥΣ"),
        ("unit", "21 \u{212b}"),
    ];
    assert_found(
        &texts,
        &[
            ("cafe", &["plain"]),
            ("café", &["decomposed", "composed"]),
            ("CAFÉ", &["decomposed", "composed"]),
            ("caf\u{e9}", &["decomposed", "composed"]),
            ("cafe\u{301}", &["decomposed", "composed"]),
            ("CAFE\u{301}", &["decomposed", "composed"]),
            ("straße", &["street"]),
            ("strasse", &["street"]),
            ("abc", &["wide"]),
            ("ＡＢＣ", &["wide"]),
            ("FINE", &["ligature"]),
            ("οδυσσευς", &["greek"]),
            ("å", &["unit"]),
        ],
    )
    .await;
}

#[tokio::test]
async fn chinese_japanese_and_korean_need_no_spaces() {
    let texts = [
        ("han", "我喜欢咖啡馆"),
        ("tea", "我喜欢茶"),
        ("kana", "毎朝コーヒーを飲む"),
        ("half", "ｶﾞﾗｽ"),
        ("hangul", "커피를 좋아해"),
        ("jamo", "\u{110f}\u{1165}\u{1111}\u{1175} 한 잔"),
    ];
    assert_found(
        &texts,
        &[
            ("咖啡", &["han"]),
            ("我喜欢", &["tea", "han"]),
            ("喜欢 我", &["tea", "han"]),
            ("咖馆", &[]),
            ("コーヒー", &["kana"]),
            ("ガラス", &["half"]),
            ("カ", &[]),
            ("커피", &["jamo", "hangul"]),
            ("\u{110f}\u{1165}\u{1111}\u{1175}", &["jamo", "hangul"]),
            ("피", &["jamo", "hangul"]),
        ],
    )
    .await;
}

#[tokio::test]
async fn the_japanese_long_vowel_sign_is_of_no_spaced_word() {
    // It is common to two scripts, and so of neither by its own property.
    let texts = [("server", "サーバー2号"), ("user", "ユーザーBob"), ("twice", "コーー"), ("half", "ﾕｰｻﾞｰ")];
    assert_found(
        &texts,
        &[
            ("2", &["server"]),
            ("bob", &["user"]),
            ("ユーザー", &["half", "user"]),
            ("コー", &["twice"]),
            ("ー", &["half", "twice", "user", "server"]),
        ],
    )
    .await;
}

#[tokio::test]
async fn arabic_words_are_whole_ones() {
    let texts =
        [("word", "أحب قهوة الصباح"), ("article", "القهوة لذيذة"), ("vowels", "قَهْوة"), ("form", "ﻗﻬﻮﺓ")];
    assert_found(
        &texts,
        &[("قهوة", &["form", "word"]), ("القهوة", &["article"]), ("قَهْوة", &["vowels"]), ("قهو", &[])],
    )
    .await;
}

#[tokio::test]
async fn hindi_vowel_signs_are_parts_of_words() {
    let texts = [
        ("word", "मुझे कॉफ़ी पसंद है"),
        ("composed", "मुझे कॉ\u{95e}ी दो"),
        ("price", "कीमत"),
        ("of", "राम की किताब"),
        ("sentence", "यह कॉफ़ी।"),
    ];
    assert_found(
        &texts,
        &[("कॉफ़ी", &["sentence", "composed", "word"]), ("की", &["of"]), ("क", &[]), ("किताब राम", &["of"])],
    )
    .await;
}

#[tokio::test]
async fn thai_needs_no_spaces() {
    let texts = [("coffee", "ฉันชอบดื่มกาแฟทุกวัน"), ("water", "ดื่มน้ำเย็น"), ("latin", "ใช้iPhoneทุกวัน")];
    assert_found(
        &texts,
        &[
            ("กาแฟ", &["coffee"]),
            ("ดื่ม", &["water", "coffee"]),
            ("น้ำ", &["water"]),
            ("น้\u{e4d}า", &["water"]),
            ("iphone", &["latin"]),
            ("ชา", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn emoji_are_found_anywhere() {
    let texts = [
        ("party", "party🎉time"),
        ("other", "🎊"),
        ("family", "the 👩\u{200d}👧 came"),
        ("heart", "I ❤\u{fe0f} you"),
        ("thumb", "👍🏽"),
    ];
    assert_found(
        &texts,
        &[
            ("🎉", &["party"]),
            ("party", &["party"]),
            ("👩\u{200d}👧", &["family"]),
            ("👩", &["family"]),
            ("❤", &["heart"]),
            ("❤\u{fe0f}", &["heart"]),
            ("👍", &["thumb"]),
            ("👍🏽", &["thumb"]),
            ("👍🏿", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_is_not_seen_is_not_looked_at() {
    let texts = [
        ("hidden", "se\u{200b}cr\u{200d}et"),
        ("soft", "sec\u{ad}ret plans"),
        ("plain", "\u{feff}secret"),
        ("two", "sec ret"),
    ];
    let found: &[&str] = &["plain", "soft", "hidden"];
    assert_found(
        &texts,
        &[
            ("secret", found),
            ("s\u{ad}e\u{200c}c\u{2060}ret", found),
            ("\u{200b}secret \u{feff}", found),
            ("ret", &["two"]),
        ],
    )
    .await;
}

#[tokio::test]
async fn words_that_look_for_nothing_are_refused() {
    let (server, caller) = start(&[("one", "text")]).await;
    let long = "é".repeat(513);
    for query in ["", " ", "\t\u{3000}\n", "\u{200b}", "\u{ad} \u{feff}", long.as_str()] {
        let request = PreviewRequest { selector: holding(query), ..PreviewRequest::default() };
        let status = preview(&caller, request).await.err().unwrap();
        assert_eq!(violations(&status), ["selector.match"], "{query:?}");
    }
    let request = PreviewRequest { selector: holding(&"é".repeat(512)), ..PreviewRequest::default() };
    assert!(preview(&caller, request).await.unwrap().items.is_empty());
    server.stop().await;
}
