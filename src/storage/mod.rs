//! POSTGRES: the only place that speaks SQL. One statement a file in `sql/`, one function of the same name
//! here. Knows the domain's types; decides nothing.

pub mod api_keys;
pub mod batch_facts;
pub mod batch_log;
mod batch_sayings;
pub mod batch_writes;
mod codes;
pub mod error;
pub mod fingerprints;
mod gather;
pub mod heads;
pub mod pool;
pub mod read_audit;
pub mod read_memories;
pub mod read_operations;
pub mod recall;
pub mod retention;
mod rows;
pub mod schema;
pub mod selection;
pub mod suppressions;
pub mod tx;

pub use error::StoreError;
pub use pool::{Store, StoreOptions};
