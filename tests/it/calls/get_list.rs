//! GetMemory and ListMemories.

use memory_lifecycle::proto::v1::{
    Filter, ForgetMode, ImportItem, ImportMemoriesRequest, ListMemoriesRequest, ListMemoriesResponse,
    MemoryKind, MemoryOrigin, MemoryState, RememberRequest,
};
use prost_types::Timestamp;

use super::stage::Stage;
use crate::harness::{Caller, reason};

async fn list(caller: &Caller, request: ListMemoriesRequest) -> ListMemoriesResponse {
    caller.store.clone().list_memories(request).await.unwrap().into_inner()
}

async fn ids(caller: &Caller, request: ListMemoriesRequest) -> Vec<String> {
    list(caller, request).await.memories.into_iter().map(|memory| memory.memory_id).collect()
}

async fn filtered(caller: &Caller, filter: Filter) -> Vec<String> {
    ids(caller, ListMemoriesRequest { filter: Some(filter), ..ListMemoriesRequest::default() }).await
}

async fn save(caller: &Caller, count: usize) {
    for number in 0..count {
        caller.remember(&format!("id-{number:04}"), "text").await.unwrap();
    }
}

#[tokio::test]
async fn an_archived_memory_is_returned_and_marked() {
    let stage = Stage::furnished().await;
    let caller = stage.caller();
    assert_eq!(caller.get("kept").await.unwrap().state(), MemoryState::Active);
    let stored = caller.get("stored").await.unwrap();
    assert_eq!(stored.state(), MemoryState::Archived);
    assert!(stored.forget_time.is_some() && stored.purge_time.is_some());
    assert!(!stored.forget_operation_id.is_empty());
}

#[tokio::test]
async fn states_win_over_show_archived() {
    let stage = Stage::furnished().await;
    let caller = stage.caller();
    let (active, archived) = (MemoryState::Active, MemoryState::Archived);
    let all = ["stored", "kept"].as_slice();
    for (states, show_archived, wanted) in [
        (vec![], false, &["kept"][..]),
        (vec![], true, all),
        (vec![active], true, &["kept"]),
        (vec![archived], false, &["stored"]),
        (vec![archived], true, &["stored"]),
        (vec![active, archived], false, all),
        (vec![archived, archived], false, &["stored"]),
    ] {
        let states: Vec<i32> = states.into_iter().map(i32::from).collect();
        let filter = Some(Filter { states: states.clone(), ..Filter::default() });
        let request = ListMemoriesRequest { filter, show_archived, ..ListMemoriesRequest::default() };
        assert_eq!(ids(&caller, request).await, wanted, "{states:?} {show_archived}");
    }
}

