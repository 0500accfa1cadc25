//! Recomputes the hash chain from what callers see, following docs/audit-encoding.md.

use memory_lifecycle::proto::v1::AuditRecord;
use sha2::{Digest, Sha256};

/// Answers what is wrong with a log, if anything is: oldest first, from its beginning.
pub fn verify(tenant: &str, log: &[AuditRecord]) -> Result<(), String> {
    let mut previous = vec![0_u8; 32];
    for (index, record) in log.iter().enumerate() {
        if record.sequence != i64::try_from(index).unwrap() + 1 {
            return Err(format!("sequence {} at place {}", record.sequence, index + 1));
        }
        let mut hasher = Sha256::new();
        hasher.update(&previous);
        hasher.update(encode(tenant, record));
        let hash = hasher.finalize().to_vec();
        if record.previous_hash != previous || record.hash != hash {
            return Err(format!("the chain breaks at {}", record.sequence));
        }
        let earlier = index.checked_sub(1).map(|before| log[before].commit_time.unwrap());
        let time = record.commit_time.unwrap();
        if earlier.is_some_and(|earlier| (earlier.seconds, earlier.nanos) > (time.seconds, time.nanos)) {
            return Err(format!("record {} is before the one before it", record.sequence));
        }
        previous = hash;
    }
    Ok(())
}

fn encode(tenant: &str, record: &AuditRecord) -> Vec<u8> {
    let mut bytes = vec![1];
    let mut field = |number: u16, value: &[u8]| {
        if !value.is_empty() {
            bytes.extend(number.to_be_bytes());
            bytes.extend(u32::try_from(value.len()).unwrap().to_be_bytes());
            bytes.extend(value);
        }
    };
    let integer = |value: i64| if value == 0 { vec![] } else { value.to_be_bytes().to_vec() };
    let time = record.commit_time.unwrap();
    field(0, tenant.as_bytes());
    field(1, &integer(record.sequence));
    field(2, record.operation_id.as_bytes());
    field(3, record.memory_id.as_bytes());
    field(4, &integer(record.action.into()));
    field(5, &integer(record.from_state.into()));
    field(6, &integer(record.to_state.into()));
    field(7, record.principal_id.as_bytes());
    field(8, record.agent_id.as_bytes());
    field(9, &integer(record.cause.into()));
    field(10, &record.reason_digest);
    field(11, record.channel.as_bytes());
    field(12, record.request_id.as_bytes());
    field(13, record.trace_id.as_bytes());
    field(14, &integer(time.seconds * 1_000_000 + i64::from(time.nanos) / 1000));
    field(17, &integer(record.mode.into()));
    field(19, record.graph_id.as_bytes());
    field(20, record.import_id.as_bytes());
    field(22, record.suppression_id.as_bytes());
    bytes
}
