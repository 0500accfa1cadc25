//! memory-lifecycle.

pub mod proto;
pub mod rpc;
