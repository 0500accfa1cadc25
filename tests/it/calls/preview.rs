//! Preview.

use memory_lifecycle::proto::v1::{
    Filter, ForgetMode, MemoryKind, MemoryState, Outcome, PreviewRequest, PreviewResponse, Selector,
};

use super::stage::{Stage, texts};
use crate::harness::caller::by_id;
use crate::harness::{Caller, reason};

async fn preview(caller: &Caller, request: PreviewRequest) -> PreviewResponse {
    caller.lifecycle.clone().preview(request).await.unwrap().into_inner()
}

fn of(ids: &[&str]) -> PreviewRequest {
    let selector = Some(Selector { memory_ids: texts(ids), ..Selector::default() });
    PreviewRequest { selector, ..PreviewRequest::default() }
}

fn shown(answer: &PreviewResponse) -> Vec<(&str, Outcome)> {
    answer.items.iter().map(|item| (item.memory_id.as_str(), item.would_be())).collect()
}

#[tokio::test]
async fn it_says_what_would_become_of_each_and_changes_nothing() {
    use Outcome::{AlreadyForgotten, Archived, Erased, NotFound, Refused};

    let mut stage = Stage::furnished().await;
    let caller = stage.caller();
    let ids = ["unknown", "a b", "kept", "another", "stored", "kept", "unknown", "a b"];
    // Each id once: those found newest first, then the rest in the order of the request.
    let soft = preview(&caller, of(&ids)).await;
    let rest = [("unknown", NotFound), ("a b", Refused), ("another", NotFound)];
    let found = [("stored", AlreadyForgotten), ("kept", Archived)];
    assert_eq!(shown(&soft), [&found[..], &rest].concat());
    assert_eq!((soft.matched, soft.would_archive, soft.already_forgotten), (2, 1, 1));
    assert_eq!((soft.would_erase, soft.would_refuse), (0, 1));
    let hard = preview(&caller, PreviewRequest { mode: ForgetMode::Hard.into(), ..of(&ids) }).await;
    let found = [("stored", Erased), ("kept", Erased)];
    assert_eq!(shown(&hard), [&found[..], &rest].concat());
    assert_eq!((hard.matched, hard.would_erase, hard.would_archive), (2, 2, 0));

    let kept = caller.get("kept").await.unwrap();
    let item = &soft.items[1];
    assert_eq!((item.excerpt.as_str(), item.state()), (kept.content.as_str(), MemoryState::Active));
    assert_eq!((item.kind(), &item.agent_id), (MemoryKind::Memory, &kept.agent_id));
    assert_eq!((&item.memory_date, item.create_time), (&kept.memory_date, kept.create_time));
    assert_eq!((&item.etag, &item.refusal), (&kept.etag, &None));
    let absent = &soft.items[2];
    assert_eq!((absent.excerpt.as_str(), absent.etag.as_str(), absent.create_time), ("", "", None));
    stage.tables.assert_unchanged("a preview").await;
}

#[tokio::test]
async fn one_id_that_cannot_be_found_fails_the_call() {
    let stage = Stage::furnished().await;
    let caller = stage.caller();
    let one = |id: &str| PreviewRequest { selector: by_id(id), ..PreviewRequest::default() };
    for id in ["unknown", "another", "settled"] {
        let status = caller.lifecycle.clone().preview(one(id)).await.unwrap_err();
        assert_eq!(reason(&status), "MEMORY_NOT_FOUND", "{id}");
    }
    let answer = preview(&caller, one("stored")).await;
    assert_eq!(shown(&answer), [("stored", Outcome::AlreadyForgotten)]);
    let unknown = Filter { graph_id: Some("unknown".to_owned()), ..Filter::default() };
    let selector = Some(Selector { filter: Some(unknown), ..by_id("kept").unwrap() });
    let request = PreviewRequest { selector, ..PreviewRequest::default() };
    assert_eq!(reason(&caller.lifecycle.clone().preview(request).await.unwrap_err()), "GRAPH_NOT_FOUND");
}

#[tokio::test]
async fn an_excerpt_is_the_beginning_on_one_line_and_the_whole_of_a_short_text() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    for (content, excerpt) in [
        ("short", "short"),
        (" two\r\n\tlines\u{2028}more ", "two lines more"),
        (&"é".repeat(160), &"é".repeat(160)),
        (&"é".repeat(161), &"é".repeat(160)),
        (&format!("{} b", "a".repeat(159)), &"a".repeat(159)),
    ] {
        let saved = caller.remember("", content).await.unwrap();
        let answer = preview(&caller, of(&[&saved.memory_id])).await;
        assert_eq!(answer.items[0].excerpt, excerpt);
    }
}

#[tokio::test]
async fn pages_hold_the_whole_selection_and_each_its_counters() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    let mut ids: Vec<String> = (0..7).map(|number| format!("id-{number}")).collect();
    for id in &ids {
        caller.remember(id, "text").await.unwrap();
    }
    ids.push("unknown".to_owned());
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut seen = Vec::new();
    let mut request = PreviewRequest { page_size: 3, ..of(&ids) };
    loop {
        let page = preview(&caller, request.clone()).await;
        assert_eq!((page.matched, page.would_archive), (7, 7));
        assert!(page.items.len() <= 3);
        seen.extend(page.items.into_iter().map(|item| item.memory_id));
        request.page_token = page.next_page_token;
        if request.page_token.is_empty() {
            break;
        }
    }
    assert_eq!(seen, ["id-6", "id-5", "id-4", "id-3", "id-2", "id-1", "id-0", "unknown"]);
}

#[tokio::test]
async fn a_later_page_of_another_selection_says_so() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    for id in ["one", "two"] {
        caller.remember(id, "text").await.unwrap();
    }
    let first = PreviewRequest { page_size: 1, ..of(&["one", "two", "three"]) };
    let token = preview(&caller, first.clone()).await.next_page_token;
    let second = PreviewRequest { page_token: token, ..first.clone() };
    preview(&caller, second.clone()).await;
    // What changes, comes or goes: each makes it another one.
    caller.remember("three", "text").await.unwrap();
    assert_eq!(reason(&caller.lifecycle.clone().preview(second).await.unwrap_err()), "SELECTION_CHANGED");
    for mode in [ForgetMode::Soft, ForgetMode::Hard] {
        let token = preview(&caller, first.clone()).await.next_page_token;
        caller.forget("one", mode).await.unwrap();
        let second = PreviewRequest { page_token: token, ..first.clone() };
        assert_eq!(reason(&caller.lifecycle.clone().preview(second).await.unwrap_err()), "SELECTION_CHANGED");
    }
    // Something else changing does not.
    let token = preview(&caller, first.clone()).await.next_page_token;
    caller.remember("unrelated", "text").await.unwrap();
    preview(&caller, PreviewRequest { page_token: token, ..first }).await;
}
