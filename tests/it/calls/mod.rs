//! Every method as a caller meets it: what it answers, what it refuses, and that a refusal changes nothing.

mod bad_input;
mod cut;
mod hold;
mod published;
mod reach;
mod reasons;
mod stage;
mod tables;
mod values;
mod wire;
