//! Sets: previewed, then forgotten as they were seen, or not at all.

use memory_lifecycle::proto::v1::{
    Filter, ForgetCause, ForgetMode, ForgetRequest, ForgetResponse, ForgetStatus, ImportItem,
    ImportMemoriesRequest, MemoryOrigin, MemoryState, Outcome, PreviewRequest, PreviewResponse, Scope,
    Selector,
};
use tonic::{Code, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_types::StatusExt;

use super::hold;
use super::stage::{Stage, remember_fact};
use crate::harness::caller::by_words;
use crate::harness::server::SERVICE;
use crate::harness::{Caller, Database, Server, reason, settings};
use crate::proxy::Proxy;

const SOFT: ForgetMode = ForgetMode::Soft;
const HARD: ForgetMode = ForgetMode::Hard;

fn of_import(import: &str) -> Selector {
    Selector { import_id: Some(import.to_owned()), ..Selector::default() }
}

fn of_scope(scope: Scope, filter: Filter) -> Selector {
    Selector { scope: Some(scope.into()), filter: Some(filter), ..Selector::default() }
}

fn archived() -> Filter {
    Filter { states: vec![MemoryState::Archived.into()], ..Filter::default() }
}

/// Previews a set and forgets it.
async fn confirm(caller: &Caller, selector: Selector, mode: ForgetMode) -> Result<ForgetResponse, Status> {
    let preview = caller.preview(selector.clone(), mode).await?;
    caller.forget_set(selector, mode, &preview.confirmation_token).await
}

fn ids(preview: &PreviewResponse) -> Vec<&str> {
    preview.items.iter().map(|item| item.memory_id.as_str()).collect()
}

fn results(response: &ForgetResponse) -> Vec<&str> {
    response.results.iter().map(|result| result.memory_id.as_str()).collect()
}

fn number(status: &Status, name: &str) -> i64 {
    status.get_details_error_info().unwrap().metadata[name].parse().unwrap()
}

async fn start() -> (Database, Server, Caller) {
    let database = Database::migrated().await;
    let server = Server::start(&database).await;
    let caller = server.caller();
    for (id, text) in [
        ("school", "Nursing school starts in May"),
        ("nurse", "A nurse called"),
        ("shift", "The nursing shift ends at six"),
        ("tea", "Tea with milk"),
    ] {
        caller.remember(id, text).await.unwrap();
    }
    (database, server, caller)
}

async fn import(caller: &Caller, import: &str, ids: &[&str], legacy: bool) {
    let item = |id: &&str| ImportItem {
        memory_id: (*id).to_owned(),
        content: format!("imported {id}"),
        ..ImportItem::default()
    };
    let import_id = if legacy { String::new() } else { import.to_owned() };
    let items = ids.iter().map(item).collect();
    let request = ImportMemoriesRequest { import_id, items, legacy, ..ImportMemoriesRequest::default() };
    assert_eq!(
        caller.store.clone().import_memories(request).await.unwrap().into_inner().saved,
        i64::try_from(ids.len()).unwrap()
    );
}

#[tokio::test]
async fn a_set_is_shown_and_just_that_is_forgotten() {
    let (_database, server, caller) = start().await;
    server.caller_of("default", "another").remember("theirs", "nursing too").await.unwrap();
    let preview = caller.preview(by_words("nursing"), SOFT).await.unwrap();
    assert_eq!(ids(&preview), ["shift", "school"], "newest first");
    assert_eq!(
        (preview.matched, preview.would_archive, preview.would_erase, preview.would_refuse),
        (2, 2, 0, 0)
    );
    assert_eq!(preview.items[1].excerpt, "Nursing school starts in May");
    assert_eq!(preview.items[0].would_be(), Outcome::Archived);
    assert!(preview.confirmation_expire_time.is_some() && !preview.confirmation_token.is_empty());

    let response = caller.forget_set(by_words("nursing"), SOFT, &preview.confirmation_token).await.unwrap();
    assert_eq!((response.matched, response.archived, response.status()), (2, 2, ForgetStatus::Forgotten));
    assert_eq!(results(&response), ["school", "shift"], "by memory_id");
    let audit = response.audit.unwrap();
    assert_eq!(audit.last_sequence - audit.first_sequence, 1);
    assert_eq!(caller.recall("nursing").await.unwrap(), Vec::<String>::new());
    assert_eq!(caller.get("nurse").await.unwrap().state(), MemoryState::Active);
    assert_eq!(server.caller_of("default", "another").recall("nursing").await.unwrap(), ["theirs"]);
}

#[tokio::test]
async fn without_a_token_nothing_is_forgotten_unless_there_is_nothing_to_forget() {
    let (_database, _server, caller) = start().await;
    let status = caller.forget_set(by_words("nursing"), SOFT, "").await.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::FailedPrecondition, "CONFIRMATION_REQUIRED")
    );
    assert_eq!(number(&status, "matched"), 2);
    for words in ["nothing", "%", "_", "\\"] {
        let preview = caller.preview(by_words(words), SOFT).await.unwrap();
        assert_eq!((preview.matched, preview.confirmation_token.as_str()), (0, ""), "{words}");
        let empty = caller.forget_set(by_words(words), SOFT, "").await.unwrap();
        assert_eq!((empty.matched, empty.results.len(), empty.status()), (0, 0, ForgetStatus::NotForgotten));
        assert!(empty.audit.unwrap().confirmed);
    }
    confirm(&caller, by_words("nursing"), SOFT).await.unwrap();
    let forgotten = Selector { filter: Some(archived()), ..by_words("nursing") };
    assert_eq!(caller.preview(forgotten.clone(), SOFT).await.unwrap().confirmation_token, "");
    let again = caller.forget_set(forgotten, SOFT, "").await.unwrap();
    assert_eq!((again.matched, again.already_forgotten, again.status()), (2, 2, ForgetStatus::Forgotten));
}

