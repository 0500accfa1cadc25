-- update_memories: memories whose state or version changed. Only rows at the version that was decided on.
-- $1 text[] = ARRAY['tenant-001'] — tenant
-- $2 bigint[] = ARRAY[1] — key
-- $3 bigint[] = ARRAY[1] — the version that was loaded
-- $4 bigint[] = ARRAY[900001] — new version
-- $5 smallint[] = ARRAY[1] — state
-- $6 timestamptz[] = ARRAY[now()] — last changed
-- $7 timestamptz[] = ARRAY[NULL] — archived
-- $8 timestamptz[] = ARRAY[NULL] — to be erased
-- $9 uuid[] = ARRAY[NULL] — archived by
UPDATE memories AS m
SET version = changed.version, state = changed.state, update_time = changed.update_time,
    forget_time = changed.forget_time, purge_time = changed.purge_time,
    forget_operation_id = changed.forget_operation_id
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::smallint[], $6::timestamptz[],
            $7::timestamptz[], $8::timestamptz[], $9::uuid[])
     AS changed (tenant_id, memory_key, stored_version, version, state, update_time, forget_time, purge_time,
                 forget_operation_id)
WHERE m.tenant_id = changed.tenant_id AND m.memory_key = changed.memory_key
  AND m.version = changed.stored_version
