//! memory-lifecycle: a gRPC service that decides what an AI agent may still remember.
//!
//! The map of the crate. A call enters through [`layers`], becomes a command in [`rpc`], is sequenced by
//! [`ops`], waits in its tenant's [`lane`], and is decided by [`domain`] on facts that [`storage`] loaded in
//! the same transaction that writes the decision. Imports only point right: rpc → ops → lane → storage →
//! domain. [`layers`] apply to every call alike, and ask [`auth`] who makes it. [`app`] is the only place that wires the
//! parts together.
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the docs are for those who work on the crate, made with private items"
)]

pub mod app;
pub mod auth;
pub mod cli;
pub mod clock;
pub mod config;
pub mod domain;
pub mod embedded;
pub mod lane;
pub mod layers;
pub mod ops;
pub mod proto;
pub mod rpc;
pub mod shutdown;
pub mod storage;
pub mod sweeper;
pub mod telemetry;
