//! The `buf.validate` rules in the contract, which clients may check before they send, and the checks by hand in the
//! server say the same. The rules are judged by protovalidate for Python; without it the test says that it was skipped.

mod requests;

use std::io::Write;
use std::process::{Command, Stdio};

use tonic::{Code, Status};

use crate::grpcurl;
use crate::harness::{Database, Server, reason};
use requests::{REQUESTS, Verdict};

const JUDGE: &str = include_str!("judge.py");

#[tokio::test]
async fn the_rules_of_the_contract_and_the_checks_of_the_server_agree() {
    let Some(judged) = judged_by_rules() else {
        eprintln!("skipped: python3 with protovalidate is not here (pip install protovalidate protobuf)");
        return;
    };
    let server = Server::start(&Database::migrated().await).await;
    server.caller().remember("there", "text").await.unwrap();
    let mut found = Vec::new();
    for ((method, json, wanted), fits_rules) in REQUESTS.iter().zip(judged) {
        let command = grpcurl::Command {
            certificates: grpcurl::Certificates::default(),
            data: (*json).to_owned(),
            headers: Vec::new(),
            address: String::new(),
            method: format!("memorylifecycle.v1.{method}"),
        };
        let is_taken = !is_fault(grpcurl::call(server.address, &command).await.err().as_ref());
        let said = match (is_taken, fits_rules) {
            (true, true) => Verdict::Fits,
            (false, false) => Verdict::Refused,
            (false, true) => Verdict::Beyond,
            (true, false) => {
                found.push(format!("{method} {json}: the rules refuse what the server takes"));
                continue;
            }
        };
        if said != *wanted {
            found.push(format!("{method} {json}: wanted {wanted:?}, found {said:?}"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Whether the request itself was at fault, and not what it met.
fn is_fault(status: Option<&Status>) -> bool {
    status
        .is_some_and(|status| status.code() == Code::InvalidArgument && reason(status) != "REQUEST_ID_REUSED")
}

/// Whether each request fits the rules; nothing when there is nobody to judge.
fn judged_by_rules() -> Option<Vec<bool>> {
    let able = Command::new("python3")
        .args(["-c", "import protovalidate, google.protobuf"])
        .stderr(Stdio::null())
        .status();
    if !able.is_ok_and(|status| status.success()) {
        return None;
    }
    let mut descriptors = tempfile::NamedTempFile::new().unwrap();
    descriptors.write_all(memory_lifecycle::proto::FILE_DESCRIPTOR_SET).unwrap();
    let mut judge = Command::new("python3")
        .args(["-c", JUDGE])
        .arg(descriptors.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let requests: Vec<_> = REQUESTS.iter().map(|(method, json, _)| [*method, *json]).collect();
    let mut input = judge.stdin.take().unwrap();
    input.write_all(serde_json::to_string(&requests).unwrap().as_bytes()).unwrap();
    drop(input);
    let output = judge.wait_with_output().unwrap();
    assert!(output.status.success(), "the judge failed");
    let judged: Vec<bool> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(judged.len(), REQUESTS.len());
    Some(judged)
}
