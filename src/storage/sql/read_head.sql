-- read_head: where a tenant's log ends, without holding it; for rehearsals.
-- $1 text = 'tenant-001' — the tenant
SELECT tenant_id, head_sequence, head_hash, last_time FROM tenants WHERE tenant_id = $1
