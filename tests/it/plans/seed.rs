//! 200,000 memories over 20 of 5,000 tenants, with their contents, records and operations.

use crate::harness::Database;

/// Memories of one tenant, never analysed.
pub(super) async fn fill_some(database: &Database) {
    database
        .execute(
            "
INSERT INTO tenants (tenant_id) VALUES ('tenant-001');
INSERT INTO memories (tenant_id, memory_key, memory_id, agent_id, graph_id, kind, origin, memory_date, state,
                      version, create_time, update_time)
    SELECT 'tenant-001', n, 'memory-' || n, 'agent-1', 'default', 1, 1, now(), 1, n, now(), now()
    FROM generate_series(1, 2000) AS n;
UPDATE memories SET state = 2, forget_time = update_time, purge_time = update_time + interval '30 days',
                    forget_operation_id = gen_random_uuid() WHERE memory_key % 2 = 0;
INSERT INTO memory_contents (tenant_id, memory_key, content, normalized, normalization_version)
    SELECT 'tenant-001', n, 'x', 'x', 1 FROM generate_series(1, 2000) AS n;
INSERT INTO operations (tenant_id, operation_id, method, principal_id, agent_id, commit_time, first_sequence,
                        last_sequence, answer)
    SELECT 'tenant-001', gen_random_uuid(), 'm', 'agent-1', 'agent-1', now(), n, n, '{}'
    FROM generate_series(1, 2000) AS n;
INSERT INTO requests (tenant_id, principal_id, request_id, digest, operation_id, create_time)
    SELECT 'tenant-001', 'agent-1', gen_random_uuid(), decode(repeat('00', 32), 'hex'), gen_random_uuid(), now()
    FROM generate_series(1, 2000) AS n;
",
        )
        .await;
}

pub(super) async fn fill(database: &Database) {
    database
        .execute(
            "
CREATE FUNCTION pg_temp.operation(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS
    $$ SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
CREATE FUNCTION pg_temp.request(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS
    $$ SELECT ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
CREATE TEMP TABLE seeded AS
    SELECT 'tenant-' || lpad(t::text, 3, '0') AS tenant_id, k, 'memory-' || lpad(k::text, 5, '0') AS memory_id,
           'agent-' || (k % 5) AS agent_id, now() - k * interval '1 minute' AS at
    FROM generate_series(1, 20) AS t, generate_series(1, 10000) AS k;
INSERT INTO tenants (tenant_id, head_sequence, last_time)
    SELECT CASE WHEN t <= 20 THEN 'tenant-' || lpad(t::text, 3, '0') ELSE 'other-' || t END,
           CASE WHEN t <= 20 THEN 10000 ELSE 0 END, CASE WHEN t <= 20 THEN now() END
    FROM generate_series(1, 5000) AS t;
UPDATE tenants SET head_sequence = 0, last_time = NULL WHERE tenant_id = 'tenant-001';
INSERT INTO graphs (tenant_id, graph_id)
    SELECT 'tenant-' || lpad(t::text, 3, '0'), 'graph-' || g
    FROM generate_series(1, 20) AS t, generate_series(1, 50) AS g;
INSERT INTO memories (tenant_id, memory_key, memory_id, subject_id, agent_id, graph_id, kind, origin, import_id,
                      memory_date, state, version, create_time, update_time, forget_time, purge_time,
                      forget_operation_id)
    SELECT tenant_id, k, memory_id, 'subject-' || (k % 100), agent_id, 'default', 1, 1, NULL, at::date,
           CASE WHEN k % 10 = 0 THEN 2 ELSE 1 END, k, at, at,
           CASE WHEN k % 10 = 0 THEN at END, CASE WHEN k % 10 = 0 THEN at + interval '30 days' END,
           CASE WHEN k % 10 = 0 THEN pg_temp.operation(k) END
    FROM seeded;
INSERT INTO memory_contents (tenant_id, memory_key, content, normalized, normalization_version, fingerprint)
    SELECT tenant_id, k, repeat('x', 100), repeat('x', 100), 1,
           CASE WHEN k % 1000 <> 0 THEN sha256(convert_to(k::text, 'UTF8')) END
    FROM seeded;
INSERT INTO suppressions (tenant_id, suppression_id, fingerprint, by_admin, memory_id, agent_id, graph_id, kind,
                          operation_id, principal_id, create_time)
    SELECT tenant_id, (CASE k WHEN 1 THEN '00000000-0000-8000-8000-000000000001' ELSE gen_random_uuid()::text END)::uuid,
           sha256(convert_to((k * 7)::text, 'UTF8')), false, memory_id, agent_id, 'default', 1, pg_temp.operation(k), agent_id,
           now() - k * interval '1 minute'
    FROM seeded;
-- What the examples of the inserts refer to: a memory that has no content yet.
INSERT INTO memories (tenant_id, memory_key, memory_id, agent_id, graph_id, kind, origin, memory_date, state,
                      version, create_time, update_time)
    VALUES ('tenant-001', 900000, 'memory-without-content', 'agent-1', 'default', 1, 1, now(), 1, 900000, now(),
            now());
INSERT INTO audit_records (tenant_id, sequence, operation_id, memory_id, action, from_state, to_state,
                           principal_id, agent_id, commit_time, mode, graph_id, kind, previous_hash, hash)
    SELECT tenant_id, k, pg_temp.operation(k), memory_id, 1, 0, 1,
           CASE WHEN k % 50 = 0 THEN 'administrator' ELSE agent_id END, agent_id,
           now() - (10000 - k) * interval '1 second', 0, 'default', 1, decode(repeat('00', 32), 'hex'),
           decode(repeat('00', 32), 'hex')
    FROM seeded;
INSERT INTO operations (tenant_id, operation_id, method, principal_id, agent_id, commit_time, first_sequence,
                        last_sequence, answer)
    SELECT tenant_id, pg_temp.operation(k), 'm', agent_id, agent_id, now() - (10000 - k) * interval '1 second',
           k, k, '{}'
    FROM seeded;
INSERT INTO operation_reasons (tenant_id, operation_id, salt, reason)
    SELECT tenant_id, pg_temp.operation(k), decode(repeat('00', 16), 'hex'), 'because' FROM seeded;
INSERT INTO requests (tenant_id, principal_id, request_id, digest, operation_id, create_time)
    SELECT tenant_id, agent_id, pg_temp.request(k), decode(repeat('00', 32), 'hex'), pg_temp.operation(k),
           now() - (10000 - k) * interval '1 second'
    FROM seeded;
INSERT INTO api_keys (key_id, tenant_id, agent_id, principal_id, capabilities, secret_hash, create_time)
    SELECT 'aaaaaaaa' || translate(lpad(to_hex(n), 8, '0'), '0189', 'wxyz'), 'tenant-' || lpad((n % 20 + 1)::text, 3, '0'),
           'agent-1', 'agent-1', '{memory:read}', decode(repeat('00', 32), 'hex'), now()
    FROM generate_series(1, 10000) AS n;
ANALYZE;
",
        )
        .await;
}
