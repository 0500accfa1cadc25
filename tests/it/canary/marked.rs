//! Texts that are found again, whole, in part or encoded.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// How much of a text's beginning or end nothing may show.
const PIECE: usize = 12;

/// What callers and operators send in these tests. Each begins in a way of its own.
pub const CONTENT: &str = "qzjw1content The patient said at the door that it must not be told";
pub const OTHER_CONTENT: &str = "qzjw2another What stands in its place from now on";
pub const METADATA_KEY: &str = "qzjw3metakey of the attachment";
pub const METADATA_VALUE: &str = "qzjw4metaval of the attachment";
pub const REASON: &str = "qzjw5reason-because she asked for it herself";
pub const MEMORY_ID: &str = "qzjw6memory-of-the-patient";
pub const SUBJECT: &str = "qzjw7subject-of-the-memory";
pub const GRAPH: &str = "qzjw8graph-of-the-memory";
pub const CHANNEL: &str = "qzjw9channel-of-the-call";
pub const JUNK: &str = "qzjwAjunk-in-some-field";
pub const CREDENTIAL: &str = "qzjwBcredential-of-somebody";
pub const PASSWORD: &str = "qzjwCpassword-of-the-role";

const CALLERS: [(&str, &str); 12] = [
    ("content", CONTENT),
    ("content of an update", OTHER_CONTENT),
    ("a key of metadata", METADATA_KEY),
    ("a value of metadata", METADATA_VALUE),
    ("a reason", REASON),
    ("a memory's id", MEMORY_ID),
    ("a subject", SUBJECT),
    ("a graph", GRAPH),
    ("a channel", CHANNEL),
    ("junk", JUNK),
    ("a credential", CREDENTIAL),
    ("a password", PASSWORD),
];

/// What is looked for: each text by the forms that betray it.
pub struct Marked(Vec<(String, Vec<String>)>);

impl Marked {
    /// What every caller of these tests sends.
    pub fn texts() -> Self {
        Self(CALLERS.map(|(what, text)| (what.to_owned(), forms(text.as_bytes()))).into())
    }

    /// One more text.
    pub fn add(&mut self, what: &str, text: &str) {
        self.0.push((what.to_owned(), forms(text.as_bytes())));
    }

    /// One more secret, of bytes, which is nowhere in writing as it is.
    pub fn add_bytes(&mut self, what: &str, bytes: &[u8]) {
        self.0.push((what.to_owned(), forms(bytes)));
    }

    /// Fails if anything of them is in what was let out, which `by` names.
    pub fn assert_not_in(&self, by: &str, let_out: &str) {
        for line in let_out.lines() {
            for (what, forms) in &self.0 {
                if let Some(form) = forms.iter().find(|form| line.contains(form.as_str())) {
                    panic!("{by} lets {what} out, as {form:?}, in\n{line}");
                }
            }
        }
    }
}

/// How beginning and end look: as they are, in hexadecimal, in decimal, and in base64 wherever they stand in what was encoded.
fn forms(bytes: &[u8]) -> Vec<String> {
    let (beginning, end) = (&bytes[..PIECE], &bytes[bytes.len() - PIECE..]);
    [beginning, end].into_iter().flat_map(forms_of_piece).collect()
}

fn forms_of_piece(piece: &[u8]) -> Vec<String> {
    let hexadecimal: String = piece.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    let decimal = format!("{piece:?}");
    let mut forms = vec![
        hexadecimal.to_uppercase(),
        hexadecimal,
        decimal.trim_matches(['[', ']']).to_owned(),
        String::from_utf8_lossy(piece).into_owned(),
    ];
    for before in 0..3 {
        let encoded = [&vec![0; before][..], piece].concat();
        for alphabet in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let text = alphabet.encode(&encoded);
            // The characters at either end also say something of what stands beside.
            forms.push(text[[0, 2, 3][before]..text.len() - 2].to_owned());
        }
    }
    forms
}

#[test]
fn every_form_is_found_wherever_it_stands() {
    let mut marked = Marked::texts();
    marked.add_bytes("a key", &[0xab; 32]);
    let found = |text: &str| std::panic::catch_unwind(|| marked.assert_not_in("a test", text)).is_err();
    assert!(!found("call ended\nready"));
    for before in ["", "a", "ab", "abc"] {
        let text = format!("{before}{CONTENT} and more");
        assert!(found(&text) && found(&format!("said={text:?}")));
        assert!(found(&STANDARD_NO_PAD.encode(&text)) && found(&URL_SAFE_NO_PAD.encode(&text)));
        assert!(found(&format!("{:?}", text.as_bytes())), "as bytes are printed");
    }
    assert!(found(&CONTENT[..PIECE]) && found(&PASSWORD[PASSWORD.len() - PIECE..]));
    assert!(found(&"ab".repeat(32)) && found(&"AB".repeat(32)) && found(&format!("{:?}", [0xab_u8; 32])));
}
