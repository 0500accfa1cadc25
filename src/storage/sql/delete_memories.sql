-- delete_memories: erased memories, and what they said. Only rows at the version that was decided on.
-- $1 text[] = ARRAY['tenant-001'] — the tenant of each key
-- $2 bigint[] = ARRAY[900000] — the keys
-- $3 bigint[] = ARRAY[900000] — the version of each that was loaded
WITH deleted_contents AS (
    DELETE FROM memory_contents AS c
    USING unnest($1::text[], $2::bigint[]) AS erased (tenant_id, memory_key)
    WHERE c.tenant_id = erased.tenant_id AND c.memory_key = erased.memory_key
)
DELETE FROM memories AS m
USING unnest($1::text[], $2::bigint[], $3::bigint[]) AS erased (tenant_id, memory_key, version)
WHERE m.tenant_id = erased.tenant_id AND m.memory_key = erased.memory_key AND m.version = erased.version
