//! When keys were last used, written down once in a while: for people who look for keys that nobody needs any more.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::KeyId;
use crate::clock::Clock;
use crate::storage::{Store, StoreError, api_keys};

/// A key's use is written down at most this often.
const EVERY: Duration = Duration::from_mins(1);
/// How often to look for uses to write down.
const LOOK: Duration = Duration::from_secs(1);
/// How long writing may take, at the end too.
const PATIENCE: Duration = Duration::from_secs(2);

/// The uses of keys. Only of keys that exist, and of the last minute, so that there is no need for a bound.
pub(super) struct Uses {
    store: Store,
    clock: Clock,
    seen: Mutex<HashMap<KeyId, Use>>,
}

/// Times by the clock of this process.
struct Use {
    last: Duration,
    /// Whether `last` is not written down yet.
    is_open: bool,
    /// When something was last written down.
    written: Option<Duration>,
}

impl Use {
    fn is_due(&self, now: Duration) -> bool {
        self.is_open && self.has_rested(now)
    }

    fn has_rested(&self, now: Duration) -> bool {
        self.written.is_none_or(|written| now.saturating_sub(written) >= EVERY)
    }
}

impl Uses {
    pub(super) fn new(store: Store, clock: Clock) -> Self {
        Self { store, clock, seen: Mutex::default() }
    }

    /// Notes that a key was used at this time.
    pub(super) fn note(&self, id: &KeyId, now: Duration) {
        let mut seen = self.seen();
        match seen.get_mut(id) {
            Some(of_key) => (of_key.last, of_key.is_open) = (of_key.last.max(now), true),
            None => drop(seen.insert(id.clone(), Use { last: now, is_open: true, written: None })),
        }
    }

    /// Writes down what is due until told to stop, and then all that is left.
    pub(super) async fn keep(&self, stop: &CancellationToken) {
        let mut ticks = tokio::time::interval(LOOK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut resting_until = Duration::ZERO;
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                _ = ticks.tick() => {}
            }
            let now = self.clock.monotonic();
            if now >= resting_until && self.write(Use::is_due).await.is_err() {
                resting_until = now.saturating_add(EVERY);
            }
        }
        drop(self.write(|of_key, _| of_key.is_open).await);
    }

    /// Writes down the uses that are chosen. What cannot be written stays open.
    async fn write(&self, chosen: impl Fn(&Use, Duration) -> bool) -> Result<(), StoreError> {
        let now = self.clock.monotonic();
        let chosen: Vec<(KeyId, Duration)> = {
            let mut seen = self.seen();
            seen.retain(|_, of_key| of_key.is_open || !of_key.has_rested(now));
            let chosen = seen.iter().filter(|(_, of_key)| chosen(of_key, now));
            chosen.map(|(id, of_key)| (id.clone(), of_key.last)).collect()
        };
        if chosen.is_empty() {
            return Ok(());
        }
        let uses: Vec<_> = chosen.iter().map(|(id, last)| (id.as_str(), now.saturating_sub(*last))).collect();
        let write = async {
            let mut connection = self.store.key_connection().await?;
            api_keys::note_api_key_uses(&mut connection, &uses).await
        };
        let written = tokio::time::timeout(PATIENCE, write).await.unwrap_or(Err(StoreError::NoConnection));
        if let Err(error) = written {
            tracing::warn!(%error, keys = chosen.len(), "could not note when API keys were last used");
            return Err(error);
        }
        let mut seen = self.seen();
        for (id, last) in chosen {
            if let Some(of_key) = seen.get_mut(&id) {
                of_key.written = Some(now);
                of_key.is_open = of_key.last > last;
            }
        }
        Ok(())
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<KeyId, Use>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