#[tokio::test]
async fn what_changed_since_the_preview_is_found_out() {
    let (_database, _server, caller) = start().await;
    let preview = caller.preview(by_words("nursing"), SOFT).await.unwrap();
    let token = preview.confirmation_token;
    // One more that is meant by the words, though nobody saw it.
    caller.remember("night", "nursing at night").await.unwrap();
    let status = caller.forget_set(by_words("nursing"), SOFT, &token).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Aborted, "SELECTION_CHANGED"));
    assert_eq!((number(&status, "matched"), number(&status, "would_archive")), (3, 3));
    assert_eq!(caller.recall("nursing").await.unwrap().len(), 3);
    // Gone again, the set is what was seen: the memory that was in between does not matter.
    caller.forget("night", HARD).await.unwrap();
    assert_eq!(caller.forget_set(by_words("nursing"), SOFT, &token).await.unwrap().archived, 2);
    let status = caller.forget_set(by_words("nursing"), SOFT, &token).await.unwrap_err();
    assert_eq!((reason(&status).as_str(), number(&status, "matched")), ("SELECTION_CHANGED", 0));
}

#[tokio::test]
async fn a_later_version_of_a_memory_is_another() {
    let (_database, _server, caller) = start().await;
    let preview = caller.preview(by_words("nursing"), HARD).await.unwrap();
    caller.forget("school", SOFT).await.unwrap();
    caller.restore(&["school"]).await.unwrap();
    let status = caller.forget_set(by_words("nursing"), HARD, &preview.confirmation_token).await.unwrap_err();
    assert_eq!((reason(&status).as_str(), number(&status, "would_erase")), ("SELECTION_CHANGED", 2));
}

