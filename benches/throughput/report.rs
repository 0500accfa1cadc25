//! The table: medians, ratios and spreads.

use std::fmt::Write;

use crate::options::Options;

/// One side's round: memories a second, and latencies in microseconds, sorted.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) per_second: f64,
    pub(crate) latencies: Vec<u32>,
}

impl Run {
    fn median(&self) -> f64 {
        self.latencies.get(self.latencies.len() / 2).map_or(0.0, |micros| f64::from(*micros))
    }
}

/// One case: our rounds and the peer's, taken in turn.
pub(crate) struct Pair {
    name: &'static str,
    clients: usize,
    tenants: usize,
    peer_name: &'static str,
    aim: &'static str,
    ours: Vec<Run>,
    peer: Vec<Run>,
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

impl Pair {
    pub(crate) fn new(
        name: &'static str,
        clients: usize,
        tenants: usize,
        peer_name: &'static str,
        aim: &'static str,
    ) -> Self {
        Self { name, clients, tenants, peer_name, aim, ours: Vec::new(), peer: Vec::new() }
    }

    pub(crate) fn add(&mut self, ours: Run, peer: Run) {
        self.ours.push(ours);
        self.peer.push(peer);
    }

    fn rates(runs: &[Run]) -> Vec<f64> {
        runs.iter().map(|run| run.per_second).collect()
    }

    fn latency(runs: &[Run]) -> f64 {
        median(runs.iter().map(Run::median).collect())
    }

    /// Each round's ratio, ours over the peer's.
    fn ratios(&self) -> Vec<f64> {
        self.ours.iter().zip(&self.peer).map(|(ours, peer)| ours.per_second / peer.per_second).collect()
    }

    fn spread(&self) -> (f64, f64) {
        self.ratios()
            .into_iter()
            .fold((f64::INFINITY, 0.0), |(low, high), ratio| (low.min(ratio), high.max(ratio)))
    }

    pub(crate) fn line(&self) -> String {
        let (low, high) = self.spread();
        format!(
            "| {} | {} | {} | {:.0} | {:.0} | **{:.2}** ({:.2}–{:.2}) | {:.2} / {:.2} | {} |",
            self.name,
            self.clients,
            self.peer_name,
            median(Self::rates(&self.ours)),
            median(Self::rates(&self.peer)),
            median(self.ratios()),
            low,
            high,
            Self::latency(&self.ours) / 1000.0,
            Self::latency(&self.peer) / 1000.0,
            self.aim,
        )
    }

    fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "name": self.name, "clients": self.clients, "tenants": self.tenants, "peer": self.peer_name,
            "ours_per_second": Self::rates(&self.ours), "peer_per_second": Self::rates(&self.peer),
            "ratio": median(self.ratios()), "ours_median_latency_us": Self::latency(&self.ours),
            "peer_median_latency_us": Self::latency(&self.peer), "aim": self.aim,
        })
    }
}

pub(crate) struct Report {
    machine: String,
    scale: String,
    idle_memory: u64,
    pairs: Vec<Pair>,
}

impl Report {
    pub(crate) fn new(machine: String, options: &Options, idle_memory: u64) -> Self {
        let scale = format!(
            "{} memories of 1 KiB on each side, {} rounds of {} s each, in turn; medians, spread of the ratios in brackets",
            options.memories, options.rounds, options.seconds
        );
        Self { machine, scale, idle_memory, pairs: Vec::new() }
    }

    pub(crate) fn add(&mut self, pair: Pair) {
        self.pairs.push(pair);
    }

    pub(crate) fn finish(&self, options: &Options, peak_memory: u64) {
        let mut table = format!("{}\n{}\n\n", self.machine, self.scale);
        table += "| ours | clients | peer | ours /s | peer /s | ratio | median ms, ours / peer | aim |\n";
        table += "|---|---|---|---|---|---|---|---|\n";
        for pair in &self.pairs {
            let _ = writeln!(table, "{}", pair.line());
        }
        let _ = writeln!(
            table,
            "\nThe server's resident memory: {:.0} MiB idle, {:.0} MiB at most.",
            self.idle_memory as f64 / 1024.0,
            peak_memory as f64 / 1024.0
        );
        println!("{table}");
        if let Some(path) = &options.json {
            let value = serde_json::json!({
                "machine": self.machine, "scale": self.scale, "idle_memory_kib": self.idle_memory,
                "peak_memory_kib": peak_memory,
                "cases": self.pairs.iter().map(Pair::json).collect::<Vec<_>>(),
            });
            std::fs::write(path, format!("{value:#}\n")).expect("the JSON file can be written");
        }
    }
}
