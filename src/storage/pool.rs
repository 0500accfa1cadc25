//! Connections: some for the lanes, some for reads, a few for API keys, and how each is set up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, PgConnection, PgPool, Postgres};

use super::error::StoreError;

/// How long a session of ours may sit in a transaction without a statement. Shorter than [`LOCK_WAIT`] and
/// [`FENCE_WAIT`], so that a transaction whose client is gone has ended before whoever waits for it gives up.
const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(2);
/// How long the fence after a lost COMMIT waits for a tenant's head.
pub const FENCE_WAIT: Duration = Duration::from_secs(10);
/// How long a tenant's own batch waits for the head.
const LOCK_WAIT: Duration = Duration::from_secs(3);
/// How long one statement of a lane may take.
const LANE_STATEMENT: Duration = Duration::from_secs(30);
/// How long one read may take: no snapshot is held longer, since a held one slows every head's update down.
const READ_STATEMENT: Duration = Duration::from_secs(5);
/// What lanes tell the planner: all they do is to look rows up by keys, from a few to some thousands at once. A plan
/// for that is the same whatever the keys, so it is not made for every call; and it goes by an index even when it was
/// made while the table was still empty. The wrong index, perhaps, by which a whole tenant is looked through: so plans are
/// only good for a while, until the connection is taken from its pool anew.
pub const POINT_LOOKUPS: [(&str, &str); 6] = [
    ("plan_cache_mode", "force_generic_plan"),
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("enable_bitmapscan", "off"),
    ("enable_material", "off"),
];
/// How many connections look API keys up and note their use.
pub const KEY_CONNECTIONS: u32 = 2;
/// How long to wait for a connection.
const ACQUIRE: Duration = Duration::from_secs(3);

/// A connection to run statements on.
pub type DbConnection = PgConnection;
/// A connection for units of work; goes back to its pool when dropped.
pub type LaneConnection = PoolConnection<Postgres>;

/// How many connections of each sort.
#[derive(Debug, Clone, Copy)]
pub struct StoreOptions {
    /// For the lanes and the batches of single tenants.
    pub lane_connections: u32,
    /// For reads.
    pub read_connections: u32,
}

/// The database.
#[derive(Debug, Clone)]
pub struct Store {
    lanes: PgPool,
    reads: PgPool,
    health: PgPool,
    keys: PgPool,
    /// Whether the schema is known to be one that this binary may use.
    usable: Arc<AtomicBool>,
}

impl Store {
    /// Sets connections up; opens none yet, so it succeeds while the database is away.
    pub fn new(connect: &PgConnectOptions, options: StoreOptions) -> Self {
        Self {
            lanes: pool(connect, Plans::Kept, options.lane_connections, LANE_STATEMENT),
            reads: pool(connect, Plans::OfEachCall, options.read_connections, READ_STATEMENT),
            health: pool(connect, Plans::OfEachCall, 1, READ_STATEMENT),
            keys: pool(connect, Plans::OfEachCall, KEY_CONNECTIONS, READ_STATEMENT),
            usable: Arc::default(),
        }
    }

    /// Says whether the schema is one that this binary may use. Until it is said, and while it is not so, nobody
    /// but the health check gets at the database.
    pub fn set_usable(&self, usable: bool) {
        self.usable.store(usable, Ordering::Release);
    }

    /// Whether the schema is one that this binary may use.
    pub fn check_usable(&self) -> Result<(), StoreError> {
        if self.usable.load(Ordering::Acquire) { Ok(()) } else { Err(StoreError::UnknownSchema) }
    }

    /// A connection for units of work.
    pub async fn lane_connection(&self) -> Result<LaneConnection, StoreError> {
        self.check_usable()?;
        Ok(self.lanes.acquire().await?)
    }

    /// A connection for reads.
    pub async fn read_connection(&self) -> Result<PoolConnection<Postgres>, StoreError> {
        self.check_usable()?;
        Ok(self.reads.acquire().await?)
    }

    /// A connection for API keys: callers are known however busy the others are.
    pub async fn key_connection(&self) -> Result<PoolConnection<Postgres>, StoreError> {
        self.check_usable()?;
        Ok(self.keys.acquire().await?)
    }

    /// The connection for asking whether the database is there: however busy the others are, this one is free.
    pub async fn health_connection(&self) -> Result<PoolConnection<Postgres>, StoreError> {
        Ok(self.health.acquire().await?)
    }

    /// Closes every connection, after those in use have come back.
    pub async fn close(&self) {
        self.health.close().await;
        self.keys.close().await;
        self.reads.close().await;
        self.lanes.close().await;
    }
}

/// How a pool's statements are planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plans {
    /// Once, for as long as a connection is not given back: [`POINT_LOOKUPS`].
    Kept,
    /// For the arguments at hand, and so for the tables as they are.
    OfEachCall,
}

fn pool(connect: &PgConnectOptions, plans: Plans, connections: u32, statement: Duration) -> PgPool {
    let millis = |duration: Duration| duration.as_millis().to_string();
    let connect = match plans {
        Plans::Kept => connect.clone().options(POINT_LOOKUPS),
        Plans::OfEachCall => connect.clone().options([("plan_cache_mode", "force_custom_plan")]),
    };
    let connect = connect.application_name("memory-lifecycle").disable_statement_logging().options([
        // An acknowledged change must be on disk, whatever the role or the database would have it.
        ("synchronous_commit", "on".to_owned()),
        ("idle_in_transaction_session_timeout", millis(IDLE_IN_TRANSACTION)),
        ("lock_timeout", millis(LOCK_WAIT)),
        ("statement_timeout", millis(statement)),
        ("TimeZone", "UTC".to_owned()),
        // Compiling a statement takes longer than any of ours runs.
        ("jit", "off".to_owned()),
    ]);
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(ACQUIRE)
        // The check below is a round trip itself.
        .test_before_acquire(false)
        .before_acquire(move |connection, _| Box::pin(is_fit(connection, plans)))
        .connect_lazy_with(connect)
}

/// Whether a connection is fit to be handed out. It is without the plans that were made on it before: what they were
/// made for may have grown since.
async fn is_fit(connection: &mut PgConnection, plans: Plans) -> Result<bool, sqlx::Error> {
    if !is_outside_transaction(connection).await? {
        return Ok(false);
    }
    if plans == Plans::Kept {
        sqlx::raw_sql("DISCARD PLANS").execute(connection).await?;
    }
    Ok(true)
}

/// Whether nothing is open on a connection. A `begin` that was cancelled can leave one inside an open
/// transaction, where the next borrower's writes would be answered well and never committed: there, `now()`
/// stands still.
async fn is_outside_transaction(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("SELECT now() = statement_timestamp()").fetch_one(connection).await
}
