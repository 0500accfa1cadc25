-- insert_missing_heads: gives tenants that write for the first time their head row.
-- Runs on its own, while no head is held: ordered, so that two replicas never wait for each other.
-- $1 text[] = ARRAY['tenant-001','tenant-002'] — the tenants
INSERT INTO tenants (tenant_id)
SELECT tenant_id FROM unnest($1::text[]) AS wanted (tenant_id)
ORDER BY tenant_id
ON CONFLICT (tenant_id) DO NOTHING
