//! From the changes of several tenants to the columns that a set-based statement takes.

use super::batch_writes::TenantChanges;
use crate::domain::facts::Changes;

/// The rows of all tenants in one list, each with its tenant.
pub(super) fn gather<'facts, Row>(
    changes: &[TenantChanges<'facts>],
    rows: impl Fn(&Changes<'facts>) -> Vec<Row>,
) -> Vec<(&'facts str, Row)> {
    changes
        .iter()
        .flat_map(|(tenant, changes)| rows(changes).into_iter().map(|row| (tenant.as_str(), row)))
        .collect()
}

/// One column of the rows, to be bound as an array.
pub(super) fn column<Row, Value>(rows: &[Row], value: impl Fn(&Row) -> Value) -> Vec<Value> {
    rows.iter().map(value).collect()
}
