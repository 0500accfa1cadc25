//! Metadata that says unclearly who calls, or for how long.

use memory_lifecycle::proto::v1::ListMemoriesRequest;
use prost::Message;
use tonic::metadata::{MetadataKey, MetadataMap, MetadataValue};

use super::CANARY;
use crate::calls::stage::{INVALID_FIELD, Stage, assert_well_told};
use crate::calls::wire::{self, LIST_MEMORIES, METHODS};
use crate::harness::{reason, violations};

fn metadata(entries: &[(&'static str, &[u8])]) -> MetadataMap {
    let mut metadata = MetadataMap::new();
    for (key, value) in entries {
        let value = MetadataValue::try_from(*value).unwrap();
        metadata.append(MetadataKey::from_static(key), value);
    }
    metadata
}

#[tokio::test]
async fn unclear_metadata_is_refused_by_every_method_and_named() {
    let mut stage = Stage::furnished().await;
    let long = "a".repeat(129);
    let canary_tenant = format!("{CANARY}/");
    let cases: Vec<(&'static str, &[u8])> = vec![
        ("x-tenant-id", b""),
        ("x-tenant-id", b"   "),
        ("x-tenant-id", b"a b"),
        ("x-tenant-id", b"%"),
        ("x-tenant-id", "caf\u{e9}".as_bytes()),
        ("x-tenant-id", long.as_bytes()),
        ("x-tenant-id", canary_tenant.as_bytes()),
        ("x-agent-id", b""),
        ("x-agent-id", b"  "),
        ("x-agent-id", "caf\u{e9}".as_bytes()),
        ("x-agent-id", long.as_bytes()),
        ("x-agent-id", b"system:expiry"),
        ("x-agent-id", b"system:canary-4f1d"),
        ("x-admin", b""),
        ("x-admin", b"TRUE"),
        ("x-admin", b"1"),
        ("x-admin", b"yes"),
        ("x-admin", b"canary-4f1d"),
        ("grpc-timeout", b"1"),
        ("grpc-timeout", b"S"),
        ("grpc-timeout", b"-1S"),
        ("grpc-timeout", b"123456789S"),
    ];
    for (key, value) in cases {
        for path in METHODS {
            refused(&stage, path, metadata(&[(key, value)]), &[key]).await;
        }
    }
    stage.tables.assert_unchanged("calls with unclear metadata").await;
}

#[tokio::test]
async fn a_repeated_key_is_refused_even_when_both_say_the_same() {
    let mut stage = Stage::furnished().await;
    for (key, value) in [
        ("x-tenant-id", &b"default"[..]),
        ("x-agent-id", b"default"),
        ("x-admin", b"false"),
        ("grpc-timeout", b"9S"),
    ] {
        refused(&stage, LIST_MEMORIES, metadata(&[(key, value), (key, value)]), &[key]).await;
    }
    let all = [("x-admin", &b"no"[..]), ("x-agent-id", b""), ("x-tenant-id", b"")];
    refused(&stage, LIST_MEMORIES, metadata(&all), &["x-tenant-id", "x-agent-id", "x-admin"]).await;
    stage.tables.assert_unchanged("calls with repeated metadata").await;
}

#[tokio::test]
async fn without_metadata_the_caller_is_the_default_one_without_rights() {
    let stage = Stage::furnished().await;
    let request = ListMemoriesRequest { show_archived: true, ..ListMemoriesRequest::default() };
    let answer =
        wire::call(&stage.server.channel, MetadataMap::new(), LIST_MEMORIES, request.encode_to_vec()).await;
    let answer: memory_lifecycle::proto::v1::ListMemoriesResponse = wire::read(&answer.unwrap());
    let ids: Vec<_> = answer.memories.iter().map(|memory| memory.memory_id.as_str()).collect();
    assert_eq!(ids, ["stored", "kept"]);
}

async fn refused(stage: &Stage, path: &'static str, metadata: MetadataMap, fields: &[&str]) {
    let status =
        wire::call(&stage.server.channel, metadata, path, Vec::new()).await.map(|_| ()).expect_err(path);
    assert_eq!(reason(&status), INVALID_FIELD, "{path} {fields:?}");
    assert_eq!(violations(&status), fields, "{path}");
    assert_well_told(path, &status);
}
