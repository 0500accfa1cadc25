-- insert_contents: what new memories say.
-- $1 text[] = ARRAY['tenant-001'] — tenant
-- $2 bigint[] = ARRAY[900000] — key
-- $3 text[] = ARRAY['text'] — text
-- $4 bytea[] = ARRAY[NULL] — attachment
-- $5 text[] = ARRAY['text'] — normalised text
-- $6 smallint[] = ARRAY[1] — version of the text rules
INSERT INTO memory_contents (tenant_id, memory_key, content, metadata, normalized, normalization_version)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bytea[], $5::text[], $6::smallint[])
     AS added (tenant_id, memory_key, content, metadata, normalized, normalization_version)
