-- list_audit_of_caller: a page of the audit records of one agent's memories and of one principal's calls on
-- others', newest first, settled facts left out. Two index scans that do not overlap, each cut to the page.
-- $1 text = 'tenant-001' — the tenant
-- $2 bigint = 1 — first sequence
-- $3 bigint = 9223372036854775807 — page: before this sequence
-- $4 uuid = NULL — operation
-- $5 text = NULL — who called
-- $6 smallint[] = NULL — actions
-- $7 bigint = 51 — rows at most
-- $8 text = 'agent-1' — the agent
-- $9 text = 'agent-1' — the principal
SELECT a.sequence, a.operation_id, a.memory_id, a.action, a.from_state, a.to_state, a.principal_id, a.agent_id,
       a.reason_digest, a.channel, a.request_id, a.trace_id, a.commit_time, a.mode, a.graph_id, a.import_id, a.cause, a.suppression_id,
       a.kind, a.previous_hash, a.hash, r.reason
FROM (
    (SELECT * FROM audit_records
     WHERE tenant_id = $1 AND sequence >= $2 AND sequence < $3 AND agent_id = $8 AND kind <> 4
       AND ($4::uuid IS NULL OR operation_id = $4)
       AND ($5::text IS NULL OR principal_id = $5)
       AND ($6::smallint[] IS NULL OR action = ANY ($6))
     ORDER BY sequence DESC LIMIT $7)
    UNION ALL
    (SELECT * FROM audit_records
     WHERE tenant_id = $1 AND sequence >= $2 AND sequence < $3 AND principal_id = $9
       AND principal_id <> agent_id AND agent_id <> $8 AND kind <> 4
       AND ($4::uuid IS NULL OR operation_id = $4)
       AND ($5::text IS NULL OR principal_id = $5)
       AND ($6::smallint[] IS NULL OR action = ANY ($6))
     ORDER BY sequence DESC LIMIT $7)
) AS a
LEFT JOIN operation_reasons AS r ON r.tenant_id = a.tenant_id AND r.operation_id = a.operation_id
ORDER BY a.sequence DESC
LIMIT $7
