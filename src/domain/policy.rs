//! What a deployment decides for all its tenants.

use chrono::TimeDelta;

use super::Timestamp;
use super::suppression::Fingerprinter;

/// How long an archived memory is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retention {
    /// For this long after the forget, then erased.
    For(TimeDelta),
    /// Until somebody erases it.
    Never,
}

impl Retention {
    /// The purge time of a memory archived at `forget_time`; `None`: kept for ever.
    ///
    /// A duration that leads past the end of time is as good as never.
    pub fn purge_time(self, forget_time: Timestamp) -> Option<Timestamp> {
        match self {
            Self::For(duration) => forget_time.checked_add_signed(duration),
            Self::Never => None,
        }
    }
}

/// The rules of this deployment that decisions depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// How long an archived memory is kept.
    pub retention: Retention,
    /// How many memories a set may have that one call forgets.
    pub largest_selection: usize,
    /// What tells contents that are suppressed.
    pub fingerprinter: Fingerprinter,
}
