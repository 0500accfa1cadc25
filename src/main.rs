//! Arguments → subcommand → exit code. No logic here.

use std::process::ExitCode;

use clap::Parser;
use memory_lifecycle::cli;
use memory_lifecycle::config::Cli;

#[tokio::main]
async fn main() -> ExitCode {
    cli::run(Cli::parse()).await
}
