//! What waits in one lane, and whose turn it is. No I/O.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use tokio::sync::oneshot;

use super::{Failure, LaneOptions};
use crate::domain::answer::Answer;
use crate::domain::command::Command;
use crate::domain::ids::TenantId;

/// A command and who waits for its answer.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) command: Arc<Command>,
    pub(super) reply: oneshot::Sender<Result<Answer, Failure>>,
}

impl Waiting {
    /// Whether whoever asked has gone away. Once a command is being decided, that no longer matters.
    pub(super) fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    /// Whether it may load so much that it must not run beside other tenants.
    fn is_set(&self) -> bool {
        self.command.restored_operation().is_some() || self.is_selection()
    }

    /// Whether it was decided by what somebody saw: what other commands of the same batch did would have to be looked at
    /// again, so there are none.
    fn is_selection(&self) -> bool {
        self.command.sighting().is_some_and(|sighting| sighting.refusal.is_none())
    }
}

/// What to do next.
#[derive(Debug)]
pub(super) enum Work {
    /// Commands of any tenants, to be run together.
    Shared(Vec<Waiting>),
    /// Commands of one tenant, which is out of the lane's hands until [`Queue::give_back`].
    Solo(TenantId, Vec<Waiting>),
}

/// How often in a row a tenant's commands may fail a whole batch before the tenant gets batches of its own.
const FAILURES_TOLERATED: u8 = 2;

/// What waits in one lane.
#[derive(Debug)]
pub(super) struct Queue {
    options: LaneOptions,
    waiting: HashMap<TenantId, VecDeque<Waiting>>,
    /// Tenants with something waiting, in the order of their turns.
    turns: VecDeque<TenantId>,
    /// Tenants that a solo batch works for.
    away: HashSet<TenantId>,
    /// Tenants whose commands failed batches of late, and how often in a row.
    failing: HashMap<TenantId, u8>,
    queued: usize,
    closed: bool,
}

impl Queue {
    pub(super) fn new(options: LaneOptions) -> Self {
        Self {
            options,
            waiting: HashMap::new(),
            turns: VecDeque::new(),
            away: HashSet::new(),
            failing: HashMap::new(),
            queued: 0,
            closed: false,
        }
    }

    /// Takes a command in, unless too much waits already or the lane is closing.
    pub(super) fn push(&mut self, waiting: Waiting) -> Result<(), Failure> {
        if self.closed {
            return Err(Failure::StoreUnavailable);
        }
        let tenant = waiting.command.tenant().clone();
        if self.is_full_for(&tenant) {
            // What nobody waits for any more takes no place from what somebody does.
            self.drop_abandoned();
            if self.is_full_for(&tenant) {
                return Err(Failure::Overloaded);
            }
        }
        let of_tenant = self.waiting.get(&tenant).map_or(0, VecDeque::len);
        if of_tenant == 0 && !self.away.contains(&tenant) {
            self.turns.push_back(tenant.clone());
        }
        self.waiting.entry(tenant).or_default().push_back(waiting);
        self.queued += 1;
        Ok(())
    }

    fn is_full_for(&self, tenant: &TenantId) -> bool {
        let of_tenant = self.waiting.get(tenant).map_or(0, VecDeque::len);
        self.queued >= self.options.queued || of_tenant >= self.options.queued_per_tenant
    }

    fn drop_abandoned(&mut self) {
        for queue in self.waiting.values_mut() {
            queue.retain(|waiting| !waiting.is_abandoned());
        }
        self.waiting.retain(|_, queue| !queue.is_empty());
        self.turns.retain(|tenant| self.waiting.contains_key(tenant));
        self.queued = self.waiting.values().map(VecDeque::len).sum();
    }

    /// Takes nothing in any more; what waits is still worked off.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Whether the lane is closing and nothing is left to do.
    pub(super) fn is_finished(&self) -> bool {
        self.closed && self.queued == 0 && self.away.is_empty()
    }

