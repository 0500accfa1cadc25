-- load_suppressions: the suppressions of these contents.
-- $1 text[] = ARRAY['tenant-001'] — the tenant of each
-- $2 bytea[] = ARRAY[decode(repeat('00', 32), 'hex')] — their fingerprints
SELECT s.tenant_id, s.suppression_id, s.fingerprint, s.by_admin, s.memory_id, s.subject_id, s.agent_id, s.graph_id,
       s.kind, s.import_id, s.operation_id, s.principal_id, s.create_time
FROM unnest($1::text[], $2::bytea[]) AS wanted (tenant_id, fingerprint)
JOIN suppressions AS s ON s.tenant_id = wanted.tenant_id AND s.fingerprint = wanted.fingerprint
