//! What `{:?}` says of all that holds contents, reasons or secrets.

use std::fmt::Debug;

use clap::Parser;
use memory_lifecycle::app::App;
use memory_lifecycle::auth::api_key::ApiKeys;
use memory_lifecycle::auth::jwt::JwtVerifier;
use memory_lifecycle::auth::{Authenticator, Methods};
use memory_lifecycle::clock::Clock;
use memory_lifecycle::config::{Access, Cli, Keys, SecretKey, Serve};
use memory_lifecycle::domain::answer::{Answer, AnswerBody, Kept, Receipt, Shown};
use memory_lifecycle::domain::capability::Capabilities;
use memory_lifecycle::domain::command::{Body, Call, Command, NewMemory, Request, SaltedReason, Update};
use memory_lifecycle::domain::content::{Content, Metadata};
use memory_lifecycle::domain::ids::{GraphId, MemoryId, OperationId, RequestId, TenantId};
use memory_lifecycle::domain::line::Reason;
use memory_lifecycle::domain::memory::{Kind, Lifecycle, Memory, Origin};
use memory_lifecycle::domain::operation::Method;
use memory_lifecycle::domain::principal::{Principal, caller_agent, caller_principal};
use memory_lifecycle::domain::suppression::Fingerprint;
use memory_lifecycle::domain::text::Query;
use memory_lifecycle::ops::PageRequest;
use memory_lifecycle::storage::read_memories::StoredMemory;
use memory_lifecycle::storage::{Store, StoreOptions};
use secrecy::SecretString;
use sqlx::postgres::PgConnectOptions;
use uuid::Uuid;

use super::marked::{CONTENT, JUNK, METADATA_VALUE, Marked, PASSWORD, REASON};
use crate::harness::{issuer, settings};

/// What makes digests unguessable.
const SALT: [u8; 16] = [0xa7; 16];
const DIGEST: [u8; 32] = [0xd3; 32];
const KEY: [u8; 32] = [0xe9; 32];

fn marked() -> Marked {
    let mut marked = Marked::texts();
    for (what, bytes) in [("a salt", &SALT[..]), ("a digest", &DIGEST[..]), ("a token key", &KEY[..])] {
        marked.add_bytes(what, bytes);
    }
    marked
}

fn assert_shows_nothing(what: &str, value: &impl Debug) {
    marked().assert_not_in(what, &format!("{value:?}\n{value:#?}"));
}

fn content() -> Content {
    let metadata = Metadata::from_encoded(METADATA_VALUE.into());
    Content::new(CONTENT.to_owned(), Some(metadata)).unwrap()
}

fn reason() -> Reason {
    Reason::parse(REASON).unwrap().unwrap()
}

fn memory() -> Memory {
    let time = chrono::DateTime::UNIX_EPOCH;
    Memory {
        key: 1,
        id: MemoryId::parse("first").unwrap(),
        subject: None,
        agent: caller_agent("alice").unwrap(),
        graph: GraphId::default_graph(),
        kind: Kind::Memory,
        origin: Origin::Saved,
        import: None,
        date: time.date_naive(),
        lifecycle: Lifecycle::Active,
        version: 1,
        create_time: time,
        update_time: time,
    }
}

fn commands() -> [Command; 2] {
    let call = Call {
        principal: Principal {
            tenant: TenantId::parse("acme").unwrap(),
            agent: caller_agent("alice").unwrap(),
            id: caller_principal("alice").unwrap(),
            capabilities: Capabilities::ALL,
        },
        method: Method::Remember,
        operation_id: OperationId(Uuid::nil()),
        expiry_operation_id: OperationId(Uuid::nil()),
        request: Some(Request { id: RequestId(Uuid::nil()), digest: DIGEST }),
        reason: Some(SaltedReason { text: reason(), salt: SALT }),
        channel: None,
        trace_id: None,
    };
    let Memory { id, graph, kind, .. } = memory();
    let new = NewMemory { id: id.clone(), subject: None, graph, kind, content: content(), date: None };
    let metadata = content().metadata().cloned();
    let update = Update { memory_id: id, etag: None, content: Some(content()), metadata };
    [Command { call: call.clone(), body: Body::Remember(new) }, Command { call, body: Body::Update(update) }]
}

