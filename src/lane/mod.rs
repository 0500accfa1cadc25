//! The lanes: every write of a tenant goes through one, and what waits there is committed together.
//!
//! A lane takes all that is queued, round robin by tenant, runs it as one transaction, then takes the next:
//! there is no timer, so one caller alone pays no waiting. A tenant whose head somebody else holds is never
//! waited for there: its commands go to a batch of its own ([`solo`]), the only kind that waits.
//!
//! - [`queue`]: what waits, and whose turn it is
//! - [`worker`]: the loop of one lane
//! - [`batch`]: one transaction: lock, load, decide, write, commit
//! - [`attempt`]: retrying, splitting and resolving a batch until each command has its answer
//! - [`resolve`]: what became of a lost COMMIT
//! - [`rehearse`](rehearse::rehearse): the same decision, without the transaction

mod attempt;
mod batch;
mod failure;
mod queue;
mod rehearse;
mod resolve;
mod shared;
mod solo;
mod worker;

use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::Duration;

pub use failure::Failure;
pub use rehearse::{rehearse, rehearse_on};
pub use shared::Lanes;

/// How many lanes, and how much waits in them.
#[derive(Debug, Clone, Copy)]
pub struct LaneOptions {
    /// How many lanes a replica has; a tenant is always on the same one.
    pub lanes: usize,
    /// How many commands one transaction takes at most.
    pub batch_commands: usize,
    /// How many commands of one tenant it takes at most while nobody else waits: whoever comes to a lane that a busy
    /// tenant keeps full waits for the transaction under way, so it may not be long. A batch of one tenant alone, beside
    /// the lanes, has no such limit.
    pub tenant_commands: usize,
    /// The same while others wait: their own transaction may be shorter still.
    pub tenant_commands_in_company: usize,
    /// How many memories the commands of one transaction may name, unless a single command names more.
    pub batch_memories: usize,
    /// How many commands wait in a lane at most.
    pub queued: usize,
    /// How many commands of one tenant wait at most.
    pub queued_per_tenant: usize,
    /// How many batches of single tenants run at once, beside the lanes.
    pub solo_batches: usize,
    /// How long a lane keeps its connection, and with it the plans of its statements, which fit the tables as they were.
    pub connection_kept: Duration,
    /// How long a transaction, and then its COMMIT, may take before its connection is given up: far longer than
    /// the database's own limits, for connections whose other end is gone without a word.
    pub patience: Duration,
}

impl Default for LaneOptions {
    fn default() -> Self {
        Self {
            // Measured on two cores: with two, which share more, it is faster than with one or four.
            lanes: available_parallelism().map_or(2, NonZero::get).clamp(2, 4),
            batch_commands: 128,
            tenant_commands: 32,
            tenant_commands_in_company: 16,
            batch_memories: 1000,
            queued: 8192,
            queued_per_tenant: 2048,
            solo_batches: 4,
            connection_kept: Duration::from_secs(1),
            patience: Duration::from_mins(1),
        }
    }
}
