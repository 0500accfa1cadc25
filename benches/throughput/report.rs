//! The tables, and the JSON with every round.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::cases::{Case, Measure};
use crate::options::Options;
use crate::postgres::SETTINGS;
use crate::run::{Aim, Run, Spread, WARM_UP};

/// Our rounds, and those of what we are compared with, taken in turn.
pub(crate) struct Comparison {
    case: Case,
    beside_name: String,
    ours: Vec<Run>,
    beside: Vec<Run>,
}

/// A figure that stands for itself.
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    pub(crate) rounds: Vec<f64>,
    pub(crate) aim: Aim,
    pub(crate) note: String,
    /// Further rounds that the note is made of.
    pub(crate) raw: Value,
}

fn rates(runs: &[Run]) -> Vec<f64> {
    runs.iter().map(|run| run.per_second).collect()
}

fn medians(runs: &[Run]) -> Vec<f64> {
    runs.iter().map(|run| run.latency_ms(0.5)).collect()
}

fn met(aim: Aim, value: f64) -> &'static str {
    match aim.is_met(value) {
        Some(true) => "yes",
        Some(false) => "**no**",
        None => "–",
    }
}

impl Comparison {
    pub(crate) fn new(case: Case, beside_name: String) -> Self {
        Self { case, beside_name, ours: Vec::new(), beside: Vec::new() }
    }

    pub(crate) fn add(&mut self, ours: Run, beside: Run) {
        self.ours.push(ours);
        self.beside.push(beside);
    }

    /// Each round's ratio, ours over the other's.
    fn ratios(&self) -> Vec<f64> {
        let measure = |runs| match self.case.measure {
            Measure::Rate => rates(runs),
            Measure::MedianLatency => medians(runs),
        };
        measure(&self.ours).iter().zip(measure(&self.beside)).map(|(ours, beside)| ours / beside).collect()
    }

    fn line(&self) -> String {
        let ratio = Spread::of(&self.ratios());
        format!(
            "| {} | {} | {} | {} | {} | {} / {} | **{:.2}** ({:.2}–{:.2}) | {} | {} |",
            self.case.name,
            self.case.callers,
            self.beside_name,
            Spread::of(&rates(&self.ours)).show(0),
            Spread::of(&rates(&self.beside)).show(0),
            Spread::of(&medians(&self.ours)).show(2),
            Spread::of(&medians(&self.beside)).show(2),
            ratio.median,
            ratio.low,
            ratio.high,
            self.case.aim.show(),
            met(self.case.aim, ratio.median),
        )
    }

    fn json(&self) -> Value {
        let ratios = self.ratios();
        let side = |runs: &[Run]| {
            json!({
                "per_second": rates(runs), "median_latency_ms": medians(runs),
                "p99_latency_ms": runs.iter().map(|run| run.latency_ms(0.99)).collect::<Vec<_>>(),
            })
        };
        json!({
            "name": self.case.name, "callers": self.case.callers, "tenants": self.case.tenants,
            "beside": self.beside_name, "ours_rounds": side(&self.ours), "beside_rounds": side(&self.beside),
            "measure": format!("{:?}", self.case.measure), "ratio_rounds": ratios,
            "ratio": Spread::of(&ratios).median, "aim": self.case.aim.show(),
            "met": self.case.aim.is_met(Spread::of(&ratios).median),
        })
    }
}

impl Figure {
    fn line(&self) -> String {
        let spread = Spread::of(&self.rounds);
        let decimals = if spread.median < 10.0 { 2 } else { 1 };
        format!(
            "| {} | {} {} | {} | {} | {} |",
            self.name,
            spread.show(decimals),
            self.unit,
            self.aim.show(),
            met(self.aim, spread.median),
            self.note
        )
    }

    fn json(&self) -> Value {
        let median = Spread::of(&self.rounds).median;
        json!({
            "name": self.name, "unit": self.unit, "rounds": self.rounds, "median": median, "aim": self.aim.show(),
            "met": self.aim.is_met(median), "note": self.note, "raw": self.raw,
        })
    }
}

/// Everything that was measured, in the order of measuring.
pub(crate) struct Report {
    machine: String,
    scale: String,
    comparisons: Vec<Comparison>,
    figures: Vec<Figure>,
}

impl Report {
    pub(crate) fn new(machine: String, postgres: &str, options: &Options) -> Self {
        let settings: Vec<String> = SETTINGS.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let scale = format!(
            "{postgres} with fsync on, {}. {} memories of 1 KiB over 100 tenants; {} rounds, in each both sides in turn, \
             {} s after {} of warming up. Every figure is the median of the rounds, with the least and the most.",
            settings.join(", "),
            options.memories,
            options.rounds,
            options.seconds,
            WARM_UP.as_secs()
        );
        Self { machine, scale, comparisons: Vec::new(), figures: Vec::new() }
    }

    pub(crate) fn add(&mut self, comparison: Comparison) {
        eprintln!("{}", comparison.line());
        self.comparisons.push(comparison);
    }

    pub(crate) fn add_figures(&mut self, figures: Vec<Figure>) {
        for figure in &figures {
            eprintln!("{}", figure.line());
        }
        self.figures.extend(figures);
    }

    /// Prints the tables, and writes the JSON where it is wanted.
    pub(crate) fn finish(&self, options: &Options) {
        let mut text = format!("{}\n{}\n", self.machine, self.scale);
        if !self.comparisons.is_empty() {
            text += "\n| ours | callers | beside | ours /s | beside /s | median ms, ours / beside | ratio | aim | met |\n";
            text += "|---|---|---|---|---|---|---|---|---|\n";
        }
        for comparison in &self.comparisons {
            let _ = writeln!(text, "{}", comparison.line());
        }
        if !self.figures.is_empty() {
            text += "\n| what | measured | aim | met | beside it |\n|---|---|---|---|---|\n";
        }
        for figure in &self.figures {
            let _ = writeln!(text, "{}", figure.line());
        }
        println!("{text}");
        if let Some(path) = &options.json {
            let value = json!({
                "machine": self.machine, "scale": self.scale,
                "comparisons": self.comparisons.iter().map(Comparison::json).collect::<Vec<_>>(),
                "figures": self.figures.iter().map(Figure::json).collect::<Vec<_>>(),
            });
            std::fs::write(path, format!("{value:#}\n")).expect("the JSON file can be written");
        }
    }
}
