//! The state machine, cell by cell, and what every decision keeps: no gap in the log, an unbroken chain.

use chrono::TimeDelta;
use proptest::prelude::*;
use uuid::Uuid;

use super::super::Timestamp;
use super::super::answer::{Answer, Outcome};
use super::super::audit::Action;
use super::super::capability::{Capabilities, Capability};
use super::super::command::{Body, Call, Command, NewMemory, Restore, RestoreSelection, Target, Update};
use super::super::content::Content;
use super::super::facts::{Facts, Head};
use super::super::filter::Filter;
use super::super::forget::{Cause, Forget, Mode, Named};
use super::super::ids::{AgentId, Etag, GraphId, MemoryId, OperationId, PrincipalId, TenantId};
use super::super::memory::{Kind, State};
use super::super::operation::Method;
use super::super::policy::{Policy, Retention};
use super::super::principal::Principal;
use super::super::refusal::Refusal;
use super::super::suppression::Fingerprinter;
use super::settle;

const DAY: TimeDelta = TimeDelta::days(1);

/// One tenant, its time, and a counter for operation ids.
struct World {
    facts: Facts,
    now: Timestamp,
    operations: u128,
    policy: Policy,
}

fn policy(retention: Retention) -> Policy {
    Policy { retention, largest_selection: 10, fingerprinter: Fingerprinter::new([1; 32]) }
}

impl World {
    fn new() -> Self {
        let tenant = TenantId::parse("tenant").unwrap();
        Self {
            facts: Facts::new(tenant, Head::EMPTY),
            now: Timestamp::UNIX_EPOCH + DAY,
            operations: 0,
            policy: policy(Retention::For(DAY)),
        }
    }

    fn settle_as(&mut self, agent: &str, admin: bool, body: Body) -> Result<Answer, Refusal> {
        self.operations += 2;
        let principal = Principal {
            tenant: self.facts.tenant.clone(),
            agent: AgentId::parse(agent).unwrap(),
            id: PrincipalId::parse(agent).unwrap(),
            capabilities: if admin {
                Capabilities::ALL
            } else {
                Capabilities::ALL.without(Capability::MemoryAdmin)
            },
        };
        let call = Call {
            principal,
            method: Method::Forget,
            operation_id: OperationId(Uuid::from_u128(self.operations)),
            expiry_operation_id: OperationId(Uuid::from_u128(self.operations + 1)),
            request: None,
            reason: None,
            channel: None,
            trace_id: None,
        };
        settle(&mut self.facts, &Command { call, body }, &self.policy, self.now)
    }

    fn settle(&mut self, body: Body) -> Result<Answer, Refusal> {
        self.settle_as("agent", false, body)
    }

    fn outcome(&mut self, body: Body) -> Result<Outcome, Refusal> {
        self.settle(body).map(|answer| answer.body.results().first().map(|result| result.outcome).unwrap())
    }

    fn state(&self, id: &str) -> Option<State> {
        self.facts.memory(&memory_id(id)).map(super::super::memory::Memory::state)
    }

    fn actions(&self) -> Vec<Action> {
        self.facts.changes().records.iter().map(|record| record.action).collect()
    }
}

fn memory_id(id: &str) -> MemoryId {
    MemoryId::parse(id).unwrap()
}

fn remember(id: &str) -> Body {
    remember_kind(id, Kind::Memory)
}

fn remember_kind(id: &str, kind: Kind) -> Body {
    Body::Remember(NewMemory {
        id: memory_id(id),
        subject: None,
        graph: GraphId::default_graph(),
        kind,
        content: Content::new("text".to_owned(), None).unwrap(),
        date: None,
    })
}

fn targets(ids: &[&str]) -> Vec<Target> {
    let target =
        |id: &&str| Target { sent: (*id).to_owned(), id: MemoryId::parse(id), field: "id".to_owned() };
    ids.iter().map(target).collect()
}

fn forget_with(ids: &[&str], mode: Mode, filter: Filter, etag: Option<Etag>) -> Body {
    Body::Forget(Forget {
        named: Named::ById,
        targets: targets(ids),
        filter,
        mode,
        cause: Cause::Correction,
        etag,
        single: ids.len() == 1,
        verify: false,
    })
}

