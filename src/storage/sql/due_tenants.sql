-- due_tenants: tenants in the order of their names, each with whether there is something to sweep. The oldest of
-- each kind answers for all, so that each is one step down an index.
-- $1 text = '' — after this tenant
-- $2 bigint = 100 — tenants looked at, at most
SELECT t.tenant_id,
       coalesce((SELECT m.purge_time FROM memories AS m
                 WHERE m.tenant_id = t.tenant_id AND m.state = 2
                 ORDER BY m.purge_time LIMIT 1) <= clock_timestamp(), false) AS has_due_memories,
       coalesce((SELECT r.create_time FROM requests AS r
                 WHERE r.tenant_id = t.tenant_id
                 ORDER BY r.create_time LIMIT 1) < clock_timestamp() - interval '30 days', false)
           AS has_old_requests
FROM tenants AS t
WHERE t.tenant_id > $1
ORDER BY t.tenant_id
LIMIT $2
