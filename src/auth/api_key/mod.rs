//! API keys: random secrets that the database knows by their hashes.
//!
//! A key is looked up by its public part, and what the database says of it is remembered for a short while: so long can a
//! revoked key still be used on a replica. An expired one cannot, as its end is remembered with it. While the database is
//! away a key that is not remembered is neither accepted nor refused.

mod lookups;
mod remembered;
mod text;
mod uses;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::fault::{AuthFault, Cause};
use crate::clock::Clock;
use crate::domain::principal::Principal;
use crate::storage::Store;
use lookups::Lookups;
use uses::Uses;

pub use text::{ApiKey, KeyId};

/// How every key begins, so that people, and programs that look for leaked secrets, know one when they see it.
pub const PREFIX: &str = "mlk_";

/// Knows whose an API key is.
pub struct ApiKeys {
    lookups: Arc<Lookups>,
    uses: Uses,
    clock: Clock,
}

/// Shows nothing of any key.
impl fmt::Debug for ApiKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKeys(…)")
    }
}

impl ApiKeys {
    /// Asks this database. What it said of a key is believed for so long.
    pub fn new(store: Store, clock: Clock, remembered: Duration) -> Self {
        let lookups = Arc::new(Lookups::new(store.clone(), clock.clone(), remembered));
        Self { lookups, uses: Uses::new(store, clock.clone()), clock }
    }

    /// Whose key it is.
    pub(super) async fn principal(&self, text: &str) -> Result<Principal, AuthFault> {
        let key = ApiKey::parse(text).ok_or(Cause::ApiKey)?;
        let found = self.lookups.find(key.id()).await?;
        let now = self.clock.monotonic();
        match found {
            Some(known) if known.admits(&key, now) => {
                self.uses.note(key.id(), now);
                Ok(known.principal.clone())
            }
            _ => Err(Cause::ApiKey.into()),
        }
    }

    /// Writes down when keys were last used, until told to stop.
    pub(super) async fn keep(&self, stop: &CancellationToken) {
        self.uses.keep(stop).await;
    }
}
