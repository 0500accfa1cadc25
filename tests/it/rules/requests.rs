//! Requests, and what is to be said of each.

/// What rules and server say of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Both take it.
    Fits,
    /// Both refuse it.
    Refused,
    /// The server refuses it; rules cannot say why.
    Beyond,
}

use Verdict::{Beyond, Fits, Refused};

const FORGET: &str = "MemoryLifecycle/Forget";
const BATCH: &str = "MemoryLifecycle/BatchForget";
const PREVIEW: &str = "MemoryLifecycle/Preview";
const RESTORE: &str = "MemoryLifecycle/Restore";
const OPERATION: &str = "MemoryLifecycle/GetOperation";
const OPERATIONS: &str = "MemoryLifecycle/ListOperations";
const REMEMBER: &str = "MemoryStore/Remember";
const IMPORT: &str = "MemoryStore/ImportMemories";
const GET: &str = "MemoryStore/GetMemory";
const LIST: &str = "MemoryStore/ListMemories";
const UPDATE: &str = "MemoryStore/UpdateMemory";
const AUDIT: &str = "AuditLog/ListAuditRecords";

#[rustfmt::skip] // A table is read by its columns.
pub(super) const REQUESTS: &[(&str, &str, Verdict)] = &[
    (FORGET,     r#"{"selector": {"memoryId": "there"}}"#,                                          Fits),
    (FORGET,     r#"{"selector": {"memoryId": "there"}, "mode": 2, "validateOnly": true}"#,         Fits),
    (FORGET,     r"{}",                                                                             Refused),
    (FORGET,     r#"{"selector": {}}"#,                                                             Refused),
    (FORGET,     r#"{"selector": {"memoryId": ""}}"#,                                               Refused),
    (FORGET,     r#"{"selector": {"memoryId": " "}}"#,                                              Refused),
    (FORGET,     r#"{"selector": {"memoryId": "a b"}}"#,                                            Refused),
    (FORGET,     r#"{"selector": {"memoryId": "%"}}"#,                                              Refused),
    (FORGET,     r#"{"selector": {"memoryId": "a", "memoryIds": ["b"]}}"#,                          Refused),
    (FORGET,     r#"{"selector": {"memoryIds": ["b"]}}"#,                                           Refused),
    (FORGET,     r#"{"selector": {"memoryId": "there"}, "mode": 3}"#,                               Refused),
    (FORGET,     r#"{"selector": {"memoryId": "there"}, "requestId": "x"}"#,                        Refused),
    (FORGET,     r#"{"selector": {"memoryId": "there"}, "etag": "1f"}"#,                            Refused),
    (FORGET,     r#"{"selector": {"memoryId": "there"}, "reason": "two\nlines"}"#,                  Refused),
    (FORGET,     r#"{"selector": {"memoryId": "there"}, "reason": "two\u2028lines"}"#,              Refused),
    (FORGET,     r#"{"selector": {"memoryId": "there"}, "channel": "a\u0007b"}"#,                   Refused),
    (FORGET,     r#"{"selector": {"memoryId": "there", "filter": {"subjectId": ""}}}"#,             Refused),
    (FORGET,     r#"{"selector": {"memoryId": "there", "filter": {"subjectId": "Zoë M."}}}"#,       Fits),
    (FORGET,     r#"{"selector": {"memoryId": "there", "filter": {"graphId": "a b"}}}"#,            Refused),
    (FORGET,     r#"{"selector": {"memoryId": "there", "filter": {"memoryDate": "2026-2-3"}}}"#,    Refused),
    (FORGET,     r#"{"selector": {"memoryId": "there", "filter": {"memoryDate": "2026-02-30"}}}"#,  Beyond),
    (FORGET,     r#"{"selector": {"memoryId": "there", "filter": {"kinds": [0]}}}"#,                Refused),
    (FORGET,     r#"{"selector": {"memoryId": "there", "filter": {"kinds": [9]}}}"#,                Refused),
    (FORGET,     r#"{"selector": {"memoryId": "there", "filter": {"states": [4]}}}"#,               Refused),
    (FORGET,     r#"{"selector": {"memoryId": "there", "filter": {"origin": 0}}}"#,                 Refused),
    (BATCH,      r#"{"memoryIds": ["there", "not there", "%", ""]}"#,                               Fits),
    (BATCH,      r#"{"memoryIds": []}"#,                                                            Refused),
    (BATCH,      r#"{"memoryIds": ["there"], "mode": 9}"#,                                          Refused),
    (PREVIEW,    r#"{"selector": {"memoryIds": ["a", "b c"]}, "pageSize": 1}"#,                     Fits),
    (PREVIEW,    r#"{"selector": {"memoryIds": ["a"]}, "pageSize": -1}"#,                           Refused),
    (PREVIEW,    r#"{"selector": {"memoryIds": ["a"]}, "pageToken": "x"}"#,                         Beyond),
    (RESTORE,    r#"{"memoryIds": ["there"]}"#,                                                     Fits),
    (RESTORE,    r"{}",                                                                             Refused),
    (RESTORE,    r#"{"operationId": "x"}"#,                                                         Refused),
    (RESTORE,    r#"{"memoryIds": ["a"], "operationId": "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e"}"#,  Refused),
    (OPERATION,  r"{}",                                                                             Refused),
    (OPERATION,  r#"{"operationId": "x"}"#,                                                         Refused),
    (OPERATION,  r#"{"requestId": "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e"}"#,                        Fits),
    (OPERATIONS, r#"{"pageSize": 5000}"#,                                                           Fits),
    (OPERATIONS, r#"{"pageSize": -5}"#,                                                             Refused),
    (REMEMBER,   r#"{"content": "text"}"#,                                                          Fits),
    (REMEMBER,   r#"{"content": ""}"#,                                                              Refused),
    (REMEMBER,   r#"{"content": " \n "}"#,                                                          Refused),
    (REMEMBER,   r#"{"content": "text", "memoryId": "a/b"}"#,                                       Refused),
    (REMEMBER,   r#"{"content": "text", "subjectId": " a"}"#,                                       Refused),
    (REMEMBER,   r#"{"content": "text", "graphId": "é"}"#,                                          Refused),
    (REMEMBER,   r#"{"content": "text", "kind": 7}"#,                                               Refused),
    (REMEMBER,   r#"{"content": "text", "memoryDate": "yesterday"}"#,                               Refused),
    (REMEMBER,   r#"{"content": "text", "metadata": {"a": "b\u0000"}}"#,                            Beyond),
    (REMEMBER,   r#"{"content": "text", "requestId": "018f3a5c7c1e7b6a9d2e3f4a5b6c7d8e"}"#,         Refused),
    (IMPORT,     r#"{"items": [{"content": "text"}, {"content": ""}]}"#,                            Fits),
    (IMPORT,     r#"{"items": []}"#,                                                                Refused),
    (IMPORT,     r#"{"importId": "a b", "items": [{"content": "text"}]}"#,                          Refused),
    (GET,        r#"{"memoryId": "there"}"#,                                                        Fits),
    (GET,        r"{}",                                                                             Refused),
    (GET,        r#"{"memoryId": "a\u0000"}"#,                                                      Refused),
    (LIST,       r#"{"filter": {"states": [1, 2]}, "importId": "i"}"#,                              Fits),
    (LIST,       r#"{"importId": ""}"#,                                                             Refused),
    (LIST,       r#"{"pageSize": -1}"#,                                                             Refused),
    (UPDATE,     r#"{"memoryId": "there", "content": "other"}"#,                                    Fits),
    (UPDATE,     r#"{"memoryId": "there", "content": ""}"#,                                         Refused),
    (UPDATE,     r#"{"memoryId": "there"}"#,                                                        Fits),
    (UPDATE,     r#"{"content": "other"}"#,                                                         Refused),
    (AUDIT,      r#"{"memoryId": "there", "actions": [1, 12]}"#,                                    Fits),
    (AUDIT,      r#"{"actions": [0]}"#,                                                             Refused),
    (AUDIT,      r#"{"operationId": "x"}"#,                                                         Refused),
    (AUDIT,      r#"{"principalId": ""}"#,                                                          Refused),
];
