-- due_memories: memories of a tenant past their purge time, longest first.
-- $1 text = 'tenant-001' — the tenant
-- $2 bigint = 100 — rows at most
SELECT memory_id FROM memories
WHERE tenant_id = $1 AND state = 2 AND purge_time <= clock_timestamp()
ORDER BY purge_time
LIMIT $2
