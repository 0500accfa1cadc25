//! Every method as a caller meets it: what it answers, what it refuses, and that a refusal changes nothing.

mod audit;
mod bad_input;
mod batch;
mod cases;
mod cut;
mod expiry;
mod forget;
mod get_list;
mod hold;
mod import;
mod operations;
mod preview;
mod published;
mod reach;
mod reasons;
mod recall;
mod reflection_health;
mod remember;
mod request_id;
mod restore;
mod stage;
mod tables;
mod update;
mod validate_only;
mod values;
pub(crate) mod wire;
