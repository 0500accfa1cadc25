//! The tour: every command is read by a shell, called on a fresh server, and its answer compared with what is shown.

use serde_json::{Value, json};
use tonic::Status;

use super::README;
use super::compare::Names;
use super::text::{blocks, section};
use crate::grpcurl;
use crate::harness::{Database, Server};

#[tokio::test]
async fn every_command_gives_what_is_shown() {
    let database = Database::migrated().await;
    let server = Server::start(&database).await;
    let blocks = blocks(section(README, "tour"));
    assert!(
        blocks.len() > 20 && blocks.len().is_multiple_of(2),
        "commands and answers take turns: {}",
        blocks.len()
    );
    let mut names = Names::default();
    for pair in blocks.chunks(2) {
        let [asked, shown] = pair else { unreachable!("chunks of two") };
        assert_eq!(asked.language, "sh", "{}", asked.text);
        let commands = grpcurl::run(&names.in_full(&asked.text));
        let [command] = commands.as_slice() else { panic!("one call a block: {}", asked.text) };
        assert_eq!(command.address, "127.0.0.1:50051", "the address that dev listens on by default");
        let answer = grpcurl::call(server.address, command).await;
        let compared = match (shown.language, answer) {
            ("json", Ok(answer)) => names.compare(&serde_json::from_str(&shown.text).unwrap(), &answer, ""),
            ("text", Err(status)) => names.compare(&error_shown(&shown.text), &error(&status), ""),
            (_, answer) => panic!("{}\nanswered {answer:?}", asked.text),
        };
        if let Err(difference) = compared {
            panic!("README.md shows something else than what comes out.\n{}\n{difference}", asked.text);
        }
    }
    server.stop().await;
}

/// An error as grpcurl prints it.
pub(super) fn error_shown(text: &str) -> Value {
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.trim_start().strip_prefix(name));
        line.unwrap_or_else(|| panic!("{name} in {text}")).trim().to_owned()
    };
    let details: Vec<Value> = text
        .lines()
        .filter_map(|line| line.split_once(")\t"))
        .map(|(_, json)| serde_json::from_str(json).unwrap())
        .collect();
    json!({ "code": field("Code:"), "message": field("Message:"), "details": details })
}

pub(super) fn error(status: &Status) -> Value {
    let details = grpcurl::error(status)["details"].clone();
    json!({ "code": format!("{:?}", status.code()), "message": status.message(), "details": details })
}
