//! Every predicate that keeps a statement in its tenant or in its caller's reach matters: with any one of them taken out,
//! on the way to Postgres, a test of this folder fails. So these controls need no build of their own. With
//! `MEMORY_LIFECYCLE_TEST_STATEMENTS=get_memory,load_memories` only those statements' predicates are taken out.

use std::path::Path;

use futures_util::FutureExt;
use regex::Regex;
use sqlx::{AssertSqlSafe, PgConnection};

use super::scene::Scene;
use super::{compare, twins};
use crate::harness::{Database, scaled};

/// A statement with one predicate less.
#[derive(Debug)]
struct Weakened {
    name: String,
    text: String,
    without: String,
    predicate: String,
}

/// What a predicate looks like, and what stands in its place when it is taken out.
const PREDICATES: [(&str, &str); 4] = [
    (r"(\w+\.)?tenant_id = (\$\d+|\w+\.tenant_id)", "true"),
    (r"tenant_id = ANY \(\$1::text\[\]\)", "true"),
    (r"USING \(tenant_id, ", "USING ("),
    (
        r"(\$\d+::text|wanted\.reach) IS NULL\s+OR (\(m\.agent|m\.agent_id|agent_id|\(s\.agent|\(archived\.agent|EXISTS|o\.principal|\(a\.kind)",
        "true OR $2",
    ),
];

/// Predicates that no answer depends on, and why.
const WITHOUT_EFFECT: &[(&str, &str, &str)] = &[
    (
        "due_tenants",
        "",
        "asks across tenants whether there is something to do; what is done is done in one of them",
    ),
    (
        "list_memories_of_tenant",
        "$2::text",
        "whoever names an agent is answered by the statement for one agent, so it is always null",
    ),
    ("without_fingerprint", "", "asks across tenants what has no fingerprint"),
    (
        "load_changed_since",
        "tenant_id = $1",
        "more labels would be looked for, of which only the tenant's own memories are found",
    ),
];

fn all() -> Vec<Weakened> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/storage/sql");
    let mut found = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for path in files {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let body = text.lines().take_while(|line| line.starts_with("--")).map(|line| line.len() + 1).sum();
        for (pattern, instead) in PREDICATES {
            let pattern = Regex::new(pattern).unwrap();
            for part in pattern.captures_iter(&text[body..]) {
                let whole = part.get(0).unwrap();
                let mut replacement = String::new();
                part.expand(instead, &mut replacement);
                let (begin, end) = (body + whole.start(), body + whole.end());
                let without = format!("{}{replacement}{}", &text[..begin], &text[end..]);
                found.push(Weakened {
                    name: name.clone(),
                    text: text.clone(),
                    without,
                    predicate: format!("{} at {begin}", whole.as_str()),
                });
            }
        }
    }
    found
}

/// Fails unless Postgres takes the weakened statement: one that cannot run would be noticed for nothing.
async fn assert_runs(weakened: &Weakened, connection: &mut PgConnection) {
    let parameter = Regex::new(r"(?m)^-- \$\d+ (\S+) = ").unwrap();
    let types: Vec<&str> =
        parameter.captures_iter(&weakened.text).map(|parts| parts.get(1).unwrap().as_str()).collect();
    let prepare = format!("PREPARE weakened ({}) AS {}", types.join(", "), weakened.without);
    for statement in [prepare, "DEALLOCATE weakened".to_owned()] {
        let done = sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *connection).await;
        done.unwrap_or_else(|error| panic!("{weakened:?}: {error}"));
    }
}

/// Whether a test fails with the weakened statement in the place of the real one.
async fn is_noticed(weakened: &Weakened) -> bool {
    for which in 0..4 {
        let scene = Scene::new().await;
        scene.proxy.replace(&weakened.text, &weakened.without);
        let checked = std::panic::AssertUnwindSafe(async {
            match which {
                0 => twins::check(&scene).await,
                1 => compare::check_operations(&scene).await,
                2 => compare::check_names(&scene).await,
                _ => compare::check_memories(&scene).await,
            }
        });
        if checked.catch_unwind().await.is_err() {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn no_predicate_can_be_taken_out_unnoticed() {
    let all = all();
    assert!(all.len() > 50, "the predicates were found: {}", all.len());
    // All of them, or an even sample.
    let step = (all.len() / scaled(all.len(), 3)).max(1);
    let only = std::env::var("MEMORY_LIFECYCLE_TEST_STATEMENTS").unwrap_or_default();
    let database = Database::migrated().await;
    let mut connection = database.superuser().await;
    for weakened in &all {
        assert_runs(weakened, &mut connection).await;
    }
    let mut unnoticed = Vec::new();
    for weakened in all.iter().step_by(step) {
        let exempt = WITHOUT_EFFECT
            .iter()
            .any(|(name, predicate, _)| *name == weakened.name && weakened.predicate.starts_with(predicate));
        if !only.is_empty() && !only.split(',').any(|name| name == weakened.name) {
            continue;
        }
        if !exempt && !is_noticed(weakened).await {
            unnoticed.push(format!("{}: {}", weakened.name, weakened.predicate));
        }
    }
    assert!(unnoticed.is_empty(), "taken out unnoticed:\n{}", unnoticed.join("\n"));
}
