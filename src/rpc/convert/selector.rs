//! Which memories are meant: exactly one way of saying so.

use super::faults::Faults;
use super::filter::{exactly_one, filter, single_target, targets};
use super::values::digest;
use crate::domain::command::Target;
use crate::domain::filter::Filter;
use crate::domain::forget::ChosenTarget;
use crate::domain::ids::{ImportId, MemoryId};
use crate::domain::memory::State;
use crate::domain::selection::{Scope, Selection, Set};
use crate::domain::text::Query;
use crate::proto::v1;

/// What a selector names.
#[derive(Debug)]
pub(super) enum Selected {
    /// One memory by its id, which must meet the filter.
    One(Target, Filter),
    /// Several by their ids, each of which must meet the filter.
    Many(Vec<Target>, Filter),
    /// One by its id or by words that must mean it, which must meet the filter.
    Target(ChosenTarget, Filter),
    /// A set, and SHA-256 of all that decides what becomes of it: what a confirmation is bound to.
    Set(Set, [u8; 32]),
}

/// Reads a selector, asked about with this mode and cause. It is missing only where a fault was noted.
pub(super) fn selected(
    faults: &mut Faults,
    sent: Option<v1::Selector>,
    mode: i32,
    cause: i32,
) -> Option<Selected> {
    // Taken while the message is whole, and of sets only: nothing else is confirmed.
    let asked = sent.as_ref().filter(|sent| names_a_set(sent)).map(|sent| confirmed(sent, mode, cause));
    let v1::Selector { memory_id, target, r#match: words, import_id, scope, memory_ids, filter: sent_filter } =
        sent.unwrap_or_default();
    faults.within("selector", |faults| {
        exactly_one(
            faults,
            &[
                ("memory_id", memory_id.is_some()),
                ("target", target.is_some()),
                ("match", words.is_some()),
                ("import_id", import_id.is_some()),
                ("scope", scope.is_some()),
                ("memory_ids", !memory_ids.is_empty()),
            ],
        );
        let one = memory_id.map(|sent| single_target(faults, "memory_id", sent));
        let words = faults.optional("match", words.as_deref(), Query::parse).map(Selection::Match);
        let import =
            faults.optional("import_id", import_id.as_deref(), ImportId::parse).map(Selection::Import);
        let scope = scope.and_then(|number| faults.take("scope", read_scope(number))).map(Selection::Scope);
        let many = (!memory_ids.is_empty()).then(|| targets(faults, "memory_ids", memory_ids));
        let meant = faults.optional("target", target.as_deref(), Query::parse);
        let filter = filter(faults, sent_filter);
        let set_of = |selection, filter: Filter| Set { selection, filter: of_a_set(filter) };
        if let (Some(sent), Some(words)) = (target, meant) {
            let by_text = set_of(Selection::Match(words), filter.clone());
            let chosen = ChosenTarget { id: MemoryId::parse(&sent).ok(), by_text };
            return Some(Selected::Target(chosen, filter));
        }
        match (one, many, words.or(import).or(scope).zip(asked)) {
            (Some(one), _, _) => Some(Selected::One(one, filter)),
            (None, Some(many), _) => Some(Selected::Many(many, filter)),
            (None, None, Some((selection, asked))) => Some(Selected::Set(set_of(selection, filter), asked)),
            (None, None, None) => None,
        }
    })
}

/// Whether a selector names memories as a set.
pub(super) fn names_a_set(sent: &v1::Selector) -> bool {
    sent.r#match.is_some() || sent.import_id.is_some() || sent.scope.is_some()
}

/// SHA-256 of all that decides what becomes of a set. Preview and Forget take it alike.
fn confirmed(selector: &v1::Selector, mode: i32, cause: i32) -> [u8; 32] {
    // What is unset means the same as its default.
    let mode = if mode == 0 { v1::ForgetMode::Soft.into() } else { mode };
    let cause = if cause == 0 { v1::ForgetCause::Correction.into() } else { cause };
    let asked =
        v1::PreviewRequest { selector: Some(selector.clone()), mode, cause, ..v1::PreviewRequest::default() };
    digest("memorylifecycle.v1 confirmation", &asked)
}

/// A set has active memories, unless its filter says otherwise.
fn of_a_set(filter: Filter) -> Filter {
    let states = if filter.states.is_empty() { vec![State::Active] } else { filter.states };
    Filter { states, ..filter }
}

fn read_scope(number: i32) -> Result<Scope, &'static str> {
    match v1::Scope::try_from(number) {
        Ok(v1::Scope::Imports) => Ok(Scope::Imports),
        Ok(v1::Scope::Saved) => Ok(Scope::Saved),
        Ok(v1::Scope::All) => Ok(Scope::All),
        Ok(v1::Scope::Unspecified) | Err(_) => Err("must be one of SCOPE_IMPORTS, SCOPE_SAVED and SCOPE_ALL"),
    }
}
