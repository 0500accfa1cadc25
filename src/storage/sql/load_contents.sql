-- load_contents: what these memories say.
-- $1 text[] = ARRAY['tenant-001'] — the tenant of each key
-- $2 bigint[] = ARRAY[1] — the keys
SELECT c.tenant_id, c.memory_key, c.content, c.metadata, c.normalized, c.normalization_version
FROM unnest($1::text[], $2::bigint[]) AS wanted (tenant_id, memory_key)
JOIN memory_contents AS c USING (tenant_id, memory_key)
