-- list_memories_of_agent: a page of one agent's memories, newest first.
-- $1 text = 'tenant-001' — the tenant
-- $2 text = 'agent-1' — the agent
-- $3 timestamptz = 'infinity' — page: created before this, or
-- $4 bigint = 9223372036854775807 — then and with a smaller key
-- $5 text = NULL — subject
-- $6 text = NULL — graph
-- $7 date = NULL — day
-- $8 smallint[] = ARRAY[1,2,3] — kinds
-- $9 smallint[] = ARRAY[1] — states
-- $10 smallint = NULL — origin
-- $11 text = NULL — import
-- $12 timestamptz = NULL — created at or after
-- $13 timestamptz = NULL — created before
-- $14 bigint = 51 — rows at most
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
WHERE m.tenant_id = $1 AND m.agent_id = $2
  AND (m.create_time, m.memory_key) < ($3, $4)
  AND ($5::text IS NULL OR m.subject_id = $5)
  AND ($6::text IS NULL OR m.graph_id = $6)
  AND ($7::date IS NULL OR m.memory_date = $7)
  AND m.kind = ANY ($8::smallint[])
  AND m.state = ANY ($9::smallint[])
  AND ($10::smallint IS NULL OR m.origin = $10)
  AND ($11::text IS NULL OR m.import_id = $11)
  AND ($12::timestamptz IS NULL OR m.create_time >= $12)
  AND ($13::timestamptz IS NULL OR m.create_time < $13)
  AND (m.purge_time IS NULL OR m.purge_time > clock_timestamp())
ORDER BY m.create_time DESC, m.memory_key DESC
LIMIT $14
