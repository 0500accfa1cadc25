//! Crashes in mid-load: the server killed, Postgres killed, Postgres out of reach just after a COMMIT. Whatever was
//! acknowledged is there afterwards, nothing is half done, and a call that was lost is told the truth when it is sent
//! again.
//!
//! - [`change`]: a call that changes something, and what it must answer
//! - [`actor`]: a caller that makes them, repeats what was lost, and keeps a ledger
//! - [`load`]: many of them at once, and waiting for how much they have done
//! - [`ledger`]: what the ledgers say against what the database holds

mod actor;
mod change;
#[cfg(target_os = "linux")]
mod durable;
mod ledger;
mod load;
#[cfg(target_os = "linux")]
mod postgres_killed;
mod server_killed;
mod unreachable;

use std::time::Duration;

/// Longer than any call here takes, however often it has to be repeated.
const LIMIT: Duration = Duration::from_mins(1);
