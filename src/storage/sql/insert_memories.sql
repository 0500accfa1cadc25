-- insert_memories: new memories, in the state the batch left them in, and what they say.
-- $1 text[] = ARRAY['tenant-001'] — tenant
-- $2 bigint[] = ARRAY[900001] — key
-- $3 text[] = ARRAY['memory-new'] — label
-- $4 text[] = ARRAY[NULL] — subject
-- $5 text[] = ARRAY['agent-1'] — owner
-- $6 text[] = ARRAY['default'] — graph
-- $7 smallint[] = ARRAY[1] — kind
-- $8 smallint[] = ARRAY[1] — origin
-- $9 text[] = ARRAY[NULL] — import
-- $10 date[] = ARRAY['2026-01-01'::date] — day
-- $11 smallint[] = ARRAY[1] — state
-- $12 bigint[] = ARRAY[900001] — version
-- $13 timestamptz[] = ARRAY[now()] — created
-- $14 timestamptz[] = ARRAY[now()] — last changed
-- $15 timestamptz[] = ARRAY[NULL] — archived
-- $16 timestamptz[] = ARRAY[NULL] — to be erased
-- $17 uuid[] = ARRAY[NULL] — archived by
-- $18 text[] = ARRAY['text'] — text
-- $19 bytea[] = ARRAY[NULL] — attachment
-- $20 text[] = ARRAY['text'] — normalised text
-- $21 smallint[] = ARRAY[1] — version of the text rules
-- $22 bytea[] = ARRAY[decode(repeat('00', 32), 'hex')] — fingerprint
WITH new_memories AS (
    INSERT INTO memories (tenant_id, memory_key, memory_id, subject_id, agent_id, graph_id, kind, origin,
                          import_id, memory_date, state, version, create_time, update_time, forget_time,
                          purge_time, forget_operation_id)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::smallint[],
                         $8::smallint[], $9::text[], $10::date[], $11::smallint[], $12::bigint[],
                         $13::timestamptz[], $14::timestamptz[], $15::timestamptz[], $16::timestamptz[],
                         $17::uuid[])
         AS added (tenant_id, memory_key, memory_id, subject_id, agent_id, graph_id, kind, origin, import_id,
                   memory_date, state, version, create_time, update_time, forget_time, purge_time,
                   forget_operation_id)
)
INSERT INTO memory_contents (tenant_id, memory_key, content, metadata, normalized, normalization_version,
                             fingerprint)
SELECT * FROM unnest($1::text[], $2::bigint[], $18::text[], $19::bytea[], $20::text[], $21::smallint[], $22::bytea[])
     AS added (tenant_id, memory_key, content, metadata, normalized, normalization_version, fingerprint)
