//! Carries a plan out and notes what was asked, what was answered, and between which ends of the log.

use std::collections::HashMap;
use std::time::Duration;

use memory_lifecycle::domain::policy::Retention;
use memory_lifecycle::proto::v1::{
    AuditRecord, BatchForgetRequest, ForgetMode, ForgetRequest, ImportItem, ImportMemoriesRequest, Memory,
    MemoryResult, RememberRequest, RestoreRequest, UpdateMemoryRequest,
};
use sqlx::PgConnection;
use tokio::task::JoinSet;
use tonic::Status;
use tonic::transport::Channel;

use super::plan::{AGENTS, CALLERS, Call, Plan, TENANTS};
use crate::harness::caller::{Identity, by_id};
use crate::harness::{Caller, Database, Server, reason, settings};

/// What a caller got.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "a few hundred of them at most")]
pub enum Got {
    /// An error, by its reason.
    Refused(String),
    /// A memory, from a save, an update or a read.
    Memory(Memory),
    /// Results by memory.
    Results(Vec<MemoryResult>),
    /// Import outcomes by number.
    Imported(Vec<i32>),
}

/// A call that was made.
#[derive(Debug, Clone)]
pub struct Event {
    pub tenant: String,
    pub agent: String,
    pub call: Call,
    /// The etag that was sent, if one was.
    pub etag: String,
    /// The operation that was to be undone.
    pub undone: String,
    pub got: Got,
    /// The call's records in the log; 0 when it wrote none.
    pub first: i64,
    pub last: i64,
    /// The ends of the log before the call was sent and after it was answered.
    pub before: i64,
    pub after: i64,
}

/// All that happened.
pub struct History {
    pub events: Vec<Event>,
    /// Each tenant's log, oldest first.
    pub logs: Vec<(String, Vec<AuditRecord>)>,
    /// Each agent's memories at the end, as a list shows them.
    pub memories: Vec<(String, Vec<Memory>)>,
    /// Rows of memories and of contents at the end.
    pub rows: (i64, i64),
}

pub fn id(number: usize) -> String {
    format!("memory-{number}")
}

pub fn content(number: u8) -> String {
    format!("content {number}")
}

pub fn tenant(number: usize) -> String {
    format!("tenant-{number}")
}

pub async fn run(plan: &Plan) -> History {
    let database = Database::migrated().await;
    let mut settings = settings();
    settings.retention = Retention::For(chrono::TimeDelta::seconds(1));
    settings.sweep_interval = Duration::from_secs(2);
    let replicas = [
        Server::start_with(&database, settings.clone()).await,
        Server::start_with(&database, settings).await,
    ];
    let mut callers = JoinSet::new();
    for (number, calls) in plan.calls.iter().cloned().enumerate() {
        let (tenant, agent) = (tenant(number % TENANTS), format!("agent-{}", number / TENANTS % AGENTS));
        let caller = replicas[number / (CALLERS / 2)].caller_of(&tenant, &agent);
        let connection = database.superuser().await;
        callers.spawn(act(caller, connection, calls));
    }
    let events = callers.join_all().await.into_iter().flatten().collect();
    // Stopped first, so that the sweeper does not change what is being read.
    let [first, second] = replicas;
    second.stop().await;
    let history = history(&database, &first.channel, events, TENANTS).await;
    first.stop().await;
    history
}

/// What is left when these events are over, read through a server.
pub async fn history(database: &Database, channel: &Channel, events: Vec<Event>, tenants: usize) -> History {
    let (mut logs, mut memories) = (Vec::new(), Vec::new());
    for number in 0..tenants {
        let tenant = tenant(number);
        let administrator = Caller::admin(channel.clone(), &tenant, "administrator");
        memories.push((tenant.clone(), administrator.list_all().await.unwrap()));
        logs.push((tenant, administrator.audit_records().await.unwrap()));
    }
    let rows = (
        database.value("SELECT count(*) FROM memories WHERE purge_time IS NULL OR purge_time > now()").await,
        database
            .value(
                "SELECT count(*) FROM memories m LEFT JOIN memory_contents c USING (tenant_id, memory_key)
                        WHERE c.memory_key IS NULL",
            )
            .await,
    );
    History { events, logs, memories, rows }
}

async fn act(caller: Caller, mut connection: PgConnection, calls: Vec<Call>) -> Vec<Event> {
    let mut events = Vec::new();
    let mut undone = String::new();
    let mut seen = HashMap::new();
    for call in calls {
        if matches!(call, Call::Outlast) {
            outlast(&mut connection, &caller.identity.agent).await;
            continue;
        }
        if matches!(call, Call::Undo) && undone.is_empty() {
            continue;
        }
        let etag = etag_for(&seen, &call);
        let (event, operation) = make_event(&caller, &mut connection, call, etag, undone.clone()).await;
        if let Got::Memory(memory) = &event.got {
            seen.insert(memory.memory_id.clone(), memory.etag.clone());
        }
        events.push(event);
        if !operation.is_empty() {
            undone = operation;
        }
    }
    events
}

