-- load_suppressions_named: the suppressions of these names that exist for whoever asks.
-- $1 text[] = ARRAY['tenant-001'] — the tenant of each
-- $2 uuid[] = ARRAY['00000000-0000-8000-8000-000000000001'::uuid] — their names
-- $3 text[] = ARRAY['agent-1'] — the reach for each: what concerns this agent's memories but settled facts; null: all
-- $4 text[] = ARRAY['agent-1'] — or what this principal made
SELECT s.tenant_id, s.suppression_id, s.fingerprint, s.by_admin, s.memory_id, s.subject_id, s.agent_id, s.graph_id,
       s.kind, s.import_id, s.operation_id, s.principal_id, s.create_time
FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[]) AS wanted (tenant_id, suppression_id, reach, principal_id)
JOIN suppressions AS s ON s.tenant_id = wanted.tenant_id AND s.suppression_id = wanted.suppression_id
 AND (wanted.reach IS NULL OR (s.agent_id = wanted.reach AND s.kind <> 4) OR s.principal_id = wanted.principal_id)
