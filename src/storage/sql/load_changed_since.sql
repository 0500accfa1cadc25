-- load_changed_since: the memories in reach of which the log says something after a sequence, and the labels under which
-- there is none, or none in reach.
-- $1 text = 'tenant-001' — the tenant
-- $2 bigint = 899990 — after this sequence
-- $3 text = 'agent-1' — the reach: this agent's but settled facts; null: all
SELECT changed.memory_id AS changed_id,
       m.tenant_id, m.memory_key, m.memory_id, m.subject_id, m.agent_id, m.graph_id, m.kind, m.origin,
       m.import_id, m.memory_date, m.state, m.version, m.create_time, m.update_time, m.forget_time,
       m.purge_time, m.forget_operation_id
FROM (SELECT DISTINCT memory_id FROM audit_records WHERE tenant_id = $1 AND sequence > $2) AS changed
LEFT JOIN memories AS m ON m.tenant_id = $1 AND m.memory_id = changed.memory_id
 AND ($3::text IS NULL OR (m.agent_id = $3 AND m.kind <> 4))
