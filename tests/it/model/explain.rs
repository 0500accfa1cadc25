//! Replays a history in the order of the log: every call that left records at their place, every other at some
//! place between the log's ends before and after it.

use std::collections::{BTreeMap, BTreeSet};

use memory_lifecycle::proto::v1::{AuditAction, AuditRecord, Memory, MemoryState};

use super::chain;
use super::plan::Call;
use super::run::{Event, Got, History};
use super::state::{Says, State, Transition};

/// What kinds of transitions and answers a run has met.
#[derive(Debug, Default)]
pub struct Seen(BTreeSet<String>);

impl Seen {
    pub fn add(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub fn assert_complete(&self) {
        let wanted = [
            "Remembered",
            "Archived",
            "Erased",
            "Restored",
            "Expired",
            "Updated",
            "ALREADY_EXISTS",
            "MEMORY_NOT_FOUND",
            "ETAG_MISMATCH",
            "MEMORY_NOT_ACTIVE",
        ];
        for kind in wanted {
            assert!(self.0.contains(kind), "the histories never met {kind}: {:?}", self.0);
        }
    }
}

/// Answers what was met, or the first thing that the model cannot explain.
pub fn explain(history: &History) -> Result<Seen, String> {
    let mut seen = Seen::default();
    for (tenant, log) in &history.logs {
        chain::verify(tenant, log)?;
        let events: Vec<&Event> = history.events.iter().filter(|event| event.tenant == *tenant).collect();
        let last = replay(log, &events, &mut seen)?;
        let shown =
            history.memories.iter().find(|(name, _)| name == tenant).map_or(&[][..], |(_, shown)| shown);
        compare(&last, shown, log)?;
    }
    let shown: usize = history.memories.iter().map(|(_, memories)| memories.len()).sum();
    let (rows, without_content) = history.rows;
    if without_content != 0 {
        return Err(format!("{without_content} memories have no content"));
    }
    if i64::try_from(shown).ok() < Some(rows) {
        return Err(format!("{rows} rows are left, but only {shown} memories are shown"));
    }
    Ok(seen)
}

fn replay(log: &[AuditRecord], events: &[&Event], seen: &mut Seen) -> Result<State, String> {
    let mut by_first: BTreeMap<i64, &Event> = BTreeMap::new();
    let mut silent: Vec<&Event> = Vec::new();
    for event in events {
        if event.first > 0 {
            by_first.insert(event.first, event);
        } else {
            silent.push(event);
        }
    }
    let mut state = State::default();
    let mut at = 0;
    loop {
        silent.retain(|event| !fits_here(&state, event, at, seen));
        if let Some(event) = silent.iter().find(|event| event.after <= at) {
            return Err(format!("no place in the log explains {event:?}"));
        }
        let Some(record) = log.get(usize::try_from(at).unwrap()) else { break };
        seen.0.insert(format!("{:?}", record.action()));
        if record.action() == AuditAction::Expired {
            let memory = state.0.remove(&record.memory_id);
            if memory.is_none_or(|memory| memory.archived_by.is_none()) {
                return Err(format!("expired what was not archived: {record:?}"));
            }
            at += 1;
            continue;
        }
        let event = by_first.remove(&(at + 1)).ok_or(format!("nobody made record {record:?}"))?;
        let (says, transitions) = state.make(event, &record.operation_id, at + 1);
        let records = &log[usize::try_from(at).unwrap()..usize::try_from(event.last).unwrap()];
        check_records(event, records, &transitions)?;
        if !agrees(&says, &event.got) {
            return Err(format!("the model says {says:?}, but {event:?}"));
        }
        at = event.last;
    }
    if let Some((_, event)) = by_first.first_key_value() {
        return Err(format!("the log lacks the records of {event:?}"));
    }
    if let Some(event) = silent.first() {
        return Err(format!("no place in the log explains {event:?}"));
    }
    Ok(state)
}

/// Whether a call without records could have been answered at this place.
fn fits_here(state: &State, event: &Event, at: i64, seen: &mut Seen) -> bool {
    if at < event.before || at > event.after {
        return false;
    }
    let (says, transitions) = state.clone().make(event, "", at + 1);
    // A read treats what is past its purge time as gone, swept or not.
    let unswept = matches!((&event.call, &says, &event.got),
        (Call::Get { .. }, Says::Memory { archived: true, .. }, Got::Refused(reason)) if reason == "MEMORY_NOT_FOUND");
    let fits = unswept || (transitions.is_empty() && agrees(&says, &event.got));
    if fits && let Got::Refused(reason) = &event.got {
        seen.0.insert(reason.clone());
    }
    fits
}

fn check_records(event: &Event, records: &[AuditRecord], transitions: &[Transition]) -> Result<(), String> {
    let recorded: Vec<Transition> =
        records.iter().map(|record| (record.action(), record.memory_id.clone())).collect();
    if recorded != transitions {
        return Err(format!("the model has {transitions:?}, the log {recorded:?}, for {event:?}"));
    }
    let one_call = records.iter().all(|record| {
        record.principal_id == event.agent
            && Some(&record.operation_id) == records.first().map(|first| &first.operation_id)
    });
    if one_call { Ok(()) } else { Err(format!("records of several calls in the place of {event:?}")) }
}

fn agrees(says: &Says, got: &Got) -> bool {
    match (says, got) {
        (Says::Refused(says), Got::Refused(got)) => says == got,
        (Says::Memory { id, content, archived }, Got::Memory(got)) => {
            got.memory_id == *id
                && got.content == *content
                && (got.state() == MemoryState::Archived) == *archived
                && got.forget_time.is_some() == *archived
        }
        (Says::Results(says), Got::Results(got)) => {
            let got: Vec<_> =
                got.iter().map(|got| (got.memory_id.clone(), got.outcome(), got.state())).collect();
            *says == got
        }
        (Says::Imported(says), Got::Imported(got)) => says == got,
        _ => false,
    }
}

/// The final state against what a list shows: all of it, but for what is past its purge time and not swept.
fn compare(state: &State, shown: &[Memory], log: &[AuditRecord]) -> Result<(), String> {
    let by_id: BTreeMap<&str, &Memory> =
        shown.iter().map(|memory| (memory.memory_id.as_str(), memory)).collect();
    for memory in shown {
        if !state.0.contains_key(&memory.memory_id) {
            return Err(format!("a memory that should be gone is shown: {memory:?}"));
        }
    }
    for (id, expected) in &state.0 {
        match by_id.get(id.as_str()) {
            Some(memory) => {
                let agrees = memory.agent_id == expected.agent
                    && memory.content == expected.content
                    && memory.etag == format!("{:016x}", expected.version)
                    && memory.forget_operation_id == expected.archived_by.clone().unwrap_or_default();
                if !agrees {
                    return Err(format!("the model has {expected:?}, shown is {memory:?}"));
                }
            }
            None if expected.archived_by.is_some() => {}
            None => return Err(format!("{id} is missing: {expected:?} after {} records", log.len())),
        }
    }
    Ok(())
}
