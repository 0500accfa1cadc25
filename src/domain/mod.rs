//! PURE: what may and must happen to a memory. No I/O, no clock, no randomness, no async, no proto, no SQL.
//!
//! The heart is [`decide::settle`]: facts, a command and the time in; an [`answer::Answer`] or a
//! [`refusal::Refusal`] out. Everything it needs is an argument, so the whole state machine can be tested
//! without a server.

pub mod answer;
pub mod audit;
pub mod capability;
pub mod command;
pub mod confirmation;
pub mod content;
pub mod decide;
pub mod facts;
pub mod filter;
pub mod forget;
pub mod ids;
pub mod keyed;
pub mod line;
pub mod memory;
pub mod operation;
pub mod policy;
pub mod principal;
pub mod refusal;
pub mod selection;
pub mod suppression;
pub mod text;

/// A moment, to the microsecond, as Postgres keeps it.
pub type Timestamp = chrono::DateTime<chrono::Utc>;