#[test]
fn contents_and_reasons_are_shown_by_their_lengths_only() {
    assert_eq!(format!("{:?}", content()), format!("Content({} bytes, metadata 30 bytes)", CONTENT.len()));
    assert_eq!(format!("{:?}", content().metadata().unwrap()), "Metadata(30 bytes)");
    assert_eq!(format!("{:?}", reason()), format!("Reason({} bytes)", REASON.len()));
}

#[test]
fn what_is_made_of_contents_and_reasons_shows_none() {
    for command in commands() {
        assert_shows_nothing("a command", &command);
    }
    let shown =
        Shown { memory: memory(), content: content(), forget_reason: Some(reason()), suppressed: true };
    assert_shows_nothing("a memory shown", &shown);
    let stored = StoredMemory {
        memory: memory(),
        content: content(),
        forget_reason: Some(reason()),
        suppressed: true,
    };
    assert_shows_nothing("a memory stored", &stored);
    let answer = Answer {
        operation_id: OperationId(Uuid::nil()),
        commit_time: chrono::DateTime::UNIX_EPOCH,
        receipt: Receipt::default(),
        body: AnswerBody::Memory(memory().id, memory().key),
        suppressed: 1,
        lifted: 1,
        kept: vec![Kept { key: 1, words: Query::parse(CONTENT).unwrap(), fingerprint: Fingerprint(DIGEST) }],
        memory: Some(Box::new(shown)),
        suppression_reason: Some(reason()),
        replayed: false,
        validate_only: false,
    };
    assert_shows_nothing("an answer", &answer);
    let page = PageRequest { size: 1, token: JUNK.to_owned(), arguments: DIGEST };
    assert_shows_nothing("a page that is wanted", &page);
}

fn keys() -> Keys {
    Keys { tokens: SecretKey(KEY), fingerprints: SecretKey(KEY) }
}

#[test]
fn what_the_command_line_says_shows_no_secret() {
    let url = format!("postgres://app:{PASSWORD}@localhost/db");
    for words in [
        &["serve", "--api-keys", "--database-url", &url][..],
        &["migrate", "--database-url", &url],
        &["api-key", "list", "--database-url", &url],
        &["api-key", "revoke", PASSWORD, "--database-url", &url],
        &["api-key", "create", "--tenant=a", "--agent=a", "--capability=memory:read", "--database-url", &url],
    ] {
        let cli = Cli::try_parse_from([&["memory-lifecycle"], words].concat()).unwrap();
        assert_shows_nothing(words[0], &cli);
    }
    let database_url = SecretString::from(url);
    let serve = Serve { database_url, keys: keys(), access: Access::default(), server: settings() };
    assert_shows_nothing("what serve works with", &serve);
}

#[tokio::test]
async fn the_parts_of_a_server_show_no_secret() {
    let connect = PgConnectOptions::new_without_pgpass().host("127.0.0.1").port(1).password(PASSWORD);
    assert!(format!("{connect:?}").contains(PASSWORD), "the driver's own would");
    let store = Store::new(&connect, StoreOptions { lane_connections: 1, read_connections: 1 });
    assert_shows_nothing("the store", &store);
    let api_keys = ApiKeys::new(store, Clock::system(), std::time::Duration::from_secs(1));
    let verifier = JwtVerifier::start(issuer::config(), Clock::system()).await.unwrap();
    assert_shows_nothing("what verifies tokens", &verifier);
    let methods = Methods { jwt: Some(verifier), api_keys: Some(api_keys), ..Methods::default() };
    assert_shows_nothing("what finds out who calls", &Authenticator::new(methods));
    let access = || Access {
        jwt: Some(issuer::config()),
        api_keys: Some(std::time::Duration::from_secs(1)),
        ..Access::default()
    };
    assert_shows_nothing("who may call", &access());
    let app = App::build(settings(), &connect, &keys(), access(), Clock::system()).await.unwrap();
    assert_shows_nothing("a server", &app);
}
