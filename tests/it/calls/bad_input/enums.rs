//! Numbers that stand for nothing.

use memory_lifecycle::proto::v1::{
    BatchForgetRequest, Filter, ForgetRequest, ListAuditRecordsRequest, PreviewRequest, RememberRequest,
};

use super::filter_refused;
use crate::calls::stage::{INVALID_FIELD, Stage, texts};
use crate::calls::wire::{BATCH_FORGET, FORGET, LIST_AUDIT, PREVIEW, REMEMBER};
use crate::harness::caller::by_id;

#[tokio::test]
async fn an_unknown_mode_is_refused_and_never_guessed() {
    let mut stage = Stage::furnished().await;
    for mode in [3, 99, -1, i32::MAX, i32::MIN] {
        let request = ForgetRequest { selector: by_id("kept"), mode, ..ForgetRequest::default() };
        let status = stage.refused(FORGET, &request, "UNKNOWN_MODE", &[]).await;
        assert!(status.message().contains(&mode.to_string()), "{}", status.message());
        let request = PreviewRequest { selector: by_id("kept"), mode, ..PreviewRequest::default() };
        stage.refused(PREVIEW, &request, "UNKNOWN_MODE", &[]).await;
        let request =
            BatchForgetRequest { memory_ids: texts(&["kept"]), mode, ..BatchForgetRequest::default() };
        stage.refused(BATCH_FORGET, &request, "UNKNOWN_MODE", &[]).await;
    }
}

#[tokio::test]
async fn an_unknown_kind_is_named() {
    let mut stage = Stage::furnished().await;
    for kind in [5, 99, -1] {
        let request = RememberRequest { content: "text".to_owned(), kind, ..RememberRequest::default() };
        stage.refused(REMEMBER, &request, INVALID_FIELD, &["kind"]).await;
    }
    let filter = Filter { kinds: vec![1, 0, 4, 9, -1], ..Filter::default() };
    filter_refused(&mut stage, filter, &["kinds[1]", "kinds[3]", "kinds[4]"]).await;
}

#[tokio::test]
async fn a_state_or_origin_that_cannot_be_filtered_by_is_named() {
    let mut stage = Stage::furnished().await;
    // Erasing (3) is none of this release's; erased (4) has no row.
    let filter = Filter { states: vec![1, 0, 2, 3, 4, 99], ..Filter::default() };
    filter_refused(&mut stage, filter, &["states[1]", "states[3]", "states[4]", "states[5]"]).await;
    for origin in [0, 3, -1] {
        let filter = Filter { origin: Some(origin), ..Filter::default() };
        filter_refused(&mut stage, filter, &["origin"]).await;
    }
}

#[tokio::test]
async fn an_action_that_no_record_has_is_named() {
    let mut stage = Stage::furnished().await;
    let request =
        ListAuditRecordsRequest { actions: vec![0, 1, 8, 12, 99], ..ListAuditRecordsRequest::default() };
    let fields = ["actions[0]", "actions[2]", "actions[4]"];
    stage.refused(LIST_AUDIT, &request, INVALID_FIELD, &fields).await;
}
