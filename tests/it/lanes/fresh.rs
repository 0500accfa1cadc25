//! A command that waited for its tenant's head is decided on what the holder left, not on what was there when it
//! began to wait.

use memory_lifecycle::proto::v1::{ForgetMode, Outcome};

use super::stranger::Stranger;
use super::{one_lane, until_waiting};
use crate::harness::{Database, Server, reason};

/// What a consistent writer does under the head: archives one memory, erases one, saves one, and moves the head.
const CHANGES: &str = "
    UPDATE memories SET state = 2, version = 4, update_time = now(), forget_time = now(),
                        forget_operation_id = gen_random_uuid()
    WHERE memory_id = 'archived';
    DELETE FROM memory_contents USING memories AS m
    WHERE m.memory_id = 'erased' AND memory_contents.memory_key = m.memory_key;
    DELETE FROM memories WHERE memory_id = 'erased';
    INSERT INTO memories SELECT tenant_id, 6, 'saved', subject_id, agent_id, graph_id, kind, origin, import_id,
                                memory_date, 1, 6, create_time, update_time
    FROM memories WHERE memory_id = 'other';
    INSERT INTO memory_contents SELECT tenant_id, 6, content, metadata, normalized, normalization_version
    FROM memory_contents WHERE memory_key = (SELECT memory_key FROM memories WHERE memory_id = 'other');
    INSERT INTO audit_records
    SELECT tenant_id, sequence + 3, operation_id, memory_id, action, from_state, to_state, principal_id, agent_id,
           reason_digest, channel, request_id, trace_id, commit_time, mode, graph_id, import_id, kind, previous_hash,
           hash
    FROM audit_records WHERE sequence <= 3;
    UPDATE tenants SET head_sequence = 6, last_time = now() WHERE tenant_id = 'default'";

async fn with_three_memories() -> (Database, Server) {
    let database = Database::migrated().await;
    let server = Server::start_with(&database, one_lane()).await;
    for id in ["archived", "erased", "other"] {
        server.caller().remember(id, "content").await.unwrap();
    }
    (database, server)
}

#[tokio::test]
async fn a_waiter_decides_on_what_the_holder_left() {
    let (database, server) = with_three_memories().await;
    let mut holder = Stranger::holding_head(&database, "default").await;
    let caller = server.caller();
    let waiter = tokio::spawn(async move {
        caller.batch_forget(&["archived", "erased", "saved", "other"], ForgetMode::Soft).await
    });
    until_waiting(&database).await;
    holder.run(CHANGES).await;
    holder.let_go().await;
    let answer = waiter.await.unwrap().unwrap();
    let outcomes: Vec<Outcome> =
        answer.results.iter().map(memory_lifecycle::proto::v1::MemoryResult::outcome).collect();
    let expected = [Outcome::AlreadyForgotten, Outcome::NotFound, Outcome::Archived, Outcome::Archived];
    assert_eq!(outcomes, expected);
    assert_eq!(answer.audit.unwrap().first_sequence, 7, "after the holder's records");
}

#[tokio::test]
async fn a_row_that_changed_without_its_head_is_not_written_over() {
    let (database, server) = with_three_memories().await;
    let mut stranger = Stranger(database.superuser().await);
    stranger.run("BEGIN; UPDATE memories SET version = 100 WHERE memory_id = 'other'").await;
    let caller = server.caller();
    let forget = tokio::spawn(async move { caller.forget("other", ForgetMode::Soft).await });
    until_waiting(&database).await;
    stranger.let_go().await;
    assert_eq!(reason(&forget.await.unwrap().unwrap_err()), "INTERNAL");
    let row: Vec<i64> =
        database.value("SELECT ARRAY[version, state] FROM memories WHERE memory_id = 'other'").await;
    assert_eq!(row, [100, 1], "nothing was changed");
    assert_eq!(super::verified_log(&server, &database, "default").await.len(), 3);
}

/// The head's update finds no row, as it would if the head had moved although it was held.
const HEAD_STAYS: &str = "
    CREATE FUNCTION stay() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER stay BEFORE UPDATE ON tenants FOR EACH ROW EXECUTE FUNCTION stay()";

#[tokio::test]
async fn what_does_not_move_its_head_is_not_committed() {
    let (database, server) = with_three_memories().await;
    database.execute(HEAD_STAYS).await;
    let refused = server.caller().forget("other", ForgetMode::Soft).await.unwrap_err();
    assert_eq!(reason(&refused), "INTERNAL");
    let changed: i64 = database.value("SELECT count(*) FROM memories WHERE state <> 1 OR version > 3").await;
    assert_eq!(changed, 0);
    assert_eq!(super::verified_log(&server, &database, "default").await.len(), 3);
}

#[tokio::test]
async fn one_statement_that_locks_and_reads_sees_old_memories_beside_the_new_head() {
    // What the rule guards against, on this very Postgres: were it to see what the holder left, the two statements
    // could be one.
    let (database, _server) = with_three_memories().await;
    let mut holder = Stranger::holding_head(&database, "default").await;
    let mut connection = database.superuser().await;
    let merged = tokio::spawn(async move {
        let row: (i64, Vec<String>) = sqlx::query_as(
            "SELECT t.head_sequence, ARRAY(SELECT m.memory_id || ' ' || m.state FROM memories AS m
                                           WHERE m.tenant_id = t.tenant_id ORDER BY 1)
             FROM tenants AS t WHERE t.tenant_id = 'default' FOR NO KEY UPDATE OF t",
        )
        .fetch_one(&mut connection)
        .await
        .unwrap();
        row
    });
    let waits = "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'";
    super::until(&database, "the merged statement waits", waits).await;
    holder.run(CHANGES).await;
    holder.let_go().await;
    let (head, memories) = merged.await.unwrap();
    assert_eq!(head, 6, "the head that the holder wrote");
    assert_eq!(memories, ["archived 1", "erased 1", "other 1"], "and the memories from before");
}
