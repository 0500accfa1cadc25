-- operation_range: which audit records an operation wrote: one run of sequences.
-- $1 text = 'tenant-001' — the tenant
-- $2 uuid = '00000000-0000-7000-8000-000000000001' — the operation
SELECT first_sequence, last_sequence FROM operations WHERE tenant_id = $1 AND operation_id = $2
