-- select_members_holding: the memories in reach whose text holds every piece of a query somewhere, as words or not, and
-- that are not past their purge time. Whether the pieces stand there as words is for the text rules to say.
-- $1 text = 'tenant-001' — the tenant
-- $2 text = 'agent-1' — only this agent's, or null: all
-- $3 text = NULL — subject
-- $4 text = NULL — graph
-- $5 date = NULL — day
-- $6 smallint[] = ARRAY[1,2,3] — kinds
-- $7 smallint[] = ARRAY[1] — states
-- $8 smallint = NULL — origin
-- $9 text = NULL — import
-- $10 timestamptz = NULL — created at or after
-- $11 timestamptz = NULL — created before
-- $12 text[] = ARRAY['%coffee%','%milk%'] — patterns, one a piece
SELECT m.tenant_id, m.memory_key, m.memory_id, m.subject_id, m.agent_id, m.graph_id, m.kind, m.origin,
       m.import_id, m.memory_date, m.state, m.version, m.create_time, m.update_time, m.forget_time,
       m.purge_time, m.forget_operation_id,
       c.normalized
FROM memories AS m
JOIN memory_contents AS c ON c.tenant_id = m.tenant_id AND c.memory_key = m.memory_key
WHERE m.tenant_id = $1 AND ($2::text IS NULL OR m.agent_id = $2)
  AND ($3::text IS NULL OR m.subject_id = $3)
  AND ($4::text IS NULL OR m.graph_id = $4)
  AND ($5::date IS NULL OR m.memory_date = $5)
  AND m.kind = ANY ($6::smallint[])
  AND m.state = ANY ($7::smallint[])
  AND ($8::smallint IS NULL OR m.origin = $8)
  AND ($9::text IS NULL OR m.import_id = $9)
  AND ($10::timestamptz IS NULL OR m.create_time >= $10)
  AND ($11::timestamptz IS NULL OR m.create_time < $11)
  AND (m.purge_time IS NULL OR m.purge_time > clock_timestamp())
  AND c.normalized LIKE ALL ($12::text[])
