//! Logs: to standard error, so that standard output stays the program's own.

use std::io::IsTerminal;

use tracing::{Level, Metadata};
use tracing_subscriber::filter::{ParseError, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt, registry};

use crate::config::{LogFormat, LogSettings};

/// The crate whose events are shown as the operator asks.
const OURS: &str = env!("CARGO_CRATE_NAME");
/// Of the other crates nothing below this is shown, whatever is asked for: below it they print headers, frames and handshakes.
const OTHERS: Level = Level::WARN;
/// Never shown at all: the database driver quotes lines of password files, parameters of the URL, and what Postgres says, which
/// quotes rows. What is to be known of the database is said by this crate, without values.
const NEVER: &str = "sqlx";

/// Starts logging. Answers an error for a filter that cannot be read; started twice, the first start stands.
pub fn start(settings: &LogSettings) -> Result<(), ParseError> {
    let asked = EnvFilter::builder().parse(&settings.log)?;
    let lines = fmt::layer()
        .with_writer(std::io::stderr)
        // Colours are for eyes: in a file or a pipe they are noise.
        .with_ansi(std::io::stderr().is_terminal());
    let lines = match settings.log_format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let started = registry().with(lines).with(filter_fn(may_be_shown)).with(asked).try_init();
    // Only a second start fails; the process then logs as it already did.
    drop(started);
    Ok(())
}

/// Whether an event or a span can be without contents and secrets.
fn may_be_shown(metadata: &Metadata<'_>) -> bool {
    may_show(metadata.target(), *metadata.level())
}

fn may_show(target: &str, level: Level) -> bool {
    match target.split("::").next() {
        Some(OURS) => true,
        Some(other) => level <= OTHERS && !other.starts_with(NEVER),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_events_are_shown_and_of_others_only_what_is_wrong() {
        for target in ["memory_lifecycle", "memory_lifecycle::lane::attempt"] {
            assert!(may_show(target, Level::TRACE) && may_show(target, Level::ERROR), "{target}");
        }
        for target in ["h2::codec::framed_read", "memory_lifecycle_of_another", "log", ""] {
            assert!(may_show(target, Level::WARN) && may_show(target, Level::ERROR), "{target}");
            assert!(!may_show(target, Level::INFO) && !may_show(target, Level::TRACE), "{target}");
        }
        for target in ["sqlx::query", "sqlx::postgres::notice", "sqlx_postgres::options::pgpass"] {
            assert!(!may_show(target, Level::ERROR), "{target}");
        }
    }
}
