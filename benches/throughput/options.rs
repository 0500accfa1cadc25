//! How much to do.

use std::path::PathBuf;

use clap::Parser;

/// Compares the service with the usual Postgres transaction.
#[derive(Debug, Parser)]
pub(crate) struct Options {
    /// Memories of 1 KiB, over 100 tenants.
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) memories: usize,
    /// Measured seconds of each side in each round, after two of warming up.
    #[arg(long, default_value_t = 3)]
    pub(crate) seconds: u64,
    /// Rounds; the tables show medians.
    #[arg(long, default_value_t = 5)]
    pub(crate) rounds: usize,
    /// Only rows whose name contains this.
    #[arg(long)]
    pub(crate) only: Option<String>,
    /// Measure the cost of a forget with 10,000,000 memories as well, which takes some minutes to fill.
    #[arg(long)]
    pub(crate) ten_million: bool,
    /// A Python that has `langgraph-checkpoint-postgres` and `psycopg`, for the rows with LangGraph's store.
    #[arg(long, default_value = "python3")]
    pub(crate) python: PathBuf,
    /// Also write the results here, as JSON with every round.
    #[arg(long)]
    pub(crate) json: Option<PathBuf>,
    /// Given by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

impl Options {
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
    }
}