/// Makes a call and notes the ends of the log around it. Answers beside it the operation that can be undone, if the
/// call was one.
pub async fn make_event(
    caller: &Caller,
    connection: &mut PgConnection,
    call: Call,
    etag: String,
    undone: String,
) -> (Event, String) {
    let before = end_of_log(connection, &caller.identity.tenant).await;
    let (got, first, last, operation) = match make(caller, &call, &etag, &undone).await {
        Ok(answer) => answer,
        Err(status) => (Got::Refused(reason(&status)), 0, 0, String::new()),
    };
    let after = end_of_log(connection, &caller.identity.tenant).await;
    let Identity { tenant, agent, .. } = caller.identity.clone();
    (Event { tenant, agent, call, etag, undone, got, first, last, before, after }, operation)
}

async fn end_of_log(connection: &mut PgConnection, tenant: &str) -> i64 {
    let end: Option<i64> = sqlx::query_scalar("SELECT max(sequence) FROM audit_records WHERE tenant_id = $1")
        .bind(tenant)
        .fetch_one(connection)
        .await
        .unwrap();
    end.unwrap_or(0)
}

/// Waits, on the database's own clock, until everything of this agent's that is archived now is past its time.
async fn outlast(connection: &mut PgConnection, agent: &str) {
    sqlx::query(
        "SELECT pg_sleep_until(coalesce(max(purge_time), now())) FROM memories WHERE agent_id = $1 AND state = 2",
    )
    .bind(agent)
    .execute(connection)
    .await
    .unwrap();
}

/// The etag that this caller saw last of the memory, where the call is to carry one: often stale by now. Of one
/// it never saw, that of the tenant's first record.
fn etag_for(seen: &HashMap<String, String>, call: &Call) -> String {
    match call {
        Call::Update { id: number, with_etag: true, .. }
        | Call::Forget { id: number, with_etag: true, .. } => {
            seen.get(&id(*number)).cloned().unwrap_or_else(|| format!("{:016x}", 1))
        }
        _ => String::new(),
    }
}

type Answer = (Got, i64, i64, String);

async fn make(caller: &Caller, call: &Call, etag: &str, undone: &str) -> Result<Answer, Status> {
    let ids = |numbers: &[usize]| numbers.iter().map(|number| id(*number)).collect::<Vec<_>>();
    let mode = |hard: bool| if hard { ForgetMode::Hard } else { ForgetMode::Soft };
    // The operation to undo is that of a soft forget only.
    let undoable = |hard: bool, operation: String| if hard { String::new() } else { operation };
    Ok(match call {
        Call::Remember { id: number, content: text } => {
            let request = RememberRequest {
                memory_id: id(*number),
                content: content(*text),
                ..RememberRequest::default()
            };
            let answer = caller.store.clone().remember(request).await?.into_inner();
            let audit = answer.audit.unwrap();
            (Got::Memory(answer.memory.unwrap()), audit.first_sequence, audit.last_sequence, String::new())
        }
        Call::Import { ids: numbers, content: text } => {
            let items = numbers
                .iter()
                .map(|number| ImportItem {
                    memory_id: id(*number),
                    content: content(*text),
                    ..ImportItem::default()
                })
                .collect();
            let request = ImportMemoriesRequest { items, ..ImportMemoriesRequest::default() };
            let answer = caller.store.clone().import_memories(request).await?.into_inner();
            let outcomes = answer.results.iter().map(|result| result.outcome).collect();
            let audit = answer.audit.unwrap();
            (Got::Imported(outcomes), audit.first_sequence, audit.last_sequence, String::new())
        }
        Call::Update { id: number, content: text, .. } => {
            let request = UpdateMemoryRequest {
                memory_id: id(*number),
                content: Some(content(*text)),
                etag: etag.to_owned(),
                ..UpdateMemoryRequest::default()
            };
            let answer = caller.store.clone().update_memory(request).await?.into_inner();
            let audit = answer.audit.unwrap();
            (Got::Memory(answer.memory.unwrap()), audit.first_sequence, audit.last_sequence, String::new())
        }
        Call::Forget { id: number, hard, .. } => {
            let request = ForgetRequest {
                selector: by_id(&id(*number)),
                mode: mode(*hard).into(),
                etag: etag.to_owned(),
                ..ForgetRequest::default()
            };
            let answer = caller.lifecycle.clone().forget(request).await?.into_inner();
            let audit = answer.audit.unwrap();
            let operation = undoable(*hard, answer.operation_id);
            (Got::Results(answer.results), audit.first_sequence, audit.last_sequence, operation)
        }
        Call::Batch { ids: numbers, hard } => {
            let request = BatchForgetRequest {
                memory_ids: ids(numbers),
                mode: mode(*hard).into(),
                ..BatchForgetRequest::default()
            };
            let answer = caller.lifecycle.clone().batch_forget(request).await?.into_inner();
            let audit = answer.audit.unwrap();
            let operation = undoable(*hard, answer.operation_id);
            (Got::Results(answer.results), audit.first_sequence, audit.last_sequence, operation)
        }
        Call::Restore { .. } | Call::Undo => {
            let request = match call {
                Call::Restore { ids: numbers } => {
                    RestoreRequest { memory_ids: ids(numbers), ..RestoreRequest::default() }
                }
                _ => RestoreRequest { operation_id: Some(undone.to_owned()), ..RestoreRequest::default() },
            };
            let answer = caller.lifecycle.clone().restore(request).await?.into_inner();
            let audit = answer.audit.unwrap();
            (Got::Results(answer.results), audit.first_sequence, audit.last_sequence, String::new())
        }
        Call::Get { id: number } => (Got::Memory(caller.get(&id(*number)).await?), 0, 0, String::new()),
        Call::Outlast => unreachable!("not a call"),
    })
}
