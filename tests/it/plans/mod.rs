//! Every statement in `src/storage/sql` runs, as the role that runs it, and scans no large table from end to end,
//! whether Postgres plans it for the arguments at hand or once for all.

mod seed;
mod statement;

use memory_lifecycle::storage::pool::POINT_LOOKUPS;
use sqlx::{ConnectOptions, Connection, PgConnection};

use crate::harness::Database;
use statement::Statement;

/// Tables that grow with use. A sequential scan of one is a fault.
const LARGE: [&str; 8] = [
    "memories",
    "memory_contents",
    "audit_records",
    "operations",
    "operation_reasons",
    "requests",
    "tenants",
    "api_keys",
];

/// What the schema's owner runs, by `api-key`: the runtime role may not. A list of every tenant's keys reads them all.
const OF_THE_OWNER: [&str; 3] = ["insert_api_key", "list_api_keys", "revoke_api_key"];
const READS_ALL: &str = "list_api_keys";

/// The lines of a statement's plan that scan a large table sequentially, with the plan's kind.
async fn faults(connection: &mut PgConnection, statement: &Statement) -> Vec<String> {
    let mut faults = Vec::new();
    for mode in ["force_custom_plan", "force_generic_plan"] {
        for line in statement.plan(connection, mode).await {
            let table = line.split("Seq Scan on ").nth(1).and_then(|rest| rest.split(' ').next());
            if table.is_some_and(|table| LARGE.contains(&table)) {
                faults.push(format!("{} ({mode}): {}", statement.name, line.trim()));
            }
        }
    }
    faults
}

#[tokio::test]
async fn no_statement_scans_a_large_table() {
    let database = Database::migrated().await;
    seed::fill(&database).await;
    let statements = Statement::all();
    assert!(statements.len() > 25, "the folder of the statements was found");
    let (mut app, mut owner) = (database.app_connection().await, database.owner().await);
    let mut found = Vec::new();
    for statement in &statements {
        let is_of_the_owner = OF_THE_OWNER.contains(&statement.name.as_str());
        let connection = if is_of_the_owner { &mut owner } else { &mut app };
        let scans = faults(connection, statement).await;
        found.extend(scans.into_iter().filter(|_| statement.name != READS_ALL));
    }
    assert!(found.is_empty(), "sequential scans of large tables:\n{}", found.join("\n"));

    // The control: without the index that it needs, a statement is found out.
    let mut superuser = database.superuser().await;
    let mut transaction = superuser.begin().await.unwrap();
    sqlx::raw_sql("ALTER TABLE memories DROP CONSTRAINT memories_memory_id_key")
        .execute(&mut *transaction)
        .await
        .unwrap();
    let load = statements.iter().find(|statement| statement.name == "load_memories").unwrap();
    let found = faults(&mut transaction, load).await;
    assert!(!found.is_empty(), "a missing index goes unnoticed");
}

/// What the lanes run in a transaction, but for the locks of heads and `load_archived_by`: until Postgres has looked at the
/// table it believes that nearly nothing is archived, and goes through what a tenant has archived.
const OF_LANES: [&str; 9] = [
    "load_memories",
    "load_operation_callers",
    "load_contents",
    "load_graphs",
    "load_requests",
    "delete_memories",
    "update_contents",
    "find_operations",
    "write_log",
];

/// Scans of an index by less than a tenant and a key in it, which are those of a whole tenant.
fn wide_scans(plan: &[String]) -> Vec<&str> {
    let mut is_of_heads = false;
    let mut wide = Vec::new();
    for line in plan {
        if line.contains("Scan ") {
            is_of_heads = line.contains(" on tenants");
        }
        if line.contains("Seq Scan on ")
            || line.contains("Index Cond: ") && !is_of_heads && !line.contains(" AND ")
        {
            wide.push(line.trim());
        }
    }
    wide
}

#[tokio::test]
async fn lanes_look_up_by_keys_in_tables_of_which_there_are_no_statistics() {
    let database = Database::migrated().await;
    seed::fill_some(&database).await;
    let statements = Statement::all();
    let mut lane = database.app().await.options(POINT_LOOKUPS).connect().await.unwrap();
    for name in OF_LANES {
        let statement = statements.iter().find(|statement| statement.name == name).unwrap();
        let plan = statement.plan(&mut lane, "force_generic_plan").await;
        assert!(plan.iter().any(|line| line.contains("Index Cond: ")), "{name} looks nothing up: {plan:#?}");
        assert!(wide_scans(&plan).is_empty(), "{name}: {plan:#?}");
    }
}

#[test]
fn statements_name_their_parameters() {
    for statement in Statement::all() {
        let used = (1..=60).filter(|number| statement.uses(*number)).max().unwrap_or(0);
        assert_eq!(statement.parameters.len(), used, "{}: a line a parameter in its head", statement.name);
    }
}
