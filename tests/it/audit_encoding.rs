//! docs/audit-encoding.md says what is so: its example is recomputed by the service's own code, by the tests' verifier,
//! and by the Python program in it.

use std::io::Write;
use std::process::{Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::DateTime;
use memory_lifecycle::domain::audit::{Action, AuditRecord, GENESIS, Hash, reason_digest};
use memory_lifecycle::domain::forget::{Cause, Mode};
use memory_lifecycle::domain::ids::{
    AgentId, GraphId, MemoryId, OperationId, PrincipalId, RequestId, TenantId,
};
use memory_lifecycle::domain::memory::{Kind, State};
use serde_json::Value;

use crate::harness::{Database, Server};
use crate::readme::text::{blocks, section};

const PAGE: &str = include_str!("../../docs/audit-encoding.md");
const SALT: &str = "000102030405060708090a0b0c0d0e0f";

/// The text of a section's blocks, without spaces and line breaks.
fn compact(name: &str) -> Vec<String> {
    let blocks = blocks(section(PAGE, name));
    blocks.iter().map(|block| block.text.split_whitespace().collect()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// The example's records, oldest first.
fn example() -> Vec<Value> {
    let json: Value = serde_json::from_str(&blocks(section(PAGE, "example:records"))[0].text).unwrap();
    json["records"].as_array().unwrap().iter().rev().cloned().collect()
}

fn read(record: &Value, previous_hash: Hash) -> AuditRecord {
    let text = |name: &str| record[name].as_str();
    let state = |name| match text(name) {
        None => None,
        Some("MEMORY_STATE_ACTIVE") => Some(State::Active),
        Some("MEMORY_STATE_ARCHIVED") => Some(State::Archived),
        Some(other) => panic!("{other}"),
    };
    AuditRecord {
        sequence: text("sequence").unwrap().parse().unwrap(),
        operation_id: OperationId::parse(text("operationId").unwrap()).unwrap(),
        memory_id: MemoryId::parse(text("memoryId").unwrap()).unwrap(),
        action: match text("action").unwrap() {
            "AUDIT_ACTION_REMEMBERED" => Action::Remembered,
            "AUDIT_ACTION_ARCHIVED" => Action::Archived,
            other => panic!("{other}"),
        },
        from: state("fromState"),
        to: state("toState"),
        principal: PrincipalId::parse(text("principalId").unwrap()).unwrap(),
        agent: AgentId::parse(text("agentId").unwrap()).unwrap(),
        cause: text("cause").map(|cause| {
            assert_eq!(cause, "FORGET_CAUSE_CORRECTION");
            Cause::Correction
        }),
        reason_digest: text("reasonDigest").map(|text| STANDARD.decode(text).unwrap().try_into().unwrap()),
        channel: text("channel").map(str::to_owned),
        request_id: text("requestId").map(|text| RequestId::parse(text).unwrap()),
        trace_id: text("traceId").map(str::to_owned),
        commit_time: DateTime::parse_from_rfc3339(text("commitTime").unwrap()).unwrap().to_utc(),
        mode: text("mode").map(|mode| {
            assert_eq!(mode, "FORGET_MODE_SOFT");
            Mode::Soft
        }),
        graph: GraphId::parse(text("graphId").unwrap()).unwrap(),
        import: None,
        suppression: None,
        kind: Kind::Memory,
        previous_hash,
        hash: GENESIS,
    }
}

#[test]
fn the_example_is_what_the_service_computes() {
    let tenant = TenantId::parse("acme").unwrap();
    let mut previous = GENESIS;
    for (record, name) in example().iter().zip(["example:first", "example:second"]) {
        let sealed = read(record, previous).sealed(&tenant);
        assert_eq!(compact(name), [hex(&sealed.encoded(&tenant)), hex(&sealed.hash)]);
        assert_eq!(record["previousHash"], STANDARD.encode(previous));
        assert_eq!(record["hash"], STANDARD.encode(sealed.hash));
        previous = sealed.hash;
    }
}

#[test]
fn the_examples_digest_is_that_of_its_reason() {
    let record = &example()[1];
    let salt: [u8; 16] = std::array::from_fn(|byte| u8::try_from(byte).unwrap());
    assert_eq!(hex(&salt), SALT);
    assert!(PAGE.contains(&format!("`{SALT}`")));
    let digest = reason_digest(&salt, record["reason"].as_str().unwrap());
    assert_eq!(compact("example:digest"), [hex(&digest)]);
    assert_eq!(record["reasonDigest"], STANDARD.encode(digest));
}

/// Runs the page's verifier on a log; what it printed, in the error what it found wrong. None where there is no Python 3.
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn verifier(tenant: &str, log: &str) -> Option<Result<String, String>> {
    let program = &blocks(section(PAGE, "verifier"))[0].text;
    let mut command = Command::new("python3");
    command.args(["-c", program, tenant]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut python) = command.spawn() else {
        println!("skipped: there is no python3 on this machine to run the page's verifier");
        return None;
    };
    python.stdin.take().unwrap().write_all(log.as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    Some(if output.status.success() { Ok(out) } else { Err(err) })
}

#[test]
fn the_pages_verifier_accepts_the_example_and_finds_every_change() {
    let log = &blocks(section(PAGE, "example:records"))[0].text;
    let Some(printed) = verifier("acme", log) else { return };
    assert_eq!(printed.unwrap().trim_end(), blocks(section(PAGE, "verifier:output"))[0].text);
    assert_eq!(verifier("other", log).unwrap().unwrap_err().trim_end(), "the chain breaks at 1");
    let hashed = [
        ("home-town", "home-towm", 1),
        ("AUDIT_ACTION_ARCHIVED", "AUDIT_ACTION_ERASED", 2),
        ("03:05:00Z", "03:05:00.000001Z", 2),
        ("\"chat\"", "\"cats\"", 2),
        ("FORGET_MODE_SOFT", "FORGET_MODE_HARD", 2),
        ("kIL", "kIM", 2),
    ];
    for (from, to, breaks) in hashed {
        let changed = log.replace(from, to);
        assert_ne!(&changed, log, "{from}");
        let found = verifier("acme", &changed).unwrap().unwrap_err();
        assert_eq!(found.trim_end(), format!("the chain breaks at {breaks}"), "{from}");
    }
    let without_text = log.replace("\"reason\": \"moved to Lisbon\",", "");
    assert_ne!(&without_text, log);
    verifier("acme", &without_text).unwrap().unwrap();
}

#[tokio::test]
async fn the_pages_verifier_accepts_a_real_log() {
    let database = Database::migrated().await;
    let server = Server::start(&database).await;
    let caller = server.caller();
    for id in ["first", "second", "third"] {
        caller.remember(id, "Likes oat milk").await.unwrap();
    }
    caller.batch_forget(&["first", "third"], memory_lifecycle::proto::v1::ForgetMode::Soft).await.unwrap();
    caller.forget("second", memory_lifecycle::proto::v1::ForgetMode::Hard).await.unwrap();
    caller.restore(&["first"]).await.unwrap();
    let asked = crate::grpcurl::commands(PAGE);
    let log = crate::grpcurl::call(server.address, &asked[0]).await.unwrap();
    if let Some(printed) = verifier("default", &log.to_string()) {
        assert!(printed.unwrap().starts_with("7 records, intact"));
    }
    server.stop().await;
}
