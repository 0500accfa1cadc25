-- insert_audit_records: the transitions of a batch, each tenant's in order.
-- $1 text[] = ARRAY['tenant-001'] — tenant
-- $2 bigint[] = ARRAY[900001] — sequence
-- $3 uuid[] = ARRAY['00000000-0000-7000-8000-000000000001'::uuid] — operation
-- $4 text[] = ARRAY['memory-00001'] — label
-- $5 smallint[] = ARRAY[2] — action
-- $6 smallint[] = ARRAY[1] — state before
-- $7 smallint[] = ARRAY[2] — state after
-- $8 text[] = ARRAY['agent-1'] — who called
-- $9 text[] = ARRAY['agent-1'] — whose memory
-- $10 bytea[] = ARRAY[NULL] — digest of the reason
-- $11 text[] = ARRAY[NULL] — channel
-- $12 uuid[] = ARRAY[NULL] — request id
-- $13 text[] = ARRAY[NULL] — trace
-- $14 timestamptz[] = ARRAY[now()] — when
-- $15 smallint[] = ARRAY[1] — mode
-- $16 text[] = ARRAY['default'] — graph
-- $17 text[] = ARRAY[NULL] — import
-- $18 smallint[] = ARRAY[1] — kind
-- $19 bytea[] = ARRAY[decode(repeat('00', 32), 'hex')] — hash before
-- $20 bytea[] = ARRAY[decode(repeat('00', 32), 'hex')] — hash
INSERT INTO audit_records (tenant_id, sequence, operation_id, memory_id, action, from_state, to_state,
                           principal_id, agent_id, reason_digest, channel, request_id, trace_id, commit_time,
                           mode, graph_id, import_id, kind, previous_hash, hash)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::uuid[], $4::text[], $5::smallint[], $6::smallint[],
                     $7::smallint[], $8::text[], $9::text[], $10::bytea[], $11::text[], $12::uuid[],
                     $13::text[], $14::timestamptz[], $15::smallint[], $16::text[], $17::text[],
                     $18::smallint[], $19::bytea[], $20::bytea[])
     AS added (tenant_id, sequence, operation_id, memory_id, action, from_state, to_state, principal_id,
               agent_id, reason_digest, channel, request_id, trace_id, commit_time, mode, graph_id, import_id,
               kind, previous_hash, hash)
