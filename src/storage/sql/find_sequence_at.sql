-- find_sequence_at: the first audit record at or after a time; times only grow with sequences.
-- $1 text = 'tenant-001' — the tenant
-- $2 timestamptz = now() — the time
SELECT sequence FROM audit_records
WHERE tenant_id = $1 AND commit_time >= $2
ORDER BY commit_time, sequence
LIMIT 1
