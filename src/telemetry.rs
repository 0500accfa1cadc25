//! Logs: to standard error, so that standard output stays the program's own.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

use crate::config::{LogFormat, LogSettings};

/// Starts logging. Answers an error for a filter that cannot be read; started twice, the first start stands.
pub fn start(settings: &LogSettings) -> Result<(), ParseError> {
    let filter = EnvFilter::builder().parse(&settings.log)?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // Colours are for eyes: in a file or a pipe they are noise.
        .with_ansi(std::io::stderr().is_terminal());
    let started = match settings.log_format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    // Only a second start fails; the process then logs as it already did.
    drop(started);
    Ok(())
}
