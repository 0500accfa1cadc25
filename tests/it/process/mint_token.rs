//! `dev mint-token`: a token of one's own `dev`, for trying the real thing.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::program::{Ended, channel, run};
use super::started::Dev;
use crate::embedded::kept;
use crate::harness::caller::Identity;
use crate::harness::{Caller, reason};

async fn mint(folder: &Path, more: &[&str]) -> Ended {
    let folder = folder.to_str().unwrap();
    run(&[&["dev", "mint-token", "--data-dir", folder], more].concat()).await
}

/// The token that was printed, alone on a line.
fn token(ended: &Ended) -> String {
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    let [token] = ended.out.lines().collect::<Vec<_>>()[..] else { panic!("one line: {ended:?}") };
    assert_eq!(token.split('.').count(), 3, "{token}");
    token.to_owned()
}

/// Whoever sends a token, and says in its metadata that it is somebody else.
fn holder(dev: &Dev, token: String) -> Caller {
    let lie = Identity { admin: true, ..Identity::of("elsewhere", "somebody") };
    Caller::with(channel(dev.address), Identity { token: Some(token), ..lie })
}

#[tokio::test]
async fn prints_a_token_that_dev_accepts_for_what_it_says() {
    let (_guard, folder) = kept();
    let dev = Dev::start(Some(&folder)).await;
    let key = std::fs::metadata(folder.join("token-signing.key")).unwrap();
    assert_eq!(key.permissions().mode() & 0o777, 0o600, "nobody else may sign");

    let usual = holder(&dev, token(&mint(&folder, &[]).await));
    assert_eq!(usual.remember("first", "Likes oat milk").await.unwrap().agent_id, "default");
    usual.audit_records().await.expect("all may be done but what takes memory:admin");

    let named = ["--tenant", "acme", "--agent", "support-bot", "--principal", "alice"];
    let all = holder(&dev, token(&mint(&folder, &named).await));
    assert_eq!(all.remember("first", "Likes tea").await.unwrap().agent_id, "support-bot");
    let record = all.audit_records().await.unwrap().remove(0);
    assert_eq!((record.principal_id.as_str(), record.agent_id.as_str()), ("alice", "support-bot"));

    let reading = [&named[..], &["--capability", "memory:read,audit:read"]].concat();
    let reader = holder(&dev, token(&mint(&folder, &reading).await));
    assert_eq!(reader.get("first").await.unwrap().content, "Likes tea");
    assert_eq!(reason(&reader.remember("second", "x").await.unwrap_err()), "CAPABILITY_MISSING");

    dev.program.terminate().await;
    let minted_meanwhile = token(&mint(&folder, &named).await);
    let again = Dev::start(Some(&folder)).await;
    holder(&again, minted_meanwhile).get("first").await.expect("the folder keeps its signing key");
    again.program.terminate().await;
}

#[tokio::test]
async fn without_a_dev_that_ever_ran_there_it_says_so() {
    let (_guard, folder) = kept();
    let ended = mint(&folder, &[]).await;
    assert_eq!((ended.code(), ended.out.as_str()), (Some(1), ""), "{ended:?}");
    let words = format!("{} is the folder of no `dev` that ever ran: start it once", folder.display());
    assert!(ended.err.contains(&words), "{}", ended.err);
    assert!(!folder.exists(), "and nothing is made there");
}

#[tokio::test]
async fn a_token_for_nobody_is_not_made() {
    let (_guard, folder) = kept();
    std::fs::create_dir(&folder).unwrap();
    let key = folder.join("token-signing.key");
    std::fs::write(&key, "07".repeat(32)).unwrap();
    for wrong in [
        ["--tenant", "a/b"],
        ["--agent", "system:expiry"],
        ["--principal", "system:x"],
        ["--capability", "memory:everything"],
        ["--lifetime", "0s"],
    ] {
        let ended = mint(&folder, &wrong).await;
        assert_eq!((ended.code(), ended.out.as_str()), (Some(2), ""), "{ended:?}");
        assert!(ended.err.contains(wrong[0]), "{}", ended.err);
    }
    token(&mint(&folder, &[]).await);
    std::fs::write(&key, "hush-hush").unwrap();
    let ended = mint(&folder, &[]).await;
    assert_eq!((ended.code(), ended.out.as_str()), (Some(1), ""), "{ended:?}");
    assert!(ended.err.contains("token-signing.key does not hold 64 hexadecimal digits"), "{}", ended.err);
    assert!(!ended.err.contains("hush"), "{}", ended.err);
}
