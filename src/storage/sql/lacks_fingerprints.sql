-- lacks_fingerprints: whether a tenant has memories that an old binary saved and that have no fingerprint yet.
-- $1 text = 'tenant-001' — the tenant
SELECT EXISTS (SELECT 1 FROM memory_contents WHERE tenant_id = $1 AND fingerprint IS NULL)