#[tokio::test]
async fn a_token_is_good_for_its_caller_and_its_request_only() {
    let (_database, server, caller) = start().await;
    server.caller_of("default", "another").remember("theirs", "nursing").await.unwrap();
    let token = caller.preview(by_words("nursing"), SOFT).await.unwrap().confirmation_token;
    let refused = async |caller: &Caller, request: ForgetRequest| {
        let request = ForgetRequest { confirmation_token: token.clone(), ..request };
        let status = caller.lifecycle.clone().forget(request).await.unwrap_err();
        assert_eq!(
            (status.code(), reason(&status).as_str()),
            (Code::InvalidArgument, "CONFIRMATION_INVALID")
        );
    };
    let asked = || ForgetRequest { selector: Some(by_words("nursing")), ..ForgetRequest::default() };
    refused(&caller, ForgetRequest { selector: Some(by_words("milk")), ..asked() }).await;
    refused(&caller, ForgetRequest { mode: HARD.into(), ..asked() }).await;
    refused(&caller, ForgetRequest { cause: ForgetCause::UserRequest.into(), ..asked() }).await;
    let filtered = Selector { filter: Some(Filter::default()), ..by_words("nursing") };
    refused(&caller, ForgetRequest { selector: Some(filtered), ..asked() }).await;
    refused(&server.caller_of("default", "another"), asked()).await;
    refused(&server.caller_of("elsewhere", "default"), asked()).await;
    for forged in [token[1..].to_owned(), format!("A{}", &token[1..]), "not a token".to_owned()] {
        let status = caller.forget_set(by_words("nursing"), SOFT, &forged).await.unwrap_err();
        assert_eq!(reason(&status), "CONFIRMATION_INVALID");
    }
    for at in 0..token.len() {
        for bit in [1, 2, 4, 16] {
            let mut forged = token.clone().into_bytes();
            forged[at] ^= bit;
            let forged = String::from_utf8(forged).unwrap();
            let status = caller.forget_set(by_words("nursing"), SOFT, &forged).await.unwrap_err();
            assert_eq!(reason(&status), "CONFIRMATION_INVALID", "{at} {bit}");
        }
    }
    // What is unset means its default.
    let defaults = ForgetRequest {
        mode: SOFT.into(),
        cause: ForgetCause::Correction.into(),
        confirmation_token: token.clone(),
        ..asked()
    };
    assert_eq!(caller.lifecycle.clone().forget(defaults).await.unwrap().into_inner().archived, 2);
}

#[tokio::test]
async fn replicas_take_each_others_tokens() {
    let (database, _server, caller) = start().await;
    let other = Server::start(&database).await;
    let replica = other.caller();
    let token = caller.preview(by_words("nursing"), SOFT).await.unwrap().confirmation_token;
    assert_eq!(replica.forget_set(by_words("nursing"), SOFT, &token).await.unwrap().archived, 2);
}

#[tokio::test]
async fn of_two_who_confirm_at_once_one_forgets_and_the_other_learns_of_it() {
    let (database, _server, caller) = start().await;
    let other = Server::start(&database).await;
    let replica = other.caller();
    for round in 0..10 {
        for number in 0..5 {
            caller.remember(&format!("r{round}-{number}"), &format!("round{round} text")).await.unwrap();
        }
        let set = by_words(&format!("round{round}"));
        let token = caller.preview(set.clone(), HARD).await.unwrap().confirmation_token;
        let (one, other) = tokio::join!(
            caller.forget_set(set.clone(), HARD, &token),
            replica.forget_set(set.clone(), HARD, &token)
        );
        let (won, lost) = if one.is_ok() { (one, other) } else { (other, one) };
        assert_eq!(won.unwrap().erased, 5);
        let lost = lost.unwrap_err();
        assert_eq!((reason(&lost).as_str(), number(&lost, "matched")), ("SELECTION_CHANGED", 0));
    }
}

