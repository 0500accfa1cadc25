//! `verify`: looking again after the commit.

use memory_lifecycle::proto::v1::{
    BatchForgetRequest, ForgetCause, ForgetMode, ForgetRequest, RememberRequest, Verification,
};
use tonic_health::pb::health_check_response::ServingStatus;

use crate::harness::caller::{by_id, by_words, texts};
use crate::harness::server::SERVICE;
use crate::harness::{Caller, Database, Server, settings};
use crate::proxy::Proxy;

async fn forget(caller: &Caller, id: &str, cause: ForgetCause) -> Verification {
    let request =
        ForgetRequest { selector: by_id(id), cause: cause.into(), verify: true, ..ForgetRequest::default() };
    caller.lifecycle.clone().forget(request).await.unwrap().into_inner().verification.unwrap()
}

#[tokio::test]
async fn what_is_forgotten_is_not_recalled_and_what_says_the_same_is_counted() {
    let server = Server::start(&Database::migrated().await).await;
    let (caller, another) = (server.caller(), server.caller_of("default", "another"));
    for (caller, id) in [(&caller, "one"), (&caller, "two"), (&another, "three")] {
        caller.remember(id, "Likes tea").await.unwrap();
    }
    let verification = forget(&caller, "one", ForgetCause::Correction).await;
    assert_eq!((verification.still_recallable, verification.same_content_elsewhere), (0, 1));
    assert!(verification.verify_time.is_some());
    let admin = Caller::admin(server.channel.clone(), "default", "default");
    let verification = forget(&admin, "two", ForgetCause::UserRequest).await;
    assert_eq!((verification.still_recallable, verification.same_content_elsewhere), (0, 1));

    caller.remember("long", &"verbose words ".repeat(200)).await.unwrap();
    caller.remember("one-word", &"x".repeat(3000)).await.unwrap();
    let request = BatchForgetRequest {
        memory_ids: texts(&["long", "one-word", "unknown", "one"]),
        mode: ForgetMode::Hard.into(),
        verify: true,
        request_id: "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e".to_owned(),
        ..BatchForgetRequest::default()
    };
    let response = caller.lifecycle.clone().batch_forget(request.clone()).await.unwrap().into_inner();
    assert_eq!(response.erased, 3);
    let verification = response.verification.unwrap();
    assert_eq!((verification.still_recallable, verification.same_content_elsewhere), (0, 0));
    let again = caller.lifecycle.clone().batch_forget(request).await.unwrap().into_inner();
    assert!(again.replayed && again.verification.is_none(), "nothing is kept to look by");
}

/// The control: with the filter of recall taken out on its way to Postgres, every forgotten memory is reported.
#[tokio::test]
async fn with_recalls_filter_disabled_it_reports() {
    let database = Database::migrated().await;
    let proxy = Proxy::start(&database).await;
    let statement = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/storage/sql/recall_candidates.sql"
    ))
    .unwrap();
    assert!(statement.contains("AND m.state = 1"));
    proxy.replace(&statement, &statement.replace("AND m.state = 1", "AND m.state >= 0"));
    let server = Server::start_unready(proxy.connect(), settings()).await;
    server.until_health(SERVICE, ServingStatus::Serving).await;
    let caller = server.caller();
    for (number, text) in
        ["Likes tea", "我喜欢咖啡馆", &"many words ".repeat(300), &"y".repeat(2000)].iter().enumerate()
    {
        let request = RememberRequest {
            memory_id: format!("m{number}"),
            content: (*text).to_owned(),
            ..RememberRequest::default()
        };
        caller.store.clone().remember(request).await.unwrap();
        let verification = forget(&caller, &format!("m{number}"), ForgetCause::Correction).await;
        assert_eq!(verification.still_recallable, 1, "{number}");
    }
    caller.remember("set-1", "a set of two").await.unwrap();
    caller.remember("set-2", "a set of two").await.unwrap();
    let preview = caller.preview(by_words("set two"), ForgetMode::Soft).await.unwrap();
    let request = ForgetRequest {
        selector: Some(by_words("set two")),
        confirmation_token: preview.confirmation_token,
        mode: ForgetMode::Soft.into(),
        verify: true,
        ..ForgetRequest::default()
    };
    let response = caller.lifecycle.clone().forget(request).await.unwrap().into_inner();
    assert_eq!(response.verification.unwrap().still_recallable, 2);
}
