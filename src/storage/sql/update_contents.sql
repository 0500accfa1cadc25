-- update_contents: what corrected memories say now.
-- $1 text[] = ARRAY['tenant-001'] — tenant
-- $2 bigint[] = ARRAY[1] — key
-- $3 text[] = ARRAY['text'] — text
-- $4 bytea[] = ARRAY[NULL] — attachment
-- $5 text[] = ARRAY['text'] — normalised text
-- $6 smallint[] = ARRAY[1] — version of the text rules
UPDATE memory_contents AS c
SET content = changed.content, metadata = changed.metadata, normalized = changed.normalized,
    normalization_version = changed.normalization_version
FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bytea[], $5::text[], $6::smallint[])
     AS changed (tenant_id, memory_key, content, metadata, normalized, normalization_version)
WHERE c.tenant_id = changed.tenant_id AND c.memory_key = changed.memory_key
