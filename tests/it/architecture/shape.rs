//! Rules about a file as a whole.

use super::source::{Source, Violation};
use super::tokens::Rust;

const MOST_LINES: usize = 400;

/// Files that have grown past reading at one sitting.
pub(super) fn too_long(files: &[Source]) -> Vec<Violation> {
    let long = files.iter().filter(|file| file.text.lines().count() > MOST_LINES);
    long.map(|file| {
        let lines = file.text.lines().count();
        file.violation(lines, format!("{lines} lines"), format!("at most {MOST_LINES}: split it by subject"))
    })
    .collect()
}

/// Tests that wait for time to pass: slow on a fast machine, flaky on a slow one.
pub(super) fn sleeping_tests(files: &[Source]) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && file.path.starts_with("tests/")) {
        let rust = Rust::read(&file.text);
        for pair in rust.tokens.windows(2) {
            if matches!(pair[0].text.as_str(), "sleep" | "sleep_until") && pair[1].text == "(" {
                found.push(file.violation(
                    pair[0].line,
                    pair[0].text.clone(),
                    "wait for the event itself, or move a fake clock: time passing proves nothing",
                ));
            }
        }
    }
    found
}

#[test]
fn a_long_file_is_reported() {
    let at_the_limit = Source::new("src/domain/text.rs", "\n".repeat(MOST_LINES));
    let past_it = Source::new("src/storage/sql/x.sql", "\n".repeat(MOST_LINES + 1));
    assert!(too_long(&[at_the_limit]).is_empty());
    assert_eq!(
        too_long(&[past_it])[0].to_string(),
        "src/storage/sql/x.sql:401: 401 lines: at most 400: split it by subject"
    );
}

#[test]
fn a_sleeping_test_is_reported() {
    let sleeps = "async fn f() {\n    tokio::time::sleep(SECOND).await;\n    // sleep(1)\n    run(\"pg_sleep(1)\");\n}";
    let found = sleeping_tests(&[Source::new("tests/it/x.rs", sleeps), Source::new("src/lane/x.rs", sleeps)]);
    assert_eq!(found.len(), 1);
    assert!(found[0].to_string().starts_with("tests/it/x.rs:2: sleep: "));
}
