//! The calls that name something, made with any id.

use memory_lifecycle::proto::v1::{
    BatchForgetRequest, Filter, ForgetCause, ForgetMode, ForgetRequest, GetMemoryRequest,
    GetOperationRequest, ImportItem, ImportMemoriesRequest, LiftSuppressionRequest, ListAuditRecordsRequest,
    ListMemoriesRequest, ListOperationsRequest, ListSuppressionsRequest, PreviewRequest,
    RecallMemoriesRequest, RememberRequest, RestoreRequest, Scope, Selector, UpdateMemoryRequest,
};
use prost::Message;

use crate::harness::caller::by_id;

/// A method's path and a message for it.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) path: &'static str,
    pub(super) message: Vec<u8>,
}

macro_rules! paths {
    ($($function:ident: $message:ty = $path:literal;)*) => {
        $(pub(super) fn $function(message: &$message) -> Call {
            Call { path: concat!("/memorylifecycle.v1.", $path), message: message.encode_to_vec() }
        })*
    };
}

paths! {
    forget: ForgetRequest = "MemoryLifecycle/Forget";
    batch_forget: BatchForgetRequest = "MemoryLifecycle/BatchForget";
    preview: PreviewRequest = "MemoryLifecycle/Preview";
    restore: RestoreRequest = "MemoryLifecycle/Restore";
    get_operation: GetOperationRequest = "MemoryLifecycle/GetOperation";
    list_operations: ListOperationsRequest = "MemoryLifecycle/ListOperations";
    remember: RememberRequest = "MemoryStore/Remember";
    import: ImportMemoriesRequest = "MemoryStore/ImportMemories";
    get_memory: GetMemoryRequest = "MemoryStore/GetMemory";
    list_memories: ListMemoriesRequest = "MemoryStore/ListMemories";
    update: UpdateMemoryRequest = "MemoryStore/UpdateMemory";
    recall: RecallMemoriesRequest = "MemoryStore/RecallMemories";
    list_suppressions: ListSuppressionsRequest = "Governance/ListSuppressions";
    lift: LiftSuppressionRequest = "Governance/LiftSuppression";
    list_audit: ListAuditRecordsRequest = "AuditLog/ListAuditRecords";
}

pub(super) const MODES: [ForgetMode; 2] = [ForgetMode::Soft, ForgetMode::Hard];

pub(super) fn forgetting(id: &str, mode: ForgetMode) -> ForgetRequest {
    ForgetRequest { selector: by_id(id), mode: mode.into(), ..ForgetRequest::default() }
}

/// Forgets it because somebody asked for it.
pub(super) fn suppressing(id: &str, mode: ForgetMode) -> ForgetRequest {
    ForgetRequest { cause: ForgetCause::UserRequest.into(), ..forgetting(id, mode) }
}

#[expect(clippy::unnecessary_wraps, reason = "as the requests' field takes it")]
pub(super) fn by_target(text: &str) -> Option<Selector> {
    Some(Selector { target: Some(text.to_owned()), ..Selector::default() })
}

pub(super) fn batch_forgetting(id: &str, mode: ForgetMode) -> BatchForgetRequest {
    BatchForgetRequest { memory_ids: vec![id.to_owned()], mode: mode.into(), ..BatchForgetRequest::default() }
}

pub(super) fn restoring(id: &str) -> RestoreRequest {
    RestoreRequest { memory_ids: vec![id.to_owned()], ..RestoreRequest::default() }
}

pub(super) fn updating(id: &str, content: &str) -> UpdateMemoryRequest {
    let content = Some(content.to_owned());
    UpdateMemoryRequest { memory_id: id.to_owned(), content, ..UpdateMemoryRequest::default() }
}

pub(super) fn saving(id: &str) -> RememberRequest {
    RememberRequest { memory_id: id.to_owned(), content: "text".to_owned(), ..RememberRequest::default() }
}

pub(super) fn importing(id: &str) -> ImportMemoriesRequest {
    let item = ImportItem { memory_id: id.to_owned(), content: "text".to_owned(), ..ImportItem::default() };
    ImportMemoriesRequest { import_id: "moved".to_owned(), items: vec![item], ..Default::default() }
}

