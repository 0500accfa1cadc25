//! The operations, one file each: what says first this, then that. No SQL, no proto.
//!
//! Changes go through the lanes; reads go straight to the pool.

mod audit;
mod change;
mod choose;
mod memories;
mod operations;
pub mod page;
mod preview;
mod preview_set;
mod recall;
mod selection;
mod suppressions;
mod verify;

pub use audit::{AuditEntry, AuditQuery};
pub use memories::{ListMemories, StoredMemory};
pub use operations::{OperationName, OperationsQuery};
pub use page::{Page, PageRequest};
pub use preview::{Confirm, Preview, PreviewItem, PreviewQuery, PreviewSelection};
pub use preview_set::SetQuery;
pub use recall::RecallQuery;
pub use suppressions::{ReasonedSuppression, SuppressionsQuery};
pub use verify::Verification;

pub use crate::lane::Failure;

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::clock::Clock;
use crate::domain::confirmation::Confirmer;
use crate::domain::policy::Policy;
use crate::lane::Lanes;
use crate::storage::Store;
use page::Pager;

/// All operations, over one database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Ops {
    store: Store,
    lanes: Lanes,
    policy: Policy,
    pager: Pager,
    confirmer: Confirmer,
    clock: Clock,
    /// Places for look-ups that wait for a head: else they could take the lanes' connections away.
    look_ups: Arc<Semaphore>,
}

/// How many look-ups may wait for a head at once, each on a connection for units of work.
pub const LOOK_UPS: usize = 2;

impl Ops {
    /// Puts the operations together. `token_key` signs page and confirmation tokens: replicas share it.
    pub fn new(store: Store, lanes: Lanes, policy: Policy, token_key: &[u8; 32], clock: Clock) -> Self {
        Self {
            store,
            lanes,
            policy,
            pager: Pager::new(token_key),
            confirmer: Confirmer::new(token_key),
            clock,
            look_ups: Arc::new(Semaphore::new(LOOK_UPS)),
        }
    }
}
