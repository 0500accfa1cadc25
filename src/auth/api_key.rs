//! API keys: random secrets that the database knows by their hashes.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::fault::{AuthFault, Cause};
use crate::clock::Clock;
use crate::domain::principal::Principal;
use crate::storage::Store;

/// How every key begins, so that people, and programs that look for leaked secrets, know one when they see it.
pub const PREFIX: &str = "mlk_";

/// Knows whose an API key is.
#[derive(Debug)]
pub struct ApiKeys {
    _store: Store,
    _clock: Clock,
    _remembered: Duration,
}

impl ApiKeys {
    /// Asks this database. What it said of a key is believed for so long.
    pub fn new(store: Store, clock: Clock, remembered: Duration) -> Self {
        Self { _store: store, _clock: clock, _remembered: remembered }
    }

    /// Whose key it is.
    pub(super) async fn principal(&self, _key: &str) -> Result<Principal, AuthFault> {
        Err(Cause::ApiKey.into())
    }

    /// Writes down when keys were last used, until told to stop.
    pub(super) async fn keep(&self, stop: &CancellationToken) {
        stop.cancelled().await;
    }
}
