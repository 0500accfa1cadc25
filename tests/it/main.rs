//! The integration tests: one binary, so that they share one Postgres and are linked once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test says what it expects by failing, in its helpers too, which clippy.toml's allow-…-in-tests does not reach"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests stand outside: they play other clients of the database and measure real time"
)]
#![allow(unreachable_pub, reason = "a test binary exports nothing; pub says what other test modules use")]

mod architecture;
mod audit_encoding;
mod auth;
mod calls;
mod canary;
mod conversations;
mod embedded;
mod faults;
mod grpcurl;
mod harness;
mod isolation;
mod lanes;
mod model;
mod plans;
mod process;
mod proxy;
mod readme;
mod rules;
mod schema;
mod selection;
mod stalls;
mod storms;