    /// The next work, if there is any: one command a turn from each tenant, round and round, to the limits.
    pub(super) fn take(&mut self) -> Option<Work> {
        let mut batch = Vec::new();
        let mut memories = 0;
        let share = match self.turns.len() {
            0 | 1 => self.options.tenant_commands,
            _ => self.options.tenant_commands_in_company,
        };
        let mut taken: HashMap<TenantId, usize> = HashMap::new();
        // Tenants that had their share of this batch; theirs are the last turns of the next one.
        let mut served = Vec::new();
        while batch.len() < self.options.batch_commands {
            let Some(tenant) = self.turns.pop_front() else { break };
            let Some(next) = self.peek(&tenant) else { continue };
            let (is_set, weight) = (next.is_set(), next.command.memory_ids().len());
            if is_set || self.must_run_alone(&tenant) {
                if batch.is_empty() {
                    return Some(self.take_solo(tenant));
                }
                self.turns.push_front(tenant);
                break;
            }
            if !batch.is_empty() && memories + weight > self.options.batch_memories {
                self.turns.push_front(tenant);
                break;
            }
            memories += weight;
            batch.extend(self.pop(&tenant));
            if self.waiting.contains_key(&tenant) {
                let taken = taken.entry(tenant.clone()).or_default();
                *taken += 1;
                if *taken < share {
                    self.turns.push_back(tenant);
                } else {
                    served.push(tenant);
                }
            }
        }
        self.turns.extend(served);
        (!batch.is_empty()).then_some(Work::Shared(batch))
    }

    /// Puts commands whose head somebody else holds into a solo batch: out of the lane until given back.
    pub(super) fn send_away(&mut self, tenant: &TenantId) {
        self.turns.retain(|turn| turn != tenant);
        self.away.insert(tenant.clone());
    }

    /// The solo batch is done: the tenant's turn comes again if something waits.
    pub(super) fn give_back(&mut self, tenant: &TenantId) {
        self.away.remove(tenant);
        if self.waiting.contains_key(tenant) {
            self.turns.push_back(tenant.clone());
        }
    }

    /// Remembers whether a tenant's command failed its batch.
    pub(super) fn note(&mut self, tenant: &TenantId, failed: bool) {
        if failed {
            let failures = self.failing.entry(tenant.clone()).or_default();
            *failures = failures.saturating_add(1);
        } else {
            self.failing.remove(tenant);
        }
    }

    fn must_run_alone(&self, tenant: &TenantId) -> bool {
        self.failing.get(tenant).is_some_and(|failures| *failures > FAILURES_TOLERATED)
    }

    fn take_solo(&mut self, tenant: TenantId) -> Work {
        let mut batch = Vec::new();
        let mut memories = 0;
        while batch.len() < self.options.batch_commands {
            let Some(next) = self.peek(&tenant) else { break };
            let is_selection = next.is_selection();
            memories += next.command.memory_ids().len();
            if !batch.is_empty() && (is_selection || memories > self.options.batch_memories) {
                break;
            }
            batch.extend(self.pop(&tenant));
            if is_selection {
                break;
            }
        }
        self.away.insert(tenant.clone());
        Work::Solo(tenant, batch)
    }

    /// The tenant's next command that somebody still waits for; abandoned ones are dropped.
    fn peek(&mut self, tenant: &TenantId) -> Option<&Waiting> {
        let queue = self.waiting.get_mut(tenant)?;
        while queue.front().is_some_and(Waiting::is_abandoned) {
            queue.pop_front();
            self.queued -= 1;
        }
        if queue.is_empty() {
            self.waiting.remove(tenant);
        }
        self.waiting.get(tenant)?.front()
    }