#[tokio::test]
async fn every_filter_narrows_and_all_must_fit() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    let save = |id: &str| RememberRequest {
        memory_id: id.to_owned(),
        content: "text".to_owned(),
        ..RememberRequest::default()
    };
    let requests = [
        RememberRequest { subject_id: "zoë".to_owned(), ..save("subject") },
        RememberRequest { graph_id: "people".to_owned(), ..save("graph") },
        RememberRequest { memory_date: "2020-02-29".to_owned(), ..save("date") },
        RememberRequest { kind: MemoryKind::Todo.into(), ..save("todo") },
        RememberRequest { kind: MemoryKind::Ledger.into(), ..save("ledger") },
        save("plain"),
    ];
    for request in requests {
        caller.store.clone().remember(request).await.unwrap();
    }
    let items = vec![ImportItem {
        memory_id: "imported".to_owned(),
        content: "text".to_owned(),
        ..ImportItem::default()
    }];
    let import = ImportMemoriesRequest { import_id: "import".to_owned(), items, ..Default::default() };
    caller.store.clone().import_memories(import).await.unwrap();

    let none = Vec::<String>::new();
    let subject = Filter { subject_id: Some("zoë".to_owned()), ..Filter::default() };
    assert_eq!(filtered(&caller, subject.clone()).await, ["subject"]);
    let graph = Filter { graph_id: Some("people".to_owned()), ..Filter::default() };
    assert_eq!(filtered(&caller, graph.clone()).await, ["graph"]);
    let date = Filter { memory_date: Some("2020-02-29".to_owned()), ..Filter::default() };
    assert_eq!(filtered(&caller, date).await, ["date"]);
    let kinds = vec![MemoryKind::Todo.into(), MemoryKind::Ledger.into()];
    let kinds = Filter { kinds, ..Filter::default() };
    assert_eq!(filtered(&caller, kinds).await, ["ledger", "todo"]);
    let imported = Filter { origin: Some(MemoryOrigin::Imported.into()), ..Filter::default() };
    assert_eq!(filtered(&caller, imported).await, ["imported"]);
    let both = Filter { graph_id: graph.graph_id, ..subject };
    assert_eq!(filtered(&caller, both).await, none);
    let facts = Filter { kinds: vec![MemoryKind::Fact.into()], ..Filter::default() };
    assert_eq!(filtered(&caller, facts).await, none);

    // From is inclusive, to is exclusive.
    let time = caller.get("date").await.unwrap().create_time.unwrap();
    let from = Filter { create_time_from: Some(time), ..Filter::default() };
    assert_eq!(filtered(&caller, from.clone()).await, ["imported", "plain", "ledger", "todo", "date"]);
    let to = Filter { create_time_to: Some(time), ..Filter::default() };
    assert_eq!(filtered(&caller, to).await, ["graph", "subject"]);
    let empty = Filter { create_time_to: Some(time), ..from };
    assert_eq!(filtered(&caller, empty).await, none);
}

#[tokio::test]
async fn an_unknown_graph_is_an_error_and_the_default_one_always_exists() {
    let stage = Stage::new().await;
    let caller = stage.server.caller_of("new", "default");
    let in_graph = |graph: &str| Filter { graph_id: Some(graph.to_owned()), ..Filter::default() };
    assert_eq!(filtered(&caller, in_graph("default")).await, Vec::<String>::new());
    let request = ListMemoriesRequest { filter: Some(in_graph("people")), ..Default::default() };
    let status = caller.store.clone().list_memories(request.clone()).await.unwrap_err();
    assert_eq!(reason(&status), "GRAPH_NOT_FOUND");
    let save = RememberRequest {
        memory_id: "id".to_owned(),
        content: "text".to_owned(),
        graph_id: "people".to_owned(),
        ..RememberRequest::default()
    };
    caller.store.clone().remember(save).await.unwrap();
    assert_eq!(ids(&caller, request.clone()).await, ["id"]);
    // A graph stays once something was put into it.
    caller.forget("id", ForgetMode::Hard).await.unwrap();
    assert_eq!(ids(&caller, request.clone()).await, Vec::<String>::new());
    // And it is this tenant's.
    let other = stage.server.caller_of("other", "default");
    assert_eq!(reason(&other.store.clone().list_memories(request).await.unwrap_err()), "GRAPH_NOT_FOUND");
}

#[tokio::test]
async fn an_administrator_lists_the_tenant_or_one_agent_of_it() {
    let stage = Stage::furnished().await;
    let admin = stage.admin("administrator");
    assert_eq!(filtered(&admin, Filter::default()).await, ["settled", "another", "kept"]);
    let of = |agent: &str| Filter { agent_id: Some(agent.to_owned()), ..Filter::default() };
    assert_eq!(filtered(&admin, of("another")).await, ["another"]);
    assert_eq!(filtered(&admin, of("default")).await, ["settled", "kept"]);
    assert_eq!(filtered(&admin, of("administrator")).await, Vec::<String>::new());
}

