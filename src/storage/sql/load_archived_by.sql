-- load_archived_by: the rows that these operations archived and that are still archived by them, those that whoever
-- asks reaches. OFFSET 0 keeps the planner from turning the look-up around: of a table without statistics it believes
-- that nearly nothing is archived, in any tenant.
-- $1 text[] = ARRAY['tenant-001'] — the tenant of each operation
-- $2 uuid[] = ARRAY['00000000-0000-7000-8000-000000000001'::uuid] — the operations
-- $3 text[] = ARRAY['agent-0'] — the reach for each: this agent's but settled facts; null: all
SELECT m.tenant_id, m.memory_key, m.memory_id, m.subject_id, m.agent_id, m.graph_id, m.kind, m.origin,
       m.import_id, m.memory_date, m.state, m.version, m.create_time, m.update_time, m.forget_time,
       m.purge_time, m.forget_operation_id
FROM unnest($1::text[], $2::uuid[], $3::text[]) AS wanted (tenant_id, forget_operation_id, reach)
CROSS JOIN LATERAL (
    SELECT * FROM memories AS archived
    WHERE archived.tenant_id = wanted.tenant_id AND archived.forget_operation_id = wanted.forget_operation_id
      AND archived.state = 2
      AND (wanted.reach IS NULL OR (archived.agent_id = wanted.reach AND archived.kind <> 4))
    OFFSET 0) AS m
