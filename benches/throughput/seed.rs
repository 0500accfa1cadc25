//! The Postgres, and what is in it: for us tenants `ours-0…99`, for the peer `peer-0…99`, in the same tables.

use memory_lifecycle::embedded::{APP_ROLE, Cluster, ClusterOptions, DataDir, Durability, OWNER_ROLE};
use memory_lifecycle::storage::schema;
use sqlx::{ConnectOptions, PgConnection};

use crate::options::{Options, TENANTS};

pub(crate) const DATABASE: &str = "bench";

pub(crate) struct Postgres {
    pub(crate) cluster: Cluster,
}

impl Postgres {
    pub(crate) async fn connect(&self) -> PgConnection {
        self.cluster
            .connect_options(DATABASE)
            .disable_statement_logging()
            .connect()
            .await
            .expect("a connection")
    }
}

/// Starts Postgres with `fsync` on and fills it.
pub(crate) async fn start(options: &Options) -> Postgres {
    let setting = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let cluster = Cluster::start(ClusterOptions {
        data_dir: DataDir::Temporary,
        durability: Durability::Durable,
        settings: vec![
            setting("max_connections", "400"),
            setting("shared_buffers", "2GB"),
            setting("max_wal_size", "16GB"),
            setting("checkpoint_timeout", "30min"),
            setting("autovacuum_naptime", "10s"),
        ],
        ..ClusterOptions::default()
    })
    .await
    .expect("Postgres starts");
    cluster.prepare_roles().await.expect("roles");
    cluster.create_database(DATABASE, None).await.expect("a database");
    let mut owner = cluster.options_for(OWNER_ROLE, DATABASE).connect().await.expect("a connection");
    schema::migrate(&mut owner, APP_ROLE).await.expect("the schema");
    let postgres = Postgres { cluster };
    eprintln!("filling the database with 2 × {} memories", options.memories);
    fill(&postgres, options).await;
    postgres
}

async fn fill(postgres: &Postgres, options: &Options) {
    let mut connection = postgres.connect().await;
    for side in ["ours", "peer"] {
        sqlx::query(
            "INSERT INTO tenants (tenant_id, head_sequence, last_time)
             SELECT $1 || '-' || t, $2, now() FROM generate_series(0, $3 - 1) AS t",
        )
        .bind(side)
        .bind(i64::try_from(options.per_tenant()).expect("a count"))
        .bind(i32::try_from(TENANTS).expect("a count"))
        .execute(&mut connection)
        .await
        .expect("tenants");
        for tenant in 0..TENANTS {
            let tenant = format!("{side}-{tenant}");
            let per_tenant = i64::try_from(options.per_tenant()).expect("a count");
            sqlx::query(
                "INSERT INTO memories (tenant_id, memory_key, memory_id, agent_id, graph_id, kind, origin,
                                       memory_date, state, version, create_time, update_time)
                 SELECT $1, k, 'm' || k, 'default', 'default', 1, 1, now(), 1, k, now(), now()
                 FROM generate_series(1, $2) AS k",
            )
            .bind(&tenant)
            .bind(per_tenant)
            .execute(&mut connection)
            .await
            .expect("memories");
            sqlx::query(
                "INSERT INTO memory_contents (tenant_id, memory_key, content, normalized, normalization_version)
                 SELECT $1, k, text, text, 1
                 FROM generate_series(1, $2) AS k,
                      LATERAL (SELECT left(repeat(md5(k::text), 32), 1024) AS text) AS made",
            )
            .bind(&tenant)
            .bind(per_tenant)
            .execute(&mut connection)
            .await
            .expect("contents");
        }
    }
    for statement in [
        // The peer numbers its audit records by a sequence: it has no head to take them from.
        "CREATE SEQUENCE peer_sequence START 1000000000 CACHE 50",
        "VACUUM (ANALYZE, FREEZE)",
        "CHECKPOINT",
    ] {
        sqlx::raw_sql(statement).execute(&mut connection).await.expect(statement);
    }
}

/// Makes everything active again that the last run archived, and lets the dead rows go.
pub(crate) async fn reset(postgres: &Postgres) {
    let mut connection = postgres.connect().await;
    for statement in [
        "UPDATE memories SET state = 1, forget_time = NULL, purge_time = NULL, forget_operation_id = NULL
         WHERE state = 2",
        "VACUUM memories, tenants",
        "CHECKPOINT",
    ] {
        sqlx::raw_sql(statement).execute(&mut connection).await.expect(statement);
    }
}