#[tokio::test]
async fn an_answer_is_repeated_whatever_has_become_of_the_set() {
    let (_database, _server, caller) = start().await;
    let token = caller.preview(by_words("nursing"), SOFT).await.unwrap().confirmation_token;
    let request = ForgetRequest {
        selector: Some(by_words("nursing")),
        confirmation_token: token,
        request_id: "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e".to_owned(),
        ..ForgetRequest::default()
    };
    let first = caller.lifecycle.clone().forget(request.clone()).await.unwrap().into_inner();
    let again = caller.lifecycle.clone().forget(request.clone()).await.unwrap().into_inner();
    assert!(again.replayed && !first.replayed);
    assert_eq!((again.operation_id, again.results), (first.operation_id, first.results));
    let other = ForgetRequest { confirmation_token: "other".to_owned(), ..request };
    let status = caller.lifecycle.clone().forget(other).await.unwrap_err();
    assert_eq!(reason(&status), "REQUEST_ID_REUSED", "before the token is looked at");
}

#[tokio::test]
async fn a_save_between_two_pages_is_noticed() {
    let (_database, _server, caller) = start().await;
    let page = async |page_token: String| {
        let request = PreviewRequest {
            selector: Some(by_words("nursing")),
            page_size: 1,
            page_token,
            ..PreviewRequest::default()
        };
        caller.lifecycle.clone().preview(request).await.map(tonic::Response::into_inner)
    };
    let first = page(String::new()).await.unwrap();
    let second = page(first.next_page_token.clone()).await.unwrap();
    assert_eq!((ids(&first), ids(&second)), (vec!["shift"], vec!["school"]));
    assert_eq!((second.matched, second.next_page_token.as_str()), (2, ""));
    assert_eq!(
        caller.forget_set(by_words("nursing"), SOFT, &second.confirmation_token).await.unwrap().archived,
        2,
        "every page has the token of the whole set"
    );
    caller.restore(&["shift", "school"]).await.unwrap();
    let first = page(String::new()).await.unwrap();
    caller.remember("night", "nursing at night").await.unwrap();
    assert_eq!(reason(&page(first.next_page_token).await.unwrap_err()), "SELECTION_CHANGED");
}

#[tokio::test]
async fn an_import_is_retracted_and_nothing_else() {
    let (_database, server, caller) = start().await;
    import(&caller, "takeout", &["i1", "i2"], false).await;
    import(&server.caller_of("default", "another"), "takeout", &["theirs"], false).await;
    let status = caller.preview(of_import("unknown"), SOFT).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::NotFound, "IMPORT_NOT_FOUND"));
    let response = confirm(&caller, of_import("takeout"), HARD).await.unwrap();
    assert_eq!(results(&response), ["i1", "i2"]);
    assert!(response.results.iter().all(|result| result.import_id == "takeout"));
    assert_eq!(server.caller_of("default", "another").list_all().await.unwrap().len(), 1);
    assert_eq!(caller.list_all().await.unwrap().len(), 4);
    let empty = caller.forget_set(of_import("takeout"), SOFT, "").await.unwrap();
    assert_eq!(empty.matched, 0, "it was there once");
    let foreign = server.caller_of("elsewhere", "default");
    assert_eq!(reason(&foreign.preview(of_import("takeout"), SOFT).await.unwrap_err()), "IMPORT_NOT_FOUND");
}

#[tokio::test]
async fn scopes_are_all_that_was_imported_or_saved() {
    let (_database, server, caller) = start().await;
    let admin = Caller::admin(server.channel.clone(), "default", "default");
    import(&caller, "takeout", &["i1"], false).await;
    import(&admin, "", &["legacy"], true).await;
    remember_fact(&admin, "fact", "settled").await;
    let matched = async |caller: &Caller, scope, filter: Filter| {
        caller.preview(of_scope(scope, filter), SOFT).await.unwrap().matched
    };
    assert_eq!(matched(&caller, Scope::Imports, Filter::default()).await, 2, "one has no import_id");
    assert_eq!(matched(&caller, Scope::Saved, Filter::default()).await, 4);
    assert_eq!(matched(&caller, Scope::All, Filter::default()).await, 6, "a settled fact is out of reach");
    assert_eq!(matched(&admin, Scope::All, Filter::default()).await, 7);
    let imported = || Filter { origin: Some(MemoryOrigin::Imported.into()), ..Filter::default() };
    assert_eq!(matched(&caller, Scope::Saved, imported()).await, 0);
    let response = confirm(&caller, of_scope(Scope::Imports, Filter::default()), SOFT).await.unwrap();
    assert_eq!(results(&response), ["i1", "legacy"]);
}

