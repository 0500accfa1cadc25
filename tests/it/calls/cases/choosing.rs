//! What is found and what is chosen.

use memory_lifecycle::proto::v1::{
    ForgetMode, ImportItem, ImportMemoriesRequest, MemoryState, RecallMemoriesRequest,
};

use crate::calls::stage::Stage;
use crate::harness::caller::by_words;

#[tokio::test]
async fn all_words_are_asked_for_and_not_one_of_them() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    for (id, text) in [("both", "D6 scratch"), ("one", "scratch note"), ("other", "D6 plan")] {
        caller.remember(id, text).await.unwrap();
    }
    let preview = caller.preview(by_words("D6 scratch"), ForgetMode::Hard).await.unwrap();
    assert_eq!((preview.matched, preview.items[0].memory_id.as_str()), (1, "both"));
    let token = preview.confirmation_token;
    let response = caller.forget_set(by_words("D6 scratch"), ForgetMode::Hard, &token).await.unwrap();
    assert_eq!(response.erased, 1);
    assert_eq!(caller.list_all().await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_forgotten_memory_takes_no_place_from_one_that_is_there() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    caller.remember("live", "coffee").await.unwrap();
    for mode in [ForgetMode::Soft, ForgetMode::Hard] {
        caller.remember("better", "coffee milk sugar").await.unwrap();
        caller.forget("better", mode).await.unwrap();
        let request = RecallMemoriesRequest {
            query: "coffee milk sugar".to_owned(),
            page_size: 1,
            ..RecallMemoriesRequest::default()
        };
        let page = caller.store.clone().recall_memories(request).await.unwrap().into_inner();
        assert_eq!(page.memories.len(), 1);
        assert_eq!((page.memories[0].memory_id.as_str(), page.next_page_token.as_str()), ("live", ""));
        if mode == ForgetMode::Soft {
            caller.forget("better", ForgetMode::Hard).await.unwrap();
        }
    }
}

#[tokio::test]
async fn sixteen_hundred_are_counted_as_sixteen_hundred() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    for part in 0..2 {
        let item = |number| ImportItem {
            memory_id: format!("m{part}-{number}"),
            content: "one of many".to_owned(),
            ..ImportItem::default()
        };
        let items = (0..800).map(item).collect();
        let request = ImportMemoriesRequest { items, ..ImportMemoriesRequest::default() };
        caller.store.clone().import_memories(request).await.unwrap();
    }
    let preview = caller.preview(by_words("many"), ForgetMode::Soft).await.unwrap();
    assert_eq!((preview.matched, preview.would_archive, preview.items.len()), (1600, 1600, 1000));
    assert!(!preview.next_page_token.is_empty(), "and more to see");
    let token = preview.confirmation_token;
    let response = caller.forget_set(by_words("many"), ForgetMode::Soft, &token).await.unwrap();
    assert_eq!((response.archived, response.results.len()), (1600, 1600));
    assert!(caller.list_all().await.unwrap().iter().all(|memory| memory.state() == MemoryState::Archived));
}
