-- add_fingerprints: what was saved without a fingerprint gets it, unless its text has changed meanwhile.
-- $1 text[] = ARRAY['tenant-001'] — tenant
-- $2 bigint[] = ARRAY[1] — key
-- $3 text[] = ARRAY['text'] — the normalised text that it was taken of
-- $4 bytea[] = ARRAY[decode(repeat('00', 32), 'hex')] — fingerprint
UPDATE memory_contents AS c
SET fingerprint = added.fingerprint
FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bytea[]) AS added (tenant_id, memory_key, normalized, fingerprint)
WHERE c.tenant_id = added.tenant_id AND c.memory_key = added.memory_key
  AND c.fingerprint IS NULL AND c.normalized = added.normalized