/// Every call that names a memory, but for those that save one.
pub(super) fn on_memory(id: &str) -> Vec<Call> {
    let etag = || "0000000000000001".to_owned();
    let filter = || Some(Filter { states: vec![1, 2], ..Filter::default() });
    let ids = Selector { memory_ids: vec![id.to_owned()], ..Selector::default() };
    let mut calls = vec![
        get_memory(&GetMemoryRequest { memory_id: id.to_owned() }),
        update(&updating(id, "other")),
        update(&UpdateMemoryRequest { etag: etag(), ..updating(id, "other") }),
        restore(&restoring(id)),
        restore(&RestoreRequest { validate_only: true, ..restoring(id) }),
        restore(&RestoreRequest { lift_suppression: true, ..restoring(id) }),
        list_audit(&ListAuditRecordsRequest {
            memory_id: Some(id.to_owned()),
            ..ListAuditRecordsRequest::default()
        }),
    ];
    for mode in MODES {
        let asserting = Some(Selector { filter: filter(), ..by_id(id).unwrap() });
        calls.extend([
            forget(&forgetting(id, mode)),
            forget(&ForgetRequest { validate_only: true, ..forgetting(id, mode) }),
            forget(&ForgetRequest { etag: etag(), ..forgetting(id, mode) }),
            forget(&ForgetRequest { selector: asserting, ..forgetting(id, mode) }),
            forget(&ForgetRequest { verify: true, ..suppressing(id, mode) }),
            forget(&ForgetRequest { selector: by_target(id), ..forgetting(id, mode) }),
            forget(&ForgetRequest { selector: by_target(id), ..suppressing(id, mode) }),
            preview(&PreviewRequest {
                selector: by_target(id),
                mode: mode.into(),
                ..PreviewRequest::default()
            }),
            batch_forget(&BatchForgetRequest {
                cause: ForgetCause::UserRequest.into(),
                verify: true,
                ..batch_forgetting(id, mode)
            }),
            batch_forget(&batch_forgetting(id, mode)),
            batch_forget(&BatchForgetRequest { validate_only: true, ..batch_forgetting(id, mode) }),
            batch_forget(&BatchForgetRequest { filter: filter(), ..batch_forgetting(id, mode) }),
            preview(&PreviewRequest { selector: by_id(id), mode: mode.into(), ..PreviewRequest::default() }),
            preview(&PreviewRequest {
                selector: Some(ids.clone()),
                mode: mode.into(),
                ..PreviewRequest::default()
            }),
        ]);
    }
    calls
}

/// Every call that names an operation.
pub(super) fn on_operation(id: &str) -> Vec<Call> {
    let operation_id = || Some(id.to_owned());
    vec![
        get_operation(&GetOperationRequest { operation_id: operation_id(), request_id: None }),
        restore(&RestoreRequest { operation_id: operation_id(), ..RestoreRequest::default() }),
        restore(&RestoreRequest {
            operation_id: operation_id(),
            validate_only: true,
            ..RestoreRequest::default()
        }),
        list_audit(&ListAuditRecordsRequest {
            operation_id: operation_id(),
            ..ListAuditRecordsRequest::default()
        }),
    ]
}

/// Every call that names something else of which others have their own: a request, an import, a subject, a principal.
pub(super) fn on_name(name: &str) -> Vec<Call> {
    let of_subject = Filter { subject_id: Some(name.to_owned()), ..Filter::default() };
    let of_import = || Selector { import_id: Some(name.to_owned()), ..Selector::default() };
    let of_scope =
        Selector { scope: Some(Scope::All.into()), filter: Some(of_subject.clone()), ..Selector::default() };
    let states = Filter { states: vec![1, 2], ..Filter::default() };
    vec![
        get_operation(&GetOperationRequest { operation_id: None, request_id: Some(name.to_owned()) }),
        list_memories(&ListMemoriesRequest {
            filter: Some(of_subject.clone()),
            ..ListMemoriesRequest::default()
        }),
        recall(&RecallMemoriesRequest {
            query: "text".to_owned(),
            filter: Some(of_subject.clone()),
            ..RecallMemoriesRequest::default()
        }),
        preview(&PreviewRequest { selector: Some(of_import()), ..PreviewRequest::default() }),
        forget(&ForgetRequest { selector: Some(of_import()), ..ForgetRequest::default() }),
        preview(&PreviewRequest { selector: Some(of_scope.clone()), ..PreviewRequest::default() }),
        forget(&ForgetRequest { selector: Some(of_scope), ..ForgetRequest::default() }),
        list_suppressions(&ListSuppressionsRequest {
            subject_id: Some(name.to_owned()),
            ..ListSuppressionsRequest::default()
        }),
        lift(&LiftSuppressionRequest {
            suppression_id: name.to_owned(),
            ..LiftSuppressionRequest::default()
        }),
        list_memories(&ListMemoriesRequest {
            filter: Some(states),
            import_id: Some(name.to_owned()),
            ..ListMemoriesRequest::default()
        }),
        list_audit(&ListAuditRecordsRequest {
            principal_id: Some(name.to_owned()),
            ..ListAuditRecordsRequest::default()
        }),
    ]
}
