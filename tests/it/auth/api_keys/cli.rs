//! `api-key`: the program, as operators run it.

use memory_lifecycle::proto::v1::ListAuditRecordsRequest;
use tonic_health::pb::health_check_response::ServingStatus;

use super::stage::{Holder, Key, LIMIT, alter, server};
use crate::harness::server::SERVICE;
use crate::harness::{Database, reason};
use crate::process::program::{Ended, Program, command};
use crate::process::started::url;

const OWNER: &str = "memory_lifecycle_owner";
const APP: &str = "memory_lifecycle_app";

/// Runs `api-key` on the database as this role.
async fn api_key(database: &Database, role: &str, arguments: &[&str]) -> Ended {
    let mut command = command(&["api-key"]);
    command.args(arguments).env("DATABASE_URL", url(role, database.name()).await);
    command.env("RUST_BACKTRACE", "0");
    Program::start(command).ended().await
}

const ALICE: [&str; 7] =
    ["create", "--tenant", "acme", "--agent", "alice", "--capability", "memory:read,memory:write"];

/// Makes a key, with more arguments.
async fn create(database: &Database, more: &[&str]) -> (Key, Ended) {
    let ended = api_key(database, OWNER, &[&ALICE[..], more].concat()).await;
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    let key = Key::printed(&ended.out);
    (key, ended)
}

/// The words of a key's line in the list; the times of no interest.
async fn listed(database: &Database, key: &Key, more: &[&str]) -> Option<Vec<String>> {
    let ended = api_key(database, OWNER, &[&["list"], more].concat()).await;
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    assert!(ended.out.starts_with("ID  "), "a head, always: {}", ended.out);
    assert!(!ended.out.contains(key.secret()) && !ended.out.contains("mlk_"), "{}", ended.out);
    let line = ended.out.lines().find(|line| line.starts_with(&key.id))?;
    Some(line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect())
}

#[tokio::test]
async fn a_key_is_made_used_listed_and_revoked() {
    let database = Database::migrated().await;
    let more = ["--capability", "audit:read", "--expires-in", "90d", "--principal", "importer"];
    let (key, ended) =
        create(&database, &[&more[..], &["--description", "the nightly import"]].concat()).await;
    assert!(ended.err.contains(&key.id) && ended.err.contains("not shown again"), "{}", ended.err);
    assert!(!ended.err.contains(key.secret()), "{}", ended.err);
    let days: i32 =
        database.value("SELECT extract(day FROM expire_time - create_time)::int FROM api_keys").await;
    assert_eq!(days, 90);
    let cells = listed(&database, &key, &[]).await.unwrap();
    assert_eq!(cells[1..5], ["acme", "alice", "importer", "memory:read,memory:write,audit:read"]);
    assert_eq!(cells[7..], ["-", "active", "the nightly import"]);

    let server = server(&database).await;
    server.until_health(SERVICE, ServingStatus::Serving).await;
    let holder = Holder::of(&server, &key.text);
    holder.remember("first").await.unwrap();
    let page = holder.audit.clone().list_audit_records(ListAuditRecordsRequest::default()).await.unwrap();
    let record = page.into_inner().records.remove(0);
    assert_eq!((record.principal_id.as_str(), record.agent_id.as_str()), ("importer", "alice"));

    let revoked = api_key(&database, OWNER, &["revoke", &key.id]).await;
    assert_eq!(revoked.code(), Some(0), "{revoked:?}");
    assert!(revoked.out.contains(&format!("the API key {} of tenant acme was revoked at 20", key.id)));
    let until_refused = async {
        while holder.get("first").await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, until_refused).await.expect("it is refused in the end");
    assert_eq!(reason(&holder.get("first").await.unwrap_err()), "UNAUTHENTICATED");
    server.stop().await;

    let again = api_key(&database, OWNER, &["revoke", &key.id]).await;
    assert_eq!(again.code(), Some(0), "{again:?}");
    let at = revoked.out.split_once(" revoked at ").unwrap().1.split([';', ' ']).next().unwrap();
    assert!(again.out.contains(&format!("had been revoked at {at} already")), "{}", again.out);
    assert_eq!(listed(&database, &key, &[]).await, None);
    let cells = listed(&database, &key, &["--all"]).await.unwrap();
    assert_eq!(cells[8], "revoked");
    assert!(cells[7].ends_with('Z'), "its last use is shown: {cells:?}");
}

#[tokio::test]
async fn the_list_shows_what_is_asked_for() {
    let database = Database::migrated().await;
    let (active, _) = create(&database, &[]).await;
    let (expired, _) = create(&database, &["--expires-in", "1h"]).await;
    alter(&database, &expired, "create_time = now() - interval '2h', expire_time = now() - interval '1h'")
        .await;
    let cells = listed(&database, &active, &["--tenant", "acme"]).await.unwrap();
    assert_eq!(cells[3], "alice", "the principal is the agent when nothing else is said");
    assert_eq!(cells[6..], ["-", "-", "active", "-"]);
    assert_eq!(listed(&database, &active, &["--tenant", "globex", "--all"]).await, None);
    assert_eq!(listed(&database, &expired, &[]).await, None);
    assert_eq!(listed(&database, &expired, &["--all"]).await.unwrap()[8], "expired");
}

