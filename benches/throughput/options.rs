//! How much to do.

use std::path::PathBuf;

use clap::Parser;

/// Compares the service with the usual Postgres transaction.
#[derive(Debug, Parser)]
pub(crate) struct Options {
    /// Memories of 1 KiB, over 100 tenants.
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) memories: usize,
    /// Seconds that each side runs in each round.
    #[arg(long, default_value_t = 5)]
    pub(crate) seconds: u64,
    /// Rounds; the table shows medians.
    #[arg(long, default_value_t = 5)]
    pub(crate) rounds: usize,
    /// Only cases whose name contains this.
    #[arg(long)]
    pub(crate) only: Option<String>,
    /// Also write the results here, as JSON.
    #[arg(long)]
    pub(crate) json: Option<PathBuf>,
    /// Given by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

/// How many tenants the memories are spread over.
pub(crate) const TENANTS: usize = 100;

impl Options {
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
    }

    /// Memories of each tenant.
    pub(crate) fn per_tenant(&self) -> usize {
        self.memories / TENANTS
    }
}
