-- list_operations: a page of one principal's operations, newest first, without their answers.
-- $1 text = 'tenant-001' — the tenant
-- $2 text = 'agent-1' — who called
-- $3 timestamptz = 'infinity' — page: committed before this, or
-- $4 uuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff' — then and with a smaller id
-- $5 text = NULL — method
-- $6 timestamptz = NULL — committed at or after
-- $7 timestamptz = NULL — committed before
-- $8 bigint = 51 — rows at most
-- $9 text = 'agent-1' — the reach: this agent's memories but settled facts; null: all
SELECT o.operation_id, o.request_id, o.method, o.principal_id, o.agent_id, o.channel, o.commit_time,
       o.first_sequence, o.last_sequence, o.other_records, NULL::json AS answer, r.reason,
       EXISTS (SELECT FROM memories AS m
               WHERE m.tenant_id = o.tenant_id AND m.forget_operation_id = o.operation_id AND m.state = 2
                 AND ($9::text IS NULL OR (m.agent_id = $9 AND m.kind <> 4))
                 AND (m.purge_time IS NULL OR m.purge_time > clock_timestamp())) AS restorable
FROM operations AS o
LEFT JOIN operation_reasons AS r ON r.tenant_id = o.tenant_id AND r.operation_id = o.operation_id
WHERE o.tenant_id = $1 AND o.principal_id = $2
  AND (o.commit_time, o.operation_id) < ($3, $4)
  AND ($5::text IS NULL OR o.method = $5)
  AND ($6::timestamptz IS NULL OR o.commit_time >= $6)
  AND ($7::timestamptz IS NULL OR o.commit_time < $7)
ORDER BY o.commit_time DESC, o.operation_id DESC
LIMIT $8
