//! memory-lifecycle.

pub mod clock;
pub mod domain;
pub mod lane;
pub mod layers;
pub mod ops;
pub mod proto;
pub mod rpc;
pub mod storage;
