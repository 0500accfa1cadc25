-- list_audit_of_memory: a page of the audit records under one label, newest first; those in the caller's reach.
-- $1 text = 'tenant-001' — the tenant
-- $2 bigint = 1 — first sequence
-- $3 bigint = 9223372036854775807 — page: before this sequence
-- $4 uuid = NULL — operation
-- $5 text = NULL — who called
-- $6 smallint[] = NULL — actions
-- $7 bigint = 51 — rows at most
-- $8 text = 'memory-00001' — the label
-- $9 text = 'agent-1' — only this agent's memories, or
-- $10 text = 'agent-1' — this principal's calls; both null: all
SELECT a.sequence, a.operation_id, a.memory_id, a.action, a.from_state, a.to_state, a.principal_id, a.agent_id,
       a.reason_digest, a.channel, a.request_id, a.trace_id, a.commit_time, a.mode, a.graph_id, a.import_id, a.cause, a.suppression_id,
       a.kind, a.previous_hash, a.hash, r.reason
FROM audit_records AS a
LEFT JOIN operation_reasons AS r ON r.tenant_id = a.tenant_id AND r.operation_id = a.operation_id
WHERE a.tenant_id = $1 AND a.sequence >= $2 AND a.sequence < $3
  AND a.memory_id = $8
  AND ($9::text IS NULL OR (a.kind <> 4 AND (a.agent_id = $9 OR a.principal_id = $10)))
  AND ($4::uuid IS NULL OR a.operation_id = $4)
  AND ($5::text IS NULL OR a.principal_id = $5)
  AND ($6::smallint[] IS NULL OR a.action = ANY ($6))
ORDER BY a.sequence DESC
LIMIT $7
