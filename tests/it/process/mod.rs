//! The real program, as people and service managers run it.

mod crash;
mod dev;
mod health;
mod load;
mod migrate;
mod mint_token;
pub mod program;
mod schema;
mod serve;
pub mod started;
