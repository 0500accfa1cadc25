//! Many at once: pairs of calls that meet on one memory, floods of calls, and callers that are more than the server
//! takes.

mod flood;
mod gate;
mod hush;
mod meet;
mod races;
mod same_request;
