//! Preview.

use super::faults::Faults;
use super::filter::{exactly_one, filter, single_target, targets};
use super::results::outcome_sent;
use super::values::{count, digest, kind_sent, mode, page, state_sent, timestamp_sent};
use crate::domain::ids::SubjectId;
use crate::domain::refusal::Refusal;
use crate::ops::{Preview, PreviewItem, PreviewQuery, PreviewSelection};
use crate::proto::v1;
use crate::rpc::status;

/// Reads what is to be previewed.
pub(in crate::rpc) fn preview_query(mut message: v1::PreviewRequest) -> Result<PreviewQuery, Refusal> {
    let size = std::mem::take(&mut message.page_size);
    let token = std::mem::take(&mut message.page_token);
    let arguments = digest("memorylifecycle.v1.MemoryLifecycle/Preview", &message);
    let v1::PreviewRequest { selector, mode: sent_mode, page_size: _, page_token: _ } = message;
    let v1::Selector { memory_id, memory_ids, filter: sent_filter } = selector.unwrap_or_default();

    let mut faults = Faults::default();
    let (selection, filter) = faults.within("selector", |faults| {
        let has_ids = !memory_ids.is_empty();
        exactly_one(faults, &[("memory_id", memory_id.is_some()), ("memory_ids", has_ids)]);
        let one = memory_id.map(|sent| PreviewSelection::One(single_target(faults, "memory_id", sent)));
        let many = has_ids.then(|| PreviewSelection::Many(targets(faults, "memory_ids", memory_ids)));
        (one.or(many), filter(faults, sent_filter))
    });
    let mode = mode(&mut faults, sent_mode);
    let page = page(&mut faults, size, token, arguments);
    faults.settle(selection.map(|selection| PreviewQuery { selection, filter, mode, page }))
}

/// Writes what a forget would do.
pub(in crate::rpc) fn preview_response(preview: Preview) -> v1::PreviewResponse {
    let Preview { matched, would_archive, would_erase, would_refuse, already_forgotten, items, next_token } =
        preview;
    v1::PreviewResponse {
        matched: count(matched),
        items: items.into_iter().map(item_sent).collect(),
        next_page_token: next_token,
        would_archive: count(would_archive),
        would_erase: count(would_erase),
        would_refuse: count(would_refuse),
        already_forgotten: count(already_forgotten),
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
