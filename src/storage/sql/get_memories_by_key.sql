-- get_memories_by_key: memories by their internal keys, with what they say.
-- Whether they are suppressed is not asked: who calls does not show it, or asked before.
-- $1 text = 'tenant-001' — the tenant
-- $2 bigint[] = ARRAY[1,2,3] — the keys
SELECT m.tenant_id, m.memory_key, m.memory_id, m.subject_id, m.agent_id, m.graph_id, m.kind, m.origin,
       m.import_id, m.memory_date, m.state, m.version, m.create_time, m.update_time, m.forget_time,
       m.purge_time, m.forget_operation_id,
       c.content, c.metadata, c.normalized, c.normalization_version,
       false AS suppressed,
       NULL::text AS forget_reason
FROM memories AS m
JOIN memory_contents AS c ON c.tenant_id = m.tenant_id AND c.memory_key = m.memory_key
WHERE m.tenant_id = $1 AND m.memory_key = ANY ($2::bigint[])
