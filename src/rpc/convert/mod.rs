//! Messages ⇄ domain. Every field of a request is named where it is read, so that one added to the contract does not
//! compile until somebody decides what it means; every fault of a request is told at once (see [`faults`]).

mod audit;
mod call;
mod faults;
mod filter;
mod forget;
mod import;
mod memories;
mod metadata;
mod needs;
mod operations;
mod preview;
mod remember;
mod restore;
mod results;
mod selector;
mod suppressions;
mod values;

#[cfg(test)]
mod tests;

pub(super) use audit::{audit_query, audit_response};
pub(super) use call::{Caller, Change};
pub(super) use forget::{Verifies, batch_forget, batch_forget_response, forget, forget_response};
pub(super) use import::{import, import_response};
pub(super) use memories::{
    list_query, list_response, memory_id, memory_response, recall_query, recall_response,
};
pub(super) use needs::Needs;
pub(super) use operations::{operation_name, operation_response, operations_query, operations_response};
pub(super) use preview::{Previewed, preview_query, preview_response};
pub(super) use remember::{remember, remember_response, update, update_response};
pub(super) use restore::{restore, restore_response};
pub(super) use suppressions::{lift, lift_response, suppressions_query, suppressions_response};
