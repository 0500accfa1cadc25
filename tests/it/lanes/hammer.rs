//! Many callers on the same few memories, through two replicas: no deadlock, no strange error, every change recorded.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use memory_lifecycle::proto::v1::{
    ForgetMode, ImportItem, ImportMemoriesRequest, MemoryResult, Outcome, UpdateMemoryRequest,
};
use sqlx::AssertSqlSafe;
use tokio::task::JoinSet;
use tonic::Status;

use super::{assert_log_explains_rows, one_lane, until_disconnected, verified_log};
use crate::harness::{Caller, Database, Server, reason, scaled};

/// What may be answered to these calls.
const DOCUMENTED: [&str; 5] =
    ["MEMORY_NOT_FOUND", "ALREADY_EXISTS", "MEMORY_NOT_ACTIVE", "CONFLICT", "OVERLOADED"];

/// Who hammers on what.
#[derive(Debug, Clone, Copy)]
struct Hammer {
    callers: usize,
    /// The tenants, all in one lane of each replica. Each call is one's at random, so that now these heads are taken
    /// together, now those.
    tenants: usize,
    /// How many ids there are in a tenant.
    ids: usize,
    /// How many of them a batch names, in any order.
    batch: usize,
}

/// How long to go on.
#[derive(Debug, Clone)]
enum Until {
    Calls(usize),
    Stopped(Arc<AtomicBool>),
}

impl Until {
    /// Until so much time has passed.
    fn after(time: Duration) -> Self {
        let stopped = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stopped);
        tokio::spawn(async move {
            let _ = tokio::time::timeout(time, std::future::pending::<()>()).await;
            flag.store(true, Ordering::Relaxed);
        });
        Self::Stopped(stopped)
    }

    fn is_over(&self, calls: usize) -> bool {
        match self {
            Self::Calls(most) => calls >= *most,
            Self::Stopped(flag) => flag.load(Ordering::Relaxed),
        }
    }
}

fn changes(results: &[MemoryResult]) -> usize {
    let changed = |result: &&MemoryResult| {
        matches!(result.outcome(), Outcome::Archived | Outcome::Erased | Outcome::Restored)
    };
    results.iter().filter(changed).count()
}

impl Hammer {
    /// Makes one call at random and answers how many transitions it says it made.
    async fn call(self, caller: &Caller) -> Result<usize, Status> {
        let id = format!("memory-{}", rand::random_range(0..self.ids));
        let mode = if rand::random_bool(0.3) { ForgetMode::Hard } else { ForgetMode::Soft };
        Ok(match rand::random_range(0..6) {
            0 => {
                caller.remember(&id, "content").await?;
                1
            }
            1 => changes(&caller.forget(&id, mode).await?.results),
            2 => changes(&caller.restore(&[&id]).await?.results),
            3 => {
                let content = format!("content {}", rand::random_range(0..1_000_000_000));
                let request = UpdateMemoryRequest {
                    memory_id: id,
                    content: Some(content),
                    ..UpdateMemoryRequest::default()
                };
                let audit = caller.store.clone().update_memory(request).await?.into_inner().audit.unwrap();
                usize::from(audit.first_sequence > 0)
            }
            4 => {
                let ids = self.shuffled();
                changes(&caller.restore(&ids.iter().map(String::as_str).collect::<Vec<_>>()).await?.results)
            }
            _ => {
                let ids = self.shuffled();
                let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                changes(&caller.batch_forget(&ids, mode).await?.results)
            }
        })
    }

    /// Some of the ids, in any order.
    fn shuffled(self) -> Vec<String> {
        let keyed: BTreeMap<u64, usize> = (0..self.ids).map(|id| (rand::random(), id)).collect();
        keyed.into_values().take(self.batch).map(|id| format!("memory-{id}")).collect()
    }

    /// Makes calls, each as one of these callers.
    async fn hammer(self, callers: Vec<Caller>, until: Until) -> (usize, BTreeMap<String, usize>) {
        let (mut transitions, mut refused) = (0, BTreeMap::new());
        let mut calls = 0;
        while !until.is_over(calls) {
            calls += 1;
            match self.call(&callers[rand::random_range(0..callers.len())]).await {
                Ok(made) => transitions += made,
                Err(status) => *refused.entry(reason(&status)).or_default() += 1,
            }
        }
        (transitions, refused)
    }

