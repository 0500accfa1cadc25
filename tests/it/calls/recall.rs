//! RecallMemories: what it finds, in which order, and what it never shows.

use memory_lifecycle::proto::v1::{
    Filter, ForgetMode, MemoryState, RecallMemoriesRequest, RecallMemoriesResponse, RememberRequest,
    UpdateMemoryRequest,
};
use tonic::Status;

use super::stage::{Stage, remember_fact};
use crate::harness::{Caller, Database, Server, reason, violations};

async fn recall(caller: &Caller, request: RecallMemoriesRequest) -> Result<RecallMemoriesResponse, Status> {
    Ok(caller.store.clone().recall_memories(request).await?.into_inner())
}

fn of(query: &str) -> RecallMemoriesRequest {
    RecallMemoriesRequest { query: query.to_owned(), ..RecallMemoriesRequest::default() }
}

/// The ids that a query recalls, from all pages of this size.
async fn paged(caller: &Caller, query: &str, page_size: i32) -> Vec<String> {
    let mut ids = Vec::new();
    let mut request = RecallMemoriesRequest { page_size, ..of(query) };
    loop {
        let page = recall(caller, request.clone()).await.unwrap();
        ids.extend(page.memories.into_iter().map(|memory| memory.memory_id));
        if page.next_page_token.is_empty() {
            return ids;
        }
        request.page_token = page.next_page_token;
    }
}

async fn ids(caller: &Caller, query: &str) -> Vec<String> {
    paged(caller, query, 0).await
}

async fn filtered(caller: &Caller, query: &str, filter: Filter) -> Vec<String> {
    let request = RecallMemoriesRequest { filter: Some(filter), ..of(query) };
    let page = recall(caller, request).await.unwrap();
    page.memories.into_iter().map(|memory| memory.memory_id).collect()
}

async fn start(texts: &[(&str, &str)]) -> (Server, Caller) {
    let server = Server::start(&Database::migrated().await).await;
    let caller = server.caller();
    for (id, content) in texts {
        caller.remember(id, content).await.unwrap();
    }
    (server, caller)
}

#[tokio::test]
async fn those_that_hold_more_pieces_come_first_and_then_the_newer() {
    let (server, caller) = start(&[
        ("both-old", "Milk and coffee"),
        ("coffee", "Coffee alone"),
        ("neither", "Tea"),
        ("both-new", "coffee, with milk"),
        ("milk", "a glass of MILK"),
        ("part", "milky coffees"),
    ])
    .await;
    let wanted = ["both-new", "both-old", "milk", "coffee"];
    assert_eq!(ids(&caller, "coffee milk").await, wanted);
    for size in 1..5 {
        assert_eq!(paged(&caller, "coffee milk", size).await, wanted, "pages of {size}");
    }
    assert_eq!(ids(&caller, "coffee coffee").await, ["both-new", "coffee", "both-old"]);
    assert!(ids(&caller, "cocoa").await.is_empty());
    let memory = recall(&caller, of("tea")).await.unwrap().memories.remove(0);
    assert_eq!(memory, caller.get("neither").await.unwrap(), "recall shows a memory as a read does");
    server.stop().await;
}

#[tokio::test]
async fn a_query_stands_for_itself_whatever_it_holds() {
    let (server, caller) = start(&[
        ("percent", "at 100% now"),
        ("euros", "100 euros"),
        ("underscore", "the file a_b"),
        ("other", "the file axb"),
        ("path", "in c:\\x there"),
        ("regex", "the regex .* is greedy"),
        ("han", "我喜欢咖啡馆"),
        ("hangul", "커피를 좋아해"),
        ("accent", "Un café noir"),
        ("strasse", "HAUPTSTRASSE 1, STRASSE 2"),
        ("wide", "ＡＢＣ"),
        ("decomposed", "re\u{301}sume\u{301}"),
        ("quote", "it's '; DROP TABLE memories; --"),
    ])
    .await;
    for (query, wanted) in [
        ("100%", &["percent"][..]),
        ("%", &["percent"]),
        ("a_b", &["underscore"]),
        ("c:\\x", &["path"]),
        (".*", &["regex"]),
        ("咖啡", &["han"]),
        ("커피", &["hangul"]),
        ("CAFÉ", &["accent"]),
        ("cafe", &[]),
        ("straße", &["strasse"]),
        ("abc", &["wide"]),
        ("résumé", &["decomposed"]),
        ("'; DROP", &["quote"]),
        ("\\", &["path"]),
    ] {
        assert_eq!(ids(&caller, query).await, wanted, "{query:?}");
    }
    server.stop().await;
}

