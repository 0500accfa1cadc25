-- snapshot_head: the tenant's last change as this snapshot sees it, 0 when there is none, and the database's clock.
-- $1 text = 'tenant-001' — the tenant
SELECT coalesce((SELECT head_sequence FROM tenants WHERE tenant_id = $1), 0) AS head_sequence,
       clock_timestamp() AS clock
