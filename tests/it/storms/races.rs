//! Pairs of calls that meet on one memory. The order of the audit log must explain both answers and the row that is
//! left, and both orders must occur, or nothing raced.

use std::collections::BTreeSet;
use std::time::Duration;

use memory_lifecycle::domain::policy::Retention;
use memory_lifecycle::proto::v1::{AuditAction, AuditRecord};
use tokio::task::JoinSet;

use super::meet::{Replicas, Side, race};
use crate::harness::scaled;
use crate::model::explain::explain;
use crate::model::plan::Call;
use crate::model::run::{self, Event, Got, History};

/// How many pairs meet.
fn count() -> usize {
    scaled(1000, 40)
}

const RARELY: Duration = Duration::from_hours(1);

fn saved(id: usize) -> Call {
    Call::Remember { id, content: 0 }
}

fn forget(id: usize, hard: bool) -> Call {
    Call::Forget { id, hard, with_etag: false }
}

fn restore(id: usize) -> Call {
    Call::Restore { ids: vec![id] }
}

fn update(id: usize) -> Call {
    Call::Update { id, content: 1, with_etag: false }
}

/// Lets pairs meet on memories that were archived, or on active ones. Answers what each pair was answered.
async fn meet(archived: bool, pair: fn(usize) -> [Call; 2]) -> Vec<[String; 2]> {
    let replicas = Replicas::start(Retention::Never, RARELY).await;
    let events = race(&replicas, count(), move |id| {
        let mut before = vec![saved(id)];
        before.extend(archived.then(|| forget(id, false)));
        (before, pair(id))
    })
    .await;
    let history = replicas.history(events, super::meet::TENANTS).await;
    explain(&history).unwrap();
    let per_memory = if archived { 4 } else { 3 };
    let of_pairs = history.events.chunks(per_memory).map(|events| &events[per_memory - 2..]);
    of_pairs.map(|pair| [answer(&pair[0]), answer(&pair[1])]).collect()
}

fn answer(event: &Event) -> String {
    match &event.got {
        Got::Refused(reason) => reason.clone(),
        Got::Results(results) => format!("{:?}", results[0].outcome()),
        Got::Memory(memory) => format!("{:?}", memory.state()),
        Got::Imported(outcomes) => format!("{outcomes:?}"),
    }
}

/// How often to let pairs meet anew when they always met in the same order: which is first is chance.
const TRIES: usize = 5;

/// Fails unless these pairs of answers occur, and no others.
async fn assert_pairs(archived: bool, pair: fn(usize) -> [Call; 2], wanted: [[&str; 2]; 2]) {
    let wanted: BTreeSet<[&str; 2]> = BTreeSet::from(wanted);
    let mut answers = Vec::new();
    for _ in 0..TRIES {
        answers.extend(meet(archived, pair).await);
        let got: BTreeSet<[&str; 2]> =
            answers.iter().map(|[one, other]| [one.as_str(), other.as_str()]).collect();
        if got == wanted {
            return;
        }
        assert!(got.is_subset(&wanted), "answers to pairs of calls: {got:?}, not {wanted:?}");
    }
    panic!("{} pairs of calls, and always the same order: {:?}", answers.len(), answers.last());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forget_and_a_restore_of_an_archived_memory() {
    assert_pairs(
        true,
        |id| [forget(id, false), restore(id)],
        [["AlreadyForgotten", "Restored"], ["Archived", "Restored"]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forget_and_a_restore_of_an_active_memory() {
    assert_pairs(
        false,
        |id| [forget(id, false), restore(id)],
        [["Archived", "Restored"], ["Archived", "AlreadyActive"]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_restores() {
    assert_pairs(
        true,
        |id| [restore(id), restore(id)],
        [["Restored", "AlreadyActive"], ["AlreadyActive", "Restored"]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forget_and_an_update() {
    assert_pairs(
        false,
        |id| [forget(id, false), update(id)],
        [["Archived", "MEMORY_NOT_ACTIVE"], ["Archived", "Active"]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hard_forget_and_a_restore() {
    assert_pairs(
        true,
        |id| [forget(id, true), restore(id)],
        [["Erased", "NotFound"], ["Erased", "Restored"]],
    )
    .await;
}

/// How many memories are past their purge time at once.
const AT_ONCE: usize = 20;
/// How many callers restore them, each its own, while two sweepers erase and others read.
const RESTORERS: usize = 4;
/// How many milliseconds before the purge time each begins with its memories: the first surely before it, the others so
/// close that it may be over.
const BEFORE: [f64; AT_ONCE / RESTORERS] = [250.0, 20.0, 12.0, 6.0, 2.0];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expiry_and_a_restore() {
    let retention = Retention::For(chrono::TimeDelta::seconds(1));
    let replicas = Replicas::start(retention, Duration::from_millis(10)).await;
    let mut events = Vec::new();
    let [first, _] = replicas.pair(&run::tenant(0));
    let mut preparing = Side::of(&replicas, first).await;
    for round in 0..count() / AT_ONCE {
        let ids: Vec<usize> = (round * AT_ONCE..(round + 1) * AT_ONCE).collect();
        events.push(preparing.make(Call::Import { ids: ids.clone(), content: 0 }).await);
        events.push(preparing.make(Call::Batch { ids: ids.clone(), hard: false }).await);
        let mut callers = JoinSet::new();
        for number in 0..RESTORERS {
            let ids: Vec<usize> = ids.iter().copied().skip(number).step_by(RESTORERS).collect();
            let [one, other] = replicas.pair(&run::tenant(0));
            let mut side = Side::of(&replicas, if number % 2 == 0 { one } else { other }).await;
            callers.spawn(async move {
                let mut events = Vec::new();
                for (id, before) in ids.into_iter().zip(BEFORE) {
                    // On the database's own clock.
                    sqlx::query(
                        "SELECT pg_sleep_until(max(purge_time) - $1 * interval '1 millisecond') FROM memories",
                    )
                    .bind(before)
                    .execute(&mut side.connection)
                    .await
                    .unwrap();
                    // Of every other memory the read comes first.
                    let calls = [restore(id), Call::Get { id }];
                    let order = if id % 2 == 0 { [0, 1] } else { [1, 0] };
                    for call in order {
                        events.push(side.make(calls[call].clone()).await);
                    }
                }
                events
            });
        }
        events.extend(callers.join_all().await.into_iter().flatten());
    }
    let history = replicas.history(events, 1).await;
    explain(&history).unwrap();
    assert_in_time(&history);
    let restores = history.events.iter().filter(|event| matches!(event.call, Call::Restore { .. }));
    let answers: BTreeSet<String> = restores.map(answer).collect();
    assert_eq!(answers, BTreeSet::from(["NotFound".to_owned(), "Restored".to_owned()]), "both occur");
}

/// Nothing is restored when its time is over, and nothing expires before.
fn assert_in_time(history: &History) {
    let micros = |record: &AuditRecord| {
        let time = record.commit_time.unwrap();
        time.seconds * 1_000_000 + i64::from(time.nanos) / 1000
    };
    let mut archived: std::collections::BTreeMap<String, i64> = std::collections::BTreeMap::new();
    for record in history.logs.iter().flat_map(|(_, log)| log) {
        let due = archived.get(&record.memory_id).map(|time| time + 1_000_000);
        match record.action() {
            AuditAction::Archived => drop(archived.insert(record.memory_id.clone(), micros(record))),
            AuditAction::Restored => assert!(Some(micros(record)) < due, "restored too late: {record:?}"),
            AuditAction::Expired => assert!(Some(micros(record)) >= due, "expired too early: {record:?}"),
            _ => {}
        }
    }
}
