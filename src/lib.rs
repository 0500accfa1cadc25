//! memory-lifecycle.
pub mod domain;
