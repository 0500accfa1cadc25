//! Forgetting just what was named.

use memory_lifecycle::proto::v1::{
    Filter, ForgetMode, ForgetRequest, ForgetStatus, ImportItem, ImportMemoriesRequest, MemoryState, Outcome,
    PreviewRequest, RememberRequest, Selector,
};

use crate::calls::stage::{Stage, texts};
use crate::harness::caller::by_id;
use crate::harness::{Caller, reason};

async fn import(caller: &Caller, count: usize) -> Vec<String> {
    let ids: Vec<String> = (0..count).map(|number| format!("id-{number:04}")).collect();
    let items = ids.iter().map(|id| ImportItem {
        memory_id: id.clone(),
        content: "text".to_owned(),
        ..ImportItem::default()
    });
    let request = ImportMemoriesRequest { items: items.collect(), ..ImportMemoriesRequest::default() };
    let answer = caller.store.clone().import_memories(request).await.unwrap().into_inner();
    assert_eq!(usize::try_from(answer.saved).unwrap(), count);
    ids
}

fn borrowed(ids: &[String]) -> Vec<&str> {
    ids.iter().map(String::as_str).collect()
}

#[tokio::test]
async fn forgetting_all_of_one_tenant_leaves_the_other_untouched() {
    let stage = Stage::new().await;
    let (one, other) = (stage.server.caller_of("one", "agent"), stage.server.caller_of("other", "agent"));
    let ids = import(&one, 50).await;
    import(&other, 50).await;
    let before = other.list_all().await.unwrap();
    let log = other.audit_records().await.unwrap();
    let answer = one.batch_forget(&borrowed(&ids), ForgetMode::Hard).await.unwrap();
    assert_eq!(answer.erased, 50);
    assert_eq!(one.list_all().await.unwrap(), []);
    assert_eq!(other.list_all().await.unwrap(), before);
    assert_eq!((before.len(), other.audit_records().await.unwrap()), (50, log));
}

#[tokio::test]
async fn the_graph_named_with_an_id_must_be_the_memorys() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    for (id, graph) in [("one", "g1"), ("two", "g2")] {
        let request = RememberRequest {
            memory_id: id.to_owned(),
            graph_id: graph.to_owned(),
            content: "text".to_owned(),
            ..RememberRequest::default()
        };
        caller.store.clone().remember(request).await.unwrap();
    }
    let forget = |graph: &str| {
        let filter = Some(Filter { graph_id: Some(graph.to_owned()), ..Filter::default() });
        let selector = Some(Selector { filter, ..by_id("two").unwrap() });
        ForgetRequest { selector, ..ForgetRequest::default() }
    };
    let status = caller.lifecycle.clone().forget(forget("g1")).await.unwrap_err();
    assert_eq!(reason(&status), "MEMORY_NOT_FOUND");
    assert_eq!(caller.lifecycle.clone().forget(forget("g2")).await.unwrap().into_inner().archived, 1);
    assert_eq!(caller.get("one").await.unwrap().state(), MemoryState::Active);
}

#[tokio::test]
async fn a_wildcard_as_an_id_is_only_itself() {
    let mut stage = Stage::new().await;
    let caller = stage.caller();
    for id in ["a", "b", "ab", "a_b"] {
        caller.remember(id, "text").await.unwrap();
    }
    stage.tables.note_except("operations").await;
    for id in ["_", "__", "a_", "...", "-", ":"] {
        assert_eq!(
            reason(&caller.forget(id, ForgetMode::Hard).await.unwrap_err()),
            "MEMORY_NOT_FOUND",
            "{id}"
        );
    }
    for id in ["%", "\\", "*", "a%", "?"] {
        assert_eq!(reason(&caller.forget(id, ForgetMode::Hard).await.unwrap_err()), "INVALID_FIELD", "{id}");
    }
    let answer = caller.batch_forget(&["%", "_", "\\", "*", "__"], ForgetMode::Hard).await.unwrap();
    assert_eq!((answer.erased, answer.not_found, answer.refused), (0, 2, 3));
    stage.tables.assert_unchanged("wildcards").await;
    assert_eq!(caller.forget("a_b", ForgetMode::Hard).await.unwrap().erased, 1);
    assert_eq!(caller.list_all().await.unwrap().len(), 3);
}

