-- load_memories: the rows under these labels, and the database's clock now: not at BEGIN, but after the heads
-- are locked. At least one row, so that the clock is there when no memory is.
-- $1 text[] = ARRAY['tenant-001','tenant-001'] — the tenant of each label
-- $2 text[] = ARRAY['memory-00001','memory-00002'] — the labels
SELECT now.clock,
       m.tenant_id, m.memory_key, m.memory_id, m.subject_id, m.agent_id, m.graph_id, m.kind, m.origin,
       m.import_id, m.memory_date, m.state, m.version, m.create_time, m.update_time, m.forget_time,
       m.purge_time, m.forget_operation_id
FROM (SELECT clock_timestamp() AS clock) AS now
LEFT JOIN (unnest($1::text[], $2::text[]) AS wanted (tenant_id, memory_id)
           JOIN memories AS m USING (tenant_id, memory_id)) ON true
