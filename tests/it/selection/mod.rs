//! Sets chosen by words: which memories they find, and that a confirmed forget changes just what was shown.

mod examples;
mod large;
mod property;
mod reference;

use memory_lifecycle::proto::v1::{
    ForgetMode, ForgetRequest, ForgetResponse, ImportItem, ImportMemoriesRequest, PreviewItem,
    PreviewRequest, PreviewResponse, Selector,
};
use tonic::Status;

use crate::harness::Caller;

/// Those that hold these words.
#[expect(clippy::unnecessary_wraps, reason = "as the requests' field takes it")]
fn holding(words: &str) -> Option<Selector> {
    Some(Selector { r#match: Some(words.to_owned()), ..Selector::default() })
}

/// Saves memories by one import, under these ids.
async fn import(caller: &Caller, memories: impl Iterator<Item = (String, String)>) {
    let items: Vec<_> = memories
        .map(|(memory_id, content)| ImportItem { memory_id, content, ..ImportItem::default() })
        .collect();
    let sent = i64::try_from(items.len()).unwrap();
    let request = ImportMemoriesRequest { items, ..ImportMemoriesRequest::default() };
    let answer = caller.store.clone().import_memories(request).await.unwrap().into_inner();
    assert_eq!(answer.saved, sent, "every memory is saved");
}

/// A preview, all its pages.
struct Shown {
    /// The last page, without its items. It has the counters and the token of the whole.
    whole: PreviewResponse,
    items: Vec<PreviewItem>,
}

impl Shown {
    fn ids(&self) -> Vec<&str> {
        self.items.iter().map(|item| item.memory_id.as_str()).collect()
    }
}

/// Reads a preview to its end.
async fn preview(caller: &Caller, mut request: PreviewRequest) -> Result<Shown, Status> {
    let mut items = Vec::new();
    let mut earlier: Option<PreviewResponse> = None;
    loop {
        let mut page = caller.lifecycle.clone().preview(request.clone()).await?.into_inner();
        let most = if request.page_size == 0 { 50 } else { request.page_size };
        assert!(page.items.len() <= usize::try_from(most).unwrap(), "a page is no longer than was asked");
        items.append(&mut page.items);
        request.page_token = std::mem::take(&mut page.next_page_token);
        if let Some(earlier) = earlier {
            assert_eq!(counters(&earlier), counters(&page), "every page has the counters of the whole");
            assert_eq!(earlier.confirmation_token.is_empty(), page.confirmation_token.is_empty());
        }
        if request.page_token.is_empty() {
            return Ok(Shown { whole: page, items });
        }
        assert!(!items.is_empty(), "a page that is not the last holds something");
        earlier = Some(page);
    }
}

fn counters(page: &PreviewResponse) -> [i64; 6] {
    [
        page.matched,
        page.would_archive,
        page.would_erase,
        page.already_forgotten,
        page.would_refuse,
        page.suppressions,
    ]
}

/// Forgets what a preview showed.
async fn confirm(
    caller: &Caller,
    selector: Option<Selector>,
    mode: ForgetMode,
    shown: &Shown,
) -> Result<ForgetResponse, Status> {
    let request = ForgetRequest {
        selector,
        mode: mode.into(),
        confirmation_token: shown.whole.confirmation_token.clone(),
        ..ForgetRequest::default()
    };
    Ok(caller.lifecycle.clone().forget(request).await?.into_inner())
}
