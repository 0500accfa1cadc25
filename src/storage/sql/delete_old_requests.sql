-- delete_old_requests: forgets a tenant's request ids after their 30 days, some at a time.
-- $1 text = 'tenant-001' — the tenant
-- $2 bigint = 100 — rows at most
DELETE FROM requests AS r
USING (SELECT principal_id, request_id FROM requests
       WHERE tenant_id = $1 AND create_time < clock_timestamp() - interval '30 days'
       ORDER BY create_time LIMIT $2) AS old
WHERE r.tenant_id = $1 AND r.principal_id = old.principal_id AND r.request_id = old.request_id
