-- recall_candidates: the active memories in reach whose text holds a piece of a query somewhere, as words or not, and is not
-- suppressed.
-- The texts go to the caller a row at a time: whether a piece stands there as a word is for the text rules to say.
-- $1 text = 'tenant-001' — the tenant
-- $2 text = 'agent-1' — only this agent's, or null: all
-- $3 text[] = ARRAY['%coffee%','%milk%'] — patterns, one a piece
-- $4 text = NULL — subject
-- $5 text = NULL — graph
-- $6 date = NULL — day
-- $7 smallint[] = ARRAY[1,2,3] — kinds
-- $8 smallint = NULL — origin
-- $9 timestamptz = NULL — created at or after
-- $10 timestamptz = NULL — created before
-- $11 bigint[] = NULL — only these keys, or null: any
SELECT m.memory_key, m.create_time, c.normalized
FROM memories AS m
JOIN memory_contents AS c ON c.tenant_id = m.tenant_id AND c.memory_key = m.memory_key
WHERE m.tenant_id = $1 AND ($2::text IS NULL OR m.agent_id = $2)
  AND m.state = 1
  AND c.normalized LIKE ANY ($3::text[])
  AND ($4::text IS NULL OR m.subject_id = $4)
  AND ($5::text IS NULL OR m.graph_id = $5)
  AND ($6::date IS NULL OR m.memory_date = $6)
  AND m.kind = ANY ($7::smallint[])
  AND ($8::smallint IS NULL OR m.origin = $8)
  AND ($9::timestamptz IS NULL OR m.create_time >= $9)
  AND ($10::timestamptz IS NULL OR m.create_time < $10)
  AND ($11::bigint[] IS NULL OR m.memory_key = ANY ($11))
  AND NOT EXISTS (SELECT 1 FROM suppressions AS s
                  WHERE s.tenant_id = m.tenant_id AND s.fingerprint = c.fingerprint
                    AND (s.by_admin OR m.kind <> 4))
