//! Imports only point right: rpc → ops → lane → storage → domain.

use super::paths::{Target, named};
use super::source::{Source, Violation};

/// What one top-level module may name: of the crate (`rpc::status` opens that part alone, `*` everything), and of the
/// crates that stand for a layer. Crates not in [`GUARDED`] are free.
struct Row(&'static str, &'static [&'static str], &'static [&'static str]);

#[rustfmt::skip] // A table is read by its columns.
const TABLE: &[Row] = &[
    //  module       of ours                                                                    guarded crates
    Row("domain",    &[],                                                                       &[]),
    Row("clock",     &["domain"],                                                               &["tokio"]),
    Row("storage",   &["domain", "clock", "telemetry"],                                         &["sqlx", "tokio"]),
    Row("lane",      &["storage", "domain", "clock", "telemetry"],                              &["tokio"]),
    Row("ops",       &["lane", "storage", "domain", "clock", "telemetry"],                      &["tokio"]),
    Row("rpc",       &["ops", "domain", "proto", "clock", "telemetry", "layers::context"],      &["tonic", "prost", "tokio"]),
    Row("layers",    &["auth", "domain", "clock", "telemetry", "proto", "rpc::status"],         &["tonic", "tokio"]),
    Row("auth",      &["storage", "config", "domain", "clock", "telemetry"],                    &["tokio"]),
    Row("proto",     &[],                                                                       &["tonic", "prost"]),
    Row("sweeper",   &["ops", "lane", "storage", "domain", "clock", "telemetry", "shutdown"],   &["tokio"]),
    Row("embedded",  &["clock", "shutdown"],                                                    &["sqlx", "tokio"]),
    Row("config",    &["domain"],                                                               &[]),
    Row("telemetry", &["config", "domain", "clock"],                                            &["tonic", "tokio"]),
    Row("shutdown",  &["clock"],                                                                &["tokio"]),
    Row("app",       &["*"],                                                                    &["sqlx", "tonic", "tokio"]),
    Row("cli",       &["*"],                                                                    &["sqlx", "tonic", "prost", "tokio"]),
    Row("main",      &["*"],                                                                    &["tokio"]),
    Row("lib",       &["*"],                                                                    &[]),
];

/// Crates that only some layers may name. Their companions (`tonic_types`, `tokio_util`, …) count with them.
const GUARDED: &[&str] = &["sqlx", "tonic", "prost", "tokio"];

/// Modules that write SQL. The others that may name sqlx name its types only.
const WRITES_SQL: &[&str] = &["storage", "embedded"];

/// Every path that leads where its file's row does not allow.
pub(super) fn wrong_way(files: &[Source]) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in files {
        let Some(row) = file.layer().and_then(row) else { continue };
        for path in named(file) {
            let (shown, rule) = match &path.target {
                Target::Ours(target) if !row.allows(target) => {
                    (format!("crate::{}", target.join("::")), row.ours())
                }
                Target::Other(target) if !row.allows_crate(&target[0]) => (target.join("::"), row.crates()),
                Target::Other(target) if !row.allows_sql(target) => {
                    (target.join("::"), "SQL is written in storage: call a method of it".into())
                }
                _ => continue,
            };
            found.push(file.violation(path.line, shown, rule));
        }
    }
    found
}

/// Top-level modules that the table forgot, so that a new or misspelt folder cannot escape it.
pub(super) fn unknown_modules(files: &[Source]) -> Vec<Violation> {
    let strangers = files.iter().filter(|file| file.layer().is_some_and(|layer| row(layer).is_none()));
    strangers
        .map(|file| {
            let layer = file.layer().unwrap_or_default();
            file.violation(
                1,
                format!("no row for `{layer}`"),
                "say in tests/it/architecture/imports.rs what it may import",
            )
        })
        .collect()
}

fn row(module: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.0 == module)
}

impl Row {
    fn allows(&self, target: &[String]) -> bool {
        let path = target.join("::");
        let within = |allowed: &str| {
            path.strip_prefix(allowed).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        target.is_empty() || within(self.0) || self.1.iter().any(|allowed| *allowed == "*" || within(allowed))
    }

    fn allows_crate(&self, name: &str) -> bool {
        let guarded = GUARDED.iter().find(|guarded| name.split('_').next() == Some(guarded));
        guarded.is_none_or(|guarded| self.2.contains(guarded))
    }

    fn allows_sql(&self, target: &[String]) -> bool {
        let is_query =
            target.get(1).is_some_and(|name| name.starts_with("query") || name == "raw_sql" || name == "*");
        WRITES_SQL.contains(&self.0) || target[0] != "sqlx" || !is_query
    }

    fn ours(&self) -> String {
        format!("{} may import of the crate: {}", self.0, listed(self.1))
    }

    fn crates(&self) -> String {
        format!("{} may use of {}: {}", self.0, GUARDED.join(", "), listed(self.2))
    }
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() { "nothing".into() } else { names.join(", ") }
}

#[test]
fn the_table_names_only_its_own_rows() {
    for Row(module, ours, crates) in TABLE {
        for name in *ours {
            let top = name.split("::").next().unwrap();
            assert!(*name == "*" || row(top).is_some(), "the row of {module} names {name}, which has no row");
        }
        assert!(
            crates.iter().all(|name| GUARDED.contains(name)),
            "the row of {module} names a crate nobody guards"
        );
    }
}

#[cfg(test)]
fn reported(path: &str, text: &str) -> Vec<String> {
    wrong_way(&[Source::new(path, text)]).iter().map(ToString::to_string).collect()
}

#[test]
fn an_import_to_the_left_is_reported_where_it_stands() {
    let found =
        reported("src/storage/memories.rs", "use crate::domain::memory;\n\nuse crate::{clock, lane::Lane};");
    let rule = "storage may import of the crate: domain, clock, telemetry";
    assert_eq!(found, [format!("src/storage/memories.rs:3: crate::lane::Lane: {rule}")]);
}

#[test]
fn every_way_to_write_a_wrong_import_is_reported() {
    for (path, text) in [
        ("src/domain/forget.rs", "use super::super::storage::Tx;"),
        ("src/domain.rs", "use super::clock;"),
        ("src/domain/mod.rs", "mod tests { use super::super::clock::Clock; }"),
        ("src/domain/memory.rs", "use crate as root;"),
        ("src/domain/memory.rs", "use crate::*;"),
        ("src/domain/memory.rs", "use super::super::*;"),
        ("src/domain/memory.rs", "fn f(at: crate::clock::Time) {}"),
        ("src/domain/memory.rs", "#[derive(sqlx::FromRow)] struct M;"),
        ("src/domain/memory.rs", "use ::tokio_util::sync::CancellationToken;"),
        ("src/domain/memory.rs", "extern crate prost;"),
        ("src/storage/tx.rs", "use tonic::Status;"),
        ("src/lane/batch.rs", "use {std::fmt, sqlx::PgPool};"),
        ("src/ops/forget.rs", "use crate::proto::ForgetRequest;"),
        ("src/layers/auth.rs", "use crate::rpc::{status, convert};"),
        ("src/rpc/lifecycle.rs", "use crate::layers::auth::Keys;"),
        ("src/cli/audit.rs", "sqlx::query!(\"SELECT 1\");"),
        ("src/embedded.rs", "use crate::config::Config;"),
    ] {
        assert_eq!(reported(path, text).len(), 1, "{path}: {text}");
    }
}

#[test]
fn a_right_import_passes() {
    for (path, text) in [
        ("src/domain/forget.rs", "use super::hold::Hold; use crate::domain::memory; use std::fmt;"),
        ("src/layers/shed.rs", "use crate::rpc::status::render; use super::context; use tower::Layer;"),
        (
            "src/rpc/convert/forget.rs",
            "use crate::layers::context::Context; pub(crate) fn f() {} // crate::storage",
        ),
        ("src/app.rs", "use crate::{lane, rpc, storage::{self, Store}}; use sqlx::PgPool;"),
        ("src/main.rs", "use memory_lifecycle::cli; fn main() { cli::run() }"),
    ] {
        assert_eq!(reported(path, text), Vec::<String>::new(), "{path}: {text}");
    }
}

#[test]
fn a_module_without_a_row_is_reported() {
    let files = ["src/storge/tx.rs", "src/util.rs", "src/domain/util.rs", "tests/it/main.rs"]
        .map(|path| Source::new(path, ""));
    assert_eq!(unknown_modules(&files).len(), 2);
}
