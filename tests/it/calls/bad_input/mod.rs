//! What a caller can get wrong, field by field: each time a clear error that names it, and nothing changed.

mod enums;
mod identity;
mod ids;
mod limits;
mod lists;
mod memories;
mod pages;
mod selectors;
mod texts;
mod times;
mod undecodable;

use memory_lifecycle::proto::v1::{
    BatchForgetRequest, Filter, ForgetRequest, ListMemoriesRequest, PreviewRequest, Selector,
};
use prost::Message;

use super::stage::{CANARY, INVALID_FIELD, Stage};
use super::wire::{BATCH_FORGET, FORGET, LIST_MEMORIES, PREVIEW};

/// A filter in every request that has one: method, message, and what stands before the names of the filter's fields.
fn with_filter(filter: &Filter) -> [(&'static str, Vec<u8>, &'static str); 4] {
    let selector = Some(Selector {
        memory_id: Some("kept".to_owned()),
        filter: Some(filter.clone()),
        ..Selector::default()
    });
    let forget = ForgetRequest { selector: selector.clone(), ..ForgetRequest::default() };
    let preview = PreviewRequest { selector, ..PreviewRequest::default() };
    let batch = BatchForgetRequest {
        memory_ids: vec!["kept".to_owned()],
        filter: Some(filter.clone()),
        ..BatchForgetRequest::default()
    };
    let list = ListMemoriesRequest { filter: Some(filter.clone()), ..ListMemoriesRequest::default() };
    [
        (FORGET, forget.encode_to_vec(), "selector.filter."),
        (PREVIEW, preview.encode_to_vec(), "selector.filter."),
        (BATCH_FORGET, batch.encode_to_vec(), "filter."),
        (LIST_MEMORIES, list.encode_to_vec(), "filter."),
    ]
}

/// Every request with this filter is refused for just these fields of it.
async fn filter_refused(stage: &mut Stage, filter: Filter, fields: &[&str]) {
    // Whoever may set every field: so that it is the field that is at fault.
    let identity = stage.admin("default").identity;
    for (path, message, prefix) in with_filter(&filter) {
        let fields: Vec<String> = fields.iter().map(|field| format!("{prefix}{field}")).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        stage.refused_as(&identity, path, message, INVALID_FIELD, &fields).await;
    }
}

/// Texts that are no ids of memories, graphs and imports.
fn ill_formed_ids() -> Vec<String> {
    let mut ids: Vec<String> =
        ["  ", "\t", "%", "a b", "a/b", "é", "line\n", "nul\0", "\u{200b}"].map(str::to_owned).to_vec();
    ids.push(format!("{CANARY}\\"));
    ids.push(format!("{CANARY}{}", "a".repeat(129 - CANARY.len())));
    ids
}

/// Texts that are no names of subjects, agents and principals.
fn ill_formed_names() -> Vec<String> {
    let mut names: Vec<String> =
        [" ", "\t", " a", "a ", "a\nb", "a\rb", "a\u{85}b", "a\u{2028}b", "a\u{2029}b", "a\0b", "a\u{7f}b"]
            .map(str::to_owned)
            .to_vec();
    names.push(format!("{CANARY}\n"));
    names.push(format!("{CANARY}{}", "é".repeat(129 - CANARY.len())));
    names
}

/// Texts that are no UUIDs in their usual form.
fn ill_formed_uuids() -> Vec<String> {
    [
        " ",
        CANARY,
        "018f3a5c7c1e7b6a9d2e3f4a5b6c7d8e",
        "{018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e}",
        "urn:uuid:018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e",
        "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8",
        "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8g",
        " 18f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e",
    ]
    .map(str::to_owned)
    .to_vec()
}
