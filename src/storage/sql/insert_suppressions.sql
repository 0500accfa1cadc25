-- insert_suppressions: suppressions that stand from now on.
-- $1 text[] = ARRAY['tenant-001'] — tenant
-- $2 uuid[] = ARRAY['00000000-0000-8000-8000-00000000ffff'::uuid] — name
-- $3 bytea[] = ARRAY[decode(repeat('0f', 32), 'hex')] — fingerprint
-- $4 boolean[] = ARRAY[false] — for settled facts too
-- $5 text[] = ARRAY['memory-00001'] — the label of the memory it was made for
-- $6 text[] = ARRAY[NULL] — whom that was about
-- $7 text[] = ARRAY['agent-1'] — whose that was
-- $8 text[] = ARRAY['default'] — where that was
-- $9 smallint[] = ARRAY[1] — its kind
-- $10 text[] = ARRAY[NULL] — the import that brought it
-- $11 uuid[] = ARRAY['00000000-0000-7000-8000-000000000001'::uuid] — the operation that made it
-- $12 text[] = ARRAY['agent-1'] — who called that
-- $13 timestamptz[] = ARRAY[now()] — when
INSERT INTO suppressions (tenant_id, suppression_id, fingerprint, by_admin, memory_id, subject_id, agent_id, graph_id,
                          kind, import_id, operation_id, principal_id, create_time)
SELECT * FROM unnest($1::text[], $2::uuid[], $3::bytea[], $4::boolean[], $5::text[], $6::text[], $7::text[],
                     $8::text[], $9::smallint[], $10::text[], $11::uuid[], $12::text[], $13::timestamptz[])
     AS added (tenant_id, suppression_id, fingerprint, by_admin, memory_id, subject_id, agent_id, graph_id, kind,
               import_id, operation_id, principal_id, create_time)
