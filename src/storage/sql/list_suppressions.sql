-- list_suppressions: a page of the suppressions that exist for whoever asks, newest first, and why each was made.
-- $1 text = 'tenant-001' — the tenant
-- $2 text = 'agent-1' — the reach: what concerns this agent's memories but settled facts; null: all
-- $3 text = 'agent-1' — or what this principal made
-- $4 text = NULL — subject
-- $5 timestamptz = 'infinity' — page: made before this, or
-- $6 uuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid — then and of a smaller name
-- $7 bigint = 51 — rows at most
SELECT s.tenant_id, s.suppression_id, s.fingerprint, s.by_admin, s.memory_id, s.subject_id, s.agent_id, s.graph_id,
       s.kind, s.import_id, s.operation_id, s.principal_id, s.create_time,
       r.reason
FROM suppressions AS s
LEFT JOIN operation_reasons AS r ON r.tenant_id = s.tenant_id AND r.operation_id = s.operation_id
WHERE s.tenant_id = $1
  AND ($2::text IS NULL OR (s.agent_id = $2 AND s.kind <> 4) OR s.principal_id = $3)
  AND ($4::text IS NULL OR s.subject_id = $4)
  AND (s.create_time, s.suppression_id) < ($5, $6)
ORDER BY s.create_time DESC, s.suppression_id DESC
LIMIT $7
