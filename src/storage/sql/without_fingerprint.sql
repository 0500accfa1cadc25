-- without_fingerprint: memories of any tenant that were saved without a fingerprint, by a binary that knew nothing of it.
-- $1 bigint = 100 — rows at most
SELECT c.tenant_id, c.memory_key, m.subject_id, c.normalized
FROM (SELECT tenant_id, memory_key, normalized FROM memory_contents
      WHERE fingerprint IS NULL
      ORDER BY tenant_id, memory_key
      LIMIT $1) AS c
JOIN memories AS m ON m.tenant_id = c.tenant_id AND m.memory_key = c.memory_key
