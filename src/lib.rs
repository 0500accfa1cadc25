//! memory-lifecycle.

pub mod embedded;
