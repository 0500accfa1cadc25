//! The rival, where a Python has it: LangGraph's Postgres store, which merges concurrent deletes of one process into
//! one commit. Its deletes are hard, without an audit record, and its callers are in the store's own process.

use std::path::PathBuf;
use std::process::Stdio;

use tokio::process::Command;

use crate::ids::{Layout, TENANTS};
use crate::options::Options;
use crate::postgres::Postgres;
use crate::run::{Call, Run, WARM_UP};
use crate::text;

const DATABASE: &str = "langgraph";
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/throughput/langgraph_store.py");
const IMPORTS: &str = "import psycopg, langgraph.store.postgres, importlib.metadata as m; \
                       print(m.version('langgraph-checkpoint-postgres'))";

pub(crate) struct LangGraph {
    python: PathBuf,
    version: String,
    /// Items in the store: a namespace for each of our tenants. It deletes with one statement a namespace.
    layout: Layout,
}

impl LangGraph {
    /// Makes a store in a database of its own and fills it; `None` when this Python has no such library.
    pub(crate) async fn set_up(postgres: &Postgres, options: &Options) -> Option<Self> {
        let python = options.python.clone();
        let version = Command::new(&python).args(["-c", IMPORTS]).stdin(Stdio::null()).output().await;
        let Some(version) = version.ok().filter(|output| output.status.success()) else {
            println!(
                "No rows with LangGraph's store: `python3 -m venv V && V/bin/pip install \
                 langgraph-checkpoint-postgres 'psycopg[binary]'`, then give `--python V/bin/python`.\n"
            );
            return None;
        };
        let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
        postgres.cluster.create_database(DATABASE, None).await.expect("a database");
        // Never so few that a run uses them up: it is fast.
        let layout = Layout::with_a_large_tenant(options.memories.max(1_000_000));
        let langgraph = Self { python, version, layout };
        langgraph.python(postgres, &["--setup"]).await;
        langgraph.refill(postgres).await;
        postgres.execute(DATABASE, &["VACUUM (ANALYZE, FREEZE)", "CHECKPOINT"]).await;
        Some(langgraph)
    }

    pub(crate) fn name(&self) -> String {
        format!("LangGraph's AsyncPostgresStore.adelete ({})", self.version)
    }

    /// Puts back what was deleted.
    pub(crate) async fn refill(&self, postgres: &Postgres) {
        let mut connection = postgres.connect(DATABASE).await;
        let count = |number: usize| i64::try_from(number).expect("a count");
        sqlx::query(
            "INSERT INTO store (prefix, key, value)
             SELECT 'memories.t-' || t, 'm' || k, jsonb_build_object('text', $4)
             FROM generate_series(0, $1 - 1) AS t, generate_series(1, CASE t WHEN 0 THEN $2 ELSE $3 END) AS k
             WHERE NOT EXISTS (SELECT FROM store WHERE prefix = 'memories.t-' || t AND key = 'm' || k)",
        )
        .bind(count(TENANTS))
        .bind(count(self.layout.first))
        .bind(count(self.layout.other))
        .bind(text::one_kib())
        .execute(&mut connection)
        .await
        .expect("items");
        postgres.execute(DATABASE, &["VACUUM store"]).await;
    }

    /// Works for the warm-up and then for the measured seconds.
    pub(crate) async fn run(
        &self,
        postgres: &Postgres,
        callers: usize,
        namespaces: usize,
        seconds: u64,
    ) -> Run {
        let order = self.layout.order(namespaces, 1);
        let time = usize::try_from(WARM_UP.as_secs() + seconds).expect("a short time");
        let arguments = [
            format!("--callers={callers}"),
            format!("--namespaces={namespaces}"),
            format!("--keys={}", order.calls),
            format!("--step={}", order.step),
            format!("--seconds={time}"),
        ];
        let output = self.python(postgres, &arguments.each_ref().map(String::as_str)).await;
        let calls: Vec<Call> = output
            .lines()
            .map(|line| {
                let fields: Vec<u64> = line.split(' ').filter_map(|field| field.parse().ok()).collect();
                let [end, latency] = fields[..] else { panic!("the script printed: {line}") };
                Call { end, latency }
            })
            .collect();
        let left = postgres.count(DATABASE, "SELECT count(*) FROM store").await;
        let left = usize::try_from(left).expect("a count");
        let filled: usize = (0..TENANTS).map(|tenant| self.layout.of(tenant)).sum();
        assert_eq!(left + calls.len(), filled, "each call deleted its item");
        Run::in_time(&calls, seconds, 1)
    }

    async fn python(&self, postgres: &Postgres, arguments: &[&str]) -> String {
        let cluster = &postgres.cluster;
        let database = format!(
            "host={} port={} user={} dbname={DATABASE}",
            cluster.socket_dir().display(),
            cluster.port(),
            cluster.superuser()
        );
        let mut command = Command::new(&self.python);
        command.args([SCRIPT, "--database", &database]).args(arguments).stdin(Stdio::null());
        let output = command.output().await.expect("Python starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "the script failed: {errors}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}