#[tokio::test]
async fn no_part_or_variant_of_an_id_is_taken_for_it() {
    let mut stage = Stage::new().await;
    let caller = stage.caller();
    caller.remember("meeting-notes", "meeting notes").await.unwrap();
    stage.tables.note().await;
    for id in
        ["meeting", "notes", "Meeting-Notes", "meeting-note", "meeting-notes2", "meeting_notes", "meetin"]
    {
        for mode in [ForgetMode::Soft, ForgetMode::Hard] {
            let status = caller.forget(id, mode).await.unwrap_err();
            assert_eq!(reason(&status), "MEMORY_NOT_FOUND", "{id}");
        }
    }
    stage.tables.assert_unchanged("variants of an id").await;
}

#[tokio::test]
async fn an_unknown_id_is_never_a_success_nor_a_fault_of_the_server() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    let unknown =
        ["GPK0F14H", "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e", "mem_018f3a5c", "1", "-1", "null", "None"];
    for id in unknown {
        for mode in [ForgetMode::Soft, ForgetMode::Hard] {
            let status = caller.forget(id, mode).await.unwrap_err();
            assert_eq!(
                (status.code(), reason(&status).as_str()),
                (tonic::Code::NotFound, "MEMORY_NOT_FOUND")
            );
        }
        assert_eq!(caller.get(id).await.unwrap_err().code(), tonic::Code::NotFound);
    }
    let answer = caller.batch_forget(&unknown, ForgetMode::Hard).await.unwrap();
    assert_eq!(answer.status(), ForgetStatus::NotForgotten);
    assert_eq!((answer.requested, answer.not_found), (7, 7));
    assert!(answer.results.iter().all(|result| result.outcome() == Outcome::NotFound));
}

#[tokio::test]
async fn every_id_that_a_read_shows_can_be_forgotten() {
    let stage = Stage::furnished().await;
    let caller = stage.caller();
    caller.remember("", "an id of the server's").await.unwrap();
    let shown = caller.list_all().await.unwrap();
    assert_eq!(shown.len(), 3);
    for memory in shown {
        let answer = caller.forget(&memory.memory_id, ForgetMode::Soft).await.unwrap();
        assert_eq!(answer.status(), ForgetStatus::Forgotten, "{}", memory.memory_id);
    }
}

#[tokio::test]
async fn the_counters_sum_to_what_was_asked() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    caller.remember("1", "text").await.unwrap();
    caller.remember("2", "text").await.unwrap();
    let answer = caller.batch_forget(&["1", "2", "300"], ForgetMode::Soft).await.unwrap();
    assert_eq!((answer.requested, answer.archived, answer.not_found), (3, 2, 1));
    let sum = answer.archived
        + answer.erased
        + answer.already_forgotten
        + answer.not_found
        + answer.refused
        + answer.unknown;
    assert_eq!(sum, answer.requested);
}

#[tokio::test]
async fn a_forget_without_a_mode_can_be_undone() {
    let stage = Stage::furnished().await;
    let caller = stage.caller();
    let request = ForgetRequest { selector: by_id("kept"), ..ForgetRequest::default() };
    let answer = caller.lifecycle.clone().forget(request).await.unwrap().into_inner();
    assert_eq!((answer.archived, answer.erased), (1, 0));
    assert_eq!(caller.restore(&["kept"]).await.unwrap().restored, 1);
}

#[tokio::test]
async fn a_preview_counts_what_the_forget_then_forgets() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    let ids = import(&caller, 100).await;
    let request = PreviewRequest {
        selector: Some(Selector { memory_ids: ids.clone(), ..Selector::default() }),
        page_size: 1000,
        ..PreviewRequest::default()
    };
    let preview = caller.lifecycle.clone().preview(request).await.unwrap().into_inner();
    assert_eq!((preview.matched, preview.would_archive, preview.items.len()), (100, 100, 100));
    let answer = caller.batch_forget(&borrowed(&ids), ForgetMode::Soft).await.unwrap();
    assert_eq!(answer.archived, preview.would_archive);
}

#[tokio::test]
async fn the_same_hundred_ids_can_be_sent_again_after_a_half_success() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    let ids = import(&caller, 100).await;
    caller.batch_forget(&borrowed(&ids[..50]), ForgetMode::Soft).await.unwrap();
    let answer = caller.batch_forget(&borrowed(&ids), ForgetMode::Soft).await.unwrap();
    assert_eq!((answer.already_forgotten, answer.archived), (50, 50));
    assert_eq!(answer.status(), ForgetStatus::Forgotten);
    let answer = caller.batch_forget(&borrowed(&ids), ForgetMode::Soft).await.unwrap();
    assert_eq!((answer.already_forgotten, answer.archived), (100, 0));
    assert_eq!(
        texts(&borrowed(&ids)),
        answer.results.into_iter().map(|result| result.memory_id).collect::<Vec<_>>()
    );
}
