-- due_tenants: tenants that have memories past their purge time, a page in the order of their names.
-- $1 text = '' — after this tenant
-- $2 bigint = 100 — tenants looked at, at most
SELECT t.tenant_id,
       EXISTS (SELECT FROM memories AS m
               WHERE m.tenant_id = t.tenant_id AND m.state = 2 AND m.purge_time <= clock_timestamp()) AS is_due
FROM tenants AS t
WHERE t.tenant_id > $1
ORDER BY t.tenant_id
LIMIT $2
