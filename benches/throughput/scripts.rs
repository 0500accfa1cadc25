//! What pgbench does per call: the same changes to the same rows, as a careful backend would make them.

use crate::ids::Order;
use crate::text;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    /// BEGIN; SELECT … FOR UPDATE; UPDATE; INSERT audit; COMMIT.
    Transaction,
    /// The same as one statement: the UPDATE itself locks the row.
    Statement,
    /// One statement over 100 ids.
    Set,
    /// Inserts memory, content and audit row in a transaction.
    Insert,
}

const LOCK: &str = "SELECT memory_key, state, version FROM memories WHERE tenant_id = 't-' || :t AND memory_id = 'm' || :k FOR UPDATE";
const ARCHIVE: &str = "UPDATE memories SET state = 2, version = version + 1, update_time = now(), forget_time = now(), \
    purge_time = now() + interval '30 days', forget_operation_id = gen_random_uuid()";
const OF_ONE: &str = "WHERE tenant_id = 't-' || :t AND memory_id = 'm' || :k";
const AUDIT: &str = "INSERT INTO audit_records (tenant_id, sequence, operation_id, memory_id, action, from_state, \
    to_state, principal_id, agent_id, commit_time, mode, graph_id, kind, previous_hash, hash)";
/// The rest of an audit row, after tenant, sequence, operation and memory.
const OF_FORGET: &str = "2, 1, 2, 'default', 'default', clock_timestamp(), 1, 'default', 1, \
    decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')";
const OF_REMEMBER: &str = "1, 0, 1, 'default', 'default', clock_timestamp(), 0, 'default', 1, \
    decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')";

impl Script {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Transaction => "pgbench: BEGIN; SELECT FOR UPDATE; UPDATE; INSERT audit; COMMIT",
            Self::Statement => "pgbench: the same as one statement",
            Self::Set => "pgbench: one statement over 100 ids",
            Self::Insert => "pgbench: BEGIN; INSERT memory, content, audit; COMMIT",
        }
    }

    /// Memories of a call.
    pub(crate) fn size(self) -> usize {
        if self == Self::Set { 100 } else { 1 }
    }

    /// The script, which meets the same memories in the same order as our callers do. A client's variable `i`
    /// starts at -1; `base` is the key of the first memory that this run may insert.
    pub(crate) fn text(self, clients: usize, order: Order) -> String {
        let Order { from, tenants, size, calls, step } = order;
        let number = format!(
            "\\set i :i + 1\n\\set number :i * {clients} + :client_id\n\\set t :number % {tenants} + {from}\n\
             \\set k (:number / {tenants} * {step}) % {calls} * {size} + 1\n"
        );
        number + &self.statements()
    }

    fn statements(self) -> String {
        match self {
            Self::Transaction => format!(
                "BEGIN;\n{LOCK};\n{ARCHIVE} {OF_ONE};\n\
                 {AUDIT} VALUES ('t-' || :t, nextval('peer_sequence'), gen_random_uuid(), 'm' || :k, {OF_FORGET});\n\
                 COMMIT;\n"
            ),
            Self::Statement => format!(
                "WITH changed AS ({ARCHIVE} {OF_ONE} RETURNING tenant_id, memory_id, forget_operation_id) {AUDIT} \
                 SELECT tenant_id, nextval('peer_sequence'), forget_operation_id, memory_id, {OF_FORGET} FROM changed;\n"
            ),
            // Locked in the order of keys, so that two of them cannot block each other.
            Self::Set => format!(
                "WITH found AS (SELECT tenant_id, memory_key FROM memories WHERE tenant_id = 't-' || :t AND memory_id = \
                 ANY (ARRAY(SELECT 'm' || n FROM generate_series(:k::int, :k::int + 99) AS n)) ORDER BY memory_key \
                 FOR UPDATE), changed AS ({ARCHIVE} FROM found WHERE memories.tenant_id = found.tenant_id AND \
                 memories.memory_key = found.memory_key RETURNING memories.tenant_id, memories.memory_id, \
                 forget_operation_id) {AUDIT} SELECT tenant_id, nextval('peer_sequence'), forget_operation_id, \
                 memory_id, {OF_FORGET} FROM changed;\n"
            ),
            Self::Insert => format!(
                "\\set key :base + :number\nBEGIN;\n\
                 INSERT INTO memories (tenant_id, memory_key, memory_id, agent_id, graph_id, kind, origin, memory_date, \
                 state, version, create_time, update_time) VALUES ('t-' || :t, :key, 'new' || :key, 'default', \
                 'default', 1, 1, now(), 1, :key, now(), now());\n\
                 INSERT INTO memory_contents (tenant_id, memory_key, content, normalized, normalization_version, \
                 fingerprint) VALUES ('t-' || :t, :key, '{text}', '{text}', 1, sha256(convert_to('{text}', 'UTF8')));\n\
                 {AUDIT} VALUES ('t-' || :t, nextval('peer_sequence'), gen_random_uuid(), 'new' || :key, \
                 {OF_REMEMBER});\nCOMMIT;\n",
                text = text::one_kib(),
            ),
        }
    }
}
