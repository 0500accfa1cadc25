//! One file a subcommand. Each answers an exit code; what went wrong is one sentence on standard error.

mod api_key;
mod dev;
mod health;
mod migrate;
mod owner;
mod serve;

use std::process::ExitCode;

use crate::config::{Cli, Command};
use crate::telemetry;

/// What went wrong, in words for whoever typed the command.
type CliError = Box<dyn std::error::Error + Send + Sync>;

/// Runs the subcommand.
pub async fn run(cli: Cli) -> ExitCode {
    if let Err(error) = telemetry::start(&cli.log) {
        return failed(&format!(
            "--log cannot be read: {error}; it is a level (error, warn, info, debug, trace), or levels by module, \
             for example info,memory_lifecycle=debug"
        ));
    }
    let result = match cli.command {
        Command::Serve(settings) => serve::run(settings).await,
        Command::Dev(settings) => dev::run(settings).await,
        Command::Migrate(settings) => migrate::run(settings).await,
        Command::ApiKey(settings) => api_key::run(settings).await,
        Command::Health(settings) => health::run(settings).await,
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error.to_string()),
    }
}

#[expect(clippy::print_stderr, reason = "the one place that tells a person at a terminal what went wrong")]
fn failed(error: &str) -> ExitCode {
    eprintln!("memory-lifecycle: {error}");
    ExitCode::FAILURE
}
