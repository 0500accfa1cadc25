//! Who is calling: what each kind of credential is accepted for, and what it is refused for.

mod admin;
pub mod api_keys;
mod certificates;
mod jwt;
mod tls;
