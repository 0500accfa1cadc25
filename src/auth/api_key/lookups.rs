//! Asks the database whose a key is: once for all who ask at the same time, a few at once, and not again for a while.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::KeyId;
use super::remembered::Remembered;
use super::text::ApiKey;
use crate::auth::AuthFault;
use crate::clock::Clock;
use crate::domain::principal::Principal;
use crate::storage::pool::KEY_CONNECTIONS;
use crate::storage::{Store, StoreError, api_keys};

/// How many keys are remembered; and of names that are no key's, as many more. They are kept apart, so that made-up names
/// cannot crowd out keys.
const ROOM: usize = 10_000;
/// How long one look-up may take, its wait included.
const PATIENCE: Duration = Duration::from_secs(3);

/// A key that was neither revoked nor expired when it was looked up.
pub(super) struct KnownKey {
    /// Whose it is.
    pub(super) principal: Principal,
    secret_hash: [u8; 32],
    /// When it expires, by the clock of this process.
    expires: Option<Duration>,
}

impl KnownKey {
    /// Whether a key of this name is this key, and still good.
    pub(super) fn admits(&self, key: &ApiKey, now: Duration) -> bool {
        key.has_hash(&self.secret_hash) && self.expires.is_none_or(|expires| now < expires)
    }
}

/// The key of a name, if there is a good one.
type Found = Option<Arc<KnownKey>>;
/// What came of a look-up; none while it is under way.
type Outcome = Option<Result<Found, AuthFault>>;

/// Looks keys up.
pub(super) struct Lookups {
    store: Store,
    clock: Clock,
    remembered: Duration,
    state: Mutex<State>,
    /// For keys that were good before.
    familiar: Gate,
    /// For names never heard of, most of which are no key's when somebody makes them up: these alone can wait in vain.
    strange: Gate,
}

struct State {
    keys: Remembered<Arc<KnownKey>>,
    no_keys: Remembered<()>,
    under_way: HashMap<KeyId, watch::Receiver<Outcome>>,
}

impl State {
    fn recall(&self, id: &KeyId, oldest: Duration) -> Option<Found> {
        match self.keys.since(id, oldest) {
            Some(known) => Some(Some(known)),
            None => self.no_keys.since(id, oldest).map(|()| None),
        }
    }

    fn learn(&mut self, id: &KeyId, asked: Duration, found: &Found) {
        if let Some(known) = found {
            self.no_keys.forget(id);
            self.keys.put(id, asked, Arc::clone(known));
        } else {
            self.keys.forget(id);
            self.no_keys.put(id, asked, ());
        }
    }
}

impl Lookups {
    /// Asks this database, and believes what it said for so long.
    pub(super) fn new(store: Store, clock: Clock, remembered: Duration) -> Self {
        let state = State {
            keys: Remembered::with_room_for(ROOM),
            no_keys: Remembered::with_room_for(ROOM),
            under_way: HashMap::new(),
        };
        let all = KEY_CONNECTIONS as usize;
        Self {
            store,
            clock,
            remembered,
            state: Mutex::new(state),
            familiar: Gate::new(all, 1024),
            // One connection stays for those that are known.
            strange: Gate::new(all.saturating_sub(1).max(1), 256),
        }
    }

    /// The key of this name, if there is a good one.
    pub(super) async fn find(self: &Arc<Self>, id: &KeyId) -> Result<Found, AuthFault> {
        let mut outcome = match self.recall_or_ask(id)? {
            Asked::Remembered(found) => return Ok(found),
            Asked::UnderWay(outcome) => outcome,
        };
        let settled = outcome.wait_for(Option::is_some).await;
        // Without an outcome the look-up broke off.
        settled.ok().and_then(|outcome| outcome.clone()).unwrap_or(Err(AuthFault::Unavailable))
    }

    fn recall_or_ask(self: &Arc<Self>, id: &KeyId) -> Result<Asked, AuthFault> {
        let now = self.clock.monotonic();
        let mut state = self.state();
        // Nothing was learnt before the clock began.
        let oldest = now.saturating_sub(self.remembered);
        if let Some(found) = state.recall(id, oldest) {
            return Ok(Asked::Remembered(found));
        }
        if let Some(outcome) = state.under_way.get(id) {
            return Ok(Asked::UnderWay(outcome.clone()));
        }
        let gate = if state.keys.has(id) { &self.familiar } else { &self.strange };
        let place = gate.enter().ok_or(AuthFault::Overloaded)?;
        let (sender, outcome) = watch::channel(None);
        state.under_way.insert(id.clone(), outcome.clone());
        // A task of its own: whoever asked first may go away, and the others still wait for it.
        let under_way = UnderWay { lookups: Arc::clone(self), id: id.clone() };
        tokio::spawn(under_way.settle(place, sender));
        Ok(Asked::UnderWay(outcome))
    }

    async fn ask(&self, id: &KeyId) -> Result<Found, StoreError> {
        let mut connection = self.store.key_connection().await?;
        // Taken before the question: what is remembered is never newer than it is said to be, and expires no later.
        let asked = self.clock.monotonic();
        let found = api_keys::find_api_key(&mut connection, id.as_str()).await?.map(|found| {
            let expires = found.remaining.map(|remaining| asked.saturating_add(remaining));
            Arc::new(KnownKey { principal: found.principal, secret_hash: found.secret_hash, expires })
        });
        self.state().learn(id, asked, &found);
        Ok(found)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Asked {
    Remembered(Found),
    UnderWay(watch::Receiver<Outcome>),
}

/// A look-up under way; whatever becomes of it, the next who asks begins another.
struct UnderWay {
    lookups: Arc<Lookups>,
    id: KeyId,
}

impl UnderWay {
    async fn settle(self, place: Place, sender: watch::Sender<Outcome>) {
        let ask = async {
            let _turn = place.turn().await;
            self.lookups.ask(&self.id).await
        };
        let found = tokio::time::timeout(PATIENCE, ask).await.unwrap_or(Err(StoreError::NoConnection));
        if let Err(error @ (StoreError::Rejected { .. } | StoreError::Impossible(_))) = &found {
            tracing::error!(%error, "an API key could not be looked up");
        }
        drop(self);
        // Nobody may be waiting any more.
        drop(sender.send(Some(found.map_err(|_| AuthFault::Unavailable))));
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.lookups.state().under_way.remove(&self.id);
    }
}

/// Lets a few look-ups run at once, some wait, and no more in.
struct Gate {
    turns: Arc<Semaphore>,
    places: Arc<Semaphore>,
}

/// A place among those that run or wait.
struct Place {
    turns: Arc<Semaphore>,
    _place: OwnedSemaphorePermit,
}

impl Gate {
    fn new(turns: usize, places: usize) -> Self {
        Self { turns: Arc::new(Semaphore::new(turns)), places: Arc::new(Semaphore::new(places)) }
    }

    fn enter(&self) -> Option<Place> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        Some(Place { turns: Arc::clone(&self.turns), _place: place })
    }
}

impl Place {
    async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        Arc::clone(&self.turns).acquire_owned().await.ok()
    }
}
