//! How fast a forget is, beside the usual Postgres transaction on the same rows of the same Postgres in the same run:
//! `cargo bench --bench throughput`. What counts is the ratio; the absolute figures are this machine's.
//! docs/performance.md says what each row means.
//!
//! It starts a Postgres of its own with `fsync` on, fills it, starts the server's own binary, and runs each of our
//! calls and its peer in turn, several rounds, so that both meet the same state of the machine.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    reason = "a benchmark that meets the unexpected is to end at once, and it prints what it measured"
)]
#![allow(clippy::disallowed_methods, reason = "it measures real time")]

mod calls;
mod cases;
mod compare;
mod credentials;
mod flat;
mod footprint;
mod ids;
mod langgraph;
mod load;
mod machine;
mod neighbour;
mod options;
mod pgbench;
mod postgres;
mod report;
mod run;
mod scripts;
mod seed;
mod selection;
mod server;
mod text;

use clap::Parser;

use cases::{Case, Side};
use ids::Layout;
use langgraph::LangGraph;
use options::Options;
use postgres::{Database, Postgres};
use report::Report;
use server::Server;

/// What every measurement needs.
struct Bench {
    options: Options,
    postgres: Postgres,
    database: Database,
    server: Server,
    langgraph: Option<LangGraph>,
}

fn main() {
    let options = Options::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(run(options));
}

async fn run(options: Options) {
    let cases: Vec<Case> = cases::all().into_iter().filter(|case| options.wants(case.name)).collect();
    let postgres = Postgres::start().await;
    let version = format!("Postgres {}", postgres.cluster.server_version());
    let mut report = Report::new(machine::describe(postgres.cluster.data_dir()), &version, &options);
    if options.wants(selection::NAME) {
        report.add_figures(selection::run(&postgres, &options).await);
    }
    let further = [footprint::NAME, neighbour::NAME, flat::NAME];
    if cases.is_empty() && !further.into_iter().any(|name| options.wants(name)) {
        report.finish(&options);
        postgres.cluster.stop().await.expect("Postgres stops");
        return;
    }

    let layout = Layout::with_a_large_tenant(options.memories);
    let database = postgres.migrated("bench", layout).await;
    seed::fill(&postgres, &database, true).await;
    let langgraph = if cases.iter().any(|case| case.beside == Side::LangGraph) {
        LangGraph::set_up(&postgres, &options).await
    } else {
        None
    };
    if options.wants(footprint::NAME) {
        report.add_figures(footprint::run(&postgres, &database, &options).await);
    }
    let server = server::start(&postgres, &database).await;
    let bench = Bench { options, postgres, database, server, langgraph };
    for case in cases {
        if let Some(comparison) = compare::run(&bench, case).await {
            report.add(comparison);
        }
    }
    if bench.options.wants(neighbour::NAME) {
        report.add_figures(neighbour::run(&bench).await);
    }
    if bench.options.wants(flat::NAME) {
        report.add_figures(flat::run(&bench).await);
    }
    report.finish(&bench.options);
    bench.server.stop().await;
    bench.postgres.cluster.stop().await.expect("Postgres stops");
}
