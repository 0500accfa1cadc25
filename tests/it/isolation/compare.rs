//! What is out of reach and what does not exist, side by side: the bytes of the answers, the statements that were run,
//! the forms of their parameters and the rows that they gave.

use memory_lifecycle::proto::v1::{ForgetMode, MemoryKind, RememberRequest};

use super::exact::{self, Exact};
use super::methods::{Call, on_memory, on_name, on_operation, suppressing};
use super::scene::{ABROAD, AGENT, ANOTHER, HOME, Scene, archive, bring, correct, keep};
use crate::harness::Caller;
use crate::harness::caller::Identity;
use crate::proxy::Ran;

/// As long as the ids of the others, so that replacing one moves nothing.
const UNKNOWN: &str = "memory-of-nobody-at-all";
const UNKNOWN_NAME: &str = "018f3a5c-7c1e-4b6a-9d2e-3f4a5b6c7d8e";
/// The request, the subject and the import of others.
const THEIR_NAME: &str = "5f0c2a9e-3a34-4a55-9d5e-6a1f8f0c7b21";

const OUT_OF_REACH: [&str; 10] = [
    "memory-of-another-agent",
    "memory-of-other-archive",
    "memory-of-other-purging",
    "memory-of-other--erased",
    "memory-of-other-updated",
    "memory-of-foreigners-as",
    "memory-of-foreigners-in",
    "memory-of-settled--fact",
    "memory-of-archived-fact",
    "memory-of-other--hushed",
];
/// The caller's own: erased, and past its purge time.
const OWN: [&str; 2] = ["memory-of-mine---erased", "memory-of-mine--purging"];

/// Fills both tenants; answers operations of others.
async fn fill(scene: &Scene) -> Vec<String> {
    let mine = scene.caller(HOME, AGENT);
    for id in OWN {
        mine.remember(id, "text").await.unwrap();
    }
    mine.remember("kept", "text").await.unwrap();
    mine.forget(OWN[0], ForgetMode::Hard).await.unwrap();
    mine.forget(OWN[1], ForgetMode::Soft).await.unwrap();
    scene.pass_purge_time(HOME, OWN[1]).await;

    let another = scene.caller(HOME, ANOTHER);
    keep(&another, OUT_OF_REACH[0], MemoryKind::Memory, Some(THEIR_NAME)).await;
    for id in &OUT_OF_REACH[1..5] {
        another.remember(id, "text").await.unwrap();
    }
    let mut operations = Vec::new();
    for id in &OUT_OF_REACH[1..3] {
        operations.push(archive(&another, id).await);
    }
    scene.pass_purge_time(HOME, OUT_OF_REACH[2]).await;
    operations.push(another.forget(OUT_OF_REACH[3], ForgetMode::Hard).await.unwrap().operation_id);
    correct(&another, OUT_OF_REACH[4], "corrected").await;
    bring(&another, "brought", THEIR_NAME).await;
    operations.push(hush(&another, OUT_OF_REACH[9]).await);

    // The same agent of another tenant.
    let foreigner = scene.caller(ABROAD, AGENT);
    keep(&foreigner, OUT_OF_REACH[5], MemoryKind::Memory, Some(THEIR_NAME)).await;
    foreigner.remember(OUT_OF_REACH[6], "text").await.unwrap();
    operations.push(archive(&foreigner, OUT_OF_REACH[6]).await);
    bring(&foreigner, "brought", THEIR_NAME).await;
    hush(&foreigner, "hushed").await;
    let named = "UPDATE suppressions SET suppression_id = '5f0c2a9e-3a34-4a55-9d5e-6a1f8f0c7b21'";
    scene.database.execute(named).await;
    // Under the sequences of others' records at home, this agent has records abroad.
    for number in 0..20 {
        foreigner.remember(&format!("filler-{number}"), "text").await.unwrap();
    }

    // Settled facts of the very agent, made by an administrator who is another principal.
    let admin = scene.admin(HOME, "administrator");
    let fact = scene.admin(HOME, AGENT);
    for id in &OUT_OF_REACH[7..9] {
        keep(&fact, id, MemoryKind::Fact, None).await;
    }
    operations.push(archive(&admin, OUT_OF_REACH[8]).await);
    operations
}

