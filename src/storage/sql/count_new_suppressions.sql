-- count_new_suppressions: how many contents of these memories are not suppressed yet, or not for settled facts too where that
-- is wanted.
-- $1 text = 'tenant-001' — the tenant
-- $2 bigint[] = ARRAY[1,2,3] — the memories' keys
-- $3 boolean = false — whether they are to be suppressed for settled facts too
SELECT count(DISTINCT coalesce(c.fingerprint, int8send(c.memory_key)))
FROM unnest($2::bigint[]) AS wanted (memory_key)
JOIN memory_contents AS c ON c.tenant_id = $1 AND c.memory_key = wanted.memory_key
WHERE NOT EXISTS (SELECT 1 FROM suppressions AS s
                  WHERE s.tenant_id = $1 AND s.fingerprint = c.fingerprint AND (s.by_admin OR NOT $3))