fn forget(id: &str, mode: Mode) -> Body {
    forget_with(&[id], mode, Filter::default(), None)
}

fn restore(id: &str) -> Body {
    Body::Restore(Restore { selection: RestoreSelection::Ids(targets(&[id])), lift_suppression: false })
}

fn update(id: &str, text: &str) -> Body {
    let content = Some(Content::new(text.to_owned(), None).unwrap());
    Body::Update(Update { memory_id: memory_id(id), etag: None, content, metadata: None })
}

#[test]
fn an_active_memory() {
    let mut world = World::new();
    world.settle(remember("m")).unwrap();
    assert_eq!(world.outcome(restore("m")), Ok(Outcome::AlreadyActive));
    assert_eq!(world.settle(remember("m")).unwrap_err(), Refusal::AlreadyExists);
    assert_eq!(world.outcome(forget("m", Mode::Soft)), Ok(Outcome::Archived));
    assert_eq!(world.state("m"), Some(State::Archived));
    world.settle(remember("n")).unwrap();
    assert_eq!(world.outcome(forget("n", Mode::Hard)), Ok(Outcome::Erased));
    assert_eq!(world.state("n"), None);
}

#[test]
fn an_archived_memory() {
    let mut world = World::new();
    world.settle(remember("m")).unwrap();
    world.settle(forget("m", Mode::Soft)).unwrap();
    let records = world.actions().len();
    assert_eq!(world.outcome(forget("m", Mode::Soft)), Ok(Outcome::AlreadyForgotten));
    assert_eq!(world.settle(update("m", "other")).unwrap_err(), Refusal::MemoryNotActive);
    assert_eq!(world.settle(remember("m")).unwrap_err(), Refusal::AlreadyExists);
    assert_eq!(world.actions().len(), records, "nothing changed, so nothing is recorded");
    assert_eq!(world.outcome(restore("m")), Ok(Outcome::Restored));
    world.settle(forget("m", Mode::Soft)).unwrap();
    assert_eq!(world.outcome(forget("m", Mode::Hard)), Ok(Outcome::Erased));
    assert_eq!(world.settle(forget("m", Mode::Hard)).unwrap_err(), Refusal::MemoryNotFound);
}

#[test]
fn past_its_purge_time_a_memory_is_as_erased_and_the_record_says_so() {
    for body in
        [forget("m", Mode::Soft), forget("m", Mode::Hard), restore("m"), update("m", "x"), remember("m")]
    {
        let mut world = World::new();
        world.settle(remember("m")).unwrap();
        world.settle(forget("m", Mode::Soft)).unwrap();
        world.now += DAY;
        let saves = matches!(body, Body::Remember(_));
        let answer = world.settle(body);
        let expired = world.actions().get(2).copied();
        assert_eq!(expired, Some(Action::Expired));
        match answer {
            Err(refusal) => assert_eq!(refusal, Refusal::MemoryNotFound),
            Ok(answer) if saves => assert_eq!(answer.receipt.first_sequence, 4),
            Ok(answer) => assert_eq!(answer.count(Outcome::NotFound), 1),
        }
    }
}

#[test]
fn the_purge_time_is_kept_and_a_moment_before_it_the_memory_comes_back() {
    let mut world = World::new();
    world.settle(remember("m")).unwrap();
    world.settle(forget("m", Mode::Soft)).unwrap();
    world.policy = policy(Retention::Never);
    world.now += DAY - TimeDelta::microseconds(1);
    assert_eq!(world.outcome(restore("m")), Ok(Outcome::Restored));
    world.settle(forget("m", Mode::Soft)).unwrap();
    world.now += DAY * 100_000;
    assert_eq!(world.outcome(restore("m")), Ok(Outcome::Restored), "kept for ever");
}