#[tokio::test]
async fn pages_are_newest_first_and_of_the_size_asked_for() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    save(&caller, 7).await;
    let mut pages = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = ListMemoriesRequest { page_size: 3, page_token, ..ListMemoriesRequest::default() };
        let page = list(&caller, request).await;
        pages.push(page.memories.into_iter().map(|memory| memory.memory_id).collect::<Vec<_>>());
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    let wanted =
        [vec!["id-0006", "id-0005", "id-0004"], vec!["id-0003", "id-0002", "id-0001"], vec!["id-0000"]];
    assert_eq!(pages, wanted);
    // A page that just fits is the last.
    let page = list(&caller, ListMemoriesRequest { page_size: 7, ..ListMemoriesRequest::default() }).await;
    assert_eq!((page.memories.len(), page.next_page_token.as_str()), (7, ""));
}

#[tokio::test]
async fn a_page_holds_fifty_unless_said_and_never_more_than_a_thousand() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    for import in 0..2 {
        let items = (0..501)
            .map(|number| ImportItem {
                memory_id: format!("id-{import}-{number}"),
                content: "text".to_owned(),
                ..ImportItem::default()
            })
            .collect();
        let request = ImportMemoriesRequest { items, ..ImportMemoriesRequest::default() };
        caller.store.clone().import_memories(request).await.unwrap();
    }
    for (asked, got) in [(0, 50), (1, 1), (1000, 1000), (1001, 1000), (i32::MAX, 1000)] {
        let page = list(&caller, ListMemoriesRequest { page_size: asked, ..Default::default() }).await;
        assert_eq!((page.memories.len(), page.next_page_token.is_empty()), (got, false), "{asked}");
    }
    // All of one import have the same time: pages neither repeat nor lose any of them.
    let mut seen: Vec<String> =
        caller.list_all().await.unwrap().into_iter().map(|memory| memory.memory_id).collect();
    assert_eq!(seen.len(), 1002);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 1002);
}

#[tokio::test]
async fn a_change_between_two_pages_neither_repeats_nor_loses_what_was_there() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    save(&caller, 6).await;
    let page = |page_token| ListMemoriesRequest { page_size: 2, page_token, ..Default::default() };
    let first = list(&caller, page(String::new())).await;
    caller.remember("newer", "text").await.unwrap();
    // The last of the page that was read, and one of the next.
    caller.forget("id-0004", ForgetMode::Hard).await.unwrap();
    caller.forget("id-0003", ForgetMode::Soft).await.unwrap();
    let second = list(&caller, page(first.next_page_token.clone())).await;
    let third = list(&caller, page(second.next_page_token.clone())).await;
    let shown = |page: &ListMemoriesResponse| {
        page.memories.iter().map(|memory| memory.memory_id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(shown(&first), ["id-0005", "id-0004"]);
    assert_eq!(shown(&second), ["id-0002", "id-0001"]);
    assert_eq!((shown(&third), third.next_page_token.as_str()), (vec!["id-0000".to_owned()], ""));
}

#[tokio::test]
async fn memories_moved_in_stand_where_their_times_put_them() {
    let stage = Stage::new().await;
    let item = |id: &str, seconds| ImportItem {
        memory_id: id.to_owned(),
        content: "text".to_owned(),
        agent_id: "default".to_owned(),
        create_time: Some(Timestamp { seconds, nanos: 0 }),
        ..ImportItem::default()
    };
    let items = vec![item("middle", 50), item("oldest", -1), item("newest", 90), item("twin", 50)];
    let request = ImportMemoriesRequest { items, ..ImportMemoriesRequest::default() };
    stage.admin("mover").store.import_memories(request).await.unwrap();
    let caller = stage.caller();
    let mut shown = Vec::new();
    let mut page_token = String::new();
    for _ in 0..4 {
        let page =
            list(&caller, ListMemoriesRequest { page_size: 1, page_token, ..Default::default() }).await;
        shown.push(page.memories[0].memory_id.clone());
        page_token = page.next_page_token;
    }
    assert_eq!(
        (shown, page_token.as_str()),
        (["newest", "twin", "middle", "oldest"].map(str::to_owned).to_vec(), "")
    );
}