#[tokio::test]
async fn a_key_is_revoked_by_the_whole_of_it_or_what_is_left_of_it_and_not_repeated() {
    let database = Database::migrated().await;
    for cut in [82, 40] {
        let (key, _) = create(&database, &[]).await;
        let revoked = api_key(&database, OWNER, &["revoke", &key.text[..cut]]).await;
        assert_eq!(revoked.code(), Some(0), "{revoked:?}");
        let said = format!("{}{}", revoked.out, revoked.err);
        assert!(said.contains(&key.id) && !said.contains(&key.secret()[..8]), "{said}");
        assert_eq!(listed(&database, &key, &["--all"]).await.unwrap()[8], "revoked");
    }
    let garbled = api_key(&database, OWNER, &["revoke", "mlk_hush-hush_hush-hush"]).await;
    assert_eq!(garbled.code(), Some(1));
    assert!(garbled.err.contains("KEY_ID is neither") && !garbled.err.contains("hush"), "{}", garbled.err);
    let unknown = api_key(&database, OWNER, &["revoke", "aaaaaaaaaaaaaaaa"]).await;
    assert_eq!(unknown.code(), Some(1));
    assert!(unknown.err.contains("there is no API key aaaaaaaaaaaaaaaa"), "{}", unknown.err);
}

#[tokio::test]
async fn what_cannot_be_a_key_is_refused_before_anything_is_asked() {
    let (tenant, agent, read) = (["--tenant", "acme"], ["--agent", "alice"], ["--capability", "memory:read"]);
    let known = "memory:read, memory:write, memory:erase, memory:hold, memory:admin, audit:read";
    for (arguments, words) in [
        ([tenant, agent, ["--capability", "memory:all"]].concat(), known),
        ([tenant, agent, ["--capability", ""]].concat(), "--capability"),
        ([tenant, agent].concat(), "--capability"),
        ([agent, read].concat(), "--tenant"),
        ([tenant, read].concat(), "--agent"),
        ([tenant, ["--agent", "system:expiry"], read].concat(), "must not begin with system:"),
        ([tenant, agent, read, ["--principal", "system:expiry"]].concat(), "must not begin with system:"),
        ([["--tenant", ""], agent, read].concat(), "--tenant"),
        ([["--tenant", " "], agent, read].concat(), "must not be empty or blank"),
        ([["--tenant", "a/b"], agent, read].concat(), "may have only letters"),
        ([tenant, agent, read, ["--expires-in", "soon"]].concat(), "expected a number with s, m, h or d"),
        ([tenant, agent, read, ["--expires-in", "99999d"]].concat(), "at most 36500d"),
        ([tenant, agent, read, ["--description", "a\nb"]].concat(), "one line"),
    ] {
        // Nobody listens there.
        let mut command =
            command(&["api-key", "create", "--database-url", "postgres://o:hush@127.0.0.1:1/db"]);
        command.args(&arguments);
        let ended = Program::start(command).ended().await;
        assert_eq!((ended.code(), ended.out.as_str()), (Some(2), ""), "{arguments:?}: {ended:?}");
        assert!(ended.err.contains(words) && !ended.err.contains("hush"), "{arguments:?}: {}", ended.err);
    }
}

#[tokio::test]
async fn who_may_not_make_keys_is_told_as_whom_to_connect() {
    let database = Database::migrated().await;
    let (key, _) = create(&database, &[]).await;
    for (arguments, what) in [(&ALICE[..], "make API keys"), (&["revoke", &key.id], "revoke API keys")] {
        let ended = api_key(&database, APP, arguments).await;
        assert_eq!((ended.code(), ended.out.as_str()), (Some(1), ""), "{ended:?}");
        for words in ["42501", &format!("the role in DATABASE_URL may not {what}"), "the schema's owner"] {
            assert!(ended.err.contains(words), "{}", ended.err);
        }
    }
    assert_eq!(database.value::<i64>("SELECT count(*) FROM api_keys WHERE revoke_time IS NULL").await, 1);
}

#[tokio::test]
async fn a_database_that_is_not_fit_for_keys_is_said_to_be() {
    let empty = Database::empty().await;
    let older = Database::migrated().await;
    older.execute("UPDATE schema_version SET version = version - 1, oldest_supported = 1").await;
    let newer = Database::migrated().await;
    newer.execute("UPDATE schema_version SET version = version + 1, oldest_supported = version + 1").await;
    for (database, words) in [
        (&empty, "run `memory-lifecycle migrate` first"),
        (&older, "run `memory-lifecycle migrate` first"),
        (&newer, "no longer supports this binary"),
    ] {
        for arguments in [&ALICE[..], &["list"], &["revoke", "aaaaaaaaaaaaaaaa"]] {
            let ended = api_key(database, OWNER, arguments).await;
            assert_eq!((ended.code(), ended.out.as_str()), (Some(1), ""), "{ended:?}");
            assert!(ended.err.contains(words), "{}", ended.err);
        }
    }
    let away = ["--database-url", "postgres://owner:hush-hush@127.0.0.1:1/db"];
    let ended = Program::start(command(&[&["api-key", "list"], &away[..]].concat())).ended().await;
    assert_eq!(ended.code(), Some(1));
    assert!(ended.err.contains("the database is unavailable"), "{}", ended.err);
    assert!(!ended.err.contains("hush"), "{}", ended.err);
}
