//! The peer: pgbench with prepared statements on the same tables.

use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::process::Command;

use crate::ids::Order;
use crate::postgres::{Database, Postgres};
use crate::run::{Call, Run, WARM_UP};
use crate::scripts::Script;

/// Keys of memories that the peer inserts: far above the service's, and each run has its own.
static NEXT_BASE: AtomicU64 = AtomicU64::new(1_000_000_000);
const KEYS_OF_A_RUN: u64 = 10_000_000;

/// Works for the warm-up and then for the measured seconds.
pub(crate) async fn run(
    postgres: &Postgres,
    database: &Database,
    script: Script,
    clients: usize,
    order: Order,
    seconds: u64,
) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("script.sql");
    std::fs::write(&file, script.text(clients, order)).expect("the script");
    let base = NEXT_BASE.fetch_add(KEYS_OF_A_RUN, Ordering::Relaxed);
    let cluster = &postgres.cluster;
    let output = Command::new("pgbench")
        .args(["--no-vacuum", "--protocol=prepared", "--jobs=2", "--log"])
        .args(["--client", &clients.to_string(), "--time", &(WARM_UP.as_secs() + seconds).to_string()])
        .args(["--define", "i=-1", "--define", &format!("base={base}")])
        .args(["--host", &cluster.socket_dir().display().to_string(), "--port", &cluster.port().to_string()])
        .args(["--username", cluster.superuser()])
        .arg("--log-prefix")
        .arg(folder.path().join("log"))
        .arg("--file")
        .arg(&file)
        .arg(&database.name)
        .stdin(Stdio::null())
        .output()
        .await
        .expect("pgbench is on the path");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "pgbench failed: {errors}");
    let calls = calls(folder.path());
    check(postgres, database, script, calls.len(), order).await;
    Run::in_time(&calls, seconds, script.size())
}

/// A peer that meets no rows would be fast: as many memories as it made calls for must be archived now. A little
/// fewer where the clients came round to the first ones again.
async fn check(postgres: &Postgres, database: &Database, script: Script, calls: usize, order: Order) {
    if script == Script::Insert {
        return;
    }
    let archived = "SELECT count(*) FROM memories WHERE state = 2";
    let archived = usize::try_from(postgres.count(&database.name, archived).await).expect("a count");
    let expected = calls.min(order.calls * order.tenants) * script.size();
    assert!(archived <= calls * script.size() && archived * 10 >= expected * 9, "{archived} of {expected}");
}

/// Its calls, from its logs: client, transaction, latency, script, end in seconds, and the microseconds of that.
fn calls(folder: &Path) -> Vec<Call> {
    let paths = std::fs::read_dir(folder).expect("the logs").map(|entry| entry.expect("a log").path());
    let logs = paths.filter(|path| path.extension().is_none_or(|extension| extension != "sql"));
    let mut calls = Vec::new();
    for log in logs {
        let log = std::fs::read_to_string(log).expect("a log");
        calls.extend(log.lines().map(|line| {
            let fields: Vec<u64> = line.split(' ').filter_map(|field| field.parse().ok()).collect();
            let [_, _, latency, _, seconds, micros] = fields[..] else { panic!("pgbench logged: {line}") };
            Call { end: seconds * 1_000_000 + micros, latency }
        }));
    }
    let start = calls.iter().map(|call| call.end - call.latency).min().expect("pgbench made calls");
    calls.into_iter().map(|call| Call { end: call.end - start, ..call }).collect()
}
