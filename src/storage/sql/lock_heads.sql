-- lock_heads: statement 1 of a shared batch. Takes the heads that are free and reads nothing else: a statement
-- that locks and reads takes its snapshot before it waits, and so sees the new head beside the old memories.
-- $1 text[] = ARRAY['tenant-001','tenant-002'] — the tenants
SELECT tenant_id, head_sequence, head_hash, last_time
FROM tenants
WHERE tenant_id = ANY ($1::text[])
ORDER BY tenant_id
FOR NO KEY UPDATE SKIP LOCKED
