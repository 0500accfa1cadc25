//! Tells of a fault once, however often it is met.

use std::sync::{Mutex, PoisonError};

/// The fault that was told of last.
#[derive(Debug, Default)]
pub(crate) struct Told(Mutex<Option<String>>);

impl Told {
    /// Whether this fault is another than the last, and so to be told of.
    pub(crate) fn is_new(&self, fault: &impl ToString) -> bool {
        let fault = Some(fault.to_string());
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = *last != fault;
        *last = fault;
        is_new
    }

    /// Nothing is at fault any more: the next fault is new, whichever it is.
    pub(crate) fn is_well(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_new_until_it_is_told_and_again_after_all_was_well() {
        let told = Told::default();
        assert!(told.is_new(&"a") && !told.is_new(&"a") && told.is_new(&"b"));
        told.is_well();
        assert!(told.is_new(&"b"));
    }
}
