//! Calls that are refused, by what they ask, by how they are written and by who makes them.

use memory_lifecycle::proto::v1::{
    BatchForgetRequest, ForgetRequest, GetMemoryRequest, GetOperationRequest, ListMemoriesRequest,
    MemoryKind, RememberRequest, RestoreRequest, UpdateMemoryRequest,
};
use prost::Message;

use super::drive::{Credentials, Driver, bearer};
use super::good::{forget, remember, selector};
use super::marked::{CONTENT, CREDENTIAL, JUNK, MEMORY_ID, METADATA_VALUE, OTHER_CONTENT, REASON};
use crate::calls::wire::{
    BATCH_FORGET, FORGET, GET_MEMORY, GET_OPERATION, IMPORT, LIST_MEMORIES, METHODS, REMEMBER, RESTORE,
    UPDATE, field,
};

const REQUEST: &str = "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e";
/// Paths that are no method's.
const NOWHERE: [&str; 4] = [
    "/memorylifecycle.v1.MemoryStore/qzjwAjunk-in-some-field",
    "/memorylifecycle.v1.qzjwAjunk-in-some-field/Remember",
    "/qzjwAjunk-in-some-field/Remember",
    "/memorylifecycle.v1.MemoryStore/Remember/qzjwAjunk-in-some-field?qzjw5reason-because=qzjwAjunk-in-some-field",
];

/// Makes all such calls.
pub async fn calls(driver: &mut Driver) {
    refused_by_rule(driver).await;
    with_faulty_fields(driver).await;
    ill_written(driver).await;
    with_odd_metadata(driver).await;
    for path in NOWHERE {
        driver.refused(path, &remember(MEMORY_ID)).await;
    }
}

async fn refused_by_rule(driver: &mut Driver) {
    driver.done(REMEMBER, &remember("kept")).await;
    driver.refused(REMEMBER, &remember("kept")).await;
    let fact = RememberRequest { kind: MemoryKind::Fact.into(), ..remember("") };
    driver.refused(REMEMBER, &fact).await;
    let request_id = || REQUEST.to_owned();
    driver.done(FORGET, &ForgetRequest { request_id: request_id(), ..forget("kept") }).await;
    let other = ForgetRequest { request_id: request_id(), reason: JUNK.to_owned(), ..forget("kept") };
    driver.refused(FORGET, &other).await;
    let update = UpdateMemoryRequest {
        memory_id: "kept".to_owned(),
        content: Some(OTHER_CONTENT.to_owned()),
        ..UpdateMemoryRequest::default()
    };
    driver.refused(UPDATE, &update).await;
    let etag = "00000000000000ff".to_owned();
    driver.refused(FORGET, &ForgetRequest { etag, ..forget("kept") }).await;
    driver.refused(FORGET, &forget(MEMORY_ID)).await;
    driver.refused(GET_MEMORY, &GetMemoryRequest { memory_id: MEMORY_ID.to_owned() }).await;
    driver.refused(FORGET, &ForgetRequest { selector: None, ..forget("") }).await;
    let mut elsewhere = forget("kept");
    elsewhere.selector.as_mut().unwrap().filter.as_mut().unwrap().graph_id = Some(JUNK.to_owned());
    driver.refused(FORGET, &elsewhere).await;
    let unknown = GetOperationRequest { operation_id: Some(request_id()), ..GetOperationRequest::default() };
    driver.refused(GET_OPERATION, &unknown).await;
    let both = RestoreRequest {
        memory_ids: vec![MEMORY_ID.to_owned()],
        operation_id: Some(request_id()),
        ..RestoreRequest::default()
    };
    driver.refused(RESTORE, &both).await;
    let memory_ids = vec![MEMORY_ID.to_owned()];
    driver
        .refused(BATCH_FORGET, &BatchForgetRequest { memory_ids, mode: 7, ..BatchForgetRequest::default() })
        .await;
    let mut of_another =
        ListMemoriesRequest { filter: selector("").unwrap().filter, ..ListMemoriesRequest::default() };
    of_another.filter.as_mut().unwrap().agent_id = Some(JUNK.to_owned());
    driver.refused(LIST_MEMORIES, &of_another).await;
}

