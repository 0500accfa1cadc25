//! What every test needs: one Postgres for the whole run, a database of its own, real servers on it, and
//! callers that speak to them through the generated clients over a socket.

pub mod caller;
pub mod canaries;
pub mod certificates;
pub mod database;
pub mod errors;
pub mod issuer;
pub mod processes;
pub mod server;

pub use caller::Caller;
pub use database::Database;
pub use errors::{reason, violations};
pub use memory_lifecycle::config::ServerSettings;
pub use server::{Server, settings};

/// How much of a test's full count to do: everything with `MEMORY_LIFECYCLE_TEST_SCALE=full`, else a part that
/// fits an everyday run.
pub fn scaled(full: usize, everyday: usize) -> usize {
    if std::env::var("MEMORY_LIFECYCLE_TEST_SCALE").is_ok_and(|scale| scale == "full") {
        full
    } else {
        everyday
    }
}
