-- count_same_content: how many active memories in reach have one of these contents of their subject, and are none of these.
-- $1 text = 'tenant-001' — the tenant
-- $2 bytea[] = ARRAY[decode(repeat('00', 32), 'hex')] — the contents' fingerprints
-- $3 bigint[] = ARRAY[1,2,3] — the keys of the memories that are left out
-- $4 text = 'agent-1' — the reach: this agent's but settled facts; null: all
SELECT count(*)
FROM memory_contents AS c
JOIN memories AS m ON m.tenant_id = c.tenant_id AND m.memory_key = c.memory_key
WHERE c.tenant_id = $1 AND c.fingerprint = ANY ($2::bytea[])
  AND m.state = 1
  AND m.memory_key <> ALL ($3::bigint[])
  AND ($4::text IS NULL OR (m.agent_id = $4 AND m.kind <> 4))
