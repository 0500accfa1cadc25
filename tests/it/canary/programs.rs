//! What real servers let out, asked to log all they can.

use memory_lifecycle::domain::capability::{Capabilities, Capability};
use memory_lifecycle::proto::v1::GetMemoryRequest;

use super::bad;
use super::drive::{Driver, bearer};
use super::good::{self, remember};
use super::marked::{CREDENTIAL, JUNK, MEMORY_ID, Marked, PASSWORD};
use crate::auth::api_keys::Key;
use crate::calls::wire::{GET_MEMORY, METHODS, REMEMBER};
use crate::harness::{Database, issuer};
use crate::process::program::{Ended, Program, channel, command};
use crate::process::started::{Dev, KEY, dev_command, listening, serve_command, url};

const APP: &str = "memory_lifecycle_app";
const OWNER: &str = "memory_lifecycle_owner";

/// Where a database is, with a password that nobody asks for.
async fn url_with_password(role: &str, database: &Database) -> String {
    url(role, database.name()).await.replace('@', &format!(":{PASSWORD}@"))
}

/// Checks all that a server let out, and that it was asked for a lot.
fn assert_nothing_of(marked: &Marked, ended: &Ended, drivers: &[Driver]) {
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    marked.assert_not_in("standard output", &ended.out);
    marked.assert_not_in("the log", &ended.err);
    // Memories' names, given by the server.
    assert!(!ended.err.contains("mem_"), "{}", ended.err);
    let calls: usize = drivers.iter().map(|driver| driver.calls).sum();
    let logged = ended.err.lines().filter(|line| line.contains("call ended")).count();
    // One went to no service of the contract.
    assert!(logged + drivers.len() >= calls, "{logged} of {calls} calls were logged");
    for method in METHODS {
        assert!(ended.err.contains(method.trim_start_matches('/')), "{method} stands in the log");
    }
    for other in ["h2::", "hyper", "tonic::", "tower::", "sqlx", "rustls"] {
        assert!(!ended.err.contains(other), "{other} is kept out: {}", ended.err);
    }
    for driver in drivers {
        marked.assert_not_in("an answer", &driver.answered);
    }
}

fn assert_met(driver: &Driver, reasons: &[&str]) {
    for reason in reasons {
        assert!(driver.reasons.iter().any(|met| met == reason), "{reason}: {:?}", driver.reasons);
    }
}

const BY_RULE: [&str; 14] = [
    "ALREADY_EXISTS",
    "PROTECTED_KIND",
    "REQUEST_ID_REUSED",
    "MEMORY_NOT_ACTIVE",
    "ETAG_MISMATCH",
    "MEMORY_NOT_FOUND",
    "SELECTOR_REQUIRED",
    "GRAPH_NOT_FOUND",
    "OPERATION_NOT_FOUND",
    "SELECTOR_CONFLICT",
    "UNKNOWN_MODE",
    "CAPABILITY_MISSING",
    "INVALID_FIELD",
    "Unimplemented",
];

#[tokio::test]
async fn a_server_of_dev_lets_nothing_out() {
    let mut command = dev_command(None, "127.0.0.1:0");
    command.args(["--log", "trace"]);
    let dev = Dev::of(command).await;
    let mut marked = Marked::texts();
    for name in ["token.key", "token-signing.key"] {
        let key = std::fs::read_to_string(dev.folder.join(name)).unwrap();
        mark_key(&mut marked, name, key.trim());
    }
    let mut driver = Driver::new(channel(dev.address), Vec::new());
    good::calls(&mut driver).await;
    bad::calls(&mut driver).await;
    bad::strangers(&mut driver, &[]).await;
    bad::odd_callers(&mut driver).await;
    assert_met(&driver, &BY_RULE);
    assert_met(&driver, &["UNAUTHENTICATED"]);
    let ended = dev.program.terminate().await;
    assert_nothing_of(&marked, &ended, &[driver]);
}

/// Marks a key of which the text is the hexadecimal.
fn mark_key(marked: &mut Marked, what: &str, text: &str) {
    assert_eq!(text.len(), 64, "{what}");
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    let bytes: Vec<u8> = (0..64).step_by(2).map(byte).collect();
    marked.add(what, text);
    marked.add_bytes(what, &bytes);
}

