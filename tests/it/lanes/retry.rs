//! Transactions that the database asks to do again are done again, and nobody notices.

use memory_lifecycle::proto::v1::ForgetMode;
use tonic::Code;

use super::{assert_log_explains_rows, one_lane, verified_log};
use crate::harness::{Database, Server, reason};

/// Makes the next `nextval`-counted inserts into the log fail with a code that a table names.
const TRAP: &str = "
    CREATE TABLE trap (code text, times int);
    CREATE SEQUENCE sprung;
    CREATE FUNCTION spring() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    DECLARE trap record;
    BEGIN
        SELECT * INTO trap FROM public.trap;
        IF trap.code IS NOT NULL AND nextval('public.sprung') <= trap.times THEN
            RAISE EXCEPTION 'a secret of the database' USING ERRCODE = trap.code;
        END IF;
        RETURN NULL;
    END $$;
    CREATE TRIGGER spring AFTER INSERT ON audit_records FOR EACH STATEMENT EXECUTE FUNCTION spring()";

async fn with_trap() -> (Database, Server) {
    let database = Database::migrated().await;
    database.execute(TRAP).await;
    let server = Server::start_with(&database, one_lane()).await;
    (database, server)
}

#[tokio::test]
async fn serialization_failures_and_deadlocks_are_retried_unseen() {
    let (database, server) = with_trap().await;
    let caller = server.caller();
    database.execute("INSERT INTO trap VALUES ('40001', 3)").await;
    caller.remember("memory", "content").await.unwrap();
    database.execute("UPDATE trap SET code = '40P01'; ALTER SEQUENCE sprung RESTART").await;
    assert_eq!(caller.forget("memory", ForgetMode::Soft).await.unwrap().archived, 1);
    let sprung: i64 = database.value("SELECT last_value FROM sprung").await;
    assert_eq!(sprung, 4, "three times it failed");
    assert_eq!(verified_log(&server, &database, "default").await.len(), 2, "each was done once");
    assert_log_explains_rows(&database).await;
}

#[tokio::test]
async fn retries_end() {
    let (database, server) = with_trap().await;
    let caller = server.caller();
    database.execute("INSERT INTO trap VALUES ('40001', 1000)").await;
    let status = caller.remember("memory", "content").await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Aborted, "CONFLICT"));
    let sprung: i64 = database.value("SELECT last_value FROM sprung").await;
    assert_eq!(sprung, 5);
    database.execute("TRUNCATE trap").await;
    caller.remember("memory", "content").await.unwrap();
    assert_eq!(verified_log(&server, &database, "default").await.len(), 1);
}

#[tokio::test]
async fn what_fails_for_good_says_nothing_of_the_database() {
    let (database, server) = with_trap().await;
    database.execute("INSERT INTO trap VALUES ('23514', 1000)").await;
    let status = server.caller().remember("memory", "content").await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Internal, "INTERNAL"));
    let said = format!("{status:?}");
    for words in ["secret", "23514", "audit_records", "INSERT", "trigger", "PL/pgSQL"] {
        assert!(!said.contains(words), "{words} in {said}");
    }
    let rows: i64 = database.value("SELECT count(*) FROM memories").await;
    assert_eq!(rows, 0, "nothing is saved without its record");
}
