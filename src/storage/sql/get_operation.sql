-- get_operation: one operation in reach, and whether something in reach is still archived by it.
-- $1 text = 'tenant-001' — the tenant
-- $2 uuid = '00000000-0000-7000-8000-000000000001' — the operation
-- $3 text = 'agent-1' — the reach: this principal's operations; null: all
-- $4 text = 'agent-1' — and this agent's memories but settled facts; null: all
SELECT o.operation_id, o.request_id, o.method, o.principal_id, o.agent_id, o.channel, o.commit_time,
       o.first_sequence, o.last_sequence, o.other_records, o.answer, r.reason,
       EXISTS (SELECT FROM memories AS m
               WHERE m.tenant_id = o.tenant_id AND m.forget_operation_id = o.operation_id AND m.state = 2
                 AND ($4::text IS NULL OR (m.agent_id = $4 AND m.kind <> 4))
                 AND (m.purge_time IS NULL OR m.purge_time > clock_timestamp())) AS restorable
FROM operations AS o
LEFT JOIN operation_reasons AS r ON r.tenant_id = o.tenant_id AND r.operation_id = o.operation_id
WHERE o.tenant_id = $1 AND o.operation_id = $2 AND ($3::text IS NULL OR o.principal_id = $3)
