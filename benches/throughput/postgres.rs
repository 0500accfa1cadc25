//! The private Postgres, with `fsync` on, and its databases.

use memory_lifecycle::embedded::{APP_ROLE, Cluster, ClusterOptions, DataDir, Durability, OWNER_ROLE};
use memory_lifecycle::storage::schema;
use sqlx::{ConnectOptions, PgConnection};

use crate::ids::Layout;

/// What differs from Postgres' defaults, printed with the results.
pub(crate) const SETTINGS: &[(&str, &str)] = &[
    ("max_connections", "400"),
    ("shared_buffers", "2GB"),
    // No checkpoint of its own accord falls into one side's time.
    ("max_wal_size", "24GB"),
    ("checkpoint_timeout", "1h"),
    // Nor does a vacuum: every run starts after one.
    ("autovacuum", "off"),
];

pub(crate) struct Postgres {
    pub(crate) cluster: Cluster,
}

/// A migrated database and what is in it.
#[derive(Debug, Clone)]
pub(crate) struct Database {
    pub(crate) name: String,
    pub(crate) layout: Layout,
}

impl Postgres {
    pub(crate) async fn start() -> Self {
        let settings = SETTINGS.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let cluster = Cluster::start(ClusterOptions {
            data_dir: DataDir::Temporary,
            durability: Durability::Durable,
            settings: settings.collect(),
            ..ClusterOptions::default()
        })
        .await
        .expect("Postgres starts");
        cluster.prepare_roles().await.expect("roles");
        Self { cluster }
    }

    /// Makes an empty database with the schema.
    pub(crate) async fn migrated(&self, name: &str, layout: Layout) -> Database {
        self.cluster.create_database(name, None).await.expect("a database");
        let mut owner = self.cluster.options_for(OWNER_ROLE, name).connect().await.expect("a connection");
        schema::migrate(&mut owner, APP_ROLE).await.expect("the schema");
        Database { name: name.to_owned(), layout }
    }

    /// A connection of the superuser.
    pub(crate) async fn connect(&self, database: &str) -> PgConnection {
        let options = self.cluster.connect_options(database).disable_statement_logging();
        options.connect().await.expect("a connection")
    }

    /// Answers the count that a statement asks for.
    pub(crate) async fn count(&self, database: &str, statement: &'static str) -> i64 {
        let mut connection = self.connect(database).await;
        sqlx::query_scalar(statement).fetch_one(&mut connection).await.expect(statement)
    }

    /// Runs statements that take no parameters, each in a transaction of its own.
    pub(crate) async fn execute(&self, database: &str, statements: &[&'static str]) {
        let mut connection = self.connect(database).await;
        for statement in statements {
            sqlx::raw_sql(*statement).execute(&mut connection).await.expect(statement);
        }
    }
}
