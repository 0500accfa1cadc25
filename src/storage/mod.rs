//! POSTGRES: the only place that speaks SQL. One statement a file in `sql/`, one function of the same name
//! here. Knows the domain's types; decides nothing.

pub mod batch_facts;
pub mod batch_writes;
mod codes;
pub mod error;
pub mod heads;
pub mod pool;
mod rows;
pub mod tx;

pub use error::StoreError;
pub use pool::{Store, StoreOptions};
