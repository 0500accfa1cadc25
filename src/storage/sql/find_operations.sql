-- find_operations: which of a batch's operations were committed; asked under the heads' locks after a lost
-- COMMIT.
-- $1 text[] = ARRAY['tenant-001'] — the tenant of each operation
-- $2 uuid[] = ARRAY['00000000-0000-7000-8000-000000000001'::uuid] — the operations
SELECT count(*) AS found
FROM unnest($1::text[], $2::uuid[]) AS wanted (tenant_id, operation_id)
JOIN operations AS o USING (tenant_id, operation_id)
