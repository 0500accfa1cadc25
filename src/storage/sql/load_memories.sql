-- load_memories: the rows under these labels that whoever asks reaches, and the database's clock now: not at BEGIN,
-- but after the heads are locked. At least one row, so that the clock is there when no memory is.
-- $1 text[] = ARRAY['tenant-001','tenant-001'] — the tenant of each label
-- $2 text[] = ARRAY['memory-00001','memory-00002'] — the labels
-- $3 text[] = ARRAY['agent-1',NULL] — the reach for each: this agent's but settled facts; null: all
SELECT now.clock,
       m.tenant_id, m.memory_key, m.memory_id, m.subject_id, m.agent_id, m.graph_id, m.kind, m.origin,
       m.import_id, m.memory_date, m.state, m.version, m.create_time, m.update_time, m.forget_time,
       m.purge_time, m.forget_operation_id
FROM (SELECT clock_timestamp() AS clock) AS now
LEFT JOIN (unnest($1::text[], $2::text[], $3::text[]) AS wanted (tenant_id, memory_id, reach)
           JOIN memories AS m ON m.tenant_id = wanted.tenant_id AND m.memory_id = wanted.memory_id
            AND (wanted.reach IS NULL OR (m.agent_id = wanted.reach AND m.kind <> 4))) ON true
