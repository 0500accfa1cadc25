//! Lanes without a server around them, where the order in the queue matters or their limits do.

use std::time::Duration;

use memory_lifecycle::clock::Clock;
use memory_lifecycle::domain::answer::Answer;
use memory_lifecycle::domain::capability::{Capabilities, Capability};
use memory_lifecycle::domain::command::{
    Body, Call, Command, NewMemory, Request, Restore, RestoreSelection, Target,
};
use memory_lifecycle::domain::content::Content;
use memory_lifecycle::domain::filter::Filter;
use memory_lifecycle::domain::forget::{Cause, Forget, Mode, Named};
use memory_lifecycle::domain::ids::{
    AgentId, GraphId, MemoryId, OperationId, PrincipalId, RequestId, TenantId,
};
use memory_lifecycle::domain::memory::Kind;
use memory_lifecycle::domain::operation::Method;
use memory_lifecycle::domain::policy::{Policy, Retention};
use memory_lifecycle::domain::principal::Principal;
use memory_lifecycle::domain::suppression::Fingerprinter;
use memory_lifecycle::lane::{Failure, LaneOptions, Lanes};
use memory_lifecycle::storage::{Store, StoreOptions};
use sqlx::postgres::PgConnectOptions;
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::{let_all_run, stranger::Stranger, until_waiting};
use crate::harness::Database;

/// A command on its way.
pub(super) type Submitted = JoinHandle<Result<Answer, Failure>>;

/// Lanes on a database.
pub(super) struct Direct {
    pub(super) lanes: Lanes,
    store: Store,
}

/// A single lane, on one connection throughout, else the defaults.
pub(super) fn one_lane() -> LaneOptions {
    LaneOptions { lanes: 1, connection_kept: Duration::from_hours(1), ..LaneOptions::default() }
}

impl Direct {
    pub(super) async fn start(database: &Database, options: LaneOptions) -> Self {
        Self::start_through(&database.app().await, options)
    }

    pub(super) fn start_through(connect: &PgConnectOptions, options: LaneOptions) -> Self {
        let store = Store::new(connect, StoreOptions { lane_connections: 8, read_connections: 2 });
        // What the health check says of a schema that fits.
        store.set_usable(true);
        let policy = Policy {
            retention: Retention::Never,
            largest_selection: 10_000,
            fingerprinter: Fingerprinter::new([8; 32]),
        };
        let lanes = Lanes::start(&store, policy, &Clock::system(), options);
        Self { lanes, store }
    }

    /// Queues a command; it is in the queue once other tasks had their turn.
    pub(super) fn submit(&self, command: Command) -> Submitted {
        let lanes = self.lanes.clone();
        tokio::spawn(async move { lanes.submit(command).await })
    }

    /// Carries a command out.
    pub(super) async fn done(&self, tenant: &str, body: Body) -> Answer {
        self.submit(command(tenant, body)).await.unwrap().unwrap()
    }

    /// Pauses the lane with a first command in it, which is to wait for the stranger; what is queued next waits
    /// for the lane.
    pub(super) async fn pause(&self, database: &Database) -> (Stranger, Submitted) {
        let stranger = Stranger::pausing_lanes(database).await;
        let sentinel = self.submit(command("sentinel", remember(&Uuid::new_v4().to_string())));
        until_waiting(database).await;
        (stranger, sentinel)
    }

    /// Queues commands in this order behind a paused lane, lets the lane go on, and answers theirs.
    pub(super) async fn together(
        &self,
        database: &Database,
        commands: Vec<Command>,
    ) -> Vec<Result<Answer, Failure>> {
        let (stranger, sentinel) = self.pause(database).await;
        let submitted: Vec<Submitted> = commands.into_iter().map(|command| self.submit(command)).collect();
        let_all_run().await;
        stranger.let_go().await;
        sentinel.await.unwrap().unwrap();
        let mut answers = Vec::new();
        for answer in submitted {
            answers.push(answer.await.unwrap());
        }
        answers
    }

    /// Ends the lanes and closes their connections.
    pub(super) async fn close(self) {
        self.lanes.close().await;
        self.store.close().await;
    }
}

pub(super) fn command(tenant: &str, body: Body) -> Command {
    let method = match &body {
        Body::Remember(_) => Method::Remember,
        Body::Forget(_) => Method::BatchForget,
        _ => Method::Restore,
    };
    let principal = Principal {
        tenant: TenantId::parse(tenant).unwrap(),
        agent: AgentId::parse("agent").unwrap(),
        id: PrincipalId::parse("agent").unwrap(),
        capabilities: Capabilities::ALL.without(Capability::MemoryAdmin),
    };
    let call = Call {
        principal,
        method,
        operation_id: OperationId(Uuid::now_v7()),
        expiry_operation_id: OperationId(Uuid::now_v7()),
        request: None,
        reason: None,
        channel: None,
        trace_id: None,
    };
    Command { call, body }
}

/// The command under a request id.
pub(super) fn named(mut command: Command, id: u128) -> Command {
    command.call.request = Some(Request { id: RequestId(Uuid::from_u128(id)), digest: [7; 32] });
    command
}

pub(super) fn remember(id: &str) -> Body {
    Body::Remember(NewMemory {
        id: MemoryId::parse(id).unwrap(),
        subject: None,
        graph: GraphId::default_graph(),
        kind: Kind::Memory,
        content: Content::new("content".to_owned(), None).unwrap(),
        date: None,
    })
}

pub(super) fn forget(id: &str, mode: Mode) -> Body {
    let forget = Forget {
        named: Named::ById,
        targets: targets(id),
        filter: Filter::default(),
        mode,
        cause: Cause::Correction,
        etag: None,
        single: true,
        verify: false,
    };
    Body::Forget(forget)
}

pub(super) fn restore(id: &str) -> Body {
    Body::Restore(Restore { selection: RestoreSelection::Ids(targets(id)), lift_suppression: false })
}

fn targets(id: &str) -> Vec<Target> {
    vec![Target { sent: id.to_owned(), id: MemoryId::parse(id), field: "memory_ids[0]".to_owned() }]
}
