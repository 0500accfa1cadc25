//! API keys, on a real server over a socket; where time matters, on the part that checks them, with a clock of the test's
//! own.

mod accepted;
mod cli;
mod last_use;
mod lookups;
mod refused;
mod remembered;
mod stage;
mod stored;

pub use stage::Key;
