-- load_requests: which of these request ids were answered before, and how.
-- $1 text[] = ARRAY['tenant-001'] — the tenant of each request
-- $2 text[] = ARRAY['agent-1'] — who called
-- $3 uuid[] = ARRAY['00000000-0000-4000-8000-000000000001'::uuid] — the request ids
SELECT r.tenant_id, r.principal_id, r.request_id, r.digest, o.answer
FROM unnest($1::text[], $2::text[], $3::uuid[]) AS wanted (tenant_id, principal_id, request_id)
JOIN requests AS r USING (tenant_id, principal_id, request_id)
JOIN operations AS o ON o.tenant_id = r.tenant_id AND o.operation_id = r.operation_id
