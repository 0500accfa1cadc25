//! The text rules: what is looked for stands before the first zero byte, the text it is looked for in behind it; without one, a
//! text is looked for in itself. Bytes that are no UTF-8 stand for the replacement character.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memory_lifecycle::domain::line::breaks_line_or_controls;
use memory_lifecycle::domain::text::{Query, excerpt, normalize};

/// How many characters of a text the service keeps to look for it again.
const KEPT: usize = 512;

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(2, |byte| *byte == 0).map(String::from_utf8_lossy);
    let Some(sent) = parts.next() else { return };
    let text = parts.next().unwrap_or_else(|| sent.clone());
    for limit in [0, 1, 2, data.len() % 200, 160] {
        shortens(&text, limit);
    }
    let normalized = normalize(&text);
    assert_eq!(normalize(&normalized), normalized, "normalising twice is normalising once");
    assert!(
        !normalized.split(' ').any(|word| word.contains(char::is_whitespace)),
        "one space is all the white space"
    );
    if !normalized.is_empty() {
        finds_again(&normalized);
    }
    if let Ok(query) = Query::parse(&sent) {
        let itself = normalize(&sent);
        assert!(query.finds(&itself) && query.is(&itself), "a query finds itself");
        looks_for(&query, &normalized);
    }
});

fn shortens(text: &str, limit: usize) {
    let shortened = excerpt(text, limit);
    assert!(shortened.chars().count() <= limit, "no longer than {limit}");
    assert!(!shortened.contains(breaks_line_or_controls), "on one line");
}

/// What is forgotten is looked for by how it begins; it must be found if it is still there.
fn finds_again(normalized: &str) {
    // As the statement that loads it does: all of it where the beginning is one word.
    let end = normalized.char_indices().nth(KEPT).map_or(normalized.len(), |(end, _)| end);
    let (beginning, is_whole) = match &normalized[..end] {
        beginning if beginning.contains(' ') => (beginning, end == normalized.len()),
        _ => (normalized, true),
    };
    let query = Query::that_finds(beginning, is_whole);
    assert!(query.held_by(normalized) > 0, "what is there is found");
    assert!(query.finds(normalized), "by every word of its beginning");
}

fn looks_for(query: &Query, normalized: &str) {
    let pieces = query.pieces();
    let held = query.held_by(normalized);
    let found = query.finds(normalized);
    assert_eq!(found, held == pieces.len(), "found is holding every piece");
    assert!(!query.is(normalized) || found, "what says just that holds it");
    // The database leaves out what does not hold the letters.
    let contained = pieces.iter().filter(|piece| normalized.contains(piece.as_str())).count();
    assert!(held <= contained, "no piece is held that does not stand there");
    // Words before and behind make no difference to what is there.
    let among_others = format!("before {normalized} behind");
    assert!(query.held_by(&among_others) >= held, "words around it hide nothing");
}
