-- get_memory: one memory in reach with its content and, while it is archived, why.
-- $1 text = 'tenant-001' — the tenant
-- $2 text = 'memory-00001' — the label
-- $3 text = 'agent-1' — the reach: this agent's but settled facts; null: all
SELECT m.tenant_id, m.memory_key, m.memory_id, m.subject_id, m.agent_id, m.graph_id, m.kind, m.origin,
       m.import_id, m.memory_date, m.state, m.version, m.create_time, m.update_time, m.forget_time,
       m.purge_time, m.forget_operation_id,
       c.content, c.metadata, c.normalized, c.normalization_version,
       EXISTS (SELECT 1 FROM suppressions AS s
               WHERE s.tenant_id = m.tenant_id AND s.fingerprint = c.fingerprint
                 AND (s.by_admin OR m.kind <> 4)) AS suppressed,
       r.reason AS forget_reason
FROM memories AS m
JOIN memory_contents AS c ON c.tenant_id = m.tenant_id AND c.memory_key = m.memory_key
LEFT JOIN operation_reasons AS r ON r.tenant_id = m.tenant_id AND r.operation_id = m.forget_operation_id
WHERE m.tenant_id = $1 AND m.memory_id = $2
  AND ($3::text IS NULL OR (m.agent_id = $3 AND m.kind <> 4))
  AND (m.purge_time IS NULL OR m.purge_time > clock_timestamp())
