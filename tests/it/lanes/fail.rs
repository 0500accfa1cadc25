//! A command that fails whatever batch it is in fails alone.

use memory_lifecycle::domain::command::Command;
use memory_lifecycle::lane::Failure;

use super::assert_log_explains_rows;
use super::direct::{self, Direct, command, remember};
use crate::harness::Database;

/// No transaction can save a memory of this name.
const POISON: &str = "
    CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'poison' USING ERRCODE = 'check_violation'; END $$;
    CREATE TRIGGER poison BEFORE INSERT ON memories FOR EACH ROW WHEN (NEW.memory_id LIKE 'poison%')
    EXECUTE FUNCTION poison()";

async fn with_poison() -> (Database, Direct) {
    let database = Database::migrated().await;
    database.execute(POISON).await;
    let lanes = Direct::start(&database, direct::one_lane()).await;
    (database, lanes)
}

#[tokio::test]
async fn a_command_that_poisons_its_batch_fails_alone() {
    let (database, lanes) = with_poison().await;
    let tenants = ["one", "two", "three"];
    let mut commands: Vec<Command> =
        (0..30).map(|number| command(tenants[number % 3], remember(&format!("memory-{number}")))).collect();
    commands.insert(10, command("two", remember("poison")));
    for (number, answer) in lanes.together(&database, commands).await.into_iter().enumerate() {
        if number == 10 {
            assert_eq!(answer.unwrap_err(), Failure::Internal);
        } else {
            answer.unwrap();
        }
    }
    assert_log_explains_rows(&database).await;
    let saved: i64 = database.value("SELECT count(*) FROM memories WHERE tenant_id <> 'sentinel'").await;
    assert_eq!(saved, 30);
    lanes.close().await;
}

/// How many transactions saved the memories of this name.
async fn transactions(database: &Database, id: &str) -> i64 {
    let mut connection = database.superuser().await;
    sqlx::query_scalar("SELECT count(DISTINCT xmin::text) FROM audit_records WHERE memory_id = $1")
        .bind(id)
        .fetch_one(&mut connection)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_tenant_that_keeps_failing_gets_batches_of_its_own_until_it_does_well() {
    let (database, lanes) = with_poison().await;
    for round in 0..3 {
        let id = format!("memory-{round}");
        let commands = vec![
            command("failing", remember(&id)),
            command("failing", remember("poison")),
            command("failing", remember(&format!("after-{round}"))),
            command("other", remember(&id)),
        ];
        let answers = lanes.together(&database, commands).await;
        assert_eq!(answers.iter().filter(|answer| answer.is_err()).count(), 1);
    }
    let pair = |id| vec![command("failing", remember(id)), command("other", remember(id))];
    lanes.together(&database, pair("apart")).await;
    assert_eq!(transactions(&database, "apart").await, 2, "others do not pay for it any more");
    lanes.together(&database, pair("together")).await;
    assert_eq!(transactions(&database, "together").await, 1, "it did well, and is trusted again");
    lanes.close().await;
}