#[tokio::test]
async fn what_is_forgotten_is_on_no_page_from_then_on() {
    let texts: Vec<(String, String)> =
        (0..6).map(|number| (format!("id-{number}"), format!("coffee {number}"))).collect();
    let texts: Vec<(&str, &str)> = texts.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
    let (server, caller) = start(&texts).await;
    let first = recall(&caller, RecallMemoriesRequest { page_size: 2, ..of("coffee") }).await.unwrap();
    assert_eq!(first.memories[1].memory_id, "id-4");
    caller.forget("id-3", ForgetMode::Soft).await.unwrap();
    caller.forget("id-1", ForgetMode::Hard).await.unwrap();
    let next =
        RecallMemoriesRequest { page_size: 2, page_token: first.next_page_token.clone(), ..of("coffee") };
    let rest = recall(&caller, next).await.unwrap();
    let rest: Vec<_> = rest.memories.iter().map(|memory| memory.memory_id.as_str()).collect();
    assert_eq!(rest, ["id-2", "id-0"]);
    assert_eq!(ids(&caller, "coffee").await, ["id-5", "id-4", "id-2", "id-0"]);
    caller.restore(&["id-3"]).await.unwrap();
    assert_eq!(ids(&caller, "coffee").await, ["id-5", "id-4", "id-3", "id-2", "id-0"]);
    let corrected = UpdateMemoryRequest {
        memory_id: "id-0".to_owned(),
        content: Some("tea".to_owned()),
        ..UpdateMemoryRequest::default()
    };
    caller.store.clone().update_memory(corrected).await.unwrap();
    assert_eq!(ids(&caller, "tea").await, ["id-0"]);
    assert_eq!(ids(&caller, "coffee").await.len(), 4);
    server.stop().await;
}

#[tokio::test]
async fn only_what_is_in_reach_and_meets_the_filter_is_recalled() {
    let stage = Stage::furnished().await;
    let caller = stage.caller();
    for (id, subject, date) in [("ada", "ada", "2026-01-02"), ("bob", "bob", "2026-01-03")] {
        let request = RememberRequest {
            memory_id: id.to_owned(),
            subject_id: subject.to_owned(),
            memory_date: date.to_owned(),
            content: "likes walnuts".to_owned(),
            ..RememberRequest::default()
        };
        caller.store.clone().remember(request).await.unwrap();
    }
    stage.server.caller_of("default", "another").remember("theirs", "walnuts").await.unwrap();
    stage.server.caller_of("elsewhere", "default").remember("foreign", "walnuts").await.unwrap();
    let admin = stage.admin("default");
    remember_fact(&admin, "fact", "walnuts are nuts").await;
    assert_eq!(ids(&caller, "walnuts").await, ["bob", "ada"]);
    assert_eq!(ids(&admin, "walnuts").await, ["fact", "theirs", "bob", "ada"]);
    let by = |filter| filtered(&caller, "walnuts", filter);
    assert_eq!(by(Filter { subject_id: Some("ada".to_owned()), ..Filter::default() }).await, ["ada"]);
    assert_eq!(by(Filter { memory_date: Some("2026-01-03".to_owned()), ..Filter::default() }).await, ["bob"]);
    let active = Filter { states: vec![MemoryState::Active.into()], ..Filter::default() };
    assert_eq!(by(active).await, ["bob", "ada"]);
    let agent = Filter { agent_id: Some("another".to_owned()), ..Filter::default() };
    assert_eq!(filtered(&admin, "walnuts", agent).await, ["theirs"]);
    let graph = Filter { graph_id: Some("unknown".to_owned()), ..Filter::default() };
    let status = recall(&caller, RecallMemoriesRequest { filter: Some(graph), ..of("x") }).await.unwrap_err();
    assert_eq!(reason(&status), "GRAPH_NOT_FOUND");
}

#[tokio::test]
async fn what_is_no_query_or_no_page_is_refused_and_named() {
    let (server, caller) = start(&[("a", "coffee")]).await;
    let long = "é".repeat(513);
    for query in ["", " ", "\u{200b}", long.as_str()] {
        let status = recall(&caller, of(query)).await.unwrap_err();
        assert_eq!(violations(&status), ["query"], "{query:?}");
    }
    let archived = Filter { states: vec![MemoryState::Archived.into()], ..Filter::default() };
    let request =
        RecallMemoriesRequest { filter: Some(archived), page_size: -1, query: String::new(), ..of("") };
    let status = recall(&caller, request).await.unwrap_err();
    assert_eq!(violations(&status), ["query", "filter.states", "page_size"]);
    let request = RecallMemoriesRequest { page_token: "x".to_owned(), ..of("coffee") };
    assert_eq!(violations(&recall(&caller, request).await.unwrap_err()), ["page_token"]);
    server.stop().await;
}