#[tokio::test]
async fn the_trash_can_be_emptied() {
    let (_database, _server, caller) = start().await;
    caller.batch_forget(&["school", "tea"], SOFT).await.unwrap();
    let response = confirm(&caller, of_scope(Scope::All, archived()), HARD).await.unwrap();
    assert_eq!((results(&response), response.erased), (vec!["school", "tea"], 2));
    assert_eq!(caller.list_all().await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_set_that_is_too_large_is_refused_with_both_numbers() {
    let database = Database::migrated().await;
    let mut settings = settings();
    settings.largest_selection = 2;
    let server = Server::start_with(&database, settings).await;
    let caller = server.caller();
    for id in ["a", "b", "c"] {
        caller.remember(id, "text").await.unwrap();
    }
    let preview = caller.preview(by_words("text"), SOFT).await.unwrap();
    for token in ["", &preview.confirmation_token] {
        let status = caller.forget_set(by_words("text"), SOFT, token).await.unwrap_err();
        assert_eq!(
            (status.code(), reason(&status).as_str()),
            (Code::FailedPrecondition, "SELECTION_TOO_LARGE")
        );
        assert_eq!((number(&status, "count"), number(&status, "limit")), (3, 2));
    }
    caller.forget("a", SOFT).await.unwrap();
    assert_eq!(confirm(&caller, by_words("text"), SOFT).await.unwrap().archived, 2);
}

#[tokio::test]
async fn a_rehearsal_of_a_set_says_what_would_be_and_does_nothing() {
    let mut stage = Stage::furnished().await;
    let caller = stage.caller();
    let preview = caller.preview(by_words("content"), HARD).await.unwrap();
    let request = ForgetRequest {
        selector: Some(by_words("content")),
        mode: HARD.into(),
        confirmation_token: preview.confirmation_token,
        validate_only: true,
        verify: true,
        ..ForgetRequest::default()
    };
    let response = caller.lifecycle.clone().forget(request).await.unwrap().into_inner();
    assert_eq!((response.matched, response.erased, response.validate_only), (1, 1, true));
    assert!(response.verification.is_none());
    stage.tables.assert_unchanged("a rehearsal").await;
}

/// What an earlier call of another caller does while this one waits for the head is found out under the lock.
#[tokio::test]
async fn what_changes_while_the_head_is_waited_for_is_found_out() {
    let database = Database::migrated().await;
    let proxy = Proxy::start(&database).await;
    let server = Server::start_unready(proxy.connect(), settings()).await;
    server.until_health(SERVICE, ServingStatus::Serving).await;
    let caller = server.caller();
    for id in ["school", "shift"] {
        caller.remember(id, "nursing").await.unwrap();
    }
    let token = caller.preview(by_words("nursing"), SOFT).await.unwrap().confirmation_token;
    let look = "-- select_members_holding";
    let looks = proxy.ended(look);
    let held = hold::head(&database, "default").await;
    // First in the lane, so carried out first.
    let saver = server.caller();
    let saving = tokio::spawn(async move { saver.remember("night", "nursing at night").await });
    hold::until_awaited(&database).await;
    let forgetter = server.caller();
    let forgetting =
        tokio::spawn(async move { forgetter.forget_set(by_words("nursing"), SOFT, &token).await });
    // Looked at while the head is held: by then the token still fits.
    hold::until(async || proxy.ended(look) > looks).await;
    held.release().await;
    saving.await.unwrap().unwrap();
    let status = forgetting.await.unwrap().unwrap_err();
    assert_eq!((reason(&status).as_str(), number(&status, "matched")), ("SELECTION_CHANGED", 3));
    assert_eq!(caller.recall("nursing").await.unwrap().len(), 3, "nothing was forgotten");
}
