//! memory-lifecycle.
