//! The keys that are known, kept fresh.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::sync::{Mutex, Semaphore};
use tokio_util::sync::CancellationToken;

use super::keys::{Key, Keys};
use super::source::{KeysError, Source};
use crate::auth::Told;
use crate::clock::Clock;
use crate::config::KeySource;

/// How often the source is asked because of a key that is not known, at most.
pub(super) const ASKED_AGAIN: Duration = Duration::from_secs(30);
/// How often an address is asked anyway: so long can a withdrawn key still be used.
const REFRESHED: Duration = Duration::from_mins(5);
/// How often an address is asked that never answered.
const RETRIED: Duration = Duration::from_secs(5);
/// How often a file is looked at.
const LOOKED_AT: Duration = Duration::from_secs(2);
/// How many calls may wait for keys at once.
const MOST_WAITING: usize = 64;

/// Why there is no key for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// The issuer has none of that id.
    Unknown,
    /// No keys were ever read.
    NeverRead,
    /// Too many calls wait for keys already.
    TooMany,
}

/// The keys, and where they come from.
pub(super) struct HeldKeys {
    source: Source,
    clock: Clock,
    current: RwLock<Option<Arc<Keys>>>,
    /// The text that the source was last found to hold.
    text: RwLock<Option<String>>,
    /// When the source was last asked because of an unknown key. Held whenever it is asked, so that one call does for all,
    /// and what was read last counts.
    asked: Arc<Mutex<Option<Duration>>>,
    waiting: Semaphore,
    told: Told,
}

/// Names the keys and shows nothing of them.
impl fmt::Debug for HeldKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("HeldKeys").field(&self.current()).finish()
    }
}

impl HeldKeys {
    /// Reads the keys. What is on this machine must be there; an address may come later.
    pub(super) async fn start(keys: KeySource, clock: Clock) -> Result<Arc<Self>, KeysError> {
        let source = Source::new(keys)?;
        let held = Self {
            source,
            clock,
            current: RwLock::default(),
            text: RwLock::default(),
            asked: Arc::default(),
            waiting: Semaphore::new(MOST_WAITING),
            told: Told::default(),
        };
        match held.reload().await {
            Err(error) if held.source.is_local() => return Err(error),
            Err(error) => tracing::warn!(%error, "tokens cannot be verified yet"),
            Ok(()) => {}
        }
        Ok(Arc::new(held))
    }

    /// The key of this id, after a look at the source if need be.
    pub(super) async fn find(self: &Arc<Self>, id: &str) -> Result<Key, Missing> {
        if let Some(key) = self.known(id) {
            return Ok(key);
        }
        let _place = self.waiting.try_acquire().map_err(|_| Missing::TooMany)?;
        let mut asked = Arc::clone(&self.asked).lock_owned().await;
        // Whoever was first has read the keys meanwhile.
        if let Some(key) = self.known(id) {
            return Ok(key);
        }
        let now = self.clock.monotonic();
        if asked.is_none_or(|asked| now.saturating_sub(asked) >= ASKED_AGAIN) {
            *asked = Some(now);
            let held = Arc::clone(self);
            // On a task of its own: a caller that goes away must not spoil the look for the others.
            let reload = tokio::spawn(async move {
                held.reload_and_tell().await;
                drop(asked);
            });
            drop(reload.await);
        }
        self.known(id).ok_or(if self.current().is_some() { Missing::Unknown } else { Missing::NeverRead })
    }

    /// Reads the keys again from time to time, until told to stop.
    pub(super) async fn keep(&self, stop: &CancellationToken) {
        loop {
            let pause = match (self.source.is_local(), self.current().is_some()) {
                (true, _) => LOOKED_AT,
                (false, true) => REFRESHED,
                (false, false) => RETRIED,
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = async {
                    let _asking = self.asked.lock().await;
                    self.reload_and_tell().await;
                } => {}
            }
        }
    }

    async fn reload_and_tell(&self) {
        match self.reload().await {
            Ok(()) => self.told.is_well(),
            Err(error) if self.told.is_new(&error) => {
                tracing::warn!(%error, "the keys could not be read again; those known before stay in use");
            }
            Err(_) => {}
        }
    }

    /// Reads the keys if they are other than before. A version that cannot be used is told of once.
    async fn reload(&self) -> Result<(), KeysError> {
        let text = self.source.read().await?;
        if self.text.read().unwrap_or_else(PoisonError::into_inner).as_ref() == Some(&text) {
            return Ok(());
        }
        let parsed = self.source.parse(&text);
        *self.text.write().unwrap_or_else(PoisonError::into_inner) = Some(text);
        let keys = parsed?;
        tracing::info!(keys = keys.len(), "read the keys that tokens are verified with");
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(keys));
        Ok(())
    }

    fn current(&self) -> Option<Arc<Keys>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn known(&self, id: &str) -> Option<Key> {
        self.current()?.get(id).cloned()
    }
}
