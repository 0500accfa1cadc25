//! Random callers with random capabilities call every method with ids that are theirs, others' and nobody's. A model knows
//! who reaches what.

use std::sync::Arc;

use memory_lifecycle::domain::capability::{Capabilities, Capability};
use memory_lifecycle::proto::v1::{GetMemoryResponse, MemoryKind};
use tonic::transport::Channel;

use super::capabilities::{identity, missing, table};
use super::exact;
use super::methods::Call;
use super::scene::{archive, keep};
use crate::harness::{Caller, Database, Server, scaled};

const TENANTS: [&str; 3] = ["one", "two", "six"];
/// The same names in all tenants. Only the last two are ever given `memory:admin`.
const AGENTS: [&str; 4] = ["ann", "bob", "adm-1", "adm-2"];
const TASKS: usize = 16;

/// A memory as the model knows it.
struct Known {
    id: String,
    tenant: &'static str,
    agent: &'static str,
    is_fact: bool,
    /// Whether it may be changed by whom it is in reach of; of the others no row may ever change.
    is_loose: bool,
    calls: Calls,
}

/// Every call with one id, and what it needs.
type Calls = Vec<(Call, Vec<Capability>)>;

/// Saving is told apart by whether the id is taken, and has a test of its own.
fn calls_with(id: &str) -> Calls {
    let saves = |path: &str| path.ends_with("Remember") || path.ends_with("ImportMemories");
    table(id).into_iter().filter(|(call, _)| !saves(call.path)).collect()
}

impl Known {
    fn is_reached_by(&self, tenant: &str, agent: &str, held: Capabilities) -> bool {
        let is_admin = held.has(Capability::MemoryAdmin);
        self.tenant == tenant && (is_admin || (self.agent == agent && !self.is_fact))
    }
}

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 33).unwrap() % sides
    }
}

/// For every agent of every tenant: active, archived and settled memories that stay as they are, and loose ones.
async fn fill(channel: &Channel) -> Vec<Known> {
    let mut all = Vec::new();
    for tenant in TENANTS {
        for agent in AGENTS {
            let admin = Caller::admin(channel.clone(), tenant, agent);
            for number in 0..8 {
                let (is_fact, is_loose) = (number % 4 == 3, number >= 4);
                let id = format!("memory-{:04}{}", all.len(), if is_loose { 'x' } else { 'm' });
                let kind = if is_fact { MemoryKind::Fact } else { MemoryKind::Memory };
                keep(&admin, &id, kind, None).await;
                if number % 4 == 2 {
                    archive(&admin, &id).await;
                }
                let calls = calls_with(&id);
                all.push(Known { id, tenant, agent, is_fact, is_loose, calls });
            }
        }
    }
    all
}

const UNKNOWN: &str = "memory-0000u";

/// One call, and what must hold of it.
async fn throw(channel: &Channel, known: &[Known], unknown: &Calls, dice: &mut Dice) {
    let (tenant, agent) = (TENANTS[dice.roll(TENANTS.len())], AGENTS[dice.roll(AGENTS.len())]);
    let mut held: Capabilities = Capability::ALL.into_iter().filter(|_| dice.roll(4) > 0).collect();
    if !agent.starts_with("adm") {
        held = held.without(Capability::MemoryAdmin);
    }
    let memory = &known[dice.roll(known.len())];
    let is_reached = memory.is_reached_by(tenant, agent, held);
    let which = dice.roll(memory.calls.len());
    let ((call, needed), (unknown_call, _)) = (&memory.calls[which], &unknown[which]);
    let changes = ["Forget", "Restore", "UpdateMemory"].iter().any(|end| call.path.ends_with(end));
    if is_reached && changes && !memory.is_loose {
        return;
    }
    let caller = identity(tenant, agent, held);
    let answer = exact::call(channel, &caller, call).await;
    let what = format!("{} with {} by {caller:?}", call.path, memory.id);
    let refused = answer.result().err().map(|status| crate::harness::reason(&status));
    match missing(needed, held) {
        Some(name) => {
            assert_eq!(refused.as_deref(), Some("CAPABILITY_MISSING"), "{what}");
            assert!(answer.result().unwrap_err().message().ends_with(name), "{what}");
        }
        None => assert_ne!(refused.as_deref(), Some("CAPABILITY_MISSING"), "{what}"),
    }
    let names_the_memory = unknown_call.message != call.message;
    if missing(needed, held).is_some() || (!is_reached && names_the_memory) {
        let wanted = exact::call(channel, &caller, unknown_call).await;
        assert_eq!(answer.without(&memory.id), wanted.without(UNKNOWN), "{what}");
    } else if call.path.ends_with("GetMemory") && !memory.is_loose {
        let shown: GetMemoryResponse = answer.read();
        assert_eq!(shown.memory.unwrap().memory_id, memory.id, "{what}");
    }
}

/// The rows that nobody may change, all tenants' together.
async fn fixed_rows(database: &Database) -> (i64, String) {
    let mut connection = database.superuser().await;
    sqlx::query_as(
        "SELECT count(*), md5(string_agg(m::text || c::text, '' ORDER BY m::text)) FROM memories AS m
         JOIN memory_contents AS c USING (tenant_id, memory_key) WHERE memory_id LIKE '%m'",
    )
    .fetch_one(&mut connection)
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_reaches_further_than_the_model_says() {
    let database = Database::migrated().await;
    let server = Server::start(&database).await;
    let known = Arc::new(fill(&server.channel).await);
    let before = fixed_rows(&database).await;
    assert_eq!(before.0, 48);
    let last: i64 = database.value("SELECT sum(head_sequence)::bigint FROM tenants").await;
    let throws = scaled(100_000, 2_000) / TASKS;
    let tasks: Vec<_> = (0..TASKS)
        .map(|task| {
            let (channel, known) = (server.channel.clone(), Arc::clone(&known));
            tokio::spawn(async move {
                let (mut dice, unknown) = (Dice(u64::try_from(task).unwrap()), calls_with(UNKNOWN));
                for _ in 0..throws {
                    throw(&channel, &known, &unknown, &mut dice).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(fixed_rows(&database).await, before, "only loose memories change");
    let records: i64 = database.value("SELECT count(*) FROM audit_records").await;
    assert!(records > last, "those in reach do change");
    let beyond: i64 = database
        .value(
            "SELECT count(*) FROM audit_records AS a WHERE action <> 1
             AND principal_id <> agent_id AND principal_id NOT LIKE 'adm%'",
        )
        .await;
    assert_eq!(beyond, 0, "nobody changes what is others'");
    crate::lanes::assert_log_explains_rows(&database).await;
}