#[tokio::test]
async fn a_server_with_tokens_and_keys_lets_nothing_out_while_its_database_fails() {
    let database = Database::migrated().await;
    let mut marked = Marked::texts();
    mark_key(&mut marked, "the token key", KEY);
    let key = made_key(&database, &mut marked).await;
    let token = issuer::token("acme", "alice", Capabilities::ALL.without(Capability::MemoryAdmin));
    let expired = issuer::expired_token("acme", "alice");
    for (what, token) in [("a token", &token), ("an expired token", &expired)] {
        for part in token.split('.').skip(1) {
            marked.add(what, part);
        }
    }
    let wrong = Key::made_up();
    marked.add("a wrong key", wrong.secret());

    let mut serve = serve_command(&url_with_password(APP, &database).await);
    serve.args(["--api-keys", "--log", "trace"]);
    let (mut program, address) = listening(serve).await;
    program.logged("ready: Postgres is there").await;
    let mut with_token = Driver::new(channel(address), bearer(&token));
    let mut with_key = Driver::new(channel(address), bearer(&key.text));
    for driver in [&mut with_token, &mut with_key] {
        good::calls(driver).await;
        bad::calls(driver).await;
        assert_met(driver, &BY_RULE);
    }
    // A signature, or a secret, of another.
    let unsigned = format!("{}.{}", token.rsplit_once('.').unwrap().0, expired.rsplit_once('.').unwrap().1);
    let forged = key.text.replace(key.secret(), wrong.secret());
    let others = [expired, unsigned, forged, wrong.text.clone(), key.text[..key.text.len() - 1].to_owned()];
    bad::strangers(&mut with_token, &others).await;
    assert_met(&with_token, &["UNAUTHENTICATED"]);
    while_the_database_fails(&mut with_key, &database).await;
    let ended = program.terminate().await;
    let drivers = [with_token, with_key];
    assert_nothing_of(&marked, &ended, &drivers);
    assert_met(&drivers[1], &["INTERNAL"]);
    assert!(ended.err.contains("SQLSTATE"), "the faults of the database are logged: {}", ended.err);
}

/// A key as `api-key create` makes it.
async fn made_key(database: &Database, marked: &mut Marked) -> Key {
    let mut create = command(&["api-key", "create", "--tenant", "keys", "--agent", "bob", "--log", "trace"]);
    create.args(["--capability", "memory:read,memory:write,memory:erase,audit:read"]);
    create.env("DATABASE_URL", url_with_password(OWNER, database).await);
    let made = Program::start(create).ended().await;
    assert_eq!(made.code(), Some(0), "{made:?}");
    let key = Key::printed(&made.out);
    marked.add("an API key", key.secret());
    marked.assert_not_in("the log of api-key create", &made.err);
    key
}

/// Postgres says what a memory says, in every way it has.
async fn while_the_database_fails(driver: &mut Driver, database: &Database) {
    const SHOUT: &str = "CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE NOTICE 'it says %', NEW.content;
            RAISE WARNING 'it says %', NEW.content;
            RETURN NEW;
        END $$;
        CREATE TRIGGER shout BEFORE INSERT ON memory_contents FOR EACH ROW EXECUTE FUNCTION shout()";
    const FAIL: &str = "CREATE OR REPLACE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE EXCEPTION 'it says %', NEW.content;
        END $$";
    database.execute(SHOUT).await;
    driver.done(REMEMBER, &remember("shouted")).await;
    database.execute(FAIL).await;
    driver.refused(REMEMBER, &remember("failed")).await;
    // The error's detail has the whole row.
    database.execute("DROP TRIGGER shout ON memory_contents").await;
    database.execute("ALTER TABLE memory_contents ADD CONSTRAINT none CHECK (false) NOT VALID").await;
    driver.refused(REMEMBER, &remember("violated")).await;
    database.execute("ALTER TABLE memory_contents DROP CONSTRAINT none").await;
    let _: i64 = database
        .value(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )
        .await;
    // Answered or refused: a connection that was ended is found out when it is used.
    drop(driver.call(REMEMBER, &remember("after-the-end")).await);
    database.execute("DROP TABLE memory_contents CASCADE").await;
    driver.refused(GET_MEMORY, &GetMemoryRequest { memory_id: "shouted".to_owned() }).await;
    driver.refused(REMEMBER, &remember(MEMORY_ID)).await;
}

#[tokio::test]
async fn a_url_and_a_password_file_that_are_not_right_are_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let pgpass = folder.path().join("pgpass");
    std::fs::write(&pgpass, format!("# for the service\n127.0.0.1:{CREDENTIAL}\n")).unwrap();
    let owner_only = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&pgpass, owner_only).unwrap();
    for url in [
        format!("postgres://app:{PASSWORD}@127.0.0.1:1/db?sslmode=prefer&sslmod={JUNK}"),
        format!("postgres://app@127.0.0.1:1/db?sslmode=prefer&sslmod={JUNK}"),
    ] {
        let mut serve = serve_command(&url);
        serve.args(["--log", "trace"]).env("PGPASSFILE", &pgpass);
        let mut program = Program::start(serve);
        let told = program.logged("DATABASE_URL has a parameter that is not known").await;
        assert!(told.contains("\"parameter\":2"), "{told}");
        program.logged("not ready: Postgres does not answer").await;
        let ended = program.terminate().await;
        assert_eq!(ended.code(), Some(0), "{ended:?}");
        Marked::texts().assert_not_in("the log", &ended.err);
        Marked::texts().assert_not_in("standard output", &ended.out);
    }
}
