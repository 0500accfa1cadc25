-- delete_suppressions: suppressions that stand no longer.
-- $1 text[] = ARRAY['tenant-001'] — the tenant of each
-- $2 uuid[] = ARRAY['00000000-0000-8000-8000-000000000001'::uuid] — their names
DELETE FROM suppressions AS s
USING unnest($1::text[], $2::uuid[]) AS lifted (tenant_id, suppression_id)
WHERE s.tenant_id = lifted.tenant_id AND s.suppression_id = lifted.suppression_id
