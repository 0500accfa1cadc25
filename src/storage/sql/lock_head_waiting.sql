-- lock_head_waiting: statement 1 of a tenant's own batch, and of the fence after a lost COMMIT. Waits for the
-- head, at most lock_timeout, and reads nothing else.
-- $1 text[] = ARRAY['tenant-001'] — the tenants
SELECT tenant_id, head_sequence, head_hash, last_time
FROM tenants
WHERE tenant_id = ANY ($1::text[])
ORDER BY tenant_id
FOR NO KEY UPDATE
