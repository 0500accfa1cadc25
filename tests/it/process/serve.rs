//! `serve`: what it needs, and that each lack is one clear sentence.

use super::program::{Ended, Program, channel, run};
use super::started::{KEY, serve, serve_command, serve_command_on, served_caller as caller, url};
use crate::harness::{Caller, Database, reason};

const APP: &str = "memory_lifecycle_app";

async fn refused(mut command: tokio::process::Command) -> Ended {
    command.env("RUST_BACKTRACE", "0");
    let ended = Program::start(command).ended().await;
    assert_ne!(ended.code(), Some(0), "{ended:?}");
    assert_eq!(ended.out, "");
    ended
}

#[tokio::test]
async fn without_anything_set_it_refuses_and_says_all_that_is_missing() {
    let ended = run(&["serve"]).await;
    assert_eq!((ended.code(), ended.out.as_str()), (Some(1), ""), "{ended:?}");
    for wanted in [
        "the configuration has 4 faults:",
        "DATABASE_URL (or --database-url) is not set",
        "MEMORY_LIFECYCLE_TOKEN_KEY is not set",
        "MEMORY_LIFECYCLE_FINGERPRINT_KEY is not set",
        "nothing says how callers are known",
        "--jwt-issuer",
        "--api-keys",
        "--mtls-identities",
    ] {
        assert!(ended.err.contains(wanted), "{wanted}: {}", ended.err);
    }
}

#[tokio::test]
async fn metadata_is_nobody_to_it() {
    let database = Database::migrated().await;
    let (mut server, address) = serve(&url(APP, database.name()).await).await;
    server.logged("ready: Postgres is there").await;
    for caller in [
        Caller::new(channel(address), "default", "default"),
        Caller::admin(channel(address), "default", "administrator"),
    ] {
        let status = caller.remember("first", "Likes oat milk").await.unwrap_err();
        assert_eq!(reason(&status), "UNAUTHENTICATED");
    }
    assert_eq!(server.terminate().await.code(), Some(0));
}

#[tokio::test]
async fn without_a_token_key_it_refuses() {
    let mut without = serve_command("postgres://app@localhost/db");
    without.env_remove("MEMORY_LIFECYCLE_TOKEN_KEY");
    let ended = refused(without).await;
    assert!(ended.err.contains("MEMORY_LIFECYCLE_TOKEN_KEY is not set: "), "{}", ended.err);
    assert!(ended.err.contains("openssl rand -hex 32"), "{}", ended.err);
}

#[tokio::test]
async fn a_bad_token_key_is_refused_and_not_quoted() {
    for bad in ["", "secret-but-short", &KEY.replace('0', "g"), &format!("{KEY}00")] {
        let mut command = serve_command("postgres://app@localhost/db");
        command.env("MEMORY_LIFECYCLE_TOKEN_KEY", bad);
        let ended = refused(command).await;
        let sentence = "memory-lifecycle: MEMORY_LIFECYCLE_TOKEN_KEY must be exactly 64 hexadecimal digits";
        assert!(ended.err.trim_end().ends_with(sentence), "{}", ended.err);
        assert!(bad.is_empty() || !ended.err.contains(bad), "{}", ended.err);
    }
}

#[tokio::test]
async fn a_bad_database_url_is_refused_without_quoting_the_password() {
    for bad in [
        "postgres://app:hush-hush@localhost:port/db",
        "app:hush-hush@localhost/db",
        "mysql://app:hush-hush@localhost/db",
        "host=localhost password=hush-hush",
        "postgres://app:hush-hush@localhost/db?sslmode=hush-hush",
        "",
    ] {
        let ended = refused(serve_command(bad)).await;
        let sentence = "DATABASE_URL must be of the form postgres://user:password@host:5432/database";
        assert!(ended.err.contains(sentence), "{bad}: {}", ended.err);
        assert!(!ended.err.contains("hush"), "{bad}: {}", ended.err);
    }
}

#[tokio::test]
async fn a_password_is_neither_shown_in_the_help_nor_logged() {
    let mut help = super::program::command(&["serve", "--help"]);
    help.env("DATABASE_URL", "postgres://app:hush-hush@localhost/db");
    let help = Program::start(help).ended().await;
    assert!(help.out.contains("DATABASE_URL") && !help.out.contains("hush"), "{}", help.out);

    let (mut server, _) = serve("postgres://app:hush-hush@127.0.0.1:1/db").await;
    server.logged("not ready: Postgres does not answer").await;
    let ended = server.terminate().await;
    assert_eq!(ended.code(), Some(0), "a server without its database still stops well: {ended:?}");
    assert!(!ended.err.contains("hush"), "{}", ended.err);
}

#[tokio::test]
async fn with_everything_set_on_a_migrated_database_it_serves() {
    let database = Database::migrated().await;
    let (mut server, address) = serve(&url(APP, database.name()).await).await;
    server.logged("ready: Postgres is there").await;
    let saved = caller(address).remember("first", "Likes oat milk").await.unwrap();
    assert_eq!(caller(address).get("first").await.unwrap(), saved);
    let ended = server.terminate().await;
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    assert!(ended.err.contains("\"stopped\""), "{}", ended.err);
}

#[tokio::test]
async fn an_address_in_use_is_refused() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ended = refused(serve_command_on(&address, "postgres://app@localhost/db")).await;
    assert!(ended.err.contains(&format!("cannot listen on {address}: ")), "{}", ended.err);
}

#[tokio::test]
async fn while_its_database_is_away_it_answers_unavailable() {
    let (mut server, address) = serve("postgres://app@127.0.0.1:1/db").await;
    server.logged("not ready: Postgres does not answer").await;
    let status = caller(address).remember("first", "Likes oat milk").await.unwrap_err();
    assert_eq!(reason(&status), "STORE_UNAVAILABLE");
    assert_eq!(server.terminate().await.code(), Some(0));
}
