//! What a run measured. Ours, pgbench's and the rival's calls are all counted by the same rule.

use std::time::Duration;

/// How long each side runs before what it does counts: connections, prepared statements and caches are made then.
pub(crate) const WARM_UP: Duration = Duration::from_secs(2);

/// One call: when it was answered, counted from the run's start, and how long it took; in microseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    pub(crate) end: u64,
    pub(crate) latency: u64,
}

/// One round of one side: memories a second, and the latencies in microseconds, sorted.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) per_second: f64,
    latencies: Vec<u64>,
}

impl Run {
    /// Of calls of `size` memories each: those that were answered after the warm-up and within the time count.
    pub(crate) fn in_time(calls: &[Call], seconds: u64, size: usize) -> Self {
        let begin = u64::try_from(WARM_UP.as_micros()).expect("a short time");
        let counted = calls.iter().filter(|call| (begin..begin + seconds * 1_000_000).contains(&call.end));
        let latencies: Vec<u64> = counted.map(|call| call.latency).collect();
        let per_second = (latencies.len() * size) as f64 / seconds as f64;
        Self::new(per_second, latencies)
    }

    /// Of a fixed number of calls: the first `skipped` are the warm-up.
    pub(crate) fn of_all(mut calls: Vec<Call>, skipped: usize) -> Self {
        calls.sort_unstable_by_key(|call| call.end);
        let counted = &calls[skipped..];
        let micros = calls[calls.len() - 1].end - calls[skipped - 1].end;
        let per_second = counted.len() as f64 / (micros as f64 / 1e6);
        Self::new(per_second, counted.iter().map(|call| call.latency).collect())
    }

    fn new(per_second: f64, mut latencies: Vec<u64>) -> Self {
        assert!(!latencies.is_empty(), "calls were answered in the measured time");
        latencies.sort_unstable();
        Self { per_second, latencies }
    }

    /// The latency that this share of the calls stayed within, in milliseconds.
    pub(crate) fn latency_ms(&self, share: f64) -> f64 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a list")]
        let place = (self.latencies.len() as f64 * share) as usize;
        self.latencies[place.min(self.latencies.len() - 1)] as f64 / 1000.0
    }
}

/// The median of several rounds, and the least and the most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Spread {
    pub(crate) fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (below, above) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        Self { median: f64::midpoint(below, above), low: sorted[0], high: sorted[sorted.len() - 1] }
    }

    /// As `median (least–most)`.
    pub(crate) fn show(self, decimals: usize) -> String {
        let Self { median, low, high } = self;
        format!("{median:.decimals$} ({low:.decimals$}–{high:.decimals$})")
    }
}

/// What a figure should be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Aim {
    AtLeast(f64),
    AtMost(f64),
    /// Shown for comparison only.
    None,
}

impl Aim {
    pub(crate) fn show(self) -> String {
        match self {
            Self::AtLeast(limit) => format!("at least {limit}"),
            Self::AtMost(limit) => format!("at most {limit}"),
            Self::None => "–".to_owned(),
        }
    }

    pub(crate) fn is_met(self, value: f64) -> Option<bool> {
        match self {
            Self::AtLeast(limit) => Some(value >= limit),
            Self::AtMost(limit) => Some(value <= limit),
            Self::None => None,
        }
    }
}