async fn with_faulty_fields(driver: &mut Driver) {
    let long = |text: &str| text.repeat(70_000 / text.len());
    let two_lines = |text: &str| format!("{text}\n{text}");
    for request in [
        RememberRequest { content: long(CONTENT), ..remember("") },
        RememberRequest { content: CONTENT.to_owned() + "\0", ..remember("") },
        RememberRequest { memory_id: two_lines(MEMORY_ID), ..remember("") },
        RememberRequest { subject_id: two_lines(JUNK), graph_id: two_lines(JUNK), ..remember("") },
        RememberRequest { memory_date: JUNK.to_owned(), request_id: JUNK.to_owned(), ..remember("") },
    ] {
        driver.refused(REMEMBER, &request).await;
    }
    for request in [
        ForgetRequest { reason: two_lines(REASON), ..forget("kept") },
        ForgetRequest { reason: long(REASON), channel: long(JUNK), ..forget("kept") },
        ForgetRequest { etag: JUNK.to_owned(), ..forget("kept") },
        ForgetRequest { request_id: JUNK.to_owned(), ..forget("kept") },
    ] {
        driver.refused(FORGET, &request).await;
    }
    let page_token = JUNK.to_owned();
    driver
        .refused(LIST_MEMORIES, &ListMemoriesRequest { page_token, ..ListMemoriesRequest::default() })
        .await;
}

/// Bytes that are no message of the method, or not one that it takes.
async fn ill_written(driver: &mut Driver) {
    let who = driver.who.clone();
    let not_utf8 = [CONTENT.as_bytes(), b"\xff"].concat();
    let mut deep = field(3, METADATA_VALUE.as_bytes());
    for _ in 0..200 {
        deep = field(6, &field(1, &deep));
    }
    let deep = field(6, &field(1, &[field(1, METADATA_VALUE.as_bytes()), field(2, &deep)].concat()));
    let too_large = |mebibytes: usize| field(5, CONTENT.repeat((mebibytes << 20) / CONTENT.len()).as_bytes());
    for (path, message) in [
        (REMEMBER, field(5, &not_utf8)),
        (FORGET, field(5, &not_utf8)),
        (GET_MEMORY, CONTENT.as_bytes().to_vec()),
        (REMEMBER, deep),
        (REMEMBER, too_large(2)),
        (IMPORT, too_large(9)),
    ] {
        driver.send(&who, path, message).await.map(drop).expect_err(path);
    }
}

async fn with_odd_metadata(driver: &mut Driver) {
    let message = || GetMemoryRequest { memory_id: MEMORY_ID.to_owned() }.encode_to_vec();
    for (key, value) in
        [("grpc-timeout", JUNK), ("traceparent", JUNK), ("x-junk", JUNK), ("user-agent", JUNK)]
    {
        let mut who = driver.who.clone();
        who.push((key, value.to_owned()));
        driver.send(&who, GET_MEMORY, message()).await.map(drop).expect_err(key);
    }
}

/// Credentials that no server takes.
pub async fn strangers(driver: &mut Driver, others: &[String]) {
    let jwt_shaped =
        [r#"{"alg":"EdDSA","kid":"qzjwBcredential-of"}"#, r#"{"sub":"qzjwBcredential-of"}"#, CREDENTIAL]
            .map(|part| base64::Engine::encode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, part))
            .join(".");
    let mut tokens =
        vec![jwt_shaped, CREDENTIAL.to_owned(), format!("mlk_{CREDENTIAL}"), CREDENTIAL.repeat(400)];
    tokens.extend_from_slice(others);
    let mut all: Vec<Credentials> = tokens.iter().map(|token| bearer(token)).collect();
    all.push(vec![("authorization", format!("Basic {CREDENTIAL}"))]);
    all.push(vec![("authorization", format!("Bearer {CREDENTIAL} {CREDENTIAL}"))]);
    all.push([bearer(CREDENTIAL), bearer(CREDENTIAL)].concat());
    for (at, credentials) in all.iter().enumerate() {
        // Every method once at least, however few credentials there are.
        for path in METHODS.iter().skip(at % 3).step_by(3) {
            let refused = driver.send(credentials, path, remember(MEMORY_ID).encode_to_vec()).await;
            refused.map(drop).expect_err(path);
        }
    }
}

/// Metadata that `dev` does not believe.
pub async fn odd_callers(driver: &mut Driver) {
    let two_lines = format!("{JUNK}/{JUNK}");
    for key in ["x-tenant-id", "x-agent-id", "x-admin", "x-capabilities"] {
        let value = if key == "x-agent-id" { JUNK.repeat(20) } else { two_lines.clone() };
        let refused = driver.send(&vec![(key, value)], FORGET, forget("kept").encode_to_vec()).await;
        refused.map(drop).expect_err(key);
    }
}
