//! Conditions, and which memories are meant.

use super::faults::Faults;
use super::values::{bound, date, kind, origin, state};
use crate::domain::command::Target;
use crate::domain::filter::Filter;
use crate::domain::ids::{AgentId, GraphId, MemoryId, SubjectId};
use crate::domain::refusal::Refusal;
use crate::proto::v1;

/// The most ids a list may have.
const MAX_IDS: usize = 100;

/// Reads conditions; unset admits everything.
pub(super) fn filter(faults: &mut Faults, sent: Option<v1::Filter>) -> Filter {
    let Some(sent) = sent else { return Filter::default() };
    let v1::Filter {
        subject_id,
        graph_id,
        memory_date,
        kinds,
        agent_id,
        states,
        origin: sent_origin,
        create_time_from,
        create_time_to,
    } = sent;
    faults.within("filter", |faults| Filter {
        subject: faults.optional("subject_id", subject_id.as_deref(), SubjectId::parse),
        graph: faults.optional("graph_id", graph_id.as_deref(), GraphId::parse),
        date: faults.optional("memory_date", memory_date.as_deref(), date),
        kinds: each(faults, "kinds", &kinds, kind),
        agent: faults.optional("agent_id", agent_id.as_deref(), AgentId::parse),
        states: each(faults, "states", &states, state),
        origin: sent_origin.and_then(|number| faults.take("origin", origin(number))),
        import: None,
        create_time_from: bound(faults, "create_time_from", create_time_from),
        create_time_to: bound(faults, "create_time_to", create_time_to),
    })
}

/// Reads a list of enum values; each faulty one is named by its place.
pub(super) fn each<T>(
    faults: &mut Faults,
    field: &str,
    numbers: &[i32],
    read: impl Fn(i32) -> Result<T, &'static str>,
) -> Vec<T> {
    let places = numbers.iter().enumerate();
    places.filter_map(|(at, number)| faults.take(&format!("{field}[{at}]"), read(*number))).collect()
}

/// Reads the ids of a list. An ill-formed one is answered in its place and is no fault of the call; the number is.
pub(super) fn targets(faults: &mut Faults, field: &str, ids: Vec<String>) -> Vec<Target> {
    if ids.is_empty() || ids.len() > MAX_IDS {
        faults.note(field, format_args!("must hold 1 to {MAX_IDS} ids"));
    }
    let path = faults.path(field);
    let places = ids.into_iter().enumerate();
    places.map(|(at, sent)| target(sent, format!("{path}[{at}]"))).collect()
}

/// Reads the one id of a call, where an ill-formed one is a fault of the call.
pub(super) fn single_target(faults: &mut Faults, field: &str, sent: String) -> Target {
    let target = target(sent, faults.path(field));
    if let Err(fault) = target.id {
        faults.note(field, fault);
    }
    target
}

fn target(sent: String, field: String) -> Target {
    Target { id: MemoryId::parse(&sent), sent, field }
}

/// Notes that none or more than one of the fields, of which exactly one must be present, is.
pub(super) fn exactly_one(faults: &mut Faults, fields: &[(&str, bool)]) {
    let present: Vec<_> =
        fields.iter().filter(|(_, is_present)| *is_present).map(|(field, _)| faults.path(field)).collect();
    match present.len() {
        0 => faults.broke(Refusal::SelectorRequired),
        1 => {}
        _ => faults.broke(Refusal::SelectorConflict(present)),
    }
}
