//! Moments out of range.

use memory_lifecycle::proto::v1::{
    Filter, ImportItem, ImportMemoriesRequest, ImportMemoriesResponse, ListAuditRecordsRequest,
    ListOperationsRequest,
};
use prost::Message;
use prost_types::Timestamp;

use super::filter_refused;
use crate::calls::stage::{INVALID_FIELD, Stage};
use crate::calls::wire::{IMPORT, LIST_AUDIT, LIST_OPERATIONS, read};

/// The last second of the year 9999, and the first of the year 1.
const LAST: i64 = 253_402_300_799;
const FIRST: i64 = -62_135_596_800;

fn out_of_range() -> [Timestamp; 7] {
    [(LAST + 1, 0), (FIRST - 1, 0), (i64::MAX, 0), (i64::MIN, 0), (0, -1), (0, 1_000_000_000), (0, i32::MIN)]
        .map(|(seconds, nanos)| Timestamp { seconds, nanos })
}

#[tokio::test]
async fn a_moment_out_of_range_is_named() {
    let mut stage = Stage::furnished().await;
    for moment in out_of_range() {
        let filter =
            Filter { create_time_from: Some(moment), create_time_to: Some(moment), ..Filter::default() };
        filter_refused(&mut stage, filter, &["create_time_from", "create_time_to"]).await;
        let request = ListOperationsRequest {
            start_time: Some(moment),
            end_time: Some(moment),
            ..ListOperationsRequest::default()
        };
        stage.refused(LIST_OPERATIONS, &request, INVALID_FIELD, &["start_time", "end_time"]).await;
        let request = ListAuditRecordsRequest {
            start_time: Some(moment),
            end_time: Some(moment),
            ..ListAuditRecordsRequest::default()
        };
        stage.refused(LIST_AUDIT, &request, INVALID_FIELD, &["start_time", "end_time"]).await;
    }
}

#[tokio::test]
async fn an_item_created_out_of_range_is_refused_and_at_its_ends_taken() {
    let stage = Stage::new().await;
    let ends = [Timestamp { seconds: FIRST, nanos: 0 }, Timestamp { seconds: LAST, nanos: 999_999_999 }];
    let items: Vec<ImportItem> = out_of_range()
        .into_iter()
        .chain(ends)
        .map(|moment| ImportItem {
            content: "text".to_owned(),
            create_time: Some(moment),
            ..ImportItem::default()
        })
        .collect();
    let request = ImportMemoriesRequest { items, ..ImportMemoriesRequest::default() };
    let identity = stage.admin("mover").identity;
    let answer = stage.call_as(&identity, IMPORT, request.encode_to_vec()).await.unwrap();
    let answer: ImportMemoriesResponse = read(&answer);
    assert_eq!((answer.refused, answer.saved), (7, 2));
    let saved = stage.admin("mover").list_all().await.unwrap();
    let times: Vec<_> = saved.iter().map(|memory| memory.create_time.unwrap()).collect();
    // Kept to the microsecond; newest first.
    assert_eq!(times, [Timestamp { seconds: LAST, nanos: 999_999_000 }, ends[0]]);
}
