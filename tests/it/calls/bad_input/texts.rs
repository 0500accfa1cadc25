//! Reasons and channels.

use memory_lifecycle::proto::v1::{BatchForgetRequest, ForgetRequest, RestoreRequest, UpdateMemoryRequest};
use prost::Message;

use crate::calls::stage::{CANARY, INVALID_FIELD, Stage, texts};
use crate::calls::wire::{BATCH_FORGET, FORGET, RESTORE, UPDATE};
use crate::harness::caller::by_id;

/// Every method that takes a reason, with this one; those that take a channel too, with that.
fn requests(reason: &str, channel: &str) -> Vec<(&'static str, Vec<u8>)> {
    let (reason, channel) = (reason.to_owned(), channel.to_owned());
    let forget = ForgetRequest {
        selector: by_id("kept"),
        reason: reason.clone(),
        channel: channel.clone(),
        ..ForgetRequest::default()
    };
    let batch = BatchForgetRequest {
        memory_ids: texts(&["kept"]),
        reason: reason.clone(),
        channel: channel.clone(),
        ..BatchForgetRequest::default()
    };
    let restore = RestoreRequest {
        memory_ids: texts(&["stored"]),
        reason: reason.clone(),
        channel: channel.clone(),
        ..RestoreRequest::default()
    };
    let mut requests = vec![
        (FORGET, forget.encode_to_vec()),
        (BATCH_FORGET, batch.encode_to_vec()),
        (RESTORE, restore.encode_to_vec()),
    ];
    if channel.is_empty() {
        let update = UpdateMemoryRequest {
            memory_id: "kept".to_owned(),
            content: Some("other".to_owned()),
            reason,
            ..UpdateMemoryRequest::default()
        };
        requests.push((UPDATE, update.encode_to_vec()));
    }
    requests
}

/// One line with every break of a line and control character in its middle, and blanks only.
fn not_one_line() -> Vec<String> {
    let breaks =
        ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}', '\0', '\u{1b}', '\u{7f}', '\u{9b}'];
    let mut lines: Vec<String> = breaks.iter().map(|end| format!("{CANARY}{end}rest")).collect();
    lines.push(format!("{CANARY}\n"));
    lines.extend([" ", "\t", "\u{a0}", "\u{3000}"].map(str::to_owned));
    lines
}

#[tokio::test]
async fn a_reason_of_more_than_one_line_or_too_long_is_refused() {
    let mut stage = Stage::furnished().await;
    let identity = stage.caller().identity;
    let mut reasons = not_one_line();
    reasons.push(format!("{CANARY}{}", "é".repeat(513 - CANARY.len())));
    for reason in reasons {
        for (path, message) in requests(&reason, "") {
            stage.refused_as(&identity, path, message, INVALID_FIELD, &["reason"]).await;
        }
    }
}

#[tokio::test]
async fn a_channel_of_more_than_one_line_or_too_long_is_refused() {
    let mut stage = Stage::furnished().await;
    let identity = stage.caller().identity;
    let mut channels = not_one_line();
    channels.push(format!("{CANARY}{}", "é".repeat(129 - CANARY.len())));
    for channel in channels {
        for (path, message) in requests("", &channel) {
            stage.refused_as(&identity, path, message, INVALID_FIELD, &["channel"]).await;
        }
    }
}

#[tokio::test]
async fn texts_of_just_the_limit_are_kept_as_they_are() {
    let stage = Stage::furnished().await;
    let (reason, channel) = ("é".repeat(512), "ü".repeat(128));
    let request = ForgetRequest {
        selector: by_id("kept"),
        reason: reason.clone(),
        channel: channel.clone(),
        ..ForgetRequest::default()
    };
    stage.call(FORGET, &request).await.unwrap();
    assert_eq!(stage.caller().get("kept").await.unwrap().forget_reason, reason);
    let records = stage.caller().audit_records().await.unwrap();
    let record = records.last().unwrap();
    assert_eq!((&record.reason, &record.channel), (&reason, &channel));
}
