//! Gathers what is wrong with a request, so that the caller learns of every fault at once.
//!
//! The order of checks is the same for every call: first the capabilities that the call or its fields need
//! (`CAPABILITY_MISSING`, see `needs`), then all fields together (`INVALID_FIELD`), then the rule that exactly one selecting field is
//! present (`SELECTOR_REQUIRED`, `SELECTOR_CONFLICT`), then the mode (`UNKNOWN_MODE`). Everything later needs the database.

use std::fmt::Display;

use crate::domain::refusal::{FieldViolation, Refusal};

/// The faults of a request found so far.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// What stands before every field's name: `selector.filter.` while the filter is read.
    within: String,
    found: Vec<FieldViolation>,
    /// What the request is refused with when no field is at fault.
    rule: Option<Refusal>,
}

impl Faults {
    /// Gathers the faults of one entry of a list, `items[3]`.
    pub(super) fn of_entry(path: &str) -> Self {
        Self { within: format!("{path}."), ..Self::default() }
    }

    /// Notes a fault.
    pub(super) fn note(&mut self, field: &str, description: impl Display) {
        self.found.push(FieldViolation::new(format!("{}{field}", self.within), description.to_string()));
    }

    /// Takes what was read, or notes why it could not be.
    pub(super) fn take<T, E: Display>(&mut self, field: &str, read: Result<T, E>) -> Option<T> {
        read.map_err(|fault| self.note(field, fault)).ok()
    }

    /// Reads an `optional` field: present but empty is a fault, not "unset".
    pub(super) fn optional<T, E: Display>(
        &mut self,
        field: &str,
        text: Option<&str>,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        text.and_then(|text| self.take(field, read(text)))
    }

    /// Reads a plain field: empty is "unset", blank is a fault.
    pub(super) fn plain<T, E: Display>(
        &mut self,
        field: &str,
        text: &str,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        self.optional(field, Some(text).filter(|text| !text.is_empty()), read)
    }

    /// Reads the fields of a message within this one.
    pub(super) fn within<T>(&mut self, field: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.within.clone();
        self.within = format!("{outer}{field}.");
        let value = read(self);
        self.within = outer;
        value
    }

    /// The path of a field in the request.
    pub(super) fn path(&self, field: &str) -> String {
        format!("{}{field}", self.within)
    }

    /// Notes a rule that was broken; it is told only when no field is at fault, and the first one only.
    pub(super) fn broke(&mut self, rule: Refusal) {
        self.rule.get_or_insert(rule);
    }

    /// The value, unless there were faults. It is missing only where a fault was noted. An unknown mode has a reason
    /// of its own when it is alone, and is one of the fields at fault when it is not.
    pub(super) fn settle<T>(mut self, value: Option<T>) -> Result<T, Refusal> {
        if let (false, Some(Refusal::UnknownMode(number))) = (self.found.is_empty(), &self.rule) {
            self.found.push(FieldViolation::new("mode", format!("{number} is unknown to this release")));
        }
        match (self.found.is_empty(), self.rule, value) {
            (true, None, Some(value)) => Ok(value),
            (true, Some(rule), _) => Err(rule),
            _ => Err(Refusal::InvalidFields(self.found)),
        }
    }

    /// The value of an entry of a list, or the faults that refuse it in its place.
    pub(super) fn settle_entry<T>(self, value: Option<T>) -> Result<T, Vec<FieldViolation>> {
        value.filter(|_| self.found.is_empty()).ok_or(self.found)
    }
}
