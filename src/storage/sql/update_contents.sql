-- update_contents: what corrected memories say now.
-- $1 text[] = ARRAY['tenant-001'] — tenant
-- $2 bigint[] = ARRAY[1] — key
-- $3 text[] = ARRAY['text'] — text
-- $4 bytea[] = ARRAY[NULL] — attachment
-- $5 text[] = ARRAY['text'] — normalised text
-- $6 smallint[] = ARRAY[1] — version of the text rules
-- $7 bytea[] = ARRAY[decode(repeat('00', 32), 'hex')] — fingerprint
UPDATE memory_contents AS c
SET content = changed.content, metadata = changed.metadata, normalized = changed.normalized,
    normalization_version = changed.normalization_version, fingerprint = changed.fingerprint
FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bytea[], $5::text[], $6::smallint[], $7::bytea[])
     AS changed (tenant_id, memory_key, content, metadata, normalized, normalization_version, fingerprint)
WHERE c.tenant_id = changed.tenant_id AND c.memory_key = changed.memory_key