/// Has somebody ask never to hear of something again; answers the operation.
async fn hush(caller: &Caller, id: &str) -> String {
    let request = RememberRequest {
        memory_id: id.to_owned(),
        subject_id: THEIR_NAME.to_owned(),
        content: "hush".to_owned(),
        ..RememberRequest::default()
    };
    caller.store.clone().remember(request).await.unwrap();
    let request = suppressing(id, ForgetMode::Soft);
    caller.lifecycle.clone().forget(request).await.unwrap().into_inner().operation_id
}

struct Side {
    exact: Exact,
    ran: Vec<Ran>,
}

async fn side(scene: &Scene, identity: &Identity, call: &Call, id: &str) -> Side {
    let exact = exact::call(&scene.server.channel, identity, call).await.without(id);
    Side { exact, ran: scene.ran().await }
}

/// Makes the calls with both ids, and fails where anything but the id tells them apart.
async fn assert_same(scene: &Scene, made: fn(&str) -> Vec<Call>, unknown: &str, other: &str, whole: bool) {
    assert_eq!(unknown.len(), other.len());
    let identity = scene.caller(HOME, AGENT).identity;
    for (unknown_call, other_call) in made(unknown).into_iter().zip(made(other)) {
        let path = unknown_call.path;
        let wanted = side(scene, &identity, &unknown_call, unknown).await;
        let got = side(scene, &identity, &other_call, other).await;
        assert_eq!(got.exact, wanted.exact, "{path} with {other}");
        if whole {
            assert!(!wanted.ran.is_empty(), "{path}: the proxy hears nothing");
            assert_eq!(got.ran, wanted.ran, "{path} with {other}");
        }
    }
}

pub(super) async fn check_memories(scene: &Scene) {
    fill(scene).await;
    // The first call on each connection does more than the others.
    assert_same(scene, on_memory, UNKNOWN, UNKNOWN, false).await;
    for id in OUT_OF_REACH {
        assert_same(scene, on_memory, UNKNOWN, id, true).await;
    }
    // Nothing is left of what is erased but its audit records, which are the caller's own to see. Meeting what is past its
    // purge time erases it, which is a change of its own.
    let but_audit = |id: &str| {
        on_memory(id).into_iter().filter(|call| !call.path.contains("AuditLog")).collect::<Vec<_>>()
    };
    assert_same(scene, but_audit, UNKNOWN, OWN[0], true).await;
    assert_same(scene, but_audit, UNKNOWN, OWN[1], false).await;
}

pub(super) async fn check_operations(scene: &Scene) {
    let operations = fill(scene).await;
    assert_same(scene, on_operation, UNKNOWN_NAME, UNKNOWN_NAME, false).await;
    for operation in operations {
        assert_same(scene, on_operation, UNKNOWN_NAME, &operation, true).await;
    }
}

pub(super) async fn check_names(scene: &Scene) {
    fill(scene).await;
    assert_same(scene, on_name, UNKNOWN_NAME, UNKNOWN_NAME, false).await;
    assert_same(scene, on_name, UNKNOWN_NAME, THEIR_NAME, true).await;
}

#[tokio::test]
async fn a_memory_out_of_reach_is_looked_for_and_answered_like_an_unknown_one() {
    check_memories(&Scene::new().await).await;
}

#[tokio::test]
async fn operations_of_others_are_looked_for_and_answered_like_unknown_ones() {
    check_operations(&Scene::new().await).await;
}

#[tokio::test]
async fn names_that_others_gave_are_looked_for_and_answered_like_unknown_ones() {
    check_names(&Scene::new().await).await;
}

#[tokio::test]
async fn what_is_in_reach_is_told_apart() {
    // The control: were both sides always the same, the tests above would prove nothing.
    let scene = Scene::new().await;
    fill(&scene).await;
    let identity = scene.caller(HOME, AGENT).identity;
    for (unknown, own) in on_memory("none").iter().zip(on_memory("kept")) {
        if own.path.contains("/Forget") || own.path.contains("BatchForget") {
            continue;
        }
        side(&scene, &identity, unknown, "none").await;
        let unknown = side(&scene, &identity, unknown, "none").await;
        let own_side = side(&scene, &identity, &own, "kept").await;
        assert_ne!(unknown.ran, own_side.ran, "{}", own.path);
    }
}
