//! Things that have one place each.

use super::paths::{Target, named};
use super::source::{Source, Violation};
use super::tokens::{Rust, Token};

/// Calls on `Status`, and second names for it, outside the file that turns errors into statuses.
pub(super) fn stray_statuses(files: &[Source]) -> Vec<Violation> {
    let mut found = Vec::new();
    // The domain may have a `Status` of its own: it cannot name tonic's.
    for file in outside(files, &["src/rpc/status.rs"]).filter(|file| file.layer() != Some("domain")) {
        for path in named(file) {
            let (Target::Ours(segments) | Target::Other(segments)) = &path.target;
            let makes = segments
                .windows(2)
                .any(|pair| pair[0] == "Status" && pair[1].starts_with(char::is_lowercase));
            let hides = path.is_renamed && segments.last().is_some_and(|last| last == "Status");
            if makes || hides {
                let rule = "return an error; rpc/status.rs alone makes a Status of it";
                found.push(file.violation(path.line, segments.join("::"), rule));
            }
        }
    }
    found
}

/// Names of our environment variables, and reads of the environment. The private Postgres may ask for what is the system's:
/// where programs are (`PATH`) and where a user's data belongs (`XDG_…`). That is looking around, not configuration.
pub(super) fn stray_environment(files: &[Source]) -> Vec<Violation> {
    let rule = "read it in config.rs and pass the value on";
    let mut found = Vec::new();
    for file in outside(files, &["src/config.rs", "src/config/"]) {
        for literal in Rust::read(&file.text).strings {
            if literal.text.starts_with("MEMORY_LIFECYCLE_") || literal.text.starts_with("OTEL_") {
                found.push(file.violation(literal.line, literal.text, rule));
            }
        }
        for path in named(file) {
            let Target::Other(segments) = &path.target else { continue };
            let reads = segments.windows(2).any(|pair| pair[0] == "env" && pair[1].starts_with("var"));
            if reads && file.layer() != Some("embedded") {
                found.push(file.violation(path.line, segments.join("::"), rule));
            }
        }
    }
    found
}

/// What makes a span or an instrument, and so names it.
const MAKES_TELEMETRY: &[&str] = &[
    "span",
    "trace_span",
    "debug_span",
    "info_span",
    "warn_span",
    "error_span",
    "u64_counter",
    "f64_counter",
    "u64_histogram",
    "f64_histogram",
    "u64_gauge",
    "i64_gauge",
    "f64_gauge",
    "i64_up_down_counter",
];

/// Spans and metrics made elsewhere than where their names are kept.
pub(super) fn stray_telemetry(files: &[Source]) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in outside(files, &["src/telemetry.rs", "src/telemetry/"]) {
        let tokens = Rust::read(&file.text).tokens;
        for (at, token) in tokens.iter().enumerate() {
            let next = tokens.get(at + 1).map_or("", |next| next.text.as_str());
            let makes = MAKES_TELEMETRY.contains(&token.text.as_str()) && matches!(next, "!" | "(");
            if makes && !is_definition(&tokens, at) || is_instrument_attribute(&tokens, at) {
                let rule = "telemetry.rs names spans and metrics: add a function there and call it";
                found.push(file.violation(token.line, token.text.clone(), rule));
            }
        }
    }
    found
}

fn is_definition(tokens: &[Token], at: usize) -> bool {
    at > 0 && tokens[at - 1].text == "fn"
}

/// `#[instrument]` or `#[tracing::instrument]`; a future's `.instrument(span)` is how a span is used.
fn is_instrument_attribute(tokens: &[Token], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map_or("", |index| tokens[index].text.as_str());
    tokens[at].text == "instrument"
        && (before(1) == "[" || before(1) == "::" && before(2) == "tracing" && before(3) == "[")
}

fn outside<'a>(files: &'a [Source], home: &'a [&str]) -> impl Iterator<Item = &'a Source> {
    let ours = files.iter().filter(|file| file.is_rust() && file.path.starts_with("src/"));
    ours.filter(|file| !home.iter().any(|home| file.path.starts_with(home)))
}

#[cfg(test)]
fn assert_one_in(rule: fn(&[Source]) -> Vec<Violation>, offender: &str, home: &str, innocent: &str) {
    assert_eq!(rule(&[Source::new("src/lane/x.rs", offender)]).len(), 1, "{offender}");
    assert_eq!(rule(&[Source::new(home, offender)]).len(), 0, "at home: {offender}");
    assert_eq!(rule(&[Source::new("src/lane/x.rs", innocent)]).len(), 0, "{innocent}");
}

#[test]
fn a_stray_status_is_reported() {
    let innocent = "fn f() -> Result<(), tonic::Status>; // Status::internal";
    for offender in
        ["Status::internal(\"x\")", "let e = tonic::Status::with_details(c);", "use tonic::Status as S;"]
    {
        assert_one_in(stray_statuses, offender, "src/rpc/status.rs", innocent);
    }
}

#[test]
fn a_stray_variable_is_reported() {
    let innocent = "env!(\"CARGO_PKG_VERSION\"); // MEMORY_LIFECYCLE_X";
    for offender in
        ["std::env::var(name)", "use std::env; env::var_os(name)", "#[arg(env = \"MEMORY_LIFECYCLE_X\")]"]
    {
        assert_one_in(stray_environment, offender, "src/config.rs", innocent);
    }
    let looks_around = Source::new("src/embedded/find.rs", "std::env::var_os(\"PATH\")");
    let is_configured = Source::new("src/embedded/find.rs", "std::env::var_os(\"MEMORY_LIFECYCLE_X\")");
    assert_eq!(stray_environment(&[looks_around]).len(), 0);
    assert_eq!(stray_environment(&[is_configured]).len(), 1);
}

#[test]
fn a_stray_span_is_reported() {
    let innocent = "work.instrument(telemetry::span_of(batch)).await; fn span() {}";
    for offender in
        ["tracing::info_span!(\"x\")", "#[tracing::instrument] fn f() {}", "meter.u64_counter(\"x\")"]
    {
        assert_one_in(stray_telemetry, offender, "src/telemetry.rs", innocent);
    }
}
