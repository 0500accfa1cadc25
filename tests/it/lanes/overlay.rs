//! Commands of one batch see what the ones before them did, and each row is written once.

use memory_lifecycle::domain::answer::{Answer, Outcome};
use memory_lifecycle::domain::command::Command;
use memory_lifecycle::domain::forget::Mode;
use memory_lifecycle::domain::refusal::Refusal;
use memory_lifecycle::lane::Failure;

use super::direct::{self, Direct, command, forget, named, remember, restore};
use crate::harness::Database;

/// Runs commands of one tenant as one batch, and makes sure that it was one.
async fn batch(database: &Database, lanes: &Direct, commands: Vec<Command>) -> Vec<Result<Answer, Failure>> {
    let before: i64 = database.value(TRANSACTIONS).await;
    let answers = lanes.together(database, commands).await;
    let after: i64 = database.value(TRANSACTIONS).await;
    assert_eq!(after - before, 1, "one commit");
    answers
}

const TRANSACTIONS: &str = "SELECT count(DISTINCT xmin::text) FROM operations WHERE tenant_id = 'tenant'";

fn outcome(answer: &Result<Answer, Failure>) -> Option<Outcome> {
    answer.as_ref().unwrap().body.results().first().map(|result| result.outcome)
}

#[tokio::test]
async fn many_commands_on_one_memory_each_see_the_ones_before() {
    let database = Database::migrated().await;
    let lanes = Direct::start(&database, direct::one_lane()).await;
    let bodies = [
        remember("memory"),
        forget("memory", Mode::Soft),
        forget("memory", Mode::Soft),
        restore("memory"),
        forget("memory", Mode::Hard),
        restore("memory"),
        remember("memory"),
        remember("memory"),
    ];
    let commands = bodies.into_iter().map(|body| command("tenant", body)).collect();
    let answers = batch(&database, &lanes, commands).await;
    assert_eq!(outcome(&answers[1]), Some(Outcome::Archived));
    assert_eq!(outcome(&answers[2]), Some(Outcome::AlreadyForgotten));
    assert_eq!(outcome(&answers[3]), Some(Outcome::Restored));
    assert_eq!(outcome(&answers[4]), Some(Outcome::Erased));
    assert_eq!(outcome(&answers[5]), Some(Outcome::NotFound));
    assert_eq!(answers[6].as_ref().unwrap().receipt.first_sequence, 5);
    assert_eq!(answers[7].as_ref().unwrap_err(), &Failure::Refused(Refusal::AlreadyExists));
    let actions: Vec<i16> = database
        .value("SELECT array_agg(action ORDER BY sequence) FROM audit_records WHERE tenant_id = 'tenant'")
        .await;
    assert_eq!(actions, [1, 2, 4, 3, 1]);
    let key: i64 = database.value("SELECT memory_key FROM memories WHERE tenant_id = 'tenant'").await;
    assert_eq!(key, 5, "the memory that was saved last, under a key of its own");
    lanes.close().await;
}

/// Counts rows of request ids that a transaction tried to store, those of failed ones too.
const COUNT_TRIES: &str = "
    CREATE SEQUENCE tries;
    CREATE FUNCTION count_try() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN PERFORM nextval('public.tries'); RETURN NEW; END $$;
    CREATE TRIGGER count_try BEFORE INSERT ON requests FOR EACH ROW EXECUTE FUNCTION count_try()";

#[tokio::test]
async fn a_request_id_that_comes_twice_in_a_batch_is_answered_once_and_repeated() {
    let database = Database::migrated().await;
    let lanes = Direct::start(&database, direct::one_lane()).await;
    lanes.done("tenant", remember("memory")).await;
    database.execute(COUNT_TRIES).await;
    let first = named(command("tenant", forget("memory", Mode::Soft)), 1);
    let second = named(command("tenant", forget("memory", Mode::Soft)), 1);
    let mut other = named(command("tenant", forget("memory", Mode::Hard)), 1);
    other.call.request.as_mut().unwrap().digest = [8; 32];
    let answers = batch(&database, &lanes, vec![first, second, other]).await;
    let (first, second) = (answers[0].as_ref().unwrap(), answers[1].as_ref().unwrap());
    assert!(!first.replayed && second.replayed);
    assert_eq!(first.operation_id, second.operation_id);
    assert_eq!(outcome(&answers[1]), Some(Outcome::Archived), "the answer that was given, not a new one");
    assert_eq!(answers[2].as_ref().unwrap_err(), &Failure::Refused(Refusal::RequestIdReused));
    assert_eq!(database.value::<i64>("SELECT last_value FROM tries").await, 1, "at the first try");
    lanes.close().await;
}

#[tokio::test]
async fn what_is_saved_and_erased_in_a_batch_leaves_records_only() {
    let database = Database::migrated().await;
    let lanes = Direct::start(&database, direct::one_lane()).await;
    let commands =
        vec![command("tenant", remember("memory")), command("tenant", forget("memory", Mode::Hard))];
    batch(&database, &lanes, commands).await;
    let left: (i64, i64, i64) = (
        database.value("SELECT count(*) FROM memories WHERE tenant_id = 'tenant'").await,
        database.value("SELECT count(*) FROM memory_contents WHERE tenant_id = 'tenant'").await,
        database.value("SELECT count(*) FROM audit_records WHERE tenant_id = 'tenant'").await,
    );
    assert_eq!(left, (0, 0, 2));
    lanes.close().await;
}

#[tokio::test]
async fn an_id_is_free_again_within_the_batch_that_erases_it() {
    let database = Database::migrated().await;
    let lanes = Direct::start(&database, direct::one_lane()).await;
    lanes.done("tenant", remember("memory")).await;
    let commands = vec![
        command("tenant", forget("memory", Mode::Hard)),
        command("tenant", remember("memory")),
        command("tenant", forget("memory", Mode::Soft)),
    ];
    for answer in batch(&database, &lanes, commands).await {
        answer.unwrap();
    }
    let row: Vec<i64> = database
        .value("SELECT ARRAY[memory_key, version, state] FROM memories WHERE tenant_id = 'tenant'")
        .await;
    assert_eq!(row, [3, 4, 2]);
    lanes.close().await;
}
