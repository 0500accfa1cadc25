//! Two calls on one memory at the same moment, each through a replica of its own; and the history of many such pairs,
//! for the model to explain.

use std::sync::Arc;
use std::time::Duration;

use memory_lifecycle::domain::policy::Retention;
use sqlx::PgConnection;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::harness::{Caller, Database, Server, settings};
use crate::model::plan::Call;
use crate::model::run::{self, Event, History};

/// How many tenants have races at once. Those of one tenant come one after another.
pub(super) const TENANTS: usize = 4;

/// Both replicas on one database.
pub(super) struct Replicas {
    pub(super) database: Database,
    pub(super) servers: [Server; 2],
}

impl Replicas {
    pub(super) async fn start(retention: Retention, sweep_interval: Duration) -> Self {
        let database = Database::migrated().await;
        let settings = crate::harness::ServerSettings { retention, sweep_interval, ..settings() };
        let servers = [
            Server::start_with(&database, settings.clone()).await,
            Server::start_with(&database, settings).await,
        ];
        Self { database, servers }
    }

    /// The same agent of a tenant at each replica.
    pub(super) fn pair(&self, tenant: &str) -> [Caller; 2] {
        [self.servers[0].caller_of(tenant, "agent"), self.servers[1].caller_of(tenant, "agent")]
    }

    /// Waits until the servers have stopped, and reads all that is left.
    pub(super) async fn history(self, events: Vec<Event>, tenants: usize) -> History {
        let [first, second] = self.servers;
        // Stopped first, so that its sweeper does not change what is being read.
        second.stop().await;
        let history = run::history(&self.database, &first.channel, events, tenants).await;
        first.stop().await;
        history
    }
}

/// One side of a race: a caller, and its own eye on the end of the log.
pub(super) struct Side {
    pub(super) caller: Caller,
    pub(super) connection: PgConnection,
}

impl Side {
    pub(super) async fn of(replicas: &Replicas, caller: Caller) -> Self {
        Self { caller, connection: replicas.database.superuser().await }
    }

    pub(super) async fn make(&mut self, call: Call) -> Event {
        run::make_event(&self.caller, &mut self.connection, call, String::new(), String::new()).await.0
    }
}

/// Makes the calls that prepare a memory, then both calls at once, on so many memories. Answers all that happened.
pub(super) async fn race(
    replicas: &Replicas,
    count: usize,
    calls: impl Fn(usize) -> (Vec<Call>, [Call; 2]) + Clone + Send + 'static,
) -> Vec<Event> {
    let mut tenants = JoinSet::new();
    for tenant in 0..TENANTS {
        let [first, second] = replicas.pair(&run::tenant(tenant));
        let mut sides = [Side::of(replicas, first).await, Side::of(replicas, second).await];
        let calls = calls.clone();
        tenants.spawn(async move {
            let mut events = Vec::new();
            for number in (tenant..count).step_by(TENANTS) {
                let (before, [one, other]) = calls(number);
                for call in before {
                    events.push(sides[0].make(call).await);
                }
                // By turns at either replica.
                if number / TENANTS % 2 == 1 {
                    sides.swap(0, 1);
                }
                let start = Arc::new(Barrier::new(2));
                let [left, right] = &mut sides;
                let (one, other) = tokio::join!(at_once(left, one, &start), at_once(right, other, &start));
                events.extend([one, other]);
            }
            events
        });
    }
    tenants.join_all().await.into_iter().flatten().collect()
}

async fn at_once(side: &mut Side, call: Call, start: &Barrier) -> Event {
    // Connected and ready, so that nothing but the calls is between the two.
    start.wait().await;
    side.make(call).await
}
