//! Time and randomness, injected: the process asks this for everything that does not come from the database.
//!
//! `clippy.toml` bans the ambient sources everywhere else, so that tests can hand in a [`Clock`] of their own.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use rand::TryRng;
use rand::rngs::SysRng;
use uuid::{Builder, Uuid};

/// A source of time and random bytes.
pub trait Source: Send + Sync {
    /// The time since 1970-01-01 UTC.
    fn unix_time(&self) -> Duration;
    /// The time since a moment that stays the same while the process runs; never goes back. Unless a source says
    /// otherwise its time since 1970 does.
    fn monotonic(&self) -> Duration {
        self.unix_time()
    }
    /// Fills the buffer with random bytes fit for secrets.
    fn fill(&self, bytes: &mut [u8]);
}

/// The process's time and randomness. Cheap to clone.
#[derive(Clone)]
pub struct Clock(Arc<dyn Source>);

impl fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Clock")
    }
}

impl Clock {
    /// The operating system's.
    pub fn system() -> Self {
        Self(Arc::new(System))
    }

    /// A source of one's own.
    pub fn from_source(source: Arc<dyn Source>) -> Self {
        Self(source)
    }

    /// A new `UUIDv7`: sorts by the time it was made.
    pub fn uuid_v7(&self) -> Uuid {
        let millis = u64::try_from(self.0.unix_time().as_millis()).unwrap_or(u64::MAX);
        Builder::from_unix_timestamp_millis(millis, &self.random_bytes()).into_uuid()
    }

    /// Random bytes fit for secrets.
    pub fn random_bytes<const LENGTH: usize>(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        self.0.fill(&mut bytes);
        bytes
    }

    /// A duration between zero and the one given, at random: what spreads retries.
    pub fn jitter(&self, most: Duration) -> Duration {
        let [byte] = self.random_bytes::<1>();
        most.mul_f64(f64::from(byte) / 255.0)
    }

    /// The time since 1970-01-01 UTC, as this machine has it: for what others dated by theirs. What is stored is dated by the
    /// database's clock.
    pub fn unix_time(&self) -> Duration {
        self.0.unix_time()
    }

    /// The time since a moment that stays the same while the process runs: what durations are measured with.
    pub fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }
}

/// The operating system's clock and generator.
struct System;

impl Source for System {
    #[expect(clippy::disallowed_methods, reason = "this is the place that asks the operating system")]
    fn unix_time(&self) -> Duration {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }

    #[expect(clippy::disallowed_methods, reason = "this is the place that asks the operating system")]
    fn monotonic(&self) -> Duration {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }

    #[expect(clippy::expect_used, reason = "without randomness no id and no secret is safe: better to stop")]
    fn fill(&self, bytes: &mut [u8]) {
        SysRng.try_fill_bytes(bytes).expect("the operating system gives random bytes");
    }
}