#[test]
fn what_is_out_of_reach_is_not_there() {
    let mut world = World::new();
    world.settle(remember("m")).unwrap();
    world.settle_as("agent", true, remember_kind("fact", Kind::Fact)).unwrap();
    let stranger = |world: &mut World, body| world.settle_as("stranger", false, body);
    assert_eq!(stranger(&mut world, forget("m", Mode::Hard)).unwrap_err(), Refusal::MemoryNotFound);
    assert_eq!(stranger(&mut world, update("m", "x")).unwrap_err(), Refusal::MemoryNotFound);
    assert_eq!(stranger(&mut world, remember("m")).unwrap_err(), Refusal::AlreadyExists);
    assert_eq!(world.settle(forget("fact", Mode::Soft)).unwrap_err(), Refusal::MemoryNotFound);
    assert_eq!(world.settle(remember_kind("other", Kind::Fact)).unwrap_err(), Refusal::ProtectedKind);
    assert!(world.settle_as("stranger", true, forget("m", Mode::Soft)).is_ok());
}

#[test]
fn a_stale_etag_changes_nothing() {
    let mut world = World::new();
    world.settle(remember("m")).unwrap();
    world.settle(update("m", "other")).unwrap();
    let stale = forget_with(&["m"], Mode::Soft, Filter::default(), Some(Etag(1)));
    assert_eq!(world.settle(stale).unwrap_err(), Refusal::EtagMismatch);
    let fresh = forget_with(&["m"], Mode::Soft, Filter::default(), Some(Etag(2)));
    assert_eq!(world.outcome(fresh), Ok(Outcome::Archived));
}

#[test]
fn a_graph_that_does_not_exist_comes_before_a_memory_that_does_not() {
    let mut world = World::new();
    let filter = Filter { graph: Some(GraphId::parse("nowhere").unwrap()), ..Filter::default() };
    let body = forget_with(&["m"], Mode::Soft, filter, None);
    assert_eq!(world.settle(body).unwrap_err(), Refusal::GraphNotFound);
}

#[test]
fn a_list_answers_for_each_id_repeated_ones_too() {
    use Outcome::{AlreadyForgotten, Erased, NotFound, Refused};
    let mut world = World::new();
    world.settle(remember("m")).unwrap();
    let body = forget_with(&["m", "m", "gone", "gone", "%", "%"], Mode::Hard, Filter::default(), None);
    let answer = world.settle(body).unwrap();
    let outcomes: Vec<Outcome> = answer.body.results().iter().map(|result| result.outcome).collect();
    assert_eq!(outcomes, [Erased, AlreadyForgotten, NotFound, NotFound, Refused, Refused]);
}

#[test]
fn equal_content_is_no_change() {
    let mut world = World::new();
    world.settle(remember("m")).unwrap();
    let answer = world.settle(update("m", "text")).unwrap();
    assert_eq!((answer.receipt.first_sequence, world.actions().len()), (0, 1));
}

proptest! {
    /// Whatever is asked: sequences without gaps, a chain that verifies, versions that only grow.
    #[test]
    fn every_history_leaves_a_whole_log(steps in prop::collection::vec((0_u8..7, 0_u8..3, 0_i64..3), 1..60)) {
        let mut world = World::new();
        for (step, number, hours) in steps {
            world.now += TimeDelta::hours(hours * 5);
            let id = format!("m{number}");
            let body = match step {
                0 | 1 => remember(&id),
                2 => forget(&id, Mode::Soft),
                3 => forget(&id, Mode::Hard),
                4 => restore(&id),
                5 => update(&id, &format!("text {hours}")),
                _ => forget_with(&["m0", &id, "m1"], Mode::Soft, Filter::default(), None),
            };
            let before = world.facts.head.sequence;
            let answer = world.settle(body);
            if let Ok(answer) = answer && answer.receipt.last_sequence > 0 {
                prop_assert!(answer.receipt.first_sequence > before);
                prop_assert_eq!(answer.receipt.last_sequence, world.facts.head.sequence);
                prop_assert_eq!(answer.receipt.head_hash, world.facts.head.hash);
            }
        }
        let mut previous = Head::EMPTY.hash;
        let changes = world.facts.changes();
        for (place, record) in (1..).zip(changes.records) {
            prop_assert_eq!(record.sequence, place);
            prop_assert_eq!(record.previous_hash, previous);
            prop_assert_eq!(record.hash, record.computed_hash(&world.facts.tenant));
            previous = record.hash;
        }
        for (memory, ..) in changes.saved {
            prop_assert!(memory.version >= memory.key);
        }
    }
}
