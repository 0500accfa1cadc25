//! One private Postgres for the run; a fresh, migrated database for each test. A test that does something to Postgres
//! itself starts one of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use memory_lifecycle::embedded::{APP_ROLE, Cluster, ClusterOptions, DataDir, Durability, OWNER_ROLE};
use memory_lifecycle::storage::schema;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, PgConnection};
use tokio::sync::OnceCell;

static CLUSTER: OnceCell<Cluster> = OnceCell::const_new();
static COUNT: AtomicU32 = AtomicU32::new(0);
const TEMPLATE: &str = "template_migrated";

/// The run's Postgres. It ends with this process.
pub async fn cluster() -> &'static Cluster {
    CLUSTER
        .get_or_init(|| async {
            let options = ClusterOptions {
                data_dir: DataDir::Temporary,
                durability: Durability::FastAndLoose,
                settings: vec![
                    ("max_connections".into(), "400".into()),
                    ("autovacuum".into(), "off".into()),
                    ("log_line_prefix".into(), "%m [%p] %d ".into()),
                ],
                ..ClusterOptions::default()
            };
            let cluster = Cluster::start(options).await.unwrap();
            prepare(&cluster, TEMPLATE).await;
            cluster
        })
        .await
}

/// Makes the roles of a new cluster and a migrated database in it.
async fn prepare(cluster: &Cluster, database: &str) {
    cluster.prepare_roles().await.unwrap();
    cluster.create_database(database, None).await.unwrap();
    let owner = cluster.options_for(OWNER_ROLE, database);
    let mut connection = owner.connect().await.unwrap();
    schema::migrate(&mut connection, APP_ROLE).await.unwrap();
    sqlx::Connection::close(connection).await.unwrap();
}

/// A database of a test's own.
pub struct Database {
    name: String,
    /// The Postgres it is in, when that is not the run's.
    own: Option<Arc<Cluster>>,
}

impl Database {
    /// A migrated database.
    pub async fn migrated() -> Self {
        Self::create(Some(TEMPLATE)).await
    }

    /// A database without a schema.
    pub async fn empty() -> Self {
        Self::create(None).await
    }

    async fn create(template: Option<&str>) -> Self {
        let name = format!("test_{}", COUNT.fetch_add(1, Ordering::Relaxed));
        cluster().await.create_database(&name, template).await.unwrap();
        Self { name, own: None }
    }

    /// A migrated database in a cluster of the test's own, which is new.
    pub async fn alone_in(cluster: Arc<Cluster>) -> Self {
        const NAME: &str = "alone";
        prepare(&cluster, NAME).await;
        Self { name: NAME.to_owned(), own: Some(cluster) }
    }

    /// The same database when its cluster was started again.
    pub fn again_in(cluster: Arc<Cluster>, name: String) -> Self {
        Self { name, own: Some(cluster) }
    }

    /// The Postgres it is in.
    pub async fn cluster(&self) -> &Cluster {
        match &self.own {
            Some(own) => own,
            None => cluster().await,
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// How servers connect: as the runtime role.
    pub async fn app(&self) -> PgConnectOptions {
        self.cluster().await.options_for(APP_ROLE, &self.name)
    }

    /// A connection of the runtime role.
    pub async fn app_connection(&self) -> PgConnection {
        self.app().await.connect().await.unwrap()
    }

    /// A connection of the schema's owner.
    pub async fn owner(&self) -> PgConnection {
        self.cluster().await.options_for(OWNER_ROLE, &self.name).connect().await.unwrap()
    }

    /// A connection of the superuser: a stranger who may do anything.
    pub async fn superuser(&self) -> PgConnection {
        self.cluster().await.connect_options(&self.name).connect().await.unwrap()
    }

    /// Answers one value of one row.
    pub async fn value<T>(&self, statement: &'static str) -> T
    where
        T: for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres> + Send + Unpin + 'static,
    {
        let mut connection = self.superuser().await;
        sqlx::query_scalar(statement).fetch_one(&mut connection).await.unwrap()
    }

    /// What Postgres logged of sessions on this database, the lines with these words.
    pub async fn logged(&self, words: &str) -> Vec<String> {
        let log = std::fs::read_to_string(self.cluster().await.log_file()).unwrap();
        let session = format!("] {} ", self.name);
        let lines = log.lines().filter(|line| line.contains(&session) && line.contains(words));
        lines.map(str::to_owned).collect()
    }

    /// Runs statements as the superuser.
    pub async fn execute(&self, statements: &'static str) {
        let mut connection = self.superuser().await;
        sqlx::raw_sql(statements).execute(&mut connection).await.unwrap();
    }
}