    fn pop(&mut self, tenant: &TenantId) -> Option<Waiting> {
        self.peek(tenant)?;
        let queue = self.waiting.get_mut(tenant)?;
        let next = queue.pop_front();
        self.queued -= usize::from(next.is_some());
        if queue.is_empty() {
            self.waiting.remove(tenant);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::command::{Body, Restore, RestoreSelection};
    use crate::domain::ids::OperationId;
    use uuid::Uuid;

    /// A queue, and the callers that wait so that nothing counts as abandoned.
    struct Waits(Queue, Vec<oneshot::Receiver<Result<Answer, Failure>>>);

    impl Waits {
        fn new(options: LaneOptions) -> Self {
            Self(Queue::new(options), Vec::new())
        }

        fn push(&mut self, tenant: &str, number: u128) -> Result<(), Failure> {
            self.push_body(tenant, number, Body::Expire(Vec::new()))
        }

        fn push_body(&mut self, tenant: &str, number: u128, body: Body) -> Result<(), Failure> {
            let tenant = TenantId::parse(tenant).unwrap();
            let operation = OperationId(Uuid::from_u128(number));
            let command = Command { body, ..Command::expire(tenant, Vec::new(), operation) };
            let (reply, answer) = oneshot::channel();
            self.1.push(answer);
            self.0.push(Waiting { command: Arc::new(command), reply })
        }
    }

    fn numbers(batch: &[Waiting]) -> Vec<u128> {
        batch.iter().map(|waiting| waiting.command.call.operation_id.0.as_u128()).collect()
    }

    fn shared(work: Option<Work>) -> Vec<u128> {
        match work {
            Some(Work::Shared(batch)) => numbers(&batch),
            other => panic!("not shared: {other:?}"),
        }
    }

    #[test]
    fn tenants_take_turns_and_each_keeps_its_order() {
        let mut waits = Waits::new(LaneOptions { batch_commands: 4, ..LaneOptions::default() });
        for number in 10..15 {
            waits.push("busy", number).unwrap();
        }
        waits.push("calm", 20).unwrap();
        waits.push("third", 30).unwrap();
        assert_eq!(shared(waits.0.take()), [10, 20, 30, 11]);
        assert_eq!(shared(waits.0.take()), [12, 13, 14]);
        assert!(waits.0.take().is_none());
    }

    #[test]
    fn a_busy_tenant_leaves_room_and_time() {
        let options =
            LaneOptions { tenant_commands: 4, tenant_commands_in_company: 2, ..LaneOptions::default() };
        let mut waits = Waits::new(options);
        for number in 10..30 {
            waits.push("busy", number).unwrap();
        }
        assert_eq!(shared(waits.0.take()), [10, 11, 12, 13], "alone it gets no more, as somebody may come");
        for number in 40..43 {
            waits.push("calm", number).unwrap();
        }
        assert_eq!(shared(waits.0.take()), [14, 40, 15, 41]);
        assert_eq!(shared(waits.0.take()), [16, 42, 17]);
        assert_eq!(shared(waits.0.take()), [18, 19, 20, 21]);
    }

    #[test]
    fn a_set_runs_alone_and_what_follows_waits_for_it() {
        let mut waits = Waits::new(LaneOptions::default());
        let selection = RestoreSelection::Operation(OperationId(Uuid::nil()));
        waits.push("other", 1).unwrap();
        waits.push_body("tenant", 2, Body::Restore(Restore { selection, lift_suppression: false })).unwrap();
        waits.push("tenant", 3).unwrap();
        assert_eq!(shared(waits.0.take()), [1]);
        let Some(Work::Solo(tenant, batch)) = waits.0.take() else { panic!("a set is nobody's neighbour") };
        assert_eq!((tenant.as_str(), numbers(&batch)), ("tenant", vec![2, 3]));
        waits.push("tenant", 4).unwrap();
        assert!(waits.0.take().is_none(), "while the tenant is away its commands wait");
        waits.0.give_back(&tenant);
        assert_eq!(shared(waits.0.take()), [4]);
    }

    #[test]
    fn a_full_queue_refuses_until_abandoned_commands_make_room() {
        let options = LaneOptions { queued_per_tenant: 2, queued: 3, ..LaneOptions::default() };
        let mut waits = Waits::new(options);
        waits.push("tenant", 1).unwrap();
        waits.push("tenant", 2).unwrap();
        assert_eq!(waits.push("tenant", 3), Err(Failure::Overloaded), "of one tenant");
        waits.push("other", 4).unwrap();
        assert_eq!(waits.push("third", 5), Err(Failure::Overloaded), "in all");
        waits.1.remove(0);
        waits.push("tenant", 6).unwrap();
        assert_eq!(shared(waits.0.take()).len(), 3);
    }
}
