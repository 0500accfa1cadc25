//! Arguments → subcommand → exit code. No logic here.

use std::process::ExitCode;

use clap::Parser;
use memory_lifecycle::cli;
use memory_lifecycle::config::Cli;

/// A call makes some hundred small allocations, on whichever thread it happens to run: a tenth of the server's time with the C
/// library's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    cli::run(Cli::parse()).await
}
