//! Callers that make changes all the while, what each was told, and whether the log agrees.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use memory_lifecycle::proto::v1::{AuditAction, ForgetMode, MemoryResult, Outcome};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::pace::Pace;
use super::{LIMIT, assert_nothing_half_done};
use crate::harness::{Caller, Database, Server, reason};
use crate::lanes::verified_log;

/// Of these the contract says that nothing was changed.
const NOTHING_CHANGED: [&str; 3] = ["STORE_UNAVAILABLE", "CONFLICT", "OVERLOADED"];
/// Of these it says that the change may have been made.
const PERHAPS: [&str; 2] = ["OUTCOME_UNKNOWN", "DEADLINE_EXCEEDED"];

/// Whether this is a reason that a stall of Postgres explains.
pub(super) fn is_of_a_stall(reason: &str) -> bool {
    NOTHING_CHANGED.contains(&reason) || PERHAPS.contains(&reason)
}

/// What the caller knows of one change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Done,
    NotDone,
    Perhaps,
}

fn means(reason: &str) -> Known {
    assert!(is_of_a_stall(reason), "{reason}");
    if NOTHING_CHANGED.contains(&reason) { Known::NotDone } else { Known::Perhaps }
}

/// What callers were told of their changes.
type Told = BTreeMap<(String, String, AuditAction), Known>;

/// Callers at work.
pub(super) struct Load {
    stop: watch::Sender<bool>,
    done: Arc<AtomicUsize>,
    callers: JoinSet<(Told, BTreeMap<String, usize>)>,
    tenants: usize,
}

/// What became of a load.
pub(super) struct Outcomes {
    told: Told,
    /// How many calls were answered with each reason.
    pub(super) refused: BTreeMap<String, usize>,
    tenants: usize,
}

impl Load {
    /// Starts callers, in turn on each replica and of each tenant. Of each call the answer must come in time.
    pub(super) fn start(replicas: &[Server], callers: usize, tenants: usize, pace: &Pace) -> Self {
        let (stop, stopped) = watch::channel(false);
        let done = Arc::new(AtomicUsize::new(0));
        let mut tasks = JoinSet::new();
        for number in 0..callers {
            let tenant = format!("tenant-{}", number % tenants);
            let caller = replicas[number % replicas.len()].caller_of(&tenant, "agent");
            tasks.spawn(change(caller, number, stopped.clone(), Arc::clone(&done), pace.clone()));
        }
        Self { stop, done, callers: tasks, tenants }
    }

    /// Waits until so many more changes were acknowledged.
    pub(super) async fn until_done(&mut self, more: usize) {
        let wanted = self.done.load(Ordering::Relaxed) + more;
        let grown = async {
            let mut looks = tokio::time::interval(std::time::Duration::from_millis(5));
            while self.done.load(Ordering::Relaxed) < wanted {
                looks.tick().await;
            }
        };
        tokio::select! {
            grown = tokio::time::timeout(LIMIT, grown) => grown.expect("the load goes on"),
            Some(ended) = self.callers.join_next() => panic!("a caller stopped by itself: {:?}", ended.map(|_| ())),
        }
    }

    /// Lets every caller finish its call.
    pub(super) async fn stop(self) -> Outcomes {
        self.stop.send(true).unwrap();
        let (mut told, mut refused) = (Told::new(), BTreeMap::new());
        for (one, reasons) in self.callers.join_all().await {
            told.extend(one);
            for (reason, times) in reasons {
                *refused.entry(reason).or_insert(0) += times;
            }
        }
        Outcomes { told, refused, tenants: self.tenants }
    }
}

impl Outcomes {
    /// What was acknowledged is in the log, once; what was told not to have happened is not; nothing is half done.
    pub(super) async fn verify(&self, server: &Server, database: &Database) {
        assert_nothing_half_done(database).await;
        let mut done = 0;
        for number in 0..self.tenants {
            let tenant = format!("tenant-{number}");
            let mut times: BTreeMap<(String, AuditAction), usize> = BTreeMap::new();
            for record in verified_log(server, database, &tenant).await {
                *times.entry((record.memory_id.clone(), record.action())).or_default() += 1;
            }
            for ((_, id, action), known) in self.told.iter().filter(|((of, ..), _)| *of == tenant) {
                let recorded = times.get(&(id.clone(), *action)).copied().unwrap_or(0);
                let fits = match known {
                    Known::Done => recorded == 1,
                    Known::NotDone => recorded == 0,
                    Known::Perhaps => recorded <= 1,
                };
                assert!(fits, "{action:?} of {id} was told {known:?}, and is recorded {recorded} times");
                done += usize::from(*known == Known::Done);
            }
        }
        assert!(done > 0, "something was acknowledged");
    }
}

/// Saves, and archives what it saved in pairs, until told to stop.
async fn change(
    caller: Caller,
    number: usize,
    mut stop: watch::Receiver<bool>,
    done: Arc<AtomicUsize>,
    pace: Pace,
) -> (Told, BTreeMap<String, usize>) {
    let (mut told, mut refused) = (Told::new(), BTreeMap::new());
    let mut saved: Vec<String> = Vec::new();
    let key = |id: &str, action| (caller.identity.tenant.clone(), id.to_owned(), action);
    for turn in 0.. {
        if *stop.borrow_and_update() {
            break;
        }
        let id = format!("memory-{number}-{turn}");
        let known = match pace.measure("Remember", caller.remember(&id, "content")).await {
            Ok(_) => Known::Done,
            Err(status) => {
                *refused.entry(reason(&status)).or_insert(0) += 1;
                means(&reason(&status))
            }
        };
        told.insert(key(&id, AuditAction::Remembered), known);
        if known == Known::Done {
            done.fetch_add(1, Ordering::Relaxed);
            saved.push(id);
        }
        if saved.len() < 2 {
            continue;
        }
        let pair = [saved.remove(0), saved.remove(0)];
        let ids: Vec<&str> = pair.iter().map(String::as_str).collect();
        match pace.measure("BatchForget", caller.batch_forget(&ids, ForgetMode::Soft)).await {
            Ok(answer) => {
                let outcomes: Vec<Outcome> = answer.results.iter().map(MemoryResult::outcome).collect();
                let known = match outcomes[..] {
                    [Outcome::Archived, Outcome::Archived] => Known::Done,
                    [Outcome::Unknown, Outcome::Unknown] => {
                        *refused.entry("OUTCOME_UNKNOWN".to_owned()).or_insert(0) += 1;
                        Known::Perhaps
                    }
                    _ => panic!("both or neither: {answer:?}"),
                };
                for id in &pair {
                    told.insert(key(id, AuditAction::Archived), known);
                }
                done.fetch_add(2 * usize::from(known == Known::Done), Ordering::Relaxed);
            }
            Err(status) => {
                *refused.entry(reason(&status)).or_insert(0) += 1;
                for id in &pair {
                    told.insert(key(id, AuditAction::Archived), means(&reason(&status)));
                }
            }
        }
    }
    (told, refused)
}