    /// Saves half of the ids; answers how many those are.
    async fn prepare(self, caller: &Caller) -> usize {
        let item = |id| ImportItem {
            memory_id: format!("memory-{id}"),
            content: "content".to_owned(),
            ..ImportItem::default()
        };
        let items: Vec<ImportItem> = (0..self.ids / 2).map(item).collect();
        let saved = items.len();
        let request = ImportMemoriesRequest { items, ..ImportMemoriesRequest::default() };
        caller.store.clone().import_memories(request).await.unwrap();
        saved
    }

    /// Hammers, and checks all that must hold afterwards. Answers how many transitions the calls made.
    async fn run(self, until: impl FnOnce() -> Until) -> usize {
        let database = Database::migrated().await;
        show_deadlocks(&database).await;
        let replicas = [
            Server::start_with(&database, one_lane()).await,
            Server::start_with(&database, one_lane()).await,
        ];
        let tenant = |number: usize| format!("tenant-{number}");
        let callers_at = |replica: &Server| -> Vec<Caller> {
            (0..self.tenants).map(|number| replica.caller_of(&tenant(number), "agent")).collect()
        };
        let mut saved = 0;
        for caller in callers_at(&replicas[0]) {
            saved += self.prepare(&caller).await;
        }
        let mut transitions = 0;
        let mut callers = JoinSet::new();
        let until = until();
        for number in 0..self.callers {
            callers.spawn(self.hammer(callers_at(&replicas[number % 2]), until.clone()));
        }
        let mut refused: BTreeMap<String, usize> = BTreeMap::new();
        for (made, by_reason) in callers.join_all().await {
            transitions += made;
            for (reason, times) in by_reason {
                *refused.entry(reason).or_default() += times;
            }
        }
        assert_no_deadlock(&database).await;
        let strange: Vec<_> =
            refused.keys().filter(|reason| !DOCUMENTED.contains(&reason.as_str())).collect();
        assert!(strange.is_empty(), "{refused:?}");
        let mut recorded = 0;
        for number in 0..self.tenants {
            recorded += verified_log(&replicas[0], &database, &tenant(number)).await.len();
        }
        assert_eq!(recorded, saved + transitions, "as many records as transitions were answered");
        assert_log_explains_rows(&database).await;
        for replica in replicas {
            replica.stop().await;
        }
        // Postgres counts a session's deadlocks when it ends, if not before.
        until_disconnected(&database).await;
        assert_no_deadlock(&database).await;
        transitions
    }
}

/// Has Postgres look for deadlocks soon, before a wait is given up, and log them. For sessions that begin from now on.
async fn show_deadlocks(database: &Database) {
    let mut connection = database.superuser().await;
    for setting in ["deadlock_timeout = '20ms'", "log_min_messages = 'error'"] {
        let statement = format!("ALTER DATABASE {} SET {setting}", database.name());
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
    }
}

/// A deadlock is tried again unseen, so that no answer tells of it.
async fn assert_no_deadlock(database: &Database) {
    const DEADLOCKS: &str = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    let logged = database.logged("deadlock detected").await;
    assert!(logged.is_empty(), "{} deadlocks, the first: {}", logged.len(), logged[0]);
    assert_eq!(database.value::<i64>(DEADLOCKS).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_callers_on_the_same_memories_meet_no_deadlock() {
    let hammer = Hammer { callers: 64, tenants: 1, ids: 50, batch: 10 };
    let transitions = hammer.run(|| Until::Calls(scaled(400, 12))).await;
    assert!(transitions > 200, "{transitions} transitions are too few to prove anything");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_batches_in_any_order_meet_no_deadlock() {
    let hammer = Hammer { callers: 32, tenants: 8, ids: 300, batch: 100 };
    let time = Duration::from_secs(scaled(60, 4).try_into().unwrap());
    let transitions = hammer.run(|| Until::after(time)).await;
    assert!(transitions > 200, "{transitions} transitions are too few to prove anything");
}
