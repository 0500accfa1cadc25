-- operation_reason: why an operation was called.
-- $1 text = 'tenant-001' — the tenant
-- $2 uuid = '00000000-0000-7000-8000-000000000001'::uuid — the operation
SELECT reason FROM operation_reasons WHERE tenant_id = $1 AND operation_id = $2
