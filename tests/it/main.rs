//! The integration tests: one binary, so that they share one Postgres and are linked once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected is to fail at once"
)]

mod embedded;
