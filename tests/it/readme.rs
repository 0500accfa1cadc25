//! README.md and docs/security.md say what is so: every command of its tour gives what is shown, and its tables are the program's own.

mod compare;
mod configuration;
mod security;
pub(crate) mod text;
mod tour;

/// The text.
const README: &str = include_str!("../../README.md");
