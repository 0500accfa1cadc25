-- operation_range: which audit records an operation wrote: one run of sequences. Nothing of an operation that wrote
-- no record in reach.
-- $1 text = 'tenant-001' — the tenant
-- $2 uuid = '00000000-0000-7000-8000-000000000001' — the operation
-- $3 text = 'agent-1' — only with a record of this agent's memories, or
-- $4 text = 'agent-1' — of this principal's calls; both null: any
SELECT o.first_sequence, o.last_sequence FROM operations AS o
WHERE o.tenant_id = $1 AND o.operation_id = $2
  AND ($3::text IS NULL
       OR EXISTS (SELECT FROM audit_records AS a
                  WHERE a.tenant_id = o.tenant_id AND a.sequence BETWEEN o.first_sequence AND o.last_sequence
                    AND a.kind <> 4 AND (a.agent_id = $3 OR a.principal_id = $4)))
