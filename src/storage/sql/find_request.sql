-- find_request: the operation that answered a request id.
-- $1 text = 'tenant-001' — the tenant
-- $2 text = 'agent-1' — who called
-- $3 uuid = '00000000-0000-4000-8000-000000000001' — the request id
SELECT operation_id FROM requests WHERE tenant_id = $1 AND principal_id = $2 AND request_id = $3
