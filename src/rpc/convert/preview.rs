//! Preview.

use super::faults::Faults;
use super::results::outcome_sent;
use super::selector::{Selected, selected};
use super::values::{cause, count, digest, kind_sent, mode, page, state_sent, timestamp_sent};
use crate::domain::ids::SubjectId;
use crate::domain::refusal::Refusal;
use crate::ops::{Preview, PreviewItem, PreviewQuery, PreviewSelection, SetQuery};
use crate::proto::v1;
use crate::rpc::status;

/// What is to be previewed.
#[derive(Debug)]
pub(in crate::rpc) enum Previewed {
    /// Memories named by their ids.
    Ids(PreviewQuery),
    /// A set.
    Set(SetQuery),
}

/// Reads what is to be previewed.
pub(in crate::rpc) fn preview_query(mut message: v1::PreviewRequest) -> Result<Previewed, Refusal> {
    let size = std::mem::take(&mut message.page_size);
    let token = std::mem::take(&mut message.page_token);
    let arguments = digest("memorylifecycle.v1.MemoryLifecycle/Preview", &message);
    let v1::PreviewRequest { selector, mode: sent_mode, cause: sent_cause, page_size: _, page_token: _ } =
        message;

    let mut faults = Faults::default();
    let selected = selected(&mut faults, selector, sent_mode, sent_cause);
    let mode = mode(&mut faults, sent_mode);
    let cause = cause(&mut faults, sent_cause);
    let page = page(&mut faults, size, token, arguments);
    let of_ids = |selection, filter| {
        Previewed::Ids(PreviewQuery { selection, filter, mode, cause, page: page.clone() })
    };
    faults.settle(selected.map(|selected| match selected {
        Selected::One(target, filter) => of_ids(PreviewSelection::One(target), filter),
        Selected::Many(targets, filter) => of_ids(PreviewSelection::Many(targets), filter),
        Selected::Target(target, filter) => of_ids(PreviewSelection::Words(target), filter),
        Selected::Set(set, asked) => Previewed::Set(SetQuery { set, mode, cause, asked, page: page.clone() }),
    }))
}

/// Writes what a forget would do.
pub(in crate::rpc) fn preview_response(preview: Preview) -> v1::PreviewResponse {
    let Preview {
        matched,
        would_archive,
        would_erase,
        would_refuse,
        already_forgotten,
        suppressions,
        items,
        next_token,
        confirm,
    } = preview;
    let (confirmation_token, expire_time) =
        confirm.map(|confirm| (confirm.token, timestamp_sent(confirm.expire_time))).unzip();
    v1::PreviewResponse {
        matched: count(matched),
        items: items.into_iter().map(item_sent).collect(),
        next_page_token: next_token,
        would_archive: count(would_archive),
        would_erase: count(would_erase),
        would_refuse: count(would_refuse),
        already_forgotten: count(already_forgotten),
        suppressions: count(suppressions),
        confirmation_token: confirmation_token.unwrap_or_default(),
        confirmation_expire_time: expire_time,
    }
}

fn item_sent(item: PreviewItem) -> v1::PreviewItem {
    let PreviewItem { memory_id, found, would_be, refusal } = item;
    let told = v1::PreviewItem {
        memory_id,
        would_be: outcome_sent(would_be),
        // A preview changes nothing, so no operation is named.
        refusal: refusal.map(|refusal| status::of_entry(&refusal, None)),
        ..v1::PreviewItem::default()
    };
    let Some((memory, excerpt)) = found else { return told };
    v1::PreviewItem {
        excerpt,
        state: state_sent(Some(memory.state())),
        kind: kind_sent(memory.kind),
        agent_id: memory.agent.to_string(),
        subject_id: memory.subject.as_ref().map(SubjectId::to_string).unwrap_or_default(),
        memory_date: memory.date.to_string(),
        create_time: Some(timestamp_sent(memory.create_time)),
        etag: memory.etag().to_string(),
        ..told
    }
}
