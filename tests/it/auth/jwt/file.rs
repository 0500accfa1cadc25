//! Keys in a file: exchanged while the server runs, and broken.

use std::path::Path;
use std::time::Duration;

use memory_lifecycle::config::{JwtConfig, KeySource};

use super::forge::{ED, Key, claims, jwks};
use super::stage::{Client, Stage, assert_refused, config};
use super::verifier::Verifier;
use crate::process::program::{Program, command};
use crate::process::started::KEY;

const UNKNOWN: &str = "is signed with a key that is not known";
/// Longer than anything here takes.
const LIMIT: Duration = Duration::from_mins(1);

fn config_in(path: &Path) -> JwtConfig {
    JwtConfig { keys: KeySource::File(path.to_owned()), ..config() }
}

/// Waits until the holder's calls are answered as they should be.
async fn until_accepted(client: &Client, wanted: bool) {
    let look = async {
        let mut looks = tokio::time::interval(Duration::from_millis(50));
        while client.get("first").await.is_ok() != wanted {
            looks.tick().await;
        }
    };
    tokio::time::timeout(LIMIT, look).await.expect("the file is read again");
}

#[tokio::test]
async fn a_file_that_changes_is_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("jwks.json");
    std::fs::write(&path, jwks(&[ED])).unwrap();
    let stage = Stage::with(config_in(&path)).await;
    let (old, new) = (ED.token(&claims()), Key::Ed(8).token(&claims()));
    let (old, new) = (stage.client(&old), stage.client(&new));
    old.remember("first").await.unwrap();
    // Written anew beside it and put in its place, as careful programs do.
    let beside = dir.path().join("jwks.json.new");
    std::fs::write(&beside, jwks(&[Key::Ed(8)])).unwrap();
    std::fs::rename(&beside, &path).unwrap();
    until_accepted(&old, false).await;
    new.get("first").await.expect("the new key is known as soon as the old one is not");
    // And written over.
    std::fs::write(&path, jwks(&[ED, Key::Ed(8)])).unwrap();
    until_accepted(&old, true).await;
    new.get("first").await.unwrap();
    stage.server.stop().await;
}

#[tokio::test]
async fn a_file_that_breaks_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("jwks.json");
    std::fs::write(&path, jwks(&[ED])).unwrap();
    let verifier = Verifier::start(config_in(&path)).await;
    let (old, new) = (ED.token(&claims()), Key::Ed(8).token(&claims()));
    let whole = jwks(&[Key::Ed(8)]);
    let much = format!("{whole}{}", " ".repeat(1024 * 1024));
    for broken in
        [Some(""), Some("{"), Some("{\"keys\": []}"), Some(&whole[..whole.len() / 2]), Some(&*much), None]
    {
        match broken {
            Some(text) => std::fs::write(&path, text).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        verifier.hands.pass(Duration::from_secs(30));
        let refused = verifier.ask(&new).await.unwrap_err();
        assert!(refused.contains(UNKNOWN), "{refused}");
        verifier.ask(&old).await.expect("the keys stay");
    }
    std::fs::write(&path, whole).unwrap();
    verifier.hands.pass(Duration::from_secs(30));
    verifier.ask(&new).await.expect("a token that names a new key has the file read at once");
    assert!(verifier.ask(&old).await.unwrap_err().contains(UNKNOWN));
}

#[tokio::test]
async fn a_server_without_its_keys_does_not_start_and_says_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("jwks.json");
    let private = "{\"keys\": [{\"kty\": \"oct\", \"kid\": \"a\", \"k\": \"hush-hush\"}]}";
    for (text, words) in [
        (None, "cannot be read: No such file"),
        (Some(""), "is not a JSON Web Key Set"),
        (Some("hush-hush"), "is not a JSON Web Key Set"),
        (Some("{\"keys\": []}"), "has no key to verify with"),
        (Some(private), "has no key to verify with"),
    ] {
        if let Some(text) = text {
            std::fs::write(&path, text).unwrap();
        }
        let mut command =
            command(&["serve", "--listen", "127.0.0.1:0", "--jwt-issuer", "a", "--jwt-audience", "b"]);
        command.args(["--jwt-algorithms", "EdDSA", "--jwks-file"]).arg(&path);
        command
            .env("DATABASE_URL", "postgres://app@localhost/db")
            .env("MEMORY_LIFECYCLE_TOKEN_KEY", KEY)
            .env("MEMORY_LIFECYCLE_FINGERPRINT_KEY", KEY);
        let ended = Program::start(command).ended().await;
        assert_eq!((ended.code(), ended.out.as_str()), (Some(1), ""), "{ended:?}");
        let said = ended.err.lines().last().unwrap();
        assert!(said.contains(&path.display().to_string()) && said.contains(words), "{text:?}: {said}");
        assert!(!ended.err.contains("hush"), "{}", ended.err);
    }
}

#[tokio::test]
async fn a_refused_token_names_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("jwks.json");
    std::fs::write(&path, jwks(&[ED])).unwrap();
    let stage = Stage::with(config_in(&path)).await;
    let token = Key::Ed(8).token(&claims());
    let status = stage.client(&token).remember("never").await.unwrap_err();
    assert_refused(&status, &token, "unknown", UNKNOWN);
    assert!(!format!("{status:?}").contains("jwks"), "{status:?}");
    stage.stop_unchanged().await;
}
