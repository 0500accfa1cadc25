-- load_operation_callers: which of these operations exist for whoever asks, and who called them.
-- $1 text[] = ARRAY['tenant-001'] — the tenant of each operation
-- $2 uuid[] = ARRAY['00000000-0000-7000-8000-000000000001'::uuid] — the operations
-- $3 text[] = ARRAY['agent-1'] — the reach for each: this principal's; null: all
SELECT o.tenant_id, o.operation_id, o.principal_id
FROM unnest($1::text[], $2::uuid[], $3::text[]) AS wanted (tenant_id, operation_id, reach)
JOIN operations AS o ON o.tenant_id = wanted.tenant_id AND o.operation_id = wanted.operation_id
 AND (wanted.reach IS NULL OR o.principal_id = wanted.reach)
