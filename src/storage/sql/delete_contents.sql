-- delete_contents: what erased memories said.
-- $1 text[] = ARRAY['tenant-001'] — the tenant of each key
-- $2 bigint[] = ARRAY[1] — the keys
DELETE FROM memory_contents AS c
USING unnest($1::text[], $2::bigint[]) AS erased (tenant_id, memory_key)
WHERE c.tenant_id = erased.tenant_id AND c.memory_key = erased.memory_key
