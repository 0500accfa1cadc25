//! How keys are shown.

use chrono::SecondsFormat;

use crate::domain::Timestamp;
use crate::domain::line::breaks_line_or_controls;
use crate::storage::api_keys::ListedKey;

const HEAD: [&str; 10] = [
    "ID",
    "TENANT",
    "AGENT",
    "PRINCIPAL",
    "CAPABILITIES",
    "CREATED",
    "EXPIRES",
    "LAST USED",
    "STATE",
    "DESCRIPTION",
];
/// What stands where there is nothing.
const NONE: &str = "-";

/// A table with a head, a line a key.
pub(super) fn table(keys: &[ListedKey]) -> String {
    let rows: Vec<_> = std::iter::once(HEAD.map(str::to_owned)).chain(keys.iter().map(row)).collect();
    let mut widths = [0; HEAD.len()];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in &rows {
        let cells: Vec<_> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn row(key: &ListedKey) -> [String; HEAD.len()] {
    let state = match (&key.revoke_time, key.is_expired) {
        (Some(_), _) => "revoked",
        (None, true) => "expired",
        (None, false) => "active",
    };
    let moment = |at: Option<Timestamp>| at.map_or_else(|| NONE.to_owned(), time);
    [
        shown(&key.key_id),
        shown(&key.tenant_id),
        shown(&key.agent_id),
        shown(&key.principal_id),
        shown(&key.capabilities.join(",")),
        time(key.create_time),
        moment(key.expire_time),
        moment(key.last_use_time),
        state.to_owned(),
        key.description.as_deref().map_or_else(|| NONE.to_owned(), shown),
    ]
}

/// A time in UTC, to the second.
pub(super) fn time(at: Timestamp) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// A text on one line, whatever somebody may have written into the table.
fn shown(text: &str) -> String {
    text.chars()
        .map(
            |character| {
                if breaks_line_or_controls(character) { char::REPLACEMENT_CHARACTER } else { character }
            },
        )
        .collect()
}
