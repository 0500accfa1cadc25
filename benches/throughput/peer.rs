//! The peer: pgbench with prepared statements on the same tables, doing what a careful backend does per call.

use std::process::Stdio;

use tokio::process::Command;

use crate::options::{Options, TENANTS};
use crate::report::Run;
use crate::seed::{DATABASE, Postgres};

/// What pgbench does per call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    /// BEGIN; SELECT … FOR UPDATE; UPDATE; INSERT audit; COMMIT.
    Transaction,
    /// The same as one statement.
    Statement,
    /// One statement over 100 ids.
    Set,
    /// Insert memory, content and audit row.
    Insert,
}

const LOCK: &str = "SELECT state FROM memories WHERE tenant_id = :tenant AND memory_id = :id FOR UPDATE";
const ARCHIVE: &str = "UPDATE memories SET state = 2, version = version + 1, update_time = now(), forget_time = now(), \
    purge_time = now() + interval '30 days', forget_operation_id = gen_random_uuid()";
const AUDIT_COLUMNS: &str = "INSERT INTO audit_records (tenant_id, sequence, operation_id, memory_id, action, from_state, \
    to_state, principal_id, agent_id, commit_time, mode, graph_id, kind, previous_hash, hash)";
const AUDIT_VALUES: &str = "nextval('peer_sequence'), gen_random_uuid(), memory_id, 2, 1, 2, 'default', 'default', \
    clock_timestamp(), 1, 'default', 1, decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')";

impl Script {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Transaction => "BEGIN; SELECT FOR UPDATE; UPDATE; INSERT audit; COMMIT",
            Self::Statement => "the same as one statement",
            Self::Set => "one statement over 100 ids",
            Self::Insert => "BEGIN; INSERT memory, content, audit; COMMIT",
        }
    }

    /// How many memories a call touches.
    fn size(self) -> f64 {
        if self == Self::Set { 100.0 } else { 1.0 }
    }

    fn text(self, tenants: usize, per_tenant: usize) -> String {
        let tenant = format!("'peer-' || (:t % {tenants})");
        let head = format!("\\set t random(0, {})\n\\set k random(1, {per_tenant})\n", TENANTS - 1);
        let one = |text: &str| text.replace(":tenant", &tenant).replace(":id", "('m' || :k)");
        match self {
            Self::Transaction => {
                head + "BEGIN;\n"
                    + &one(LOCK)
                    + ";\n"
                    + &one(&format!("{ARCHIVE} WHERE tenant_id = :tenant AND memory_id = :id;\n"))
                    + &one(&format!(
                        "{AUDIT_COLUMNS} SELECT :tenant, {};\nCOMMIT;\n",
                        AUDIT_VALUES.replace("memory_id", ":id")
                    ))
            }
            Self::Statement => {
                head + &one(&format!(
                    "WITH found AS ({LOCK}), changed AS ({ARCHIVE} WHERE tenant_id = :tenant AND memory_id = :id \
                     AND EXISTS (SELECT FROM found) RETURNING tenant_id, memory_id) \
                     {AUDIT_COLUMNS} SELECT tenant_id, {AUDIT_VALUES} FROM changed;\n"
                ))
            }
            Self::Set => format!(
                "\\set t random(0, {})\n\\set k random(1, {})\n\
                 WITH found AS (SELECT tenant_id, memory_key FROM memories WHERE tenant_id = {tenant} AND memory_id = \
                 ANY (ARRAY(SELECT 'm' || n FROM generate_series(:k, :k + 99) AS n)) ORDER BY memory_key FOR UPDATE), \
                 changed AS ({ARCHIVE} FROM found WHERE memories.tenant_id = found.tenant_id AND memories.memory_key = \
                 found.memory_key RETURNING memories.tenant_id, memories.memory_id) \
                 {AUDIT_COLUMNS} SELECT tenant_id, {AUDIT_VALUES} FROM changed;\n",
                TENANTS - 1,
                per_tenant - 99,
            ),
            Self::Insert => format!(
                "\\set t random(0, {})\nBEGIN;\nSELECT nextval('peer_sequence') AS k \\gset\n\
                 INSERT INTO memories (tenant_id, memory_key, memory_id, agent_id, graph_id, kind, origin, memory_date, \
                 state, version, create_time, update_time) VALUES ({tenant}, :k, 'new' || :k, 'default', 'default', 1, 1, \
                 now(), 1, :k, now(), now());\n\
                 INSERT INTO memory_contents (tenant_id, memory_key, content, normalized, normalization_version) \
                 VALUES ({tenant}, :k, repeat('0123456789abcdef', 64), repeat('0123456789abcdef', 64), 1);\n\
                 {AUDIT_COLUMNS} SELECT {tenant}, {};\nCOMMIT;\n",
                TENANTS - 1,
                AUDIT_VALUES
                    .replace("memory_id", "'new' || :k")
                    .replace("2, 1, 2,", "1, 0, 1,")
                    .replace("clock_timestamp(), 1,", "clock_timestamp(), 0,"),
            ),
        }
    }
}

/// Runs pgbench for the agreed time and answers memories a second and the median latency.
pub(crate) async fn run(
    postgres: &Postgres,
    script: Script,
    clients: usize,
    tenants: usize,
    options: &Options,
) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("script.sql");
    std::fs::write(&file, script.text(tenants, options.per_tenant())).expect("the script");
    let cluster = &postgres.cluster;
    let output = Command::new("pgbench")
        .args(["--no-vacuum", "--protocol=prepared", "--jobs=2"])
        .args(["--client", &clients.to_string(), "--time", &options.seconds.to_string()])
        .args(["--host", &cluster.socket_dir().display().to_string(), "--port", &cluster.port().to_string()])
        .args(["--username", cluster.superuser(), "--log", "--sampling-rate=0.2"])
        .arg("--log-prefix")
        .arg(folder.path().join("log"))
        .arg("--file")
        .arg(&file)
        .arg(DATABASE)
        .stdin(Stdio::null())
        .output()
        .await
        .expect("pgbench is beside Postgres");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "pgbench failed: {}", String::from_utf8_lossy(&output.stderr));
    let rate = text
        .lines()
        .find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse::<f64>().ok())
        .unwrap_or_else(|| panic!("pgbench gave no rate: {text}"));
    Run { per_second: rate * script.size(), latencies: latencies(folder.path()) }
}

/// Latencies in microseconds, from pgbench's logs.
fn latencies(folder: &std::path::Path) -> Vec<u32> {
    let logs = std::fs::read_dir(folder).expect("the logs").filter_map(|entry| {
        let path = entry.ok()?.path();
        path.file_name()?.to_str()?.starts_with("log").then(|| std::fs::read_to_string(path).ok())?
    });
    let mut latencies: Vec<u32> = logs
        .flat_map(|log| {
            log.lines().filter_map(|line| line.split(' ').nth(2)?.parse().ok()).collect::<Vec<_>>()
        })
        .collect();
    latencies.sort_unstable();
    latencies
}
