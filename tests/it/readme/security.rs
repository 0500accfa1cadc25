//! docs/security.md: what it shows of each credential is done as it stands, with OpenSSL where there is one.

use std::net::SocketAddr;

use super::compare::Names;
use super::text::{Block, blocks, section};
use super::tour::{error, error_shown};
use crate::grpcurl::{Shell, call_in};
use crate::harness::Database;
use crate::process::program::{Program, command};
use crate::process::started::{KEY, listening, url};

const SECURITY: &str = include_str!("../../../docs/security.md");

/// Stands for the program: notes what `serve` is called with, and does everything else.
const PROGRAM: &str = r#"#!/bin/sh
if [ "$1" = serve ]; then printf '%s\n' "$@" >serve; else DATABASE_URL=$OWNER exec "$PROGRAM" "$@"; fi
"#;

/// Whether OpenSSL is here, in a version that makes what the page makes.
#[expect(clippy::print_stderr, reason = "whoever runs the tests must learn what was not tried")]
fn has_openssl() -> bool {
    let version = std::process::Command::new("openssl").arg("version").output();
    let found = version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).starts_with("OpenSSL 3"));
    if !found {
        eprintln!("skipped: no OpenSSL 3 here");
    }
    found
}

/// Does what a section shows: starts the server that it starts, makes its calls, and compares what comes out.
async fn done(name: &str) {
    let database = Database::migrated().await;
    let mut shell = Shell::new();
    shell.install("memory-lifecycle", PROGRAM);
    shell.set("PROGRAM", env!("CARGO_BIN_EXE_memory-lifecycle"));
    shell.set("OWNER", &url("memory_lifecycle_owner", database.name()).await);
    let mut server: Option<(Program, SocketAddr)> = None;
    let blocks = blocks(section(SECURITY, name));
    let mut blocks = blocks.iter().peekable();
    let mut compared = 0;
    let mut names = Names::default();
    while let Some(Block { language, text }) = blocks.next() {
        assert_eq!(*language, "sh", "what is shown follows the call that gives it: {text}");
        let calls = shell.run(text);
        if let Ok(arguments) = std::fs::read_to_string(shell.folder().join("serve")) {
            std::fs::remove_file(shell.folder().join("serve")).unwrap();
            server = Some(started(&shell, &arguments, database.name()).await);
        }
        let Some(shown) = blocks.next_if(|next| next.language != "sh") else {
            assert!(calls.is_empty(), "every call's answer is shown: {text}");
            continue;
        };
        let [call] = calls.as_slice() else { panic!("one call a block: {text}") };
        let (_, address) = server.as_ref().expect("the server is started first");
        assert_eq!(call.address, "127.0.0.1:50051", "the address that serve listens on by default");
        let answer = call_in(shell.folder(), *address, call).await;
        let same = match (shown.language, answer) {
            ("json", Ok(answer)) => names.compare(&serde_json::from_str(&shown.text).unwrap(), &answer, ""),
            ("text", Err(status)) => names.compare(&error_shown(&shown.text), &error(&status), ""),
            (_, answer) => panic!("{text}\nanswered {answer:?}"),
        };
        same.unwrap_or_else(|difference| panic!("the page shows something else.\n{text}\n{difference}"));
        compared += 1;
    }
    assert!(compared > 0, "{name} shows an answer");
    let (server, _) = server.unwrap();
    assert_eq!(server.terminate().await.code(), Some(0));
}

/// The server with these arguments, a line each, and what the page takes for granted.
async fn started(shell: &Shell, arguments: &str, database: &str) -> (Program, SocketAddr) {
    let arguments: Vec<_> = arguments.lines().collect();
    let mut command = command(&arguments);
    command
        .args(["--listen", "127.0.0.1:0", "--log-format", "json"])
        .current_dir(shell.folder())
        .env("DATABASE_URL", url("memory_lifecycle_app", database).await)
        .env("MEMORY_LIFECYCLE_TOKEN_KEY", KEY)
        .env("MEMORY_LIFECYCLE_FINGERPRINT_KEY", KEY);
    let (mut program, address) = listening(command).await;
    program.logged("ready: Postgres is there").await;
    (program, address)
}

#[tokio::test]
async fn a_token_made_by_hand_works_and_does_no_more_than_it_says() {
    if has_openssl() {
        done("jwt").await;
    }
}

#[tokio::test]
async fn an_api_key_is_made_used_and_revoked() {
    done("api-key").await;
}

#[tokio::test]
async fn certificates_made_by_hand_work() {
    if has_openssl() {
        done("certificates").await;
    }
}
