//! What callers were told, against what the database holds.

use std::collections::{BTreeMap, BTreeSet};

use memory_lifecycle::proto::v1::AuditRecord;
use sqlx::PgConnection;
use tonic::transport::Channel;

use super::change::{Answer, Change, Transition};
use crate::model::logged;

/// What a caller was told.
#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) tenant: String,
    /// Request ids and what was acknowledged to them.
    acknowledged: Vec<(String, Answer)>,
    transitions: usize,
    /// Lost, and never asked about again.
    pub(super) left: Vec<Change>,
    /// How many calls were lost and then asked about, and of how many it turned out that they had been done.
    pub(super) lost: usize,
    pub(super) lost_and_done: usize,
}

/// What many callers were told, summed up.
#[derive(Debug)]
#[allow(dead_code, reason = "printed, whether or not it is looked at")]
pub(super) struct Sum {
    pub(super) calls: usize,
    pub(super) transitions: usize,
    pub(super) left: usize,
    pub(super) lost: usize,
    pub(super) lost_and_done: usize,
}

impl Sum {
    pub(super) fn of(ledgers: &[Ledger]) -> Self {
        let sum = |of: fn(&Ledger) -> usize| ledgers.iter().map(of).sum();
        Self {
            calls: sum(|ledger| ledger.acknowledged.len()),
            transitions: sum(Ledger::transitions),
            left: sum(|ledger| ledger.left.len()),
            lost: sum(|ledger| ledger.lost),
            lost_and_done: sum(|ledger| ledger.lost_and_done),
        }
    }
}

impl Ledger {
    pub(super) fn of(tenant: &str) -> Self {
        let tenant = tenant.to_owned();
        Self { tenant, acknowledged: Vec::new(), transitions: 0, left: Vec::new(), lost: 0, lost_and_done: 0 }
    }

    pub(super) fn acknowledge(&mut self, request_id: &str, answer: &Answer) {
        self.transitions += answer.transitions.len();
        self.acknowledged.push((request_id.to_owned(), answer.clone()));
    }

    /// How many changes of memories were acknowledged.
    pub(super) fn transitions(&self) -> usize {
        self.transitions
    }
}

/// Fails unless every acknowledged change is in the log where its answer said, every change of which nothing is known
/// is there whole or not at all, nothing else is there, and rows and operations are as the log says.
pub(super) async fn assert_kept(ledgers: &[Ledger], channel: &Channel, connection: &mut PgConnection) {
    let tenants: BTreeSet<&str> = ledgers.iter().map(|ledger| ledger.tenant.as_str()).collect();
    for tenant in tenants {
        let log = logged::verified(channel.clone(), connection, tenant).await;
        let mut by_request: BTreeMap<&str, Vec<&AuditRecord>> = BTreeMap::new();
        for record in &log {
            by_request.entry(&record.request_id).or_default().push(record);
        }
        for ledger in ledgers.iter().filter(|ledger| ledger.tenant == tenant) {
            for (request_id, answer) in &ledger.acknowledged {
                let records = by_request.remove(request_id.as_str());
                let records =
                    records.unwrap_or_else(|| panic!("acknowledged and not in the log: {answer:?}"));
                assert_recorded(&records, answer);
            }
            for change in &ledger.left {
                let Some(records) = by_request.remove(change.request_id.as_str()) else { continue };
                assert_eq!(transitions(&records), change.transitions, "half done, or done twice");
            }
        }
        assert!(by_request.is_empty(), "nobody asked for these: {by_request:?}");
    }
    logged::assert_explains_rows(connection).await;
    let strays: i64 = sqlx::query_scalar(
        "WITH logged AS (SELECT tenant_id, operation_id, min(sequence) AS first, max(sequence) AS last
                         FROM audit_records GROUP BY tenant_id, operation_id)
         SELECT count(*) FROM logged FULL JOIN operations AS o USING (tenant_id, operation_id)
         WHERE (o.first_sequence, o.last_sequence) IS DISTINCT FROM (logged.first, logged.last)",
    )
    .fetch_one(&mut *connection)
    .await
    .unwrap();
    assert_eq!(strays, 0, "every operation is stored with its records");
    let without_content: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM memories FULL JOIN memory_contents AS c USING (tenant_id, memory_key)
         WHERE memories.memory_id IS NULL OR c.memory_key IS NULL",
    )
    .fetch_one(connection)
    .await
    .unwrap();
    assert_eq!(without_content, 0, "every memory has its content");
}

fn transitions(records: &[&AuditRecord]) -> Vec<Transition> {
    records.iter().map(|record| (record.action(), record.memory_id.clone())).collect()
}

/// The records are those that were acknowledged, at their place in the chain.
fn assert_recorded(records: &[&AuditRecord], answer: &Answer) {
    assert_eq!(transitions(records), answer.transitions, "{answer:?}");
    let (first, last) = (records[0], records[records.len() - 1]);
    let place = (first.sequence, last.sequence, &last.hash);
    assert_eq!(place, (answer.audit.first_sequence, answer.audit.last_sequence, &answer.audit.head_hash));
    assert!(answer.audit.confirmed);
    assert!(records.iter().all(|record| record.operation_id == answer.operation), "{answer:?}");
}
