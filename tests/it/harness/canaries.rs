//! Looks, throughout the run, into all that is logged: in this process whatever level it has, and by the programs that tests
//! start. What a test saved or keeps secret must stand nowhere in it.
//!
//! A hit ends the run at once: it may come from any thread, and a test that failed there would not be noticed.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::path::Path;
use std::sync::{LazyLock, Once, PoisonError, RwLock};

use rustix::process::Signal;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use super::processes;

/// How much of a text is looked for first. Shorter texts are not looked for: logs say short words too.
const PREFIX: usize = 8;
/// Texts that tests save and that programs say too.
const SAID: [&str; 1] = ["the same"];
/// How a run ends that was stopped by a hit.
const EXIT_CODE: i32 = 101;

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Allowed where a program answers, for example on standard output; in no log.
    Content,
    /// Allowed nowhere but where it is made.
    Secret,
}

#[derive(Debug)]
struct Canary {
    rest: Vec<u8>,
    kind: Kind,
    origin: &'static str,
}

/// Texts by their beginnings, so that a line is looked through once however many there are.
#[derive(Debug, Default)]
struct Canaries(HashMap<[u8; PREFIX], Vec<Canary>>);

static CANARIES: LazyLock<RwLock<Canaries>> = LazyLock::new(|| {
    let mut canaries = Canaries::default();
    let (hexadecimal, decimal) = ("07".repeat(32), "7, ".repeat(31) + "7");
    for secret in [hexadecimal.as_str(), decimal.as_str(), crate::process::started::KEY, "hush-hush"] {
        canaries.add(secret, Kind::Secret, "a key or password of the tests");
    }
    RwLock::new(canaries)
});

impl Canaries {
    fn add(&mut self, text: &str, kind: Kind, origin: &'static str) {
        // As it is, and as `{:?}` and JSON write it.
        let quoted = format!("{text:?}");
        for form in [text, quoted.trim_matches('"')] {
            let Some((prefix, rest)) = form.as_bytes().split_first_chunk::<PREFIX>() else { continue };
            let known = match self.0.entry(*prefix) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(none) => none.insert(Vec::new()),
            };
            if !known.iter().any(|known| known.rest == rest && known.kind == kind) {
                known.push(Canary { rest: rest.to_owned(), kind, origin });
            }
        }
    }

    /// The first one in a line, and where it came from.
    fn find(&self, line: &str, secrets_only: bool) -> Option<&Canary> {
        let bytes = line.as_bytes();
        bytes.windows(PREFIX).enumerate().find_map(|(at, window)| {
            let known = self.0.get(window)?;
            let behind = &bytes[at + PREFIX..];
            let looked_for = |canary: &&Canary| !secrets_only || canary.kind == Kind::Secret;
            known.iter().filter(looked_for).find(|canary| behind.starts_with(&canary.rest))
        })
    }
}

/// Looks for this text from now on.
pub fn look_for(text: &str, kind: Kind, origin: &'static str) {
    if SAID.contains(&text) {
        return;
    }
    let is_known = {
        let canaries = CANARIES.read().unwrap_or_else(PoisonError::into_inner);
        canaries
            .find(text, kind == Kind::Secret)
            .is_some_and(|canary| canary.rest.len() + PREFIX == text.len())
    };
    if !is_known {
        CANARIES.write().unwrap_or_else(PoisonError::into_inner).add(text, kind, origin);
    }
}

/// Looks through what was logged.
pub fn logged(line: &str, by: &str) {
    look(line, by, false);
}

/// Looks through what was answered on standard output.
pub fn printed(line: &str, by: &str) {
    look(line, by, true);
}

fn look(line: &str, by: &str, secrets_only: bool) {
    let canaries = CANARIES.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(canary) = canaries.find(line, secrets_only) {
        let origin = canary.origin;
        // Not by a macro: those are caught for the test whose thread this happens to be.
        let _ = writeln!(
            std::io::stderr(),
            "\n{by} let out what it must not, {origin}, in the line\n{line}\n\ntest result: FAILED. The run ends here"
        );
        end_programs();
        std::process::exit(EXIT_CODE);
    }
}

/// Kills the programs that tests run at the moment: nobody waits for them any more. Postgres is not one; it ends by itself with
/// whoever started it.
fn end_programs() {
    let is_ours = |process: &u32| {
        std::fs::read_link(format!("/proc/{process}/exe"))
            .is_ok_and(|file| file == Path::new(env!("CARGO_BIN_EXE_memory-lifecycle")))
    };
    for program in processes::started_by(std::process::id()).into_iter().filter(is_ours) {
        processes::signal(program, Signal::KILL);
    }
}

/// Begins to look into what this process logs.
pub fn begin() {
    static BEGUN: Once = Once::new();
    let subscriber = || tracing_subscriber::registry().with(Watch);
    BEGUN.call_once(|| tracing::subscriber::set_global_default(subscriber()).unwrap());
}

/// Writes nothing.
struct Watch;

impl<S: Subscriber> Layer<S> for Watch {
    fn register_callsite(
        &self,
        metadata: &'static tracing::Metadata<'static>,
    ) -> tracing::subscriber::Interest {
        // What other crates say is cut off by the program's own filter, which the tests of the program try.
        if metadata.target().split("::").next() == Some("memory_lifecycle") {
            tracing::subscriber::Interest::always()
        } else {
            tracing::subscriber::Interest::never()
        }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Line(event.metadata().target().to_owned());
        event.record(&mut line);
        logged(&line.0, "a server in a test");
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        let mut line = Line(attributes.metadata().name().to_owned());
        attributes.record(&mut line);
        logged(&line.0, "a span of a server in a test");
    }

    fn on_record(&self, _: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut line = Line(String::new());
        values.record(&mut line);
        logged(&line.0, "a span of a server in a test");
    }
}

/// An event's fields as one line.
struct Line(String);

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        let _ = write!(self.0, " {field}={value}");
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

#[test]
fn a_text_is_found_wherever_it_stands() {
    let mut canaries = Canaries::default();
    canaries.add("Likes \"oat\" milk", Kind::Content, "content");
    canaries.add("Likes \"oat\" milk and tea", Kind::Secret, "secret");
    canaries.add("short", Kind::Content, "content");
    let found = |line: &str, secrets_only| canaries.find(line, secrets_only).map(|canary| canary.kind);
    assert_eq!(found("Likes \"oat\" milk", false), Some(Kind::Content));
    assert_eq!(found("INFO said=Likes \"oat\" milk, and more", false), Some(Kind::Content));
    assert_eq!(found(r#"{"said":"Likes \"oat\" milk"}"#, false), Some(Kind::Content));
    assert_eq!(found("Likes \"oat\" milk", true), None);
    assert_eq!(found("a Likes \"oat\" milk and tea", true), Some(Kind::Secret));
    for line in ["", "Likes \"oat\" mil", "short", "likes \"oat\" milk"] {
        assert_eq!(found(line, false), None, "{line}");
    }
}
