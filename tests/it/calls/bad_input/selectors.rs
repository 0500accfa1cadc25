//! Exactly one of several fields, and fields of which another call has the use.

use memory_lifecycle::proto::v1::{
    ForgetRequest, GetOperationRequest, ImportItem, ImportMemoriesRequest, PreviewRequest, RestoreRequest,
    Selector,
};

use crate::calls::stage::{INVALID_FIELD, Stage, texts};
use crate::calls::wire::{FORGET, GET_OPERATION, IMPORT, PREVIEW, RESTORE};

const UUID: &str = "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e";

fn forget(selector: Option<Selector>) -> ForgetRequest {
    ForgetRequest { selector, ..ForgetRequest::default() }
}

fn preview(selector: Option<Selector>) -> PreviewRequest {
    PreviewRequest { selector, ..PreviewRequest::default() }
}

#[tokio::test]
async fn none_is_required_and_two_are_a_conflict() {
    let mut stage = Stage::furnished().await;
    for selector in [None, Some(Selector::default())] {
        stage.refused(FORGET, &forget(selector.clone()), "SELECTOR_REQUIRED", &[]).await;
        stage.refused(PREVIEW, &preview(selector), "SELECTOR_REQUIRED", &[]).await;
    }
    let both =
        Selector { memory_id: Some("kept".to_owned()), memory_ids: texts(&["kept"]), ..Selector::default() };
    let status = stage.refused(FORGET, &forget(Some(both.clone())), "SELECTOR_CONFLICT", &[]).await;
    assert!(status.message().contains("selector.memory_id, selector.memory_ids"), "{}", status.message());
    stage.refused(PREVIEW, &preview(Some(both)), "SELECTOR_CONFLICT", &[]).await;

    stage.refused(RESTORE, &RestoreRequest::default(), "SELECTOR_REQUIRED", &[]).await;
    let both = RestoreRequest {
        memory_ids: texts(&["stored"]),
        operation_id: Some(UUID.to_owned()),
        ..RestoreRequest::default()
    };
    stage.refused(RESTORE, &both, "SELECTOR_CONFLICT", &[]).await;

    stage.refused(GET_OPERATION, &GetOperationRequest::default(), "SELECTOR_REQUIRED", &[]).await;
    let both = GetOperationRequest { operation_id: Some(UUID.to_owned()), request_id: Some(UUID.to_owned()) };
    stage.refused(GET_OPERATION, &both, "SELECTOR_CONFLICT", &[]).await;
}

#[tokio::test]
async fn present_but_empty_is_a_fault_and_never_unset() {
    let mut stage = Stage::furnished().await;
    for empty in ["", "   "] {
        let selector = || Some(Selector { memory_id: Some(empty.to_owned()), ..Selector::default() });
        stage.refused(FORGET, &forget(selector()), INVALID_FIELD, &["selector.memory_id"]).await;
        stage.refused(PREVIEW, &preview(selector()), INVALID_FIELD, &["selector.memory_id"]).await;
        // Beside another one it is a fault still, not the absence of one.
        let with_ids = || Some(Selector { memory_ids: texts(&["kept"]), ..selector().unwrap() });
        stage.refused(PREVIEW, &preview(with_ids()), INVALID_FIELD, &["selector.memory_id"]).await;
        let request = RestoreRequest { operation_id: Some(empty.to_owned()), ..RestoreRequest::default() };
        stage.refused(RESTORE, &request, INVALID_FIELD, &["operation_id"]).await;
    }
}

#[tokio::test]
async fn a_forget_takes_no_list_and_a_legacy_import_no_id() {
    let mut stage = Stage::furnished().await;
    let list = Selector { memory_ids: texts(&["kept"]), ..Selector::default() };
    stage.refused(FORGET, &forget(Some(list)), INVALID_FIELD, &["selector.memory_ids"]).await;

    let item = ImportItem { content: "text".to_owned(), ..ImportItem::default() };
    let request = ImportMemoriesRequest {
        import_id: "import".to_owned(),
        items: vec![item],
        legacy: true,
        ..ImportMemoriesRequest::default()
    };
    let identity = stage.admin("default").identity;
    let message = prost::Message::encode_to_vec(&request);
    stage.refused_as(&identity, IMPORT, message, INVALID_FIELD, &["import_id"]).await;
}
