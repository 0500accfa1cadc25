//! How fast a forget is, beside the usual Postgres transaction on the same tables of the same Postgres in the
//! same run: `cargo bench --bench throughput`. What counts is the ratio; the absolute figures are this machine's.
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

mod load;
mod machine;
mod options;
mod peer;
mod report;
mod seed;
mod server;

use clap::Parser;

use options::Options;
use report::{Pair, Report};

/// One line of the table: what we do, and what the peer does for it.
struct Case {
    name: &'static str,
    clients: usize,
    tenants: usize,
    ours: load::Work,
    peer: peer::Script,
    aim: &'static str,
}

fn cases() -> Vec<Case> {
    use load::Work;
    use peer::Script;
    let case = |name, clients, tenants, ours, peer, aim| Case { name, clients, tenants, ours, peer, aim };
    vec![
        case("Forget by id, one tenant", 64, 1, Work::Forget, Script::Transaction, "2.5 or more"),
        case("Forget by id, 100 tenants", 64, 100, Work::Forget, Script::Transaction, "2.5 or more"),
        case("Forget by id, 100 tenants", 256, 100, Work::Forget, Script::Transaction, "4 or more"),
        case("Forget by id, 100 tenants", 8, 100, Work::Forget, Script::Transaction, "0.9 or more"),
        case("Forget by id, one caller", 1, 1, Work::Forget, Script::Transaction, "0.63 or more"),
        case("Forget by id, 100 tenants", 64, 100, Work::Forget, Script::Statement, "(one-statement peer)"),
        case("Restore by id, 100 tenants", 64, 100, Work::Restore, Script::Transaction, "as Forget"),
        case("BatchForget of 100", 8, 100, Work::Batch, Script::Set, "0.5 or more"),
        case("Remember of 1 KiB", 64, 100, Work::Remember, Script::Insert, "1.2 or more"),
    ]
}

fn main() {
    let options = Options::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(run(&options));
}

async fn run(options: &Options) {
    let postgres = seed::start(options).await;
    let server = server::start(&postgres).await;
    let mut report = Report::new(machine::describe(), options, server.idle_memory());
    for case in cases().into_iter().filter(|case| options.wants(case.name)) {
        let mut pair = Pair::new(case.name, case.clients, case.tenants, case.peer.name(), case.aim);
        for round in 0..options.rounds {
            seed::reset(&postgres).await;
            let ours = load::run(&server, case.ours, case.clients, case.tenants, round, options).await;
            seed::reset(&postgres).await;
            let peer = peer::run(&postgres, case.peer, case.clients, case.tenants, options).await;
            pair.add(ours, peer);
        }
        eprintln!("{}", pair.line());
        report.add(pair);
    }
    report.finish(options, server.peak_memory());
    server.stop().await;
    postgres.cluster.stop().await.expect("Postgres stops");
}
